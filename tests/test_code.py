"""Calls that are code: complete at their bracket, never lost among other code, and read in linear time."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import shares
import shipped_corpus
from hypothesis import given
from hypothesis import strategies as st

import toolect
from toolect._events import CallEnd
from toolect._message import RepairKind, Status
from tools.fuzz.work import grown, streamed

SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}, "day": {"type": "integer"}}}
TOOLS = [{"name": "tide", "parameters": SCHEMA}]
CODED = sorted(name for name in toolect.dialects() if toolect.dialect(name).spec.code)
CALLS = {"//": 'tide({ port: "Brest" })', "#": 'tide(port="Brest")'}
LINES = {
    "//": ["import x from 'y';", "// tide({})", "plot(1);", "if (a) { tide({}) }", "let s = `a\nb`;", "x = 'it';", "}",
           "/* a\n*/"],
    "#": ["import x", "# tide()", "plot(1)", "if a:\n    tide()", 's = """a\n(b"""', "x = 'it'", ")", "x = 'open"],
}  # fmt: skip
over_coded = pytest.mark.parametrize("name", CODED)


def parts(name: str) -> tuple[str, str, list[str]]:
    """The opener of a block, a call, and lines of other code."""
    dialect = toolect.dialect(name)
    comment = next(iter(dialect.spec.comments))
    fence = str(dialect.render(toolect.Message([toolect.Call("f", {})]))).partition("\n")[0]
    return fence + "\n", CALLS[comment], LINES[comment]


def test_some_dialects_are_code() -> None:
    """The tests below look at something."""
    assert len(CODED) >= 3


@over_coded
def test_a_call_is_complete_at_its_bracket(name: str) -> None:
    """The event comes with the closing bracket, whatever follows."""
    fence, call, _ = parts(name)
    text = f"{fence}x = {call}.then(y)\n{call}\n```"
    stream = toolect.dialect(name).stream(tools=TOOLS)
    ends = []
    for at, character in enumerate(text):
        ends += [at for event in stream.feed(character) if isinstance(event, CallEnd)]
    stream.close()
    first = text.index(call) + len(call) - 1
    assert ends == [first, text.rindex(call) + len(call) - 1]


@over_coded
@given(data=st.data())
def test_code_around_calls_loses_nothing(name: str, data: st.DataObject) -> None:
    """Between any lines of other code, each call is read, everything else is content, and chunks do not matter."""
    fence, call, lines = parts(name)
    body = data.draw(st.lists(st.sampled_from([call, *lines]), min_size=1, max_size=6))
    text = f"So:\n{fence}" + "\n".join(body) + "\n```\nDone."
    dialect = toolect.dialect(name)
    message = dialect.parse(text, TOOLS)
    assert [c.arguments for c in message.calls] == [{"port": "Brest"}] * body.count(call)
    assert all(c.status is Status.OK for c in message.calls)
    for line in body:
        if line != call:
            assert line in message.content
    assert message.content.startswith("So:") and message.content.endswith("\nDone.")
    assert ("```" in message.content) == (call not in body)
    noted = sum(repair.kind is RepairKind.UNKNOWN_TOOL for repair in message.repairs)
    assert noted == (sum(line.startswith("plot") for line in body) if call in body else 0)
    for chunks in (list(text), [text[i : i + 5] for i in range(0, len(text), 5)]):
        streamed, events = shipped_corpus.stream(dialect, chunks, tools=TOOLS)
        assert shipped_corpus.plain(streamed) == shipped_corpus.plain(message)
        shipped_corpus.check_events(events, streamed)


@over_coded
def test_a_failed_call_does_not_take_the_next_one_along(name: str) -> None:
    """The rest of its statement belongs to it, and no more; the reason is said."""
    fence, call, _ = parts(name)
    broken = call.replace('"Brest"', "home(1)")
    message = toolect.dialect(name).parse(f"{fence}{broken}\n{call}\n```\nDone.", TOOLS)
    first, second = message.calls
    assert first.status is Status.MALFORMED and first.raw == broken
    assert "got `home(`, and code is not run" in str(first.error)
    assert second.runnable and message.content == "\nDone."


@over_coded
@pytest.mark.parametrize("line", ["x = 1\n", "(", "'\"", "/*", "  a:\n", "x" * 50, "plot(\n", "```\n"])
def test_hostile_code_takes_linear_time(name: str, line: str) -> None:
    """Much code, in a block with a call before it or without, as a whole, and one of both in pieces (`--all`: both)."""
    fence, call, _ = parts(name)
    dialect = toolect.dialect(name)

    blocks = [fence + call + "\n", fence]
    whole, pieces = partial(dialect.parse, tools=TOOLS), streamed(partial(dialect.stream, tools=TOOLS))
    for read, befores in ((whole, blocks), (pieces, shares.share(blocks, 1, name + line))):
        for before in befores:
            assert not (found := grown(read, lambda size, before=before: before + line * (size // len(line)))), found


def test_tools_may_be_kept_when_unknown() -> None:
    """The policy that takes calls of unknown tools for calls holds in code too."""
    text = "```js\nplot({ a: 1 })\n```"
    options: dict[str, Any] = {"tools": TOOLS, "unknown_tool": "keep"}
    assert [call.name for call in toolect.dialect("js-call-block").parse(text, **options).calls] == ["plot"]

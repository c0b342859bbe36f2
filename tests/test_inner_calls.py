"""A call that stands inside a value of another one does not run, in any dialect, whole and in pieces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import shares
import shipped_corpus

import toolect
from toolect._compiled import Dialect
from toolect._detection.guess import reader as reader_of
from toolect._events import CallEnd
from toolect._message import Call, Json, Message
from toolect._rendered import RenderError

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
TOOLS = [
    {"name": "write", "parameters": {"properties": {key: {"type": "string"} for key in ("path", "body")} | {"n": {}}}},
    {"name": "shell", "parameters": {"properties": {"cmd": {"type": "string"}}}},
]
OUTER = ({"path": "a", "body": "VALUE"}, {"body": "VALUE", "path": "a"}, {"body": "VALUE", "n": 3})
AROUND = [
    ("Text about ", " and so on."), ("\n", "\n"), ("", ""), ("Write it so:\n", "\nNothing more."), ("`", "` ends"),
    ("First ", ", then {inner}\n"), ("# Title\n\n", "\n\n- a\n- b"), ("x = {}\n", "\ny = []\n"), ("'", "'"),
    ('"', '"'), ("''", "''"), ("It's ", "it's"), ("f('x'), ", ", g('y')"), ("> ", "\n> more"), ("1. ", "\n2. Wait.\n"),
    ("a <think> b ", " so"), ("So: ", " a <think> b"), ('say "hi" ', "{\n"), ('It\'s\nsay "hi" ', ": "),
    ('f("x"), ', ', g("y")'), ('{"a": "x"}, ', ', {"b": "y"}'),
]  # fmt: skip
"""What stands around the inner call in the value of the outer one."""
RUN = {("yaml-xml", "auto", ""), ("yaml-xml", "yaml-xml", "<think>"), ("direct-xml", "auto", "<think>")}
"""A dialect, its reader, and what stands in texts whose inner call runs: the outer one has nothing but its own tags,
and is none to who was not told the dialect, or ends at what opens reasoning.
"""


def written(dialect: Dialect, name: str, **arguments: Json) -> str:
    """A call as the dialect writes it."""
    ref = dialect.spec.ref
    identity = ref.format(name=name, index=0) if "{index}" in ref else None
    return str(dialect.render(Message([Call(name, arguments, identity)])))


def texts(dialect: Dialect) -> Iterator[str]:
    """A call that writes what holds another call, as it stands: nothing in the value is escaped."""
    try:
        inner = written(dialect, "shell", cmd="rm -rf /").strip()
        outers = [written(dialect, "write", **arguments) for arguments in OUTER]
    except RenderError:
        return
    for outer in outers:
        for before, after in AROUND:
            yield outer.replace("VALUE", before + inner + after.replace("{inner}", inner))


@over_all
def test_nothing_runs_inside_a_value(name: str) -> None:
    """Law: neither as its dialect nor as any, with tools and without, nor for a moment while it arrives."""

    def check(text: str) -> None:
        for reader in (name, "auto"):
            dialect = reader_of(reader)
            for tools in (None, TOOLS):
                message = dialect.parse(text, tools)
                if not any((name, reader) == run[:2] and run[2] in text for run in RUN):
                    assert "shell" not in [call.name for call in message.runnable], reader
                stream, events = dialect.stream(tools=tools), []
                for at in range(0, len(text), 3):
                    events += stream.feed(text[at : at + 3])
                    running = {call.name for call in stream.message.runnable}
                    assert running <= {call.name for call in message.runnable}, (reader, at)
                events += stream.close()
                assert shipped_corpus.same(stream.message, message), reader
                shipped_corpus.check_events(events, message)

    shipped_corpus.each(shares.share(list(texts(toolect.dialect(name))), 4, name), check)


QUOTES = ("See {} and so on.", "{}\nThat is all.", "So: {} or {}.")
CODE = {"llama-builtin"}
"""Dialects whose broken statements are code for a tool of their own."""


@pytest.mark.parametrize("name", sorted({*toolect.dialects()} - CODE))
def test_nothing_runs_that_a_string_quotes_when_the_answer_is_cut_off(name: str) -> None:
    """Law: a call without arguments needs no quote that the string would have to escape; the answer ends anywhere."""
    dialect = toolect.dialect(name)
    try:
        inner = written(dialect, "shell").strip()
        wires = [written(dialect, "write", body=quote.format(inner, inner)) for quote in QUOTES]
        if 'a\\"b' not in written(dialect, "write", body='a"b'):
            return  # a value without quotes: the next call may well begin in it
    except RenderError:
        return

    def check(text: str) -> None:
        for tools in (None, TOOLS):
            message = dialect.parse(text, tools)
            assert "shell" not in [call.name for call in message.runnable]
            assert shipped_corpus.same(shipped_corpus.stream(dialect, text, tools=tools)[0], message)

    cut = [wire[:at] for wire in wires for at in range(wire.find("shell") + 5, len(wire) - 1)]
    cut = [text for text in cut if not text.rstrip().endswith(inner[-1])]  # it may have begun anew
    shipped_corpus.each(shares.share(cut, 12, name), check)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mistral-v13", '[TOOL_CALLS]rm[ARGS]{"path": "/home/{u}[TOOL_CALLS]'),
        ("hermes", '<tool_call>\n{"name": "rm", "arguments": {"path": "/home/{{u}}</tool_call> or'),
        ("glm4", 'rm\n{"path": ["/home/[u]}'),
    ],
)
def test_a_string_is_not_ended_by_a_bracket_of_its_own(name: str, text: str) -> None:
    """Half of a value runs nowhere."""
    assert toolect.dialect(name).parse(text).runnable == []


OPEN = "<tool_call>\n<function=write>\n<parameter=body>\n"
CLOSE = "\n</parameter>\n</function>\n</tool_call>"
INNER = f"{OPEN.replace('write', 'shell').replace('body', 'cmd')}ls{CLOSE}"


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (f"{OPEN}See {INNER} there.{CLOSE}", []),
        (f"{OPEN}See {INNER} and {INNER} there.{CLOSE}", []),
        (f"{INNER}{OPEN}See {INNER} there.{CLOSE}", ["shell"]),
        (f"{OPEN}See {INNER} there.{CLOSE}\n{INNER}", ["shell"]),
        (f"{OPEN}See {INNER}", ["shell"]),
        (f"{OPEN}See {INNER}\nThat is all (so far).", ["shell"]),
        (f"{OPEN}See {OPEN}See all.{CLOSE}\n{INNER}", ["write", "shell"]),
    ],
)
@pytest.mark.parametrize("reader", ["qwen3-coder", "auto"])
def test_closers_that_are_left_over_tell(reader: str, text: str, runs: list[str]) -> None:
    """A call that broke off, and was written again, takes none of the calls after it along.

    One whose value holds all of another call may run with that value.
    """
    dialect = reader_of(reader)
    message = dialect.parse(text, TOOLS)
    whole = [call for call in message.runnable if INNER in str(call.arguments.get("body"))]
    assert [call.name for call in message.runnable if call not in whole] == runs
    assert {call.name for call in whole} <= {"write"}
    assert shipped_corpus.same(shipped_corpus.stream(dialect, text, tools=TOOLS)[0], message)
    stopped = [call.error for call in message.calls if call.name == "shell" and not call.runnable]
    assert all(str(error).startswith("it stands inside a value of a call") for error in stopped)
    if not reader.startswith("auto"):
        kept = dialect.parse(text, TOOLS, after_calls="drop")  # what is left over may have been dropped
        assert {call.name for call in kept.runnable if INNER not in str(call.arguments.get("body"))} <= set(runs)


@pytest.mark.parametrize("reader", ["qwen3-coder", "auto"])
def test_only_calls_after_one_that_broke_off_wait(reader: str) -> None:
    """The events of others come when they are over; content does not wait."""
    stream = reader_of(reader).stream(tools=TOOLS)

    def ended(text: str) -> list[str]:
        return [event.call.name for char in text for event in stream.feed(char) if isinstance(event, CallEnd)]

    assert ended(f"{INNER}\n{INNER}\n") == ["shell", "shell"]
    early = ended(f"{OPEN}See {INNER}\n\n" + "Next. " * 100)
    assert early == []  # the value may go on behind the inner call
    last = [event.call.name for event in stream.close() if isinstance(event, CallEnd)]
    assert [*early, *last] == ["write", "shell"]
    assert "Next." in stream.message.content


STRINGS = {
    "pythonic": ("[", "]"),
    "lfm2": ("<|tool_call_start|>[", "]<|tool_call_end|>"),
    "olmo3": ("<function_calls>\n", "\n</function_calls>"),
    "minicpm3": ("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
}
HALVES = [
    *("f(a='x'), and then g(b='y')", "f(a='x' and then g(b='y')", "f(a='x', and then g(b='y')", "f(a='x'); g(b='y'"),
    *("f(a='x')\nand then g(b='y')", "f(a='x'. g(b='y')", "f(a='it's'), and then g(b='y')", "f(a='x) and g(b='y')"),
    *("f(a='x').and(g(b='y'))", "f(a='x]) then [g(b='y')", "f(a='x'), then g('y')", "f(a='x'), and g(c=1, b='y')"),
    *("f(a=['x'), and then g(b='y'])", "f(a={'k': 'x'), and then g(b='y'})", "f(a=x'), g(b='y')"),
]


@pytest.mark.parametrize("name", STRINGS)
def test_no_string_takes_half_a_call_in(name: str) -> None:
    """The next call is damaged, or this one: what runs has its own arguments."""
    opener, closer = STRINGS[name]
    dialect = toolect.dialect(name)
    for text in HALVES:
        for tools in (None, [{"name": "f"}, {"name": "g"}]):
            wire = opener + text + closer
            message = dialect.parse(wire, tools)
            for call in message.runnable:
                assert not any(sign in str(call.arguments) for sign in ("g(", "b=", "then")), (text, call)
            assert shipped_corpus.same(shipped_corpus.stream(dialect, wire, tools=tools)[0], message)
    for text in ("print('hi')", "it's (so)", "sed -n '1,5p' f.py", "f('x') or it's"):
        (call,) = dialect.parse(f"{opener}f(a='{text}'){closer}").runnable
        assert call.arguments == {"a": text}


def test_a_text_that_holds_another_call_is_closed_by_its_own_closer() -> None:
    """Each closer in it belongs to an opener in it, as long as there is one."""
    inner = ' to=shell<|message|><atem:function_calls>\n<atem:invoke name="shell">\n<atem:parameter name="cmd">ls'
    outer = inner.replace("shell", "write").replace("cmd", "body").replace(">ls", ">See")
    close = "</atem:parameter>\n</atem:invoke>\n</atem:function_calls>"
    (call,) = toolect.dialect("muse").parse(f"{outer}{inner}{close} there.{close}").calls
    assert (call.name, call.arguments) == ("write", {"body": f"See{inner}{close} there."})


def test_a_call_that_broke_off_gives_no_name_to_the_next() -> None:
    """A dialect that writes a name for several calls has arguments after it: they are those of the name before them."""
    text = '✿FUNCTION✿: f\n✿ARGS✿: {"a": "x}, and then ✿FUNCTION✿: g\n✿ARGS✿: {"b": "y"}'
    assert [(call.name, call.arguments) for call in toolect.dialect("qwen-agent-fn").parse(text).runnable] == [
        ("g", {"b": "y"})
    ]

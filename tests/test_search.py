"""The search: the laws that hold of every answer it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import shipped_corpus
from registries import own_registries
from shipped_corpus import Case

import toolect
from toolect._events import ArgumentsDelta, ContentDelta, Event
from toolect._message import Call, Content, Message, dumps
from toolect._search.answer_search import AnswerSearch, Stream
from toolect._search.window import LOOK
from toolect._spec.costs import COSTS, FAR, ROWS, Costs
from toolect._values.toolset import tool_schemas
from tools.conformance.quotations import TOOLS, quotations

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
OTHERS = 287
"""Cases of the corpus with a source that it reads as expected."""
QUOTED = 9
"""Calls in quotation marks that it runs."""
CALL = Call("tide", {"port": "Brest"})
TIDE = [{"name": "tide", "parameters": {"type": "object", "properties": {"port": {"type": "string"}}}}]


def reader(
    name: str, tools: Any = (), mode: str = "lenient", prefix: str = "", streaming: bool = False, **policies: str
) -> AnswerSearch:
    """The reader of one answer in a dialect."""
    dialect = toolect.dialect(name)
    return AnswerSearch(
        dialect.spec, dialect._graph(policies), tool_schemas(tools), mode == "strict", prefix, streaming
    )


def streamed(name: str, chunks: Iterable[str], **options: Any) -> tuple[Message, list[Event]]:
    """The message of an answer in chunks, and all its events."""
    stream = Stream(lambda: reader(name, streaming=True, **options))
    events = [event for chunk in chunks for event in stream.feed(chunk)] + stream.close()
    return stream.message, events


@over_all
def test_chunks_do_not_matter(name: str) -> None:
    """Each case of the corpus tiles, and is read alike in pieces of any size; its events say the message."""

    def check(case: Case) -> None:
        message = reader(name, **case.options).read(case.text)
        shipped_corpus.check_spans(message, case.text)
        for size in (1, 3, 7):
            pieces = [case.text[at : at + size] for at in range(0, len(case.text), size)]
            found, events = streamed(name, pieces, **case.options)
            assert shipped_corpus.plain(found) == shipped_corpus.plain(message), size
            shipped_corpus.check_events(events, found)

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


ANSWERS = ([Content("Hello there.")], [CALL], [Content("I look."), CALL])


def kinds(message: Message) -> list[tuple[type, str, str]]:
    """What the segments of a message are, and the names and statuses of its calls."""
    return [(type(one), getattr(one, "name", ""), str(getattr(one, "status", ""))) for one in message.segments]


@over_all
def test_an_end_token_ends_an_answer(name: str) -> None:
    """Law: behind an answer, the end token of a dialect adds and breaks nothing, whole or streamed."""
    dialect = toolect.dialect(name)
    for segments in ANSWERS:
        try:
            text = str(dialect.render(Message(segments)))
        except toolect.RenderError:
            continue
        for options in ({}, {"tools": TIDE}):
            expected = kinds(dialect.parse(text, **options))
            for end in dialect._graph().ends:
                for wire in (text + end, f"{text}{end}\n"):
                    found = reader(name, **options).read(wire)
                    assert kinds(found) == expected, wire
                    assert shipped_corpus.plain(streamed(name, wire, **options)[0]) == shipped_corpus.plain(found), wire


LATE = ("direct-xml", "inkling", "minimax-m3", "yaml-xml")
"""Dialects whose values wait for their end, or for the name behind them."""


@over_all
def test_what_is_long_is_passed_on_as_it_comes(name: str) -> None:
    """Law: text and arguments are told at most a bounded number of characters late, whatever they may yet be."""
    words = "and so the boat went on along the quay, past the lamps, "
    for segments, kind in (([Content(words * 12)], "text"), ([Call("tide", {"port": words * 12})], "arguments")):
        try:
            text = str(toolect.dialect(name).render(Message(segments)))
        except toolect.RenderError:
            continue
        stream, begins, sent = Stream(lambda: reader(name, tools=TIDE, streaming=True)), text.index(words), 0
        for at in range(0, len(text), 4):
            for event in stream.feed(text[at : at + 4]):
                sent += len(event.text) if isinstance(event, ContentDelta | ArgumentsDelta) else 0
            due = min(at + 4 - begins, 12 * len(words)) - FAR - LOOK
            assert sent >= due or name in LATE and kind == "arguments", (at, sent)


def test_blanks_are_left_out_from_wherever_they_are_asked_for() -> None:
    """What was left out up to a place is known, and a place before which nothing was left out holds up nobody."""
    window = reader("hermes")._window
    window.buf = "a   b"
    assert window.without_blanks(4, 4) == 4
    assert window.without_blanks(0, 4) == window.without_blanks(0, 4) == 1
    assert window.without_blanks(2, 4) == 2


@over_all
def test_tools_may_have_odd_names(name: str) -> None:
    """Whatever the declared tools are called, text is passed on."""
    for tool in ("", "]", "^a", "\\", "a-z", "{x"):
        message, _ = streamed(name, ("Some text ", "that is ", "plain and", " long."), tools=[{"name": tool}])
        assert message.content == "Some text that is plain and long."


def test_what_others_wrote_is_read() -> None:
    """Of the cases that are not invented it reads as many as it did; the others are what is left to do."""
    cases = [case for case in shipped_corpus.all_cases() if not case.has("invented")]
    wrong = []
    for case in cases:
        message = reader(case.dialect, **case.options).read(case.text)
        if shipped_corpus.describe(message) != shipped_corpus.normal(case.expected):
            wrong.append(f"{case.dialect}: {case.title}")
    assert len(cases) - len(wrong) >= OTHERS, "\n".join(wrong)


def test_what_is_quoted_does_not_run() -> None:
    """But for a few, no call in a code span or in quotation marks runs."""
    run = [one for one in quotations() if reader(one.dialect, TOOLS).read(one.text).runnable]
    assert len(run) <= QUOTED, "\n".join(f"{one.dialect}: {one.text}" for one in run)


def test_a_call_in_a_value_is_text_of_it() -> None:
    """The outer call runs with what it holds, and nothing else does."""
    inner = "<tool_call>\n<function=shell>\n<parameter=cmd>\nls\n</parameter>\n</function>\n</tool_call>"
    text = f"<tool_call>\n<function=write>\n<parameter=body>\nUse {inner} so.\n</parameter>\n</function>\n</tool_call>"
    for message in (reader("qwen3-coder").read(text), streamed("qwen3-coder", text)[0]):
        [call] = message.runnable
        assert call.name == "write" and call.arguments == {"body": f"Use {inner} so."}


def test_an_entry_has_costs_of_its_own() -> None:
    """What an edge costs is what the entry says; evidence stays evidence, a cost a cost."""
    text = 'Write `<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>`.'
    with own_registries():
        own = toolect.define({"extends": "hermes", "costs": {"quoted": 0}}, name="own")
        assert not toolect.dialect("hermes").parse(text).calls
        assert [call.name for call in own.parse(text).calls] == ["tide"]
        for costs in ({"fits": 1}, {"quoted": -1}, {"quoted": 61}, {"quote": 1}):
            with pytest.raises(toolect.SpecError):
                toolect.define({"extends": "hermes", "costs": costs}, name="own")


def test_every_cost_says_what_it_is_for() -> None:
    """The table of costs has a row for each, and no other."""
    assert {*ROWS} == {*Costs.__struct_fields__}
    assert all(row.where and row.edge and row.example for row in ROWS.values())
    assert COSTS.fits < 0 < COSTS.skip


@pytest.mark.parametrize("kind", ["function", "function_call", "tool_call", "tool_use"])
def test_each_of_several_constants_is_known_to_the_search(kind: str) -> None:
    """JSON that stands alone is a call by any of the values that its shape has for a key."""
    text = dumps({"type": kind, "id": "x1", "name": "tide", "arguments": {"port": "Brest"}})
    stream = toolect.dialect("json").stream()
    for sign in text:
        stream.feed(sign)
    stream.close()
    assert [(call.name, call.arguments) for call in stream.message.runnable] == [("tide", {"port": "Brest"})]


@over_all
def test_backslashes_that_nobody_escaped_are_streamed(name: str) -> None:
    """A path of Windows in a value: whatever its backslashes seem to begin, streams end as the whole text does."""
    dialect = toolect.dialect(name)
    for path in (r"D:\u2\notes", r"D:\u12\new", r"\\ud83\table", r"x\ud83d\u", "\\" * 3 + "u2\\n"):
        wire = str(dialect.render(Message([Call("tide", {"port": "Brest", "at": "PLACE"})]), tools=TIDE))
        wire = wire.replace("PLACE", path)
        whole = dialect.parse(wire, tools=TIDE)
        for size in (1, 2, 3, 5):
            chunks = [wire[at : at + size] for at in range(0, len(wire), size)]
            assert streamed(name, chunks, tools=TIDE)[0] == whole


UNESCAPED = (
    'say "hi", all', 'say "hi"', '"hi" she said', 'print("a", 1)', 'a "b" and "c" d', "it's \"x\"", 'x = {"a": 1}',
    '{"a": "b"}', '{"a": {"b": ["c", 1]}, "d": "e"}', '[{"a": 1}, "b"]', 'say "a, b" now', '("x")', 'f("x")',
    '"a", "b"', '50% "off", now',
)  # fmt: skip


@over_all
def test_quotes_that_nobody_escaped_change_no_argument(name: str) -> None:
    """A text with quotes of its own is the value, or no call runs: it is never cut off, and swallows nothing."""
    if name == "yaml-xml":
        pytest.skip("what YAML has without quotes may be anything")
    dialect = toolect.dialect(name)
    members = {key: {"type": "string"} for key in ("port", "at")}
    tools = [{"name": "tide", "parameters": {"type": "object", "properties": members}}]
    for said in UNESCAPED:
        for arguments in ({"port": "PLACE", "at": "noon"}, {"at": "noon", "port": "PLACE"}):
            wire = str(dialect.render(Message([Call("tide", {**arguments})]), tools=tools)).replace("PLACE", said)
            ran = [call.arguments for call in dialect.parse(wire, tools).runnable]
            assert ran in ([], [{**arguments, "port": said}]), wire


@over_all
def test_long_words_without_quotes_are_streamed(name: str) -> None:
    """A word in the place of a value, and more blanks behind it than an edge looks at: streams read it alike."""
    dialect = toolect.dialect(name)
    wire = str(dialect.render(Message([Call("tide", {"port": "PLACE", "at": ["noon", "low"]})]), tools=TIDE))
    for word in ("*/", "ab", "-"):
        text = wire.replace('"PLACE"', f"{word * LOOK}\n{' ' * LOOK}").replace("'PLACE'", f"{word * (LOOK // 2)}\n\n")
        whole = dialect.parse(text, tools=TIDE)
        for size in (1, 5):
            chunks = [text[at : at + size] for at in range(0, len(text), size)]
            assert streamed(name, chunks, tools=TIDE)[0] == whole

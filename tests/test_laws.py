"""The seven laws, each over every dialect. Nothing here names one."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

import pytest
import reference
import shares
import shipped_corpus
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import toolect
from toolect import testing
from toolect._authoring.generate.facts import carried
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning, RepairKind, Status
from toolect._spec.model import Role
from toolect._spec.shape_model import HoleKind

if TYPE_CHECKING:
    from toolect._compiled import Dialect

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
MODES = ["lenient", "strict"]


@functools.cache
def texts(name: str) -> st.SearchStrategy[str]:
    """Canonical, corrupted and garbage texts of a dialect, and any other string."""
    dialect = toolect.dialect(name)
    anything = st.text(st.characters(exclude_categories=()), max_size=60)
    written = testing.wire_texts(dialect, hostile=True)
    return st.one_of(written, testing.corrupted(dialect), testing.garbage(dialect), anything)


@functools.cache
def messages(name: str, hostile: bool) -> st.SearchStrategy[Message]:
    """Messages for a dialect, which need not be able to carry the hostile ones."""
    return testing.messages(name, hostile=hostile)


CHOICES = {
    "reasoning_calls": ["parse", "unclosed", "ignore"],
    "unknown_tool": ["keep", "content"],
    "malformed": ["report", "content", "salvage"],
    "unwrapped": ["accept", "content"],
    "after_calls": ["keep", "drop"],
    "coercion": ["spec", "none"],
    "repeated_keys": ["last", "first", "list", "malformed"],
}


@st.composite
def options(draw: st.DrawFn, dialect: Dialect) -> dict[str, Json]:
    """What parsing may be told: a mode, tools, a prompt's tail, policies."""
    found: dict[str, Json] = {"mode": draw(st.sampled_from(MODES))}
    if draw(st.booleans()):
        found["tools"] = testing.tools_for(draw(messages(dialect.name, False)))
    if dialect.spec.prefill and draw(st.booleans()):
        found["prefix"] = "…" + draw(st.sampled_from(sorted(dialect.spec.prefill)))
    for policy, choices in CHOICES.items():
        if draw(st.integers(0, 5)) == 0:
            found[policy] = draw(st.sampled_from(choices))
    return found


# What holds of every reading: the laws share their texts, as drawing one takes longer than looking at it


@over_all
@settings(max_examples=(2 if shares.everything else 1) * settings.default.max_examples)
@given(data=st.data())
def test_laws_of_reading(name: str, data: st.DataObject) -> None:
    """Every law of reading holds of any text, however it is to be read (`--all`: of twice as many).

    `make fuzz` holds these laws against as many texts as one has time for.
    """
    dialect = toolect.dialect(name)
    text, how = data.draw(texts(name)), data.draw(options(dialect))
    message = dialect.parse(text, **how)
    check_tiles(dialect, text, message)
    check_is_total(message)
    check_chunks_do_not_matter(dialect, text, how, message, data.draw(testing.chunkings(text)))
    check_strict_is_a_part_of_lenient(dialect, text, how)


# 1. Tile


def check_tiles(dialect: Dialect, text: str, message: Message) -> None:
    """Segments and markup cover the wire text exactly, and text is read from its own characters."""
    shipped_corpus.check_spans(message, text)
    if not carried(dialect.spec) & {HoleKind.CONTENT, HoleKind.REASONING}:
        for segment in message.segments:
            if isinstance(segment, Content | Reasoning):
                start, end = segment.span or (0, 0)
                assert is_part(segment.text, text[start:end]), segment


def is_part(part: str, whole: str) -> bool:
    """True when `part`'s characters occur in `whole` in this order."""
    characters = iter(whole)
    return all(character in characters for character in part)


# 2. Chunk-invariance


def check_chunks_do_not_matter(
    dialect: Dialect, text: str, how: dict[str, Json], message: Message, drawn: list[str]
) -> None:
    """However a text is cut, its message is that of the whole, to the last span, and the events tell it.

    `message` may be asked for at any time without changing the outcome; after `reset` a stream is new.
    """
    expected = shipped_corpus.plain(message)
    for chunks in ([text], list(text)):
        streamed, events = shipped_corpus.stream(dialect, chunks, **how)
        assert shipped_corpus.plain(streamed) == expected, chunks
        shipped_corpus.check_events(events, streamed)
    stream = dialect.stream(**how)
    for chunks in (["", text[: len(text) // 2]], drawn):
        stream.reset()
        events = []
        for chunk in chunks:
            events += stream.feed(chunk)
            assert isinstance(stream.message, Message)
    events += stream.close()
    assert shipped_corpus.plain(stream.message) == expected, drawn
    shipped_corpus.check_events(events, stream.message)


# 3. Parse inverts render


@over_all
@given(data=st.data())
def test_parse_inverts_render(name: str, data: st.DataObject) -> None:
    """A rendered message is read back equal, without repairs, in both modes; another is refused with a witness.

    Content may name a marker that opens nothing: that is remarked, and stays content. Reading needs tools that declare
    the types of the arguments; rendering takes them from the values.
    """
    dialect = toolect.dialect(name)
    message = data.draw(messages(name, data.draw(st.booleans())))
    tools = testing.tools_for(message)
    try:
        text = dialect.render(message, tools=data.draw(st.sampled_from([None, tools])))
    except toolect.RenderError as refusal:
        problem = refusal
    else:
        problem = None
    if problem is not None:
        assert problem.slot and problem.reason and isinstance(problem.witness, str)
        return
    for mode in MODES:
        back = dialect.parse(str(text), tools=tools, mode=mode)
        assert shipped_corpus.carried(back, message, dialect.spec.ids is not None), (mode, str(text))
        assert all(call.status is Status.OK and not call.repairs for call in back.calls), (mode, str(text))
        assert all(repair.kind is RepairKind.STRAY_MARKER for repair in back.repairs), (mode, str(text))


SIMPLE: dict[str, Json] = {"city": "Rome", "n": 2, "x": 0.5, "on": True, "none": None, "deep": {"a": [1, "b"]}}


@over_all
def test_plain_messages_are_representable(name: str) -> None:
    """Content and calls with ordinary values are carried by every dialect: the law above is not kept by refusing."""
    dialect = toolect.dialect(name)
    ref = dialect.spec.ref if "{index}" in dialect.spec.ref else ""
    ids = [ref.format(name="get_time", index=i) or None for i in range(2)]
    calls = [Call("get_time", SIMPLE, ids[0]), Call("get_time", {}, ids[1])]
    plain = [[Content("Hello there.")], [Content("Hello there."), *calls], calls[:1]]
    if Role.REASONING in carried(dialect.spec):
        plain.append([Reasoning("I see."), *calls])
    for segments in plain:
        back = dialect.parse(str(dialect.render(Message(segments))))
        assert shipped_corpus.carried(back, Message(segments), dialect.spec.ids is not None)


# 4. Render inverts parse


LONG = "The tide is told by the harbour each morning, and in the evening again. " * 6
LENGTHY = (
    [Content(LONG), Call("tide", {"port": "Brest", "note": LONG})],
    [Reasoning(LONG), Content(LONG), Call("tide", {"note": LONG}), Call("tide", {"port": "Brest"})],
    [Reasoning(LONG), Call("tide", {"port": "Brest"})],
    [Content("Hm."), Call("n" * 64, {"k" * 64: "Brest", "b": "c"})],
)


@over_all
def test_long_texts_are_read_back_in_any_chunks(name: str) -> None:
    """Law: what comes before a call, and in it, is as long as it likes to be."""
    dialect = toolect.dialect(name)
    for segments in LENGTHY:
        message = Message(segments)
        try:
            text = str(dialect.render(message))
        except toolect.RenderError:
            continue
        for size in (1, 7):
            stream = dialect.stream()
            for at in range(0, len(text), size):
                stream.feed(text[at : at + size])
            stream.close()
            assert stream.message == dialect.parse(text)
        assert [type(segment) for segment in stream.message.segments] == [type(segment) for segment in segments]


@over_all
@given(data=st.data())
def test_render_inverts_parse(name: str, data: st.DataObject) -> None:
    """A canonical text, parsed and rendered, is itself; the parts that rendering names cover it in order."""
    dialect = toolect.dialect(name)
    message = data.draw(messages(name, True))
    tools = testing.tools_for(message)
    try:
        text = dialect.render(message, tools=tools)
    except toolect.RenderError:
        assume(False)
    again = dialect.render(dialect.parse(str(text), tools=tools), tools=tools)
    assert str(again) == text
    ends = [0, *(span.end for span in text.spans)]
    assert [span.start for span in text.spans] == ends[:-1] and ends[-1] == len(text)


# 5. Total


def check_is_total(message: Message) -> None:
    """Any string gives a message whose parts can be read; nothing raises."""
    for call in message.calls:
        assert isinstance(call.name, str)
        assert isinstance(call.arguments_text, str)
    assert isinstance(message.content + message.reasoning, str)


# 6. Strict is a part of lenient


def check_strict_is_a_part_of_lenient(dialect: Dialect, text: str, how: dict[str, Json]) -> None:
    """Strict mode accepts exactly what lenient mode reads without repairs, and reads it alike."""
    strict, lenient = (dialect.parse(text, **{**how, "mode": mode}) for mode in ("strict", "lenient"))
    assert strict.exact == lenient.exact
    assert not any(call.runnable and call.repairs for call in strict.calls)
    if strict.exact:
        assert shipped_corpus.same(strict, lenient)


@over_all
@given(data=st.data())
def test_strict_with_content_in_the_place_of_calls(name: str, data: st.DataObject) -> None:
    """So it is where calls of undeclared tools and attempts become content, both at once."""
    text, tools = data.draw(texts(name)), data.draw(st.sampled_from([None, [{"name": "other"}]]))
    how = {"unknown_tool": "content", "malformed": "content", "tools": tools}
    check_strict_is_a_part_of_lenient(toolect.dialect(name), text, how)


def test_an_attempt_that_becomes_content_is_as_a_call_to_the_closer_after_it() -> None:
    """Its arguments were read, in one step or several: what closes nothing after it is left out either way."""
    dialect = toolect.dialect("generic-tag-json")
    text = '<tool_use>{"name": "f", "arguments": {}}</tool_use</tool>'
    message = dialect.parse(text, mode="strict", malformed="content")
    assert message.content == text[: -len("</tool>")]
    streamed, _ = shipped_corpus.stream(dialect, text, mode="strict", malformed="content")
    assert shipped_corpus.same(streamed, message)


def test_broken_items_of_a_list_are_the_same_wherever_a_stream_is_cut() -> None:
    """The place where the list broke first lies before the item that is lost, in a chunk that is kept no more."""
    dialect = toolect.dialect("command-r")
    items = '{tool_name": "f", "parameters": {"a": [\n"", false]}}, {"tool_name": "g", "parameters": {"a": null\n}'
    text = f'Action: ```json\n[{items}, {{""}},{{"tool_name": "h", "parameters": {{\n": -1, "b": null}}}}]\n```'
    for wire in (text, 'Action:``json[\n""},{"tool_name":"","parameters":```\n'):
        message = dialect.parse(wire)
        for at in range(len(wire)):
            assert shipped_corpus.same(shipped_corpus.stream(dialect, [wire[:at], wire[at:]])[0], message), at


# 7. Reference


@functools.cache
def stock(name: str) -> reference.Stock:
    """The dialect's grammar, as Lark itself loads it."""
    return reference.load(toolect.dialect(name).spec)


@over_all
@given(data=st.data())
def test_reference(name: str, data: st.DataObject) -> None:
    """A sample of the grammar says what Lark's own parse tree says, and strict mode accepts it."""
    dialect = toolect.dialect(name)
    try:
        pieces = stock(name).sample(data.draw(st.randoms(use_true_random=False)))
        assume(not any(piece.text in dialect.spec.glued for piece in pieces))  # what comes before decides what they are
        expected = reference.read(dialect.spec, stock(name), pieces)
    except reference.AmbiguousError:
        assume(False)
    text = "".join(piece.text for piece in pieces)
    declared = [{"name": call.name} for call in expected.calls]
    alone = not shipped_corpus.begins_with_names(dialect) and not reference.like_code(pieces)
    alone = alone and not any(call.name[:1].isdigit() for call in expected.calls)  # these are names if declared
    for mode, tools in itertools.product(MODES, [declared, None] if alone else [declared]):
        message = dialect.parse(text, tools, mode=mode)
        assert message == expected, (mode, text)
        assert message.exact, (mode, text)

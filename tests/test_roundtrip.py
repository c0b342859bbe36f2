"""Written and read back: with which tools, and in what the message that comes back may differ."""

from __future__ import annotations

import pytest

import toolect
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, Status
from toolect._rendering.differences import IDS, MEANING, SegmentChange, differences, unchanged
from toolect._rendering.roundtrip import round_trip, tools_of

NESTED: Json = {"a": {"b": "20", "c": ["true", {"d": "null"}]}}
MIXED: Json = {"a": ["true", True, "x"], "b": ["x", 1], "c": {"d": ["1", 1]}}


@pytest.mark.parametrize("name", toolect.dialects())
def test_nested_texts_are_carried(name: str) -> None:
    """A text that looks like another type is carried at any depth: the types that are stated say what it is."""
    dialect = toolect.dialect(name)
    message = Message([Call("f", NESTED)])
    back = dialect.parse(dialect.render(message), tools_of(message))
    assert unchanged(message, back, MEANING)


@pytest.mark.parametrize("name", toolect.dialects())
def test_texts_of_tools_with_odd_names_are_carried(name: str) -> None:
    """The types that are stated are those of a tool whose name has a dot, too: `"2"` stays a text."""
    dialect = toolect.dialect(name)
    message = Message([Call("zip.find", {"code": "01234", "days": "2"})])
    assert unchanged(message, dialect.parse(dialect.render(message), tools_of(message)), MEANING)


@pytest.mark.parametrize("name", toolect.dialects())
def test_an_answer_of_json_is_content(name: str) -> None:
    """An answer that is asked for as JSON is written where content goes, and read back as no call, without tools."""
    for text in ('{"a": 1}', '[{"a": 1}]'):
        back = toolect.dialect(name).parse(toolect.dialect(name).render(Message([Content(text)])))
        assert (back.content, back.calls) == (text, [])


def test_tools_have_the_types_of_the_arguments() -> None:
    """Each tool once, with all its arguments, and the types that they have in any of its calls."""
    calls = [Call("f", {"a": {"b": [1, "x"]}}), Call("g", {}), Call("f", {"a": None, "c": 0.5})]
    assert tools_of(Message([Content("Hm."), *calls])) == [
        {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {
                    "a": {
                        "type": ["null", "object"],
                        "properties": {"b": {"type": "array", "items": {"type": ["integer", "string"]}}},
                    },
                    "c": {"type": "number"},
                },
            },
        },
        {"name": "g", "parameters": {"type": "object", "properties": {}}},
    ]


def test_what_a_schema_cannot_tell_apart_is_not_declared() -> None:
    """A text beside what it looks like: a dialect with quotes knows which is which if nobody tells it otherwise."""
    message = Message([Call("f", MIXED), Call("g", {"a": "1"}), Call("g", {"a": 1})])
    f, g = tools_of(message)
    assert f["parameters"]["properties"] == {
        "a": {"type": "array"},
        "b": {"type": "array", "items": {"type": ["integer", "string"]}},
        "c": {"type": "object", "properties": {"d": {"type": "array"}}},
    }
    assert g["parameters"]["properties"] == {}
    dialect = toolect.dialect("functiongemma")
    assert dialect.parse(dialect.render(message), tools_of(message)) == message


def test_tools_of_what_nests_too_deeply() -> None:
    """Beyond the depth that can be written nothing is declared, and nothing breaks."""
    value: Json = "x"
    for _ in range(100_000):
        value = [value]
    (tool,) = tools_of(Message([Call("f", {"a": value})]))
    assert tool["parameters"]["properties"]["a"]["type"] == "array"


CALL = Call("f", {"a": 1, "b": {"c": 2.0, "d": 0.0}}, "x")
KEYS = {"b": {"d": 0.0, "c": 2.0}, "a": 1}
CHANGES: list[tuple[list[Segment], list[Segment], set[SegmentChange]]] = [
    ([CALL], [CALL], set()),
    ([CALL], [], {SegmentChange.LOST}),
    ([], [CALL], {SegmentChange.ADDED}),
    ([Content("x")], [Reasoning("x")], {SegmentChange.KIND}),
    ([Content("x")], [CALL], {SegmentChange.KIND}),
    ([Content("x")], [Content("y")], {SegmentChange.TEXT}),
    ([CALL], [Call("g", CALL.arguments, "x")], {SegmentChange.NAME}),
    (
        [CALL],
        [Call("f", {**CALL.arguments, "a": 1.0}, "x")],
        {SegmentChange.ARGUMENTS, SegmentChange.ORDER, SegmentChange.SPELLING},
    ),
    (
        [Call("f", {"a": 0.0})],
        [Call("f", {"a": -0.0})],
        {SegmentChange.ARGUMENTS, SegmentChange.ORDER, SegmentChange.SPELLING},
    ),
    ([CALL], [Call("f", CALL.arguments, "x", status=Status.TRUNCATED)], {SegmentChange.RUNNABLE}),
    ([CALL], [Call("f", CALL.arguments, "x", status=Status.REPAIRED)], {SegmentChange.REPAIRED}),
    ([CALL], [Call("f", KEYS, "x")], {SegmentChange.ORDER, SegmentChange.SPELLING}),
    ([CALL], [Call("f", CALL.arguments, "x", '{"a":1,"b":{"c":2e0,"d":0.0}}')], {SegmentChange.SPELLING}),
    ([CALL], [Call("f", CALL.arguments, "x", '{"a":1,"b":{"c":2.0,"d":0.0}}')], set()),
    ([CALL], [Call("f", CALL.arguments)], {SegmentChange.ID_LOST}),
    ([CALL], [Call("f", CALL.arguments, "y")], {SegmentChange.ID_CHANGED}),
    ([Call("f", {})], [Call("f", {}, "y")], {SegmentChange.ID_MADE}),
    ([Call("f", {}, "y"), Call("f", {})], [Call("f", {}, "y")] * 2, {SegmentChange.ID_MADE, SegmentChange.ID_TAKEN}),
]


@pytest.mark.parametrize(("old", "new", "expected"), CHANGES)
def test_differences_have_names(old: list[Segment], new: list[Segment], expected: set[SegmentChange]) -> None:
    """Every change is found where it is, and only those that count."""
    message, back = Message(old), Message(new)
    found = list(differences(message, back, SegmentChange))
    assert {one.change for one in found} == expected
    for one in found:
        assert one.old == (old[one.at] if one.at < len(old) else None)
        assert one.new == (new[one.at] if one.at < len(new) else None)
        assert list(differences(message, back, {one.change})) == [one]
    assert unchanged(message, back, MEANING) == (not expected & MEANING)
    assert list(differences(message, back, set(SegmentChange) - expected)) == []


def test_every_change_is_tested() -> None:
    """The table above has each."""
    assert {change for *_, expected in CHANGES for change in expected} == set(SegmentChange)
    assert not MEANING & IDS


def test_what_would_be_read_with_a_repair_is_refused() -> None:
    """A number longer than a terminal may be is read, with a repair: it is not written."""
    with pytest.raises(toolect.RenderError, match="read back"):
        toolect.dialect("gemma4").render(Message([Call("f", {"a": 10**600})]))


def test_a_round_trip_tells_all() -> None:
    """What was written, with which tools, and what was read: in strict mode if asked to."""
    message = Message([Call("f", {"days": "2"})])
    done = round_trip(toolect.dialect("qwen3-coder"), message, mode="strict")
    assert done.message is message
    assert done.tools == tools_of(message)
    assert done.back == message
    tools = [{"name": "f", "parameters": {"properties": {"days": {"type": "integer"}}}}]
    with pytest.raises(toolect.RenderError, match="declared integer"):
        round_trip(toolect.dialect("qwen3-coder"), message, tools)


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a\nb", "argument 'k': holds what ends it: '\\\\n'"),
        ("a\nEND\nb", "argument 'k': holds what ends it: '\\\\n'"),
    ],
)
def test_what_cannot_be_written_is_named(value: str, said: str) -> None:
    """Of a call, the argument that does not come back, and what in it is to blame: other arguments are in order."""
    rules = r"""start: (content | call)*
content: TEXT
call: "**Call** `" NAME "`\n" argument*
argument: "- " KEY ":  " TEXT "\n"
NAME: /\w+/
KEY: /\w+/
%declare TEXT
"""
    roles = {"content": "content", "call": "call", "NAME": "call.name", "argument": "argument", "KEY": "argument.key"}
    found = toolect.define({"map": {**roles, "argument/TEXT": "argument.value"}}, rules, name="bullets-of-values")
    assert found.render(Call("f", {"a": "b", "k": "c"}))
    with pytest.raises(toolect.RenderError, match=said):
        found.render(Call("f", {"a": "b", "k": value}))


@pytest.mark.parametrize("segments", [[Content(" "), Call("f", {})], [Call("f", {}), Content("\n\n")]])
def test_blanks_beside_a_call_are_a_gap(segments: list[Segment]) -> None:
    """They are trimmed, and no call is read in their place."""
    with pytest.raises(toolect.RenderError, match="content: is nothing but whitespace, which beside a call is a gap"):
        toolect.dialect("qwen3-coder").render(Message(segments))


@pytest.mark.usefixtures("own_registry")
def test_a_call_without_its_id_is_refused() -> None:
    """Where a call must have an id, and nothing says how one is made."""
    rules = 'start: call*\ncall: "<" NAME " " ID ">" JSON "</>"\nNAME: /\\w+/\nID: /\\w+/\n%declare JSON\n'
    roles = {"call": "call", "NAME": "call.name", "ID": "call.id", "call/JSON": "call.arguments"}
    found = toolect.define({"map": roles}, rules, name="ids-of-calls")
    with pytest.raises(toolect.RenderError, match="id: the call has none"):
        found.render(Call("f", {}))
    assert found.render(Call("f", {}, "c1")) == "<f c1>{}</>"

"""What json-repair makes of calls that could not be read: shown for all, run by a policy and where nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from time import process_time

import msgspec
import pytest

import toolect
from toolect._building.draft import MAX_SALVAGED
from toolect._message import Call, Json, Message, RepairKind, Status
from toolect._salvage import MAX_BRACKETS, MAX_TEXT, salvaged, without_loss

HERMES = toolect.dialect("hermes")
TOOL: dict[str, Json] = {
    "name": "f",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "object"}},
        "required": ["a"],
    },
}
HOSTILE = [
    '{"a":["b" "c',
    "{",
    '{"a":',
    '"',
    "1{>",
    ']*/*/\\"“{',
    "```json]}]…{`",
    '">',
    "\\",
    "'a' ",
    "(",
    "/*",
    "\ud83d",
]
"""What json-repair takes long for, goes deep at, or might stumble over, when it comes often."""


def wire(arguments: str, name: str = "f") -> str:
    """A call with these arguments."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def read(text: str, **options: Json) -> Message:
    """The message under the policy, which is the same in a stream, with events that end in its calls."""
    options = {"malformed": "salvage", **options}
    message, stream = HERMES.parse(text, **options), HERMES.stream(**options)
    events = [event for sign in text for event in stream.feed(sign)]
    events += stream.close()
    assert list(map(repr, stream.message.segments)) == list(map(repr, message.segments))
    ends = [event.call for event in events if isinstance(event, toolect.CallEnd)]
    assert [*map(repr, ends)] == [*map(repr, message.calls)]
    for index, call in enumerate(message.calls):
        deltas = (e.text for e in events if isinstance(e, toolect.ArgumentsDelta) and e.index == index)
        assert "".join(deltas) == call.arguments_text
    return message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (wire('{"a": 3 4, "b": "x"}'), {"a": 3, "b": "x"}),
        ('<tool_call>\n{"name": "f", "arguments": {"a": "x", "b": [1, 2', {"a": "x", "b": [1, 2]}),
        (wire("{...}"), None),
        (wire("[1]"), None),
        (wire('[{"a": 1}, 2]'), {"a": 1}),
        (wire('"x"'), None),
        ("<tool_call>\n", None),
        (wire('{"a": 1}'), None),
    ],
)
def test_salvaged(text: str, expected: Json) -> None:
    """An object out of the arguments as they stand in the text, more of which may follow what was read."""
    found = [call.salvaged for call in HERMES.parse(text).calls]
    assert found in ([expected], [] if expected is None else [expected])


def test_it_is_a_view() -> None:
    """A call that must not be run has it, and is the same call; a runnable one has none."""
    call = Call("f", None, spelling='{"a": 1 2}', status=Status.MALFORMED)
    assert call.salvaged == {"a": 1}
    assert "salvaged" not in repr(call) and "salvaged" not in call.__struct_fields__
    assert b"salvaged" not in msgspec.json.encode(call)
    assert "salvaged" not in json.dumps(Message([call]).to_openai())
    assert Call("f", {"a": 1}).salvaged is None
    assert Call("f", {"a": 1}, status=Status.TRUNCATED).salvaged == {"a": 1}
    assert Call("f", None, status=Status.MALFORMED).salvaged is None


def test_what_the_api_tells_of() -> None:
    """A broken native call has it, too."""
    message = Message.from_openai([{"function": {"name": "f", "arguments": '{"a": x; "b": [1}'}}])
    assert message.calls[0].salvaged == {"a": "x;", "b": [1]}


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.parametrize("opener", ['{"a": "', '{"a": ', '{"a": [', ""])
def test_hostile_text(part: str, opener: str) -> None:
    """Nothing raises, and what is long or deep is left alone; the rest is over soon."""
    for length in (MAX_BRACKETS, MAX_TEXT // 4, MAX_TEXT + 1, 50 * MAX_TEXT):
        text = (opener + part * length)[:length]
        began = process_time()
        found = salvaged(text, wire(text))
        assert (found is None or isinstance(found, dict)) and process_time() - began < 5
        assert without_loss(text, wire(text)) is None or length < MAX_TEXT
        assert found is None or length <= MAX_TEXT


def test_a_longer_text_is_left_alone() -> None:
    """A bound of characters and one of brackets; those of an answer are counted together."""
    for text in (f'{{"a": 1 2, "b": "{"x" * MAX_TEXT}"}}', f'{{"a": 1 2, "b": {"[" * MAX_BRACKETS}'):
        assert Call("f", None, spelling=text, status=Status.MALFORMED).salvaged is None
    call = wire(f'{{"a": ports[0], "c": "{"x" * 2000}"}}')
    enough = MAX_SALVAGED // len(call)
    assert len(read("\n".join([call] * enough)).runnable) == enough == 3
    assert not read("\n".join([call] * (enough + 1))).calls[-1].runnable


def test_the_policy_runs_what_is_whole() -> None:
    """The repair says so, and the error that was; the arguments are passed on once, when they are sure."""
    (call,) = read(wire('{"a": ports[0], "b": 2}'), tools=[TOOL]).calls
    assert call == Call("f", {"a": "ports[0]", "b": 2}, status=Status.REPAIRED)
    assert [repair.kind for repair in call.repairs] == [RepairKind.SALVAGED] and call.repairs[0].detail
    assert call.salvaged is None and call.error is None
    assert HERMES.parse(wire('{"a": ports[0], "b": 2}')).runnable == []
    assert read(wire('{"a": ports[0]}')).to_openai()["tool_calls"]


@pytest.mark.parametrize(
    "text",
    [
        wire('{"a": 3 4, "b": 1}'),  # a number would be lost
        wire('{"a": ports[0], "x": 1}'),  # not declared
        wire('{"a": "x", "b": ports[0]}'),  # not the type
        wire('{"b": 1, "c": ports[0]}'),  # one is required
        wire('{"a": ports[0]}', "g"),  # no such tool
        wire('{"a": ports[0], "b": }'),  # a value would be made up
        wire('{"a": ports[0], "b": ...}'),  # something was left out
        wire("[1]"),
        '<tool_call>\n{"name": "f", "arguments": {"a": ports[0], "b": 2',  # truncated
        '<tool_call>\n{"name": "f", "arguments": {"a": ports[0], "b": 2\n' + wire('{"a": "x"}', "g"),  # cut off
        wire('{"a": ports[0], "c": {"name": "f", "arguments": {"a": "x"}}}'),  # another call
        wire('{"a": ports[0]}, "b": 2'),  # members beside the arguments
        wire('{"a": ports[0]}, "name": "g"'),
    ],
)
def test_the_policy_keeps_the_rest(text: str) -> None:
    """A call that may not be all that was meant, or not by what is declared, stays malformed, or truncated."""
    assert not [call for call in read(text, tools=[TOOL]).runnable if call.name == "f"]


def test_strict_mode_salvages_nothing() -> None:
    """It is the same as without the policy."""
    text = wire('{"a": ports[0], "b": 2}')
    assert repr(read(text, mode="strict")) == repr(HERMES.parse(text, mode="strict"))


@pytest.mark.parametrize(
    ("text", "raw", "expected"),
    [
        ('{"a":', wire('{"a": True[0], "b": None}'), {"a": "True[0]", "b": None}),
        ('{"a":', wire('{"a": x[0], "b": "1\\n2"}'), {"a": "x[0]", "b": "1\n2"}),
        ('{"a":', wire('{"a": $x, "b": 2}'), None),
        ('{"a":', wire('{"a": (1, 2), "b": 2}'), None),
        ('{"a":', wire('{"a": "x" y "b": 2}'), None),
        ('{"a":', wire('{"a": "x", "b": 2}'), None),
        ('{"a":', wire('{"a": NaN, "b": x[0]}'), {"a": "NaN", "b": "x[0]"}),
        ('{"a":', wire('{"a": x; 1: "b"}'), None),
        ('{"a":', wire('{"a": x; "b": y[0]}'), None),
        ('{"a":', wire("{'a': ['x', y'], 'b': x[0]}"), None),
        ('{"a":', wire('{"a": x[0], "b, "": 2}'), None),
        ('{"a":', wire('{"a": "x," "b": y[0]}'), None),
        ("{", wire('{"a": x[0]}'), None),
        ('{"k":', wire('{"a": x[0]}'), None),
    ],
)
def test_without_loss(text: str, raw: str, expected: Json) -> None:
    """All signs that say something are there, in their order, and nothing else."""
    assert without_loss(text, raw) == expected


def test_it_is_imported_when_it_is_asked_for() -> None:
    """Neither importing the package nor reading a broken call imports json-repair."""
    code = f"""
import sys, toolect
call = toolect.dialect("hermes").parse({wire('{"a": 3 4}')!r}).calls[0]
print("json_repair" in sys.modules, call.salvaged, "json_repair" in sys.modules)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False {'a': 3} True\n"

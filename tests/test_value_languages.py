"""Value languages in calls of every build: whole texts and streams are read alike, to the last span."""

from __future__ import annotations

import json
from ast import literal_eval
from pathlib import Path

import pytest
import shares
import test_laws as laws

import toolect
from toolect._compiled import Dialect

pytestmark = pytest.mark.usefixtures("own_registry")

LANGUAGES = sorted(path.stem for path in (Path(__file__).parents[1] / "grammars" / "values").glob("*.lark"))
EACH = 'call: "run " NAME "\\n" argument*\nargument: '
BETWEEN = 'call: "run " NAME ("{0}" argument)*\nargument: '
CALLS = {
    "a line for each": (EACH + 'KEY " = " value "\\n"', "run f\n", " = ", "\n", ""),
    "bullets": (EACH + '"- " KEY ": " value "\\n"', "run f\n- ", ": ", "\n", "- "),
    "lines between": (BETWEEN.format("\\n") + 'KEY " = " value', "run f\n", " = ", "", "\n"),
    "signs between": (BETWEEN.format("|") + 'KEY "=" value', "run f|", "=", "", "|"),
}
"""A grammar of calls, what comes before the first key, between key and value, after a value, and between arguments."""
AROUND = {
    "nothing": ("start: (content | call)*", "{}"),
    "a wrapper": ('start: (content | calls)*\ncalls: "[calls]\\n" call+ "[end]"', "[calls]\n{}[end]"),
    "a line": ('start: (content | calls)*\ncalls: "[calls]\\n" call+ "\\n[end]"', "[calls]\n{}\n[end]"),
}
VALUES = (
    *("12345", "-1.5e3", "0x1F", "12 x", "1 # c", "true", "None", "null", "1979-05-27", "1979-05-27 # c"),
    *('"a b"', "'a b'", "a b", "[1, 2]", "{a: 1}", "{ a = 1 }", '{"a": 1}'),
)
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]


def dialect(language: str, call: str, around: str) -> Dialect:
    """The dialect whose calls have values of `language`."""
    rules = [around, "content: TEXT", call, r"NAME: /[\w-]+/", r"KEY: /\w+/", f"%import .values.{language} (value)"]
    roles = {"content": "content", "call": "call", "NAME": "call.name", "argument": "argument", "KEY": "argument.key"}
    grammar = "\n".join([*rules, "%declare TEXT", ""])
    return toolect.define({"map": {**roles, "argument/value": "argument.value"}}, grammar, name="of-values")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("call", CALLS)
def test_whole_and_streamed(language: str, around: str, call: str) -> None:
    """Any value, last or not, with its line or not, is read alike, and no call is cut short of it.

    Some of the values are drawn for each of the dialects (`--all`: every one).
    """
    rules, before, between, after, next_one = CALLS[call]
    found = dialect(language, rules, AROUND[around][0])
    for value in shares.share(VALUES, 5, f"{language} {around} {call}"):
        arguments = next_one.join(f"{key}{between}{value}{after}" for key in "ab")
        text = AROUND[around][1].format(before + arguments)
        for how in ({}, {"tools": TOOLS}):
            message = found.parse(text, **how)
            laws.check_chunks_do_not_matter(found, text, how, message, [text])
            laws.check_tiles(found, text, message)
            if message.calls and message.calls[0].runnable and not message.calls[0].repairs and not message.content:
                assert message.calls[0].raw.endswith(value)


@pytest.mark.parametrize("value", ["'x'", '"x"', "'x' 'y'", "['x']", "2"])
@pytest.mark.parametrize("more", ["", " --b 'z'"])
def test_text_behind_the_last_value(value: str, more: str) -> None:
    """Text ends a call that has no closer: all of its arguments have come, and their events are JSON."""
    found = dialect(
        "python", 'call: "@call " NAME argument*\nargument: " --" KEY " " value', "start: (content | call)*"
    )
    text = f"@call f --a {value}{more} now"
    message = found.parse(text)
    (call,) = message.calls
    said = literal_eval(value)
    assert call.arguments == {"a": said, **({"b": "z"} if more else {})}
    assert message.content == " now"
    events = [*(stream := found.stream()).feed(text), *stream.close()]
    assert (
        json.loads("".join(event.text for event in events if isinstance(event, toolect.ArgumentsDelta)))
        == call.arguments
    )
    assert stream.message == message

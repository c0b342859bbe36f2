"""Formats that people make up: a marker that is missing, misspelt or only looks like one, whole and streamed."""

from __future__ import annotations

import pytest

import toolect
from toolect._compiled import Dialect
from toolect._message import Message

pytestmark = pytest.mark.usefixtures("own_registry")

ROLES = {"content": "content", "think": "reasoning", "call": "call", "NAME": "call.name", "argument": "argument"}
WORDS = ["NAME: /[\\w.-]+/", "KEY: /[\\w.-]+/", "%declare TEXT", ""]
LINES = ['call: "<<tool " NAME ">>\\n" argument* "<<end>>"', 'argument: "  " KEY " := " TEXT "\\n"']
TAGS = [
    'call: "<action id=\\"" NAME "\\">\\n" argument* "</action>"',
    'argument: "<p name=\\"" KEY "\\">" TEXT "</p>\\n"',
]
MISSPELT = ("<Action", "<actiom", "<actio", "<acton", "<axtion", "<action ", "action")
QUOTED = ['call: "> TOOL " NAME "\\n" argument* ">"', 'argument: "- " KEY ": " TEXT "\\n"']
THOUGHTS = (("[[ ", "]]"), ("(((", ")))"), ("##", "##"), ("{", "}"))


def dialect(*rules: str, lines: tuple[str, ...] = ()) -> Dialect:
    """The dialect of these rules."""
    thinks = any(rule.startswith("think") for rule in rules)
    start = f"start: {'think? ' * thinks}(content | call)*"
    roles = {**ROLES, "KEY": "argument.key", "argument/TEXT": "argument.value"}
    entry = {"map": {key: role for key, role in roles.items() if key != "think" or thinks}}
    entry |= {"gaps": {"before call": "\n", "between calls": "\n"}, **({"lines": [*lines]} if lines else {})}
    return toolect.define(entry, "\n".join([start, "content: TEXT", *rules, *WORDS]), name="short")


def read(found: Dialect, text: str) -> Message:
    """What a text says, whole and sign by sign."""
    stream, message = found.stream(), found.parse(text)
    for char in text:
        stream.feed(char)
    stream.close()
    assert stream.message == message
    return message


@pytest.mark.parametrize(("opener", "closer"), THOUGHTS)
def test_a_call_ends_a_thought_that_is_not_closed(opener: str, closer: str) -> None:
    """The closer of the thought has fewer signs than others that may be missing: the call is read."""
    found = dialect(f'think: "{opener}" TEXT "{closer}\\n"', *LINES)
    message = read(found, f"{opener}never closed\n<<tool f>>\n  a := x\n<<end>>")
    assert [(call.name, call.arguments) for call in message.calls] == [("f", {"a": "x"})]
    assert "never closed" in message.content + message.reasoning


def test_two_signs_end_a_line() -> None:
    """Where arguments begin with blanks, the first of the two signs that end the line before is none of a value."""
    message = read(dialect(*LINES), "<<tool f>>\r\n  a := Ritz\r\n  b := x\r\n<<end>>")
    assert [call.arguments for call in message.calls] == [{"a": "Ritz", "b": "x"}]


@pytest.mark.parametrize("before", ["", "So:\n"])
def test_a_line_of_prose_is_no_call(before: str) -> None:
    """It begins as a call does, and goes on with a sentence."""
    found = dialect(*QUOTED, lines=("> TOOL ", ">"))
    text = f"{before}> TOOL is what I say\nok"
    message = read(found, text)
    assert (message.content, message.calls) == (text, [])
    (call,) = read(found, f"{before}> TOOL is\n- a: b\n>").calls
    assert (call.name, call.arguments) == ("is", {"a": "b"})


@pytest.mark.parametrize("opener", MISSPELT)
def test_one_character_of_an_opener_is_wrong(opener: str) -> None:
    """Wherever it is, the call is one: no half of an opener tells more of it than the other."""
    (call,) = read(dialect(*TAGS), f'{opener} id="f">\n<p name="a">x</p>\n</action>').calls
    status = "ok" if opener == "<action " else "repaired"
    assert (call.name, call.arguments, str(call.status)) == ("f", {"a": "x"}, status)

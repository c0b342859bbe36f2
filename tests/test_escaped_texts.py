"""What a model says and thinks may have escapes, too: they are resolved on reading, and written."""

from __future__ import annotations

from contextlib import suppress

import pytest
import shipped_corpus
from hypothesis import given
from hypothesis import strategies as st

import toolect
from toolect._compiled import Dialect
from toolect._spec.grammar_model import SLOTS, SlotKind

pytestmark = pytest.mark.usefixtures("own_registry")

ESCAPED = sorted(name for name, slot in SLOTS.items() if slot.kind is not SlotKind.JSON and name != "TEXT")
ROLES = {
    "reasoning": ("start: (think | content | call)*\ncontent: TEXT\n", '"T\\"" {} "\\""'),
    "content": ("start: (think | call)*\n", '"T\\"" {} "\\""'),
    "free": ("start: (think | call)*\n", "{}"),
}
SLOTS_AND_ROLES = [(s, role) for s in ESCAPED for role in ROLES if role != "free" or s.startswith("TEXT")]
CALL = '<c>{"name": "f", "arguments": {}}</c>'
SIGNS = (
    CALL,
    "`",
    "\\",
    "'",
    '"',
    "<",
    "&",
    "%",
    "\n",
    "\t",
    " ",
    "a",
    "é",
    "x41",
    "u00",
    "amp;",
    "41",
    "<c>",
    "</c>",
    'T"',
    "<!",
)


def dialect(slot: str, role: str) -> Dialect:
    """A dialect whose `role` stands between quotes, in `slot`."""
    more = " TEXT" if role == "reasoning" else ""
    start, think = ROLES[role]
    rules = f'{start}think: {think.format(slot)}\ncall: "<c>" JSON "</c>"\n%declare JSON{more}'
    roles = {
        "think": role.replace("free", "content"),
        "call": "call",
        "call/JSON": {"name": "$name", "arguments": "$arguments"},
    }
    roles |= {"content": "content"} if role == "reasoning" else {}
    return toolect.define({"map": roles}, f"{rules} {slot}\n", name="escaped-texts")


@pytest.mark.parametrize(("slot", "role"), SLOTS_AND_ROLES)
@given(data=st.data())
def test_texts_come_back(slot: str, role: str, data: st.DataObject) -> None:
    """A text that can be written is read as it was, whole and streamed; any is read alike, whatever it is."""
    found = dialect(slot, role)
    text = "".join(data.draw(st.lists(st.sampled_from(SIGNS), max_size=8)))
    said = (toolect.Reasoning if role == "reasoning" else toolect.Content)(text)
    wires = [f'T"{text}"{CALL}{text}', f'T"{text}', f"{text}{CALL}"]
    with suppress(toolect.RenderError):
        wires.append(str(found.render(toolect.Message((said, toolect.Call("f", {}))))))
    for wire in wires:
        message = found.parse(wire)
        for chunks in ([wire], list(wire)):
            streamed, events = shipped_corpus.stream(found, chunks)
            assert shipped_corpus.plain(streamed) == shipped_corpus.plain(message), wire
            shipped_corpus.check_events(events, streamed)


@pytest.mark.parametrize("slot", ESCAPED)
@pytest.mark.parametrize("role", ["content", "reasoning"])
def test_texts_with_signs_are_written(slot: str, role: str) -> None:
    """Signs that would end the text, or begin an escape, are escaped."""
    found = dialect(slot, role)
    quotes = "" if slot == "TEXT_APOSTROPHES" else '"b"'  # which has nothing for the quote that ends it
    said = (toolect.Reasoning if role == "reasoning" else toolect.Content)(f"a & {quotes}\tc % d's \\n <e>")
    text = found.render(toolect.Message((said, toolect.Call("f", {}))))
    back = found.parse(text)
    assert getattr(back, role) == said.text and not back.repairs


def test_what_breaks_off_is_not_lost() -> None:
    """The text of a string that the input ends in is reasoning."""
    back = dialect("ESCAPED", "reasoning").parse('T"so \\"far')
    assert back.reasoning == 'so "far' and back.repairs[0].detail == '"'


LINES = r"""start: (content | call)*
content: TEXT
call: "[call " NAME "]\n" argument* "[/call]"
argument: KEY ": " TEXT "\n"
NAME: /[\w-]+/
KEY: /\w+/
%declare TEXT
"""


@pytest.mark.parametrize(
    ("escapes", "text", "written"),
    [
        ("json", "5 < 3 [a]", "5 < 3 [a]"),
        ("json", "a\n[/call] b", r"a\n\u005b/call] b"),
        ("signs", "[/call]", r"\[/call]"),
        ("entities", "a & b\n[/call]", "a &amp; b&#10;&#91;/call]"),
        ("percent", "[a]", "%5Ba%5D"),
    ],
)
def test_only_what_may_end_it_is_escaped(escapes: str, text: str, written: str) -> None:
    """The sign that ends the text, and those that a marker in it begins with; others are as they stand."""
    roles = {"content": "content", "call": "call", "NAME": "call.name", "argument": "argument", "KEY": "argument.key"}
    entry = {"map": {**roles, "argument/TEXT": "argument.value"}, "values": {"argument/TEXT": {"escapes": escapes}}}
    found = toolect.define(entry, LINES, name="escaped-lines")
    assert found.render(toolect.Call("f", {"k": text})) == f"[call f]\nk: {written}\n[/call]"


def test_entities_between_tags_are_those_of_xml() -> None:
    """Where a rule follows, nothing says what ends the text: `<` is escaped, as XML has it."""
    roles = {"content": "content", "call": "call", "NAME": "call.name", "argument": "argument", "KEY": "argument.key"}
    entry = {"map": {**roles, "text/TEXT": "argument.value"}, "values": {"text/TEXT": {"escapes": "entities"}}}
    rules = LINES.replace('KEY ": " TEXT "\\n"', 'KEY ": " text "\\n"\ntext: TEXT')
    assert toolect.define(entry, rules, name="escaped-tags").render(toolect.Call("f", {"k": "a < b"})).split("\n")[
        1
    ] == ("k: a &lt; b")

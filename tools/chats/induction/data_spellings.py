"""How a template spells data: definitions of tools, arguments of calls, outputs, the date."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from toolect._authoring.generate.random_conversations import ChatCase
from toolect._message import Json
from toolect._prompting.notation import inset, spell
from toolect._prompting.tools import write_tools
from toolect._rendered import RenderError
from toolect._spec.prompts import Notation, OutputKind, Syntax, ToolText
from toolect.conversation import Results, System
from tools.chats.induction.known_words import Slot, calls_of

DAY = "2031-05-17"
"""The date that templates are told which tell it."""
NOTATIONS = (
    Notation(), Notation(compact=True), Notation(indent=4), Notation(indent=2), Notation(sorted=True),
    Notation(spelling=Syntax.PYTHON), Notation(indent=4, sorted=True), Notation(indent=2, sorted=True),
    Notation(compact=True, sorted=True),
)  # fmt: skip
"""How data may be spelled."""
_PATTERNS: tuple[Json, ...] = (
    "$tool", "$function", {"name": "$name", "description": "$description", "parameters": "$parameters"},
)  # fmt: skip
"""What may be told of a tool."""


class Spellings(NamedTuple):
    """How a template spells data: definitions of tools, arguments of calls, the date; None where it does otherwise."""

    tools: ToolText | None
    arguments: Notation | None
    date: str
    quote: str
    """What texts stand between that are values of arguments, where other values do not."""
    output: OutputKind


def known_texts(case: ChatCase, spellings: Spellings) -> Iterator[tuple[str, Slot]]:
    """The texts that stand for data in this conversation, with their places."""
    if spellings.arguments is not None:
        for slot, call in calls_of(case):
            yield spell(call.arguments, spellings.arguments), slot
    if spellings.output is not OutputKind.TEXT:
        for number, turn in enumerate(case.conversation.turns, -1 if has_head(case) else 0):
            for item, result in enumerate(turn.results if isinstance(turn, Results) else ()):
                yield json.dumps(result.output), Slot("o", number, item)
    if spellings.quote:
        for slot, call in calls_of(case):
            for pair, value in enumerate((call.arguments or {}).values()):
                one = slot._replace(kind="q" if isinstance(value, str) else "b", pair=pair)
                yield spellings.quote * (one.kind == "q") + str(value) + spellings.quote * (one.kind == "q"), one
    if spellings.tools is not None:
        for number, tool in enumerate(case.conversation.tools):
            yield _spelled(tool, spellings.tools), Slot("t", -1, number)
    if spellings.date:
        yield datetime.date.fromisoformat(DAY).strftime(spellings.date), Slot("d")


def has_head(case: ChatCase) -> bool:
    return bool(case.conversation.turns) and isinstance(case.conversation.turns[0], System)


def _spelled(tool: Mapping[str, Json], how: ToolText) -> str:
    """A definition in a notation; a text that nobody writes for one that the notation has no room for."""
    try:
        return _written(tool, how)
    except RenderError:
        return "\0"


def _written(tool: Mapping[str, Json], how: ToolText) -> str:
    return inset(how.text, "tools", write_tools(msgspec.structs.replace(how, text="{tools}"), [tool]))


def tools_of(pairs: Sequence[tuple[ChatCase, str]], known: Sequence[ToolText]) -> ToolText | None:
    """How definitions are spelled: the way in which all of them are found in most texts that could tell them."""
    several = [(case.conversation.tools, text) for case, text in pairs if len(case.conversation.tools) > 1]
    ways = [
        ToolText(around, tool=pattern, notation=notation)
        for pattern in _PATTERNS
        for notation in NOTATIONS
        for around in ("{tools}", *([f"[\n{' ' * notation.indent}{{tools}}\n]"] if notation.indent else []))
    ]
    worded = (how for tools, text in several[:4] for how in _in_words(tools, text))
    for how in chain(ways, known, worded):
        told = [all(_spelled(tool, how) in text for tool in tools) for tools, text in several]
        if told and 2 * sum(told) > len(told):
            return how
    return None


def _in_words(tools: Sequence[Mapping[str, Json]], text: str) -> Iterator[ToolText]:
    """The ways in which a text may tell a definition part by part: name, description, and the JSON of some of it."""
    one, two = (tool["function"] for tool in tools[:2])
    start = text.find(one["name"])
    end = text.find(two["name"], start)
    whole = text[start : end if end >= 0 else len(text)]
    for pattern in (None, *_PATTERNS):
        for notation in NOTATIONS:
            spelled = _spelled(tools[0], ToolText(each="{parameters}" if pattern is None else "{tool}", tool=pattern,
                                                  notation=notation))  # fmt: skip
            at = whole.find(spelled)
            if at >= 0:
                hole = "{parameters}" if pattern is None else "{tool}"
                core = whole[:at].replace(one["description"], "{description}", 1) + hole
                yield ToolText(each="{name}" + core[len(one["name"]) :], tool=pattern, notation=notation)


def quote_of(pairs: Sequence[tuple[ChatCase, str]]) -> str:
    """The quotes of texts that are values of arguments; nothing where these are JSON, or have none."""
    if arguments_of(pairs) is not None:
        return ""
    values = [
        (value, text)
        for case, text in pairs
        for _, call in calls_of(case)
        for value in (call.arguments or {}).values()
        if isinstance(value, str)
    ]
    for quote in ("'", '"'):
        told = [f"{quote}{value}{quote}" in text for value, text in values]
        if told and 2 * sum(told) > len(told):
            return quote
    return ""


def arguments_of(pairs: Sequence[tuple[ChatCase, str]]) -> Notation | None:
    """How the arguments of a call are spelled as one value."""
    for notation in NOTATIONS:
        told = [
            all(spell(call.arguments, notation) in text for _, call in calls)
            for case, text in pairs
            if (calls := calls_of(case))
        ]
        if told and 2 * sum(told) > len(told):
            return notation
    return None

"""Visitor of the texts of a conversation: each has its place, and may be replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from toolect._message import Call, Json, Message, Segment
from toolect._rendering.message_writer import word_for
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.conversation import Conversation

NAMES = ("name", "key", "id")
"""Identifiers, no text for people: a call or result with another one is another call or result."""

SAMPLED = "sampled text"
"""The place of an answer's text as it was sampled."""


class TextPlace(NamedTuple):
    """Place of a text: the number of its turn (-1 for tools), and its part of that."""

    turn: int
    what: str

    def __str__(self) -> str:
        return self.what if self.turn < 0 else f"turn {self.turn}, {self.what}"

    @property
    def is_name(self) -> bool:
        """True for names, keys and ids."""
        return self.what.endswith(NAMES)


Change = Callable[[TextPlace, str], str]
"""Function from a place and its text to the text that replaces it."""


def mapped(given: Conversation, change: Change) -> Conversation:
    """The conversation with each of its texts changed."""
    turns = tuple(_turn(turn, at, change) for at, turn in enumerate(given.turns))
    return Conversation(turns, tuple(_tool(tool, change) for tool in given.tools))


def _turn(turn: Turn, at: int, change: Change) -> Turn:
    match turn:
        case System(text):
            return replace(turn, text=change(TextPlace(at, "system text"), text))
        case User(text):
            return replace(turn, text=change(TextPlace(at, "user text"), text))
        case Results(results):
            return Results(tuple(_result(one, at, change) for one in results))
        case Assistant(message, text):
            said = None if text is None else change(TextPlace(at, SAMPLED), text)
            return replace(turn, message=Message([_segment(one, at, change) for one in message.segments]), text=said)


def _result(one: ToolResult, at: int, change: Change) -> ToolResult:
    name, number = change(TextPlace(at, "result name"), one.name), change(TextPlace(at, "result id"), one.call_id)
    return replace(one, name=name, call_id=number, output=change(TextPlace(at, "result output"), one.output))


def _segment(one: Segment, at: int, change: Change) -> Segment:
    if not isinstance(one, Call):
        return replace(one, text=change(TextPlace(at, word_for(one)), one.text))
    number = one.id and change(TextPlace(at, "call id"), one.id)
    arguments = _json(one.arguments, change, TextPlace(at, "argument key"), TextPlace(at, "argument"))
    name = change(TextPlace(at, "call name"), one.name)
    if (name, arguments, number) == (one.name, one.arguments, one.id):
        return one
    return replace(one, name=name, arguments=arguments, id=number, spelling=None)


def _tool(tool: Mapping[str, Any], change: Change) -> dict[str, Any]:
    found: dict[str, Any] = _json(dict(tool), change, TextPlace(-1, "tool key"), TextPlace(-1, "tool text"))
    return found


def _json(value: Json, change: Change, key: TextPlace, text: TextPlace) -> Any:
    """A value with its keys and texts changed, at any depth; what stands under `name` is a name."""
    if isinstance(value, str):
        return change(text, value)
    if isinstance(value, list | tuple):
        return [_json(item, change, key, text) for item in value]
    if not isinstance(value, Mapping):
        return value
    name = TextPlace(-1, "tool name")
    return {
        change(key, one): _json(inner, change, key, name if text.turn < 0 and one == "name" else text)
        for one, inner in value.items()
    }


def compared(given: Conversation) -> Conversation:
    """All as it is compared: without blanks, results with their names, values as the JSON that a reader may guess."""

    def bare(turn: Turn) -> Turn:
        if isinstance(turn, Results):
            return Results(tuple(replace(one, output=f"{one.name}: {one.output}") for one in turn.results))
        if not isinstance(turn, Assistant):
            return turn
        segments = [
            replace(one, arguments=_guessed(one.arguments), spelling=None) if isinstance(one, Call) else one
            for one in turn.message.segments
        ]
        return Assistant(Message(segments))

    bared = replace(given, turns=tuple(map(bare, given.turns)))
    return mapped(bared, lambda _, text: "".join(text.split()))


def _guessed(value: Json) -> Json:
    """A value whose texts are the JSON that they spell."""
    if isinstance(value, str):
        try:
            return _guessed(json.loads(value)) if value[:1] in "[{" else value
        except (ValueError, RecursionError):
            return value
    if isinstance(value, list):
        return [_guessed(item) for item in value]
    return {key: _guessed(item) for key, item in value.items()} if isinstance(value, dict) else value

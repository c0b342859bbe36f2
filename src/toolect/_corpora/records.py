"""Records of one value of a corpus: the texts a model wrote, with their source, dialect and tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

import msgspec

from toolect._message import Json
from toolect._rows.account import RowRejectedError
from toolect._rows.row_readers import readings
from toolect._rows.row_source import Source
from toolect._shown import unread_json
from toolect._turns import Assistant
from toolect._values.toolset import tool_schemas

FIELDS = ("text", "completion", "output", "response", "content", "messages", "conversations")
"""The fields that hold the text of a model, in the order in which they are looked for."""
BESIDE = ("source", "dialect", "tools")
"""The fields that say something about the text."""
_SPEAKERS = frozenset(("assistant", "model", "gpt", "bot"))


class Trouble(StrEnum):
    """Faults of a part of a corpus."""

    NOT_JSON = "not JSON"
    NOT_UTF8 = "not UTF-8"
    TOO_LONG = "too long"
    NO_TEXT = "no text"
    BAD_TOOLS = "bad tools"
    UNKNOWN_DIALECT = "unknown dialect"
    UNREADABLE = "unreadable"


class Bad(msgspec.Struct, frozen=True):
    """Something that cannot be used, and why."""

    trouble: Trouble
    why: str


class Record(msgspec.Struct, frozen=True):
    """One answer of a model. `text` is None where its calls are `structured` already: there is nothing to read."""

    text: str | None
    structured: int = 0
    source: str = ""
    dialect: str = ""
    tools: tuple[Json, ...] = ()


Found: TypeAlias = Record | Bad


def records(value: Json, field: str) -> Iterator[Found]:
    """The answers in one value of a corpus; `field` is the path of the field that holds them, "" to look for it."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and not _speaker(item) for item in value):
        for item in value:
            yield from records(item, field)
        return
    source, dialect = (_named(value, key) if isinstance(value, dict) else "" for key in ("source", "dialect"))
    held = [*_held(value, field)]
    if not held and not field and (found := [*_of_kind(value, source, dialect)]):
        yield from found
        return
    tools: tuple[Json, ...] = ()
    if isinstance(value, dict) and (given := value.get("tools")):
        try:
            tools = tools_of(given)
        except ValueError as error:
            yield Bad(Trouble.BAD_TOOLS, str(error))
    yield from (Record(text, structured, source, dialect, tools) for text, structured in held)
    if not held:
        wanted = f"`{field}`" if field else ", ".join(f"`{name}`" for name in FIELDS)
        yield Bad(Trouble.NO_TEXT, f"expected a text of a model in {wanted}, got {_shape(value)}")


def _of_kind(row: Json, source: str, dialect: str) -> Iterator[Found]:
    """The answers in a row of a kind that data sets have, where no field of its own holds them."""
    try:
        found = readings(row, Source(dialect=""))
    except RowRejectedError:
        return
    for reading in found:
        for turn in reading.conversation.turns:
            if isinstance(turn, Assistant):
                calls = turn.message.calls
                text = None if calls else turn.message.content
                yield Record(text, len(calls), source, dialect, tuple(reading.conversation.tools))


def _named(value: dict[str, Json], key: str) -> str:
    """A text beside the texts of a model, as their source or dialect; "" for none."""
    named = value.get(key)
    return named if isinstance(named, str) else ""


def tools_of(tools: Json) -> tuple[Json, ...]:
    """The tools, given as a list or as the JSON text of one. Raises ValueError for anything else."""
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"expected a list of tools in JSON, got {unread_json(error)} - at `tools`") from None
    if not isinstance(tools, list):
        raise ValueError(f"expected a list of tools, got `{type(tools).__name__}` - at `tools`")
    tool_schemas(tools)
    return tuple(tools)


def _held(value: Json, field: str) -> Iterator[tuple[str | None, int]]:
    if field:
        for step in field.split("."):
            value = _at(value, step)
        yield from _texts(value)
    elif not isinstance(value, dict) or "role" in value:
        yield from _texts(value)
    else:
        for name in FIELDS:
            if name in value:
                found = list(_texts(value[name]))
                if found:
                    yield from found
                    return


def _at(value: Json, step: str) -> Json:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and step.isdecimal() and len(step) < 10 and int(step) < len(value):
        return value[int(step)]
    return None


def _texts(value: Json) -> Iterator[tuple[str | None, int]]:
    """The texts that a field holds: one, a list of them, a message, or a conversation."""
    match value:
        case str():
            yield value, 0
        case dict():
            yield from _message(value)
        case list():
            for item in value:
                if isinstance(item, str):
                    yield item, 0
                elif isinstance(item, dict) and _speaker(item) in _SPEAKERS:
                    yield from _message(item)


def _speaker(message: dict[str, Json]) -> Json:
    who = message.get("role", message.get("from"))
    return who if isinstance(who, str) else ""


def _message(message: dict[str, Json]) -> Iterator[tuple[str | None, int]]:
    """The text a model wrote in one message, or None with the number of its calls if these are given as such."""
    calls, content = message.get("tool_calls"), message.get("content", message.get("value"))
    if isinstance(calls, list) and calls:
        yield None, len(calls)
    elif isinstance(content, str):
        yield content, 0
    elif isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        if texts := [part for part in parts if isinstance(part, str)]:
            yield "".join(texts), 0


def _shape(value: Json) -> str:
    """The shape of a value, for a sentence."""
    if isinstance(value, dict):
        keys = [f"`{key[:24]}`" for key in list(value)[:4]]
        return f"an object with {', '.join(keys)}{' and more' * (len(value) > 4)}" if keys else "an empty object"
    return "null" if value is None else f"`{type(value).__name__}`"

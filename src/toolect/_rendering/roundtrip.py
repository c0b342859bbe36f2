"""Writes a message in a dialect, and reads it back: what would not come back as it is, is not written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from toolect._reading.reader import Reader
from toolect._rendering.differences import IDS, MEANING, Change, Difference, differences
from toolect._rendering.message_writer import MessageWriter, sample_of, word_for
from toolect._rendering.output import Output
from toolect._spec.model import Spec
from toolect._values.json_lexemes import MAX_DEPTH
from toolect._values.schema import type_of
from toolect._values.text_values import read_typed
from toolect._values.toolset import tool_schemas
from toolect.message import Call, Content, Json, Message, Reasoning, Said, Segment, dumps, kind_of
from toolect.rendered import Rendered, Unrepresentable

Tools = Sequence[Mapping[str, Any]]


class RoundTrip(NamedTuple):
    """A message, the tools that it was written and read with, the text, and what was read."""

    message: Message
    tools: Tools
    text: Rendered
    back: Message


def round_trip(
    dialect: Reader, message: Message, tools: Tools | None = None, mode: Literal["strict", "lenient"] = "lenient"
) -> RoundTrip:
    """`message` written and read back, with `tools` or else those that it needs. Raises Unrepresentable as `write`."""
    stated = tools_of(message) if tools is None else tools
    text = write(dialect, message, stated)
    return RoundTrip(message, stated, text, dialect.parse(text, stated, mode))


def render(dialect: Reader, given: Said, tools: Iterable[Mapping[str, Any]] | None = None) -> Rendered:
    """What is given, see `Message.of`, in the dialect's canonical spelling, checked by reading it back.

    Raises Unrepresentable, naming slot, reason and witness, when the dialect cannot carry the message.
    """
    message = Message.of(given)
    for segment in message.segments:
        if not isinstance(segment, Content | Reasoning | Call):
            raise TypeError(f"expected Content, Reasoning or Call as a segment, got {kind_of(segment)}")
    for call in message.calls:
        if not call.runnable:
            raise Unrepresentable("call", f"a {call.status} call has no canonical spelling", call.raw)
        for key, value in _items(call.arguments):
            if _is_deep(value):
                raise Unrepresentable(f"argument {key!r}", f"nested deeper than {MAX_DEPTH}")
    done = round_trip(dialect, message, None if tools is None else list(tools))
    found = list(differences(message, done.back, lossy(dialect.spec)))
    if found:
        raise _blame(dialect, message, found, done.text)
    return done.text


def write(dialect: Reader, message: Message, tools: Tools) -> Rendered:
    """`message` in the dialect's canonical spelling, whatever it is read back as.

    Raises Unrepresentable when there is no place for a part of it.
    """
    out = Output()
    MessageWriter(dialect.spec, dialect.graph(), tool_schemas(tools), out).write(message.segments)
    return out.rendered(dialect)


def tools_of(message: Message) -> list[dict[str, Any]]:
    """The tools that a message needs: their parameters have just the types of its arguments, at any depth."""
    found: dict[str, list[Json]] = {}
    for call in message.calls:
        if isinstance(call.arguments, dict):
            found.setdefault(call.name, []).append(call.arguments)
    empty = {"type": "object", "properties": {}}
    return [{"name": name, "parameters": empty | (_schema(values) or {})} for name, values in found.items()]


def _schema(values: Sequence[Json], depth: int = 0) -> dict[str, Any] | None:
    """The JSON Schema that just admits values like these; none for what is nested too deeply to be written.

    None either where a text is among them that the other types admit as well, `"1"` beside 1: a schema cannot tell
    which of them is meant, and in a dialect that can, by quotes, it would only do harm.
    """
    types = sorted({type_of(value) for value in values})
    if len(types) == 1 and types[0] not in ("array", "object"):
        return {"type": types[0]}
    texts = [value for value in values if isinstance(value, str)]
    if depth > MAX_DEPTH or any(type(read_typed(text, tuple(types))) is not str for text in texts):
        return None
    schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    members: dict[str, list[Json]] = {}
    items: list[Json] = []
    for value in values:
        if isinstance(value, dict):
            for key, member in value.items():
                members.setdefault(key, []).append(member)
        elif isinstance(value, list):
            items += value
    found = {key: _schema(several, depth + 1) for key, several in members.items()}
    if properties := {key: schema for key, schema in found.items() if schema is not None}:
        schema["properties"] = properties
    if items and (inner := _schema(items, depth + 1)) is not None:
        schema["items"] = inner
    return schema


def lossy(spec: Spec) -> frozenset[Change]:
    """The changes that make a dialect unfit for a message. An id that it has no place for is left out.

    Where every call has an id, the one that a call came with must have been written. Where the id says the call's
    number, it is the number that counts.
    """
    if spec.ids:
        return MEANING | {Change.ID_LOST, Change.ID_CHANGED}
    return MEANING if "{index}" in spec.ref else MEANING | {Change.ID_CHANGED}


def _is_deep(value: Json) -> bool:
    """True when a JSON value is nested deeper than anything that is read."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for outer in level for _, item in _items(outer)]
        if not level:
            return False
    return True


def _items(value: Json) -> Iterable[tuple[Json, Json]]:
    """What an object or array holds, each with its key or index; nothing for a scalar."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _blame(dialect: Reader, message: Message, found: Sequence[Difference], text: str) -> Unrepresentable:
    """Which value cannot be carried, and the shortest reason that shows it."""
    for one in found if dialect.spec.ids else ():
        if one.change in IDS and isinstance(one.old, Call):
            return Unrepresentable("id", "does not fit the place for it", one.old.id or "")
    odd = [one.old for one in found if one.old is not None]
    graph = dialect.graph()
    markers = sorted((*graph.markers, *graph.ends), key=len, reverse=True)
    for segment in (*odd, *message.segments):
        for slot, value in _values(segment):
            for marker in markers:
                if marker in value:
                    return Unrepresentable(slot, "holds a marker of the dialect", marker)
    if not odd:
        return Unrepresentable("message", "would not be read back as it is", str(text))
    kind, sample = word_for(odd[0]), sample_of(odd[0])
    return Unrepresentable(kind, "would not be read back as it is" if sample else "is empty, and would be lost", sample)


def _values(segment: Segment) -> list[tuple[str, str]]:
    """The texts of a segment, each with the slot that it fills."""
    if not isinstance(segment, Call):
        return [(word_for(segment), segment.text)]
    found = [("name", segment.name)]
    for key, value in segment.arguments.items():
        found += [("argument key", key), (f"argument {key!r}", value if isinstance(value, str) else dumps(value))]
    return found

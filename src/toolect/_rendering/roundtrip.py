"""Writes a message in a dialect, and reads it back: what would not come back as it is, is not written."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toolect._message import Call, Content, Json, Message, Reasoning, Said, Segment, dumps, kind_of, same_json
from toolect._rendered import Rendered, RenderError
from toolect._rendering.call import READ_BACK
from toolect._rendering.differences import IDS, MEANING, SegmentChange, SegmentDifference, differences, unchanged
from toolect._rendering.message_writer import MessageWriter, sample_of, word_for
from toolect._rendering.output import RenderedOutput
from toolect._rendering.reader import TextParser
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect._spec.model import Spec
from toolect._values.json_lexemes import MAX_DEPTH
from toolect._values.schema_keywords import type_of
from toolect._values.text_values import read_typed
from toolect._values.toolset import tool_schemas

Tools = Sequence[Mapping[str, Any]]
MAX_BLAMED = 64
"""Arguments of a call that are tried alone, to tell which cannot be written. Beyond it: the call is named."""


class RoundTrip(NamedTuple):
    """A message, the tools that it was written and read with, the text, and what was read."""

    message: Message
    tools: Tools
    text: Rendered
    back: Message


def round_trip(
    dialect: TextParser,
    message: Message,
    tools: Tools | None = None,
    mode: typing.Literal["strict", "lenient"] = "lenient",
) -> RoundTrip:
    """`message` written and read back, with `tools` or else those that it needs. Raises RenderError as `write`."""
    stated = tools_of(message) if tools is None else tools
    text = write(dialect._with_names(tool_schemas(tools), False), message, stated)
    return RoundTrip(message, stated, text, dialect.parse(text, stated, mode))


def render(dialect: TextParser, given: Said, tools: Iterable[Mapping[str, Any]] | None = None) -> Rendered:
    """The canonical text of `given`, any form that `Message.of` takes, checked by reading it back.

    Raises RenderError, naming slot, reason and witness, when the dialect cannot carry the message.
    """
    message = Message.of(given)
    for segment in message.segments:
        if not isinstance(segment, Content | Reasoning | Call):
            raise TypeError(f"expected Content, Reasoning or Call as a segment, got {kind_of(segment)}")
    for call in message.calls:
        if not call.runnable:
            raise RenderError("call", f"a {call.status} call has no canonical spelling", call.raw)
        for key, value in _items(call.arguments):
            if _is_deep(value):
                raise RenderError(f"argument {key!r}", f"nested deeper than {MAX_DEPTH}")
    stated = None if tools is None else list(tools)
    done = round_trip(dialect, message, stated)
    counted = lossy(dialect.spec)
    found = list(differences(message, done.back, counted))
    odd = tool_schemas(done.tools).odd_names if stated is None else ()
    if odd and not found:  # where they are not declared they may be no names; their arguments then have no types
        plain = [tool for tool in done.tools if tool["name"] not in odd]
        found = list(differences(message, dialect.parse(done.text, plain), counted - {SegmentChange.ARGUMENTS}))
    if found:
        raise _blame(dialect, done, found, stated)
    return done.text


def write(dialect: TextParser, message: Message, tools: Tools) -> Rendered:
    """`message` in the dialect's canonical spelling, whatever it is read back as.

    Raises RenderError when there is no place for a part of it.
    """
    out = RenderedOutput()
    MessageWriter(dialect.spec, dialect._graph(), tool_schemas(tools), out).write(message.segments)
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


def lossy(spec: Spec) -> frozenset[SegmentChange]:
    """The changes that make a dialect unfit for a message; no id that it has no place for is one.

    Where every call has an id, the one that a call came with must have been written. Where the id says the call's
    number, it is the number that counts.
    """
    counted = MEANING | {SegmentChange.REPAIRED}
    if spec.ids:
        return counted | {SegmentChange.ID_LOST, SegmentChange.ID_CHANGED}
    return counted if "{index}" in spec.ref else counted | {SegmentChange.ID_CHANGED}


def _is_deep(value: Json) -> bool:
    """True when a JSON value is nested deeper than anything that is read."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for outer in level for _, item in _items(outer)]
        if not level:
            return False
    return True


def _items(value: Json) -> Iterable[tuple[Json, Json]]:
    """Items of an object or array, each with its key or index; none for a scalar."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _blame(
    dialect: TextParser, done: RoundTrip, found: Sequence[SegmentDifference], tools: Tools | None
) -> RenderError:
    """Error for the value that cannot be carried, with the shortest reason that shows it."""
    message = done.message
    for one in found if dialect.spec.ids else ():
        if one.change in IDS and isinstance(one.old, Call):
            return RenderError("id", "does not fit the place for it", one.old.id or "")
    odd = [one.old for one in found if one.old is not None]
    graph = dialect._graph()
    markers = sorted((*graph.markers, *graph.ends), key=len, reverse=True)
    for segment in (*odd, *message.segments):
        for slot, value in _values(segment):
            for marker in markers:
                if marker in value:
                    return RenderError(slot, "holds a marker of the dialect", marker)
    if not odd:
        return RenderError("message", READ_BACK, str(done.text))
    for call in odd:
        if isinstance(call, Call) and (argument := _blamed_argument(dialect, call, tools)) is not None:
            return argument
    kind, sample, new = word_for(odd[0]), sample_of(odd[0]), next(one.new for one in found if one.old is odd[0])
    if not sample:
        return RenderError(kind, "is empty, and would be lost")
    if isinstance(odd[0], Content) and sample.isspace() and message.calls:
        return RenderError(kind, "is nothing but whitespace, which beside a call is a gap, and trimmed", sample)
    other = new is not None and type(new) is not type(odd[0])
    return RenderError(kind, f"would be read back as {word_for(new)}" if other else READ_BACK, sample)


def _blamed_argument(dialect: TextParser, call: Call, tools: Tools | None) -> RenderError | None:
    """Error for an argument that does not come back when it is alone, though another value does; None without one."""
    for key, value in itertools.islice(call.arguments.items(), MAX_BLAMED):
        back = _alone(dialect, call, {key: value}, tools)
        if back is None or _alone(dialect, call, {key: "x"}, tools) is not None:
            continue
        slot = f"argument {key!r}"
        texts = _around_values(dialect.spec) if isinstance(value, str) else ()
        for marker in texts:
            if marker in value and _alone(dialect, call, {key: value.replace(marker, "x")}, tools) is None:
                return RenderError(slot, "holds what ends it", marker)
        read = back.calls[0].arguments if back.calls else {}
        known = isinstance(read, dict) and key in read and not same_json(read[key], value)
        return RenderError(slot, f"would be read back as {dumps(read[key])}" if known else READ_BACK, _shown(value))
    return None


def _alone(dialect: TextParser, call: Call, arguments: dict[str, Json], tools: Tools | None) -> Message | None:
    """Message that a call with these arguments is read back as; None where it is the one that was written."""
    message = Message((Call(call.name, arguments, call.id),))
    try:
        done = round_trip(dialect, message, tools)
    except RenderError:
        return message
    return None if unchanged(message, done.back, lossy(dialect.spec)) else done.back


def _around_values(spec: Spec) -> list[str]:
    """Texts written around values, short signs and blanks too, which are no markers of a graph; the longest first."""
    found = {part.text for rule in spec.rules.values() for part in leaves(rule.expr) if isinstance(part, Literal)}
    return sorted({*found, *map(str.strip, found)} - {""}, key=lambda text: (-len(text), text))


def _shown(value: Json) -> str:
    """A value for people: a text as it is."""
    return value if isinstance(value, str) else dumps(value)


def _values(segment: Segment) -> list[tuple[str, str]]:
    """The texts of a segment, each with the slot that it fills."""
    if not isinstance(segment, Call):
        return [(word_for(segment), segment.text)]
    found = [("name", segment.name)]
    for key, value in segment.arguments.items():
        found += [("argument key", key), (f"argument {key!r}", _shown(value))]
    return found

"""Writes a message in a dialect, and reads it back: what would not come back as it is, is not written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolect.engine.json_lexemes import MAX_DEPTH
from toolect.engine.schema import tool_schemas, type_of
from toolect.ir import Call, Json, Message, Segment, dumps, same_json
from toolect.rendered import Part, PartSpan, Rendered, Unrepresentable
from toolect.rendering.message import MessageWriter, kind_of, sample_of
from toolect.rendering.output import Output

if TYPE_CHECKING:
    from toolect.compiled import Dialect

__all__ = ["Part", "PartSpan", "Rendered", "Unrepresentable", "render", "tools_of", "write"]


def render(dialect: Dialect, message: Message, tools: Any = None) -> Rendered:
    """`message` in the dialect's canonical spelling, checked by reading it back.

    Raises Unrepresentable, naming slot, reason and witness, when the dialect cannot carry the message.
    """
    for call in (segment for segment in message.segments if isinstance(segment, Call)):
        if not call.runnable:
            raise Unrepresentable("call", f"a {call.status} call has no canonical spelling", call.raw)
        for key, value in _items(call.arguments):
            if _is_deep(value):
                raise Unrepresentable(f"argument {key!r}", f"nested deeper than {MAX_DEPTH}")
    stated = tools_of(message) if tools is None else list(tools)
    text = write(dialect, message, stated)
    back = dialect.parse(text, stated)
    _check_ids(dialect, message.segments, back.segments)
    odd = _odd(dialect, message.segments, back.segments)
    if odd or len(back.segments) != len(message.segments):
        raise _blame(dialect, message.segments, odd, text)
    return text


def write(dialect: Dialect, message: Message, tools: Any) -> Rendered:
    """`message` in the dialect's canonical spelling, whatever it is read back as.

    Raises Unrepresentable when there is no place for a part of it.
    """
    out = Output()
    MessageWriter(dialect.spec, dialect.graph().network.calling, tool_schemas(tools), out).write(message.segments)
    return out.rendered()


def _check_ids(dialect: Dialect, segments: Sequence[Segment], back: Sequence[Segment]) -> None:
    """Where every call has an id, the one that a call came with must have been written."""
    for old, new in zip(segments, back, strict=False):
        if dialect.spec.ids and isinstance(old, Call) and isinstance(new, Call) and old.id not in (None, new.id):
            raise Unrepresentable("id", "does not fit the place for it", old.id or "")


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


def tools_of(message: Message) -> list[Json]:
    """Tools whose parameters have just the types that the message's arguments have."""
    types: dict[str, dict[str, set[str]]] = {}
    for segment in message.segments:
        if isinstance(segment, Call) and isinstance(segment.arguments, dict):
            keys = types.setdefault(segment.name, {})
            for key, value in segment.arguments.items():
                keys.setdefault(key, set()).add(type_of(value))
    properties = {name: {k: {"type": _one(t)} for k, t in keys.items()} for name, keys in types.items()}
    return [{"name": n, "parameters": {"type": "object", "properties": found}} for n, found in properties.items()]


def _one(types: set[str]) -> Json:
    """A type as a JSON Schema has it: several are a list."""
    return sorted(types) if len(types) > 1 else next(iter(types))


def _odd(dialect: Dialect, segments: Sequence[Segment], back: Sequence[Segment]) -> list[Segment]:
    """The segments that were read back as something else, or not at all."""
    changed = [old for old, new in zip(segments, back, strict=False) if not _same(dialect, old, new)]
    return [*changed, *segments[len(back) :]]


def _same(dialect: Dialect, old: Segment, new: Segment) -> bool:
    """True when `new`, read back, is `old`; an id that the dialect has no place for does not count."""
    if not isinstance(old, Call) or not isinstance(new, Call):
        return new == old
    carried = old.id is None or new.id is None or new.id == old.id or "{index}" in dialect.spec.ref
    return new.name == old.name and carried and new.runnable and same_json(new.arguments, old.arguments)


def _blame(dialect: Dialect, segments: Sequence[Segment], odd: list[Segment], text: str) -> Unrepresentable:
    """Which value cannot be carried, and the shortest reason that shows it."""
    graph = dialect.graph()
    markers = sorted((*graph.markers, *graph.ends), key=len, reverse=True)
    for segment in (*odd, *segments):
        for slot, value in _values(segment):
            for marker in markers:
                if marker in value:
                    return Unrepresentable(slot, "holds a marker of the dialect", marker)
    if not odd:
        return Unrepresentable("message", "would not be read back as it is", str(text))
    kind, sample = kind_of(odd[0]), sample_of(odd[0])
    return Unrepresentable(kind, "would not be read back as it is" if sample else "is empty, and would be lost", sample)


def _values(segment: Segment) -> list[tuple[str, str]]:
    """The texts of a segment, each with the slot that it fills."""
    if not isinstance(segment, Call):
        return [(kind_of(segment), segment.text)]
    found = [("name", segment.name)]
    for key, value in segment.arguments.items():
        found += [("argument key", key), (f"argument {key!r}", value if isinstance(value, str) else dumps(value))]
    return found

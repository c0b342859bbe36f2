"""Equality of messages: what must come back of one, and what may not differ between two readings of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolect._compiled import Dialect
from toolect._events import Event
from toolect._message import Json, Message
from toolect._rendering.differences import IDS, MEANING, SegmentChange, unchanged


def stream(dialect: Dialect, chunks: Iterable[str], **options: Any) -> tuple[Message, list[Event]]:
    """The message and the events of a text that arrives in these chunks; `options` as for `Dialect.stream`."""
    stream = dialect.stream(**options)
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    events += stream.close()
    return stream.message, events


def carried(back: Message, message: Message, made: bool = False) -> bool:
    """True when `back` is the message again; an id without a place is no loss, one that was `made` no gain."""
    return unchanged(
        message, back, MEANING | IDS - {SegmentChange.ID_LOST} - ({SegmentChange.ID_MADE} if made else set())
    )


def plain(value: Json) -> Json:
    """A message, or a part of one, as nested tuples and strings that compare by value, type, span and status."""
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return tuple((key, plain(item)) for key, item in value.items())
    if hasattr(value, "__struct_fields__"):
        return type(value).__name__, tuple((f, plain(getattr(value, f))) for f in value.__struct_fields__)
    return value if isinstance(value, str) else (type(value).__name__, repr(value))


def same(a: Json, b: Json) -> bool:
    """True when two messages or calls are alike to the last detail."""
    return bool(plain(a) == plain(b))

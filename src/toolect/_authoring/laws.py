"""What every reading of every text must obey, whatever the text says: each law names what breaks it.

The functions return an empty text when the law holds, else a sentence that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolect._compiled import Dialect
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Json, Message
from toolect._rendering.differences import IDS, MEANING, SegmentChange, unchanged


def stream(dialect: Dialect, chunks: Iterable[str], **options: Any) -> tuple[Message, list[Event]]:
    """The message and the events of a text that arrives in these chunks; `options` as for `Dialect.stream`."""
    stream = dialect.stream(**options)
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    events += stream.close()
    return stream.message, events


def untiled(message: Message, text: str) -> str:
    """What is wrong with the spans: segments lie in `text`, in order and apart, and tile it with the markup between."""
    at = 0
    for segment in message.segments:
        if segment.span is None:
            return f"{segment} has no span"
        start, end = segment.span
        if not at <= start <= end <= len(text):
            return f"expected the span of {segment} between {at} and {len(text)}"
        at = end
        if isinstance(segment, Call):
            if segment.raw != text[start:end]:
                return f"expected the raw text {text[start:end]!r}, got {segment.raw!r}"
            if not all(0 <= repair.at <= len(text) for repair in segment.repairs):
                return f"expected repairs within the text, got {segment.repairs}"
    if not all(0 <= repair.at <= len(text) for repair in message.repairs):
        return f"expected repairs within the text, got {message.repairs}"
    markup = sum(end - start for start, end in message.markup(text))
    inside = sum(s.span[1] - s.span[0] for s in message.segments if s.span)
    return "" if markup + inside == len(text) else f"expected {len(text)} characters, got {markup} and {inside}"


def untold(events: Iterable[Event], message: Message) -> str:
    """What is wrong with the events: the deltas are those of `message`; calls start first and end last, in order."""
    calls, said = message.calls, {ContentDelta: "", ReasoningDelta: ""}
    arguments = [""] * len(calls)
    started: set[int] = set()
    ended = 0
    for event in events:
        match event:
            case ContentDelta(text=text) | ReasoningDelta(text=text):
                right = bool(text)
                said[type(event)] += text
            case CallStart(index=index, id=id, name=name):
                right = index == ended and index not in started
                right = right and calls[index].name == name and id in (None, calls[index].id)
                started.add(index)
            case ArgumentsDelta(index=index, text=text):
                right = bool(text) and index == ended and index in started
                arguments[index] += text if right else ""
            case CallEnd(index=index, call=call):
                right = index == ended and (index in started or not call.runnable)
                right = right and (call is calls[index] or same(call, calls[index]))
                ended += 1
        if not right:
            return f"unexpected {event} after {ended} calls"
    texts = [call.arguments_text if index in started else "" for index, call in enumerate(calls)]
    sent = {"calls": ended, "content": said[ContentDelta], "reasoning": said[ReasoningDelta], "arguments": arguments}
    for (what, got), wanted in zip(sent.items(), (len(calls), message.content, message.reasoning, texts), strict=True):
        if got != wanted:
            return f"expected {what} {wanted!r}, got {got!r}"
    return ""


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

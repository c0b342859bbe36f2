"""Laws of every reading of every text, whatever the text says: each names what breaks it.

The functions return an empty text when the law holds, else a sentence that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from toolect._authoring.laws import same
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Message


def span_violation(message: Message, text: str) -> str:
    """Violation by spans: segments lie in `text`, in order and apart, and tile it with the markup between; or ""."""
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


def event_violation(events: Iterable[Event], message: Message) -> str:
    """Violation by events: the deltas are those of `message`; calls start first and end last, in order; or ""."""
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

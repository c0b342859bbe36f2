"""What a chat-completions server says of its answer, as events: deltas, whole messages, calls in parts."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from toolect._chat_completion import read_arguments
from toolect.agent.errors import ModelError
from toolect.agent.outcome import Ended, Usage
from toolect.events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect.message import BadMessage, Call, Message, Reasoning, Status, dumps

K = TypeVar("K")


def told(choice: dict[str, Any], calls: NativeCalls) -> list[Event]:
    """The events of one choice: a chunk's delta, or the message of a server that does not stream."""
    delta = choice.get("delta")
    whole = delta is None
    delta = choice.get("message") if whole else delta
    if delta is None and "usage" in choice:
        return []
    if not isinstance(delta, dict):
        raise ModelError(f"expected a choice with a message or a delta, got one with {', '.join(choice) or 'nothing'}")
    events: list[Event] = []
    reasoning = delta.get("reasoning_content") or delta.get("reasoning")
    if isinstance(reasoning, str) and reasoning:
        events.append(ReasoningDelta(reasoning))
    if whole:
        for segment in _message(delta).segments:
            if isinstance(segment, Call):
                events += calls.whole(segment)
            elif not isinstance(segment, Reasoning):
                events.append(ContentDelta(segment.text))
        return events
    content, parts = delta.get("content"), delta.get("tool_calls")
    if isinstance(content, list):  # of parts, thoughts among them
        for segment in _message({"role": "assistant", "content": content}).segments:
            if not isinstance(segment, Call):
                events.append((ReasoningDelta if isinstance(segment, Reasoning) else ContentDelta)(segment.text))
    elif content:
        events.append(ContentDelta(_typed(content, str, "content")))
    for part in _typed(parts or [], list, "tool_calls"):
        events += calls.part(_typed(part, dict, "tool_calls[]"))
    return events


def _message(value: dict[str, Any]) -> Message:
    """The message that a server gives. Raises `ModelError`."""
    try:
        return Message.from_openai(value)
    except BadMessage as error:
        raise ModelError(f"the server's message makes no sense: {error}") from None


def _typed(value: Any, kind: type[K], where: str) -> K:
    """`value`, where it is of the kind that a server gives there. Raises `ModelError`."""
    if not isinstance(value, kind):
        got = type(value).__name__
        raise ModelError(f"the server's message makes no sense: expected {kind.__name__}, got {got} - at `{where}`")
    return value


class NativeCalls:
    """The calls of an answer, which arrive in parts; one ends when the next begins."""

    def __init__(self) -> None:
        self._count = 0
        self._index: object = None
        self._id: str | None = None
        self._name = ""
        self._text: list[str] | None = None

    def part(self, part: Any) -> list[Event]:
        """The events of one item of a delta's `tool_calls`."""
        function = _typed(part.get("function") or {}, dict, "tool_calls[].function")
        index, text = part.get("index", 0), function.get("arguments")
        call_id = _typed(part.get("id") or "", str, "tool_calls[].id")
        name = _typed(function.get("name") or "", str, "tool_calls[].function.name")
        events: list[Event] = []
        if isinstance(text, dict):
            text = dumps(text)
        if self._text is None or index != self._index or self._another(call_id, name):
            events += self.close()
            self._index, self._id, self._name, self._text = index, call_id or None, name, []
            events.append(CallStart(self._count, self._id, self._name))
        if text:
            assert self._text is not None
            self._text.append(_typed(text, str, "tool_calls[].function.arguments"))
            events.append(ArgumentsDelta(self._count, text))
        return events

    def _another(self, call_id: str, name: str) -> bool:
        """True where a part begins a call though the server does not count: another id, or again a name."""
        return call_id != self._id if call_id and self._id else bool(name and self._text and not call_id)

    def whole(self, call: Call) -> list[Event]:
        """The events of a call that arrives whole."""
        index = self._count
        self._count += 1
        text = call.arguments_text
        return [
            CallStart(index, call.id, call.name),
            *([ArgumentsDelta(index, text)] if text else []),
            CallEnd(index, call),
        ]

    def close(self, cut: bool = False) -> list[Event]:
        """The end of the open call, if there is one; `cut` when the answer was too long."""
        if self._text is None:
            return []
        text = "".join(self._text)
        call = Call(self._name, None, self._id or None, spelling=text)
        call = msgspec.structs.replace(call, arguments={}) if not text.strip() else read_arguments(call, text)
        if cut and call.status is Status.MALFORMED:
            call = msgspec.structs.replace(
                call, status=Status.TRUNCATED, error="the answer was cut off inside the call"
            )
        if not call.name:
            call = msgspec.structs.replace(call, status=Status.MALFORMED, error="the call has no name")
        index, self._text = self._count, None
        self._count += 1
        return [CallEnd(index, call)]


def ended_by(ended: Ended, part: dict[str, Any]) -> Ended:
    """What is known of the end of an answer after one more part of it."""
    finish, model = part.get("finish_reason"), part.get("model")
    return Ended(
        finish if isinstance(finish, str) else ended.finish,
        Usage.from_openai(part["usage"]) if "usage" in part else ended.usage,
        model if isinstance(model, str) else ended.model,
    )

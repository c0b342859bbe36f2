"""What a chat-completions server says of its answer, as events: deltas, whole messages, calls in parts."""

from __future__ import annotations

from typing import Any

import msgspec

from toolect._chat_completion import read_arguments
from toolect.agent.errors import ModelError
from toolect.agent.outcome import Ended, Usage
from toolect.events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect.message import BadMessage, Call, Message, Reasoning, Status, dumps


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
        try:
            message = Message.from_openai(delta)
        except BadMessage as error:
            raise ModelError(f"the server's message makes no sense: {error}") from None
        for segment in message.segments:
            if isinstance(segment, Call):
                events += calls.whole(segment)
            elif not isinstance(segment, Reasoning):
                events.append(ContentDelta(segment.text))
        return events
    if isinstance(delta.get("content"), str) and delta["content"]:
        events.append(ContentDelta(delta["content"]))
    for part in delta.get("tool_calls") or ():
        events += calls.part(part)
    return events


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
        if not isinstance(part, dict):
            raise ModelError(f"expected a part of a tool call as an object, got {type(part).__name__}")
        function = part.get("function") or {}
        index, name, text = part.get("index", 0), function.get("name"), function.get("arguments")
        events: list[Event] = []
        if isinstance(text, dict):
            text = dumps(text)
        if self._text is None or index != self._index or self._another(part.get("id"), name):
            events += self.close()
            self._index, self._id, self._name, self._text = index, part.get("id"), name or "", []
            events.append(CallStart(self._count, self._id, self._name))
        if isinstance(text, str) and text:
            assert self._text is not None
            self._text.append(text)
            events.append(ArgumentsDelta(self._count, text))
        return events

    def _another(self, call_id: object, name: object) -> bool:
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

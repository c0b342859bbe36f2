"""What a chat-completions server says of its answer, as events: deltas, whole messages, calls in parts."""

from __future__ import annotations

from collections import deque
from typing import Any, TypeVar

from toolect._chat_completion import THOUGHTS
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Message, MessageError, Reasoning, dumps
from toolect.agent.call_parts import CallParts
from toolect.agent.errors import ModelError
from toolect.agent.outcome import Ended, Usage

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
    if whole:
        return _whole(delta, calls)
    events: list[Event] = []
    thought = next((text for key in THOUGHTS if isinstance(text := delta.get(key), str) and text), "")
    if thought:
        events.append(ReasoningDelta(thought))
    content, parts, legacy = (delta.get(key) for key in ("content", "tool_calls", "function_call"))
    if isinstance(content, list):  # of parts, thoughts among them
        events += _whole({"role": "assistant", "content": content}, calls)
    elif content:
        events.append(ContentDelta(_typed(content, str, "content")))
    if refusal := delta.get("refusal"):
        events.append(ContentDelta(_typed(refusal, str, "refusal")))
    for part in _typed(parts or [], list, "tool_calls"):
        events += calls.part(_typed(part, dict, "tool_calls[]"))
    if legacy and not parts:
        events += calls.part({"function": legacy})
    return events


def _whole(message: dict[str, Any], calls: NativeCalls) -> list[Event]:
    """The events of a message that does not stream."""
    events: list[Event] = []
    for segment in _message(message).segments:
        if isinstance(segment, Call):
            events += calls.whole(segment)
        else:
            events.append((ReasoningDelta if isinstance(segment, Reasoning) else ContentDelta)(segment.text))
    return events


def _message(value: dict[str, Any]) -> Message:
    """The message that a server gives. Raises `ModelError`."""
    try:
        return Message.from_openai(value)
    except MessageError as error:
        raise ModelError(f"the server's message makes no sense: {error}") from None


def _typed(value: Any, kind: type[K], where: str) -> K:
    """`value`, where it is of the kind that a server gives there. Raises `ModelError`."""
    if not isinstance(value, kind):
        got = type(value).__name__
        raise ModelError(f"the server's message makes no sense: expected {kind.__name__}, got {got} - at `{where}`")
    return value


class NativeCalls:
    """The calls of an answer, which arrive in parts that say the `index` of their call.

    A call ends when its arguments are whole and the next one has begun, else with the answer; calls end in the order in
    which they began.
    """

    def __init__(self) -> None:
        self._count = 0
        self._open: deque[CallParts] = deque()
        self._known: dict[int | str, CallParts] = {}
        """The last call of each index, and of each id."""
        self._last: CallParts | None = None

    def part(self, part: Any) -> list[Event]:
        """The events of one item of a delta's `tool_calls`. Raises `ModelError`."""
        function = _typed(part.get("function") or {}, dict, "tool_calls[].function")
        call_id = _typed(part.get("id") or "", str, "tool_calls[].id")
        name = _typed(function.get("name") or "", str, "tool_calls[].function.name")
        text, index = function.get("arguments"), part.get("index")
        text = _typed(dumps(text) if isinstance(text, dict) else text or "", str, "tool_calls[].function.arguments")
        call = self._known.get(index) if type(index) is int else self._known.get(call_id, self._last)
        events: list[Event] = []
        if call is None or call.is_left(call_id, name):
            if call is not None:
                call.left = True
            call = CallParts(self._count)
            events += self._begin(call)
            if type(index) is int:
                self._known[index] = call
        if call_id:
            self._known[call_id] = call
        self._last = call
        return events + call.take(call_id, name, text)

    def _begin(self, call: CallParts) -> list[Event]:
        """The events of the calls before one that begins."""
        events = self._open[-1].start() if self._open else []
        self._count += 1
        self._open.append(call)
        while self._open[0] is not call and (self._open[0].left or self._open[0].whole):
            events += self._open.popleft().end()
        return events

    def whole(self, call: Call) -> list[Event]:
        """The events of a call that arrives whole."""
        events = self.close()
        index, text = self._count, call.arguments_text
        self._count += 1
        told = [ArgumentsDelta(index, text)] if text else []
        return [*events, CallStart(index, call.id, call.name), *told, CallEnd(index, call)]

    def close(self, cut: bool = False) -> list[Event]:
        """The ends of the calls that are open; `cut` when the answer was too long."""
        events = [event for call in self._open for event in call.end(cut)]
        self._open.clear()
        return events


def ended_by(ended: Ended, part: dict[str, Any]) -> Ended:
    """What is known of the end of an answer after one more part of it."""
    finish, model = part.get("finish_reason"), part.get("model")
    return Ended(
        finish if isinstance(finish, str) else ended.finish,
        Usage.from_openai(part["usage"]) if "usage" in part else ended.usage,
        model if isinstance(model, str) else ended.model,
    )

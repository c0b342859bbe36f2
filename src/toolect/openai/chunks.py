"""Events as the chunks of a streamed chat completion."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from toolect._chat_completion import Ids, arguments_text, invalid_call
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Json, Status


class Chunks:
    """Turns events into `chat.completion.chunk` objects as they happen.

    A client cannot take back what it was sent: with `hold`, a call is sent only when it is complete and runnable.
    """

    def __init__(
        self, *, model: str = "", completion_id: str | None = None, created: int | None = None, hold: bool = False
    ):
        self._frame = {
            "id": completion_id or f"chatcmpl-{os.urandom(12).hex()}",
            "object": "chat.completion.chunk",
            "created": int(time.time()) if created is None else created,
            "model": model,
        }
        self._hold = hold
        self._ids = Ids()
        self._open: dict[int, int] = {}  # the event's index → the client's, which has no gaps
        self._sent = self._complete = 0
        self._invalid: list[Json] = []
        self._truncated = self._started = self._closed = False

    def feed(self, event: Event) -> list[dict[str, Json]]:
        """The chunks that `event` makes."""
        match event:
            case ContentDelta(text):
                return [self._chunk({"content": text})] if text else []
            case ReasoningDelta(text):
                return [self._chunk({"reasoning_content": text})] if text else []
            case CallStart(index, wire_id, name):
                return [] if self._hold else [self._start(index, wire_id, name, "")]
            case ArgumentsDelta(index, text):
                if index not in self._open or not text:
                    return []
                call = {"index": self._open[index], "function": {"arguments": text}}
                return [self._chunk({"tool_calls": [call]})]
            case CallEnd(index, call):
                return self._end(index, call)

    def close(self) -> list[dict[str, Json]]:
        """The final chunk, with the finish reason and the attempts that must not be run."""
        if self._closed:
            return []
        self._closed = True
        reason = "length" if self._truncated else "tool_calls" if self._complete else "stop"
        return [self._chunk({"invalid_tool_calls": self._invalid} if self._invalid else {}, reason)]

    def _end(self, index: int, call: Call) -> list[dict[str, Json]]:
        known = self._open.pop(index, None) is not None
        if not call.runnable:
            self._truncated = self._truncated or call.status is Status.TRUNCATED
            self._invalid.append(invalid_call(call))
            return []
        self._complete += 1
        if known:
            return []
        chunk = self._start(index, call.id, call.name, arguments_text(call))
        del self._open[index]
        return [chunk]

    def _start(self, index: int, wire_id: str | None, name: str, arguments: str) -> dict[str, Json]:
        self._open[index] = at = self._sent
        self._sent += 1
        function = {"name": name, "arguments": arguments}
        call = {"index": at, "id": self._ids.give(wire_id), "type": "function", "function": function}
        return self._chunk({"tool_calls": [call]})

    def _chunk(self, delta: dict[str, Json], reason: str | None = None) -> dict[str, Json]:
        if not self._started:
            self._started = True
            delta = {"role": "assistant", **delta}
        return {**self._frame, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def events_to_chunks(
    events: Iterable[Event],
    *,
    model: str = "",
    completion_id: str | None = None,
    created: int | None = None,
    hold: bool = False,
) -> Iterator[dict[str, Json]]:
    """The chunks of a whole stream of events, one after the other."""
    chunks = Chunks(model=model, completion_id=completion_id, created=created, hold=hold)
    for event in events:
        yield from chunks.feed(event)
    yield from chunks.close()

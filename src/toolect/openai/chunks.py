"""Events as the chunks of a streamed chat completion, and messages as whole completions."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolect._chat_completion import FREE_FORM, Ids, assistant_message, with_ids
from toolect._events import ArgumentsDelta, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._exchange.sent_calls import NOTHING_SAID, Finish, SentCalls, check_answer, check_open, finish_reason
from toolect._message import Json, Message


def new_completion_id() -> str:
    """An id for a chat completion."""
    return f"chatcmpl-{os.urandom(12).hex()}"


class Chunks:
    """Turns events into `chat.completion.chunk` objects as they happen.

    A client cannot take back what it was sent: with `hold`, a call is sent only when it is complete and runnable. By
    default it is sent as it arrives, even if it turns out to be malformed, and with an id of ours where the wire's
    stands behind the name.
    `index` is the number of the choice; `reasoning` are the names under which its reasoning is sent. Calls of the tools
    `free_form` are of type `custom`, and have their text.
    """

    def __init__(
        self,
        *,
        model: str = "",
        completion_id: str | None = None,
        created: int | None = None,
        hold: bool = False,
        index: int = 0,
        include_usage: bool = False,
        reasoning: Sequence[str] = ("reasoning_content",),
        ids: Ids | None = None,
        free_form: Collection[str] = (),
    ):
        self._frame = {
            "id": completion_id or new_completion_id(),
            "object": "chat.completion.chunk",
            "created": int(time.time()) if created is None else created,
            "model": model,
        }
        self._index, self._reasoning, self._include_usage = index, tuple(reasoning), include_usage
        self._calls = SentCalls(hold, ids, free_form)
        self._free_form, self._custom = free_form, set[int]()
        self._started = self._closed = False

    def feed(self, event: Event) -> list[dict[str, Json]]:
        """The chunks that `event` makes. Raises ValueError after `close`."""
        check_open(self._closed)
        match event:
            case ContentDelta(text):
                return [self._chunk({"content": text})] if text else []
            case ReasoningDelta(text):
                return [self._chunk(dict.fromkeys(self._reasoning, text))] if text else []
        match self._calls.feed(event):
            case [CallStart() as start, ArgumentsDelta(_, arguments), _]:  # it is complete
                return [self._start(start, arguments)]
            case [CallStart() as start]:
                return [self._start(start)]
            case [ArgumentsDelta(index, arguments), *_]:
                kind, key = ("custom", FREE_FORM) if index in self._custom else ("function", "arguments")
                return [self._chunk({"tool_calls": [{"index": index, kind: {key: arguments}}]})]
        return []

    def close(self, finish: Finish = NOTHING_SAID) -> list[dict[str, Json]]:
        """The final chunk, with the finish reason and the attempts that must not be run, and the usage if asked for."""
        if self._closed:
            return []
        self._closed = True
        reason, extensions = self._calls.finish(finish)
        last = self._chunk(extensions, reason)
        return [last, self.usage(finish)] if self._include_usage and finish.usage is not None else [last]

    def usage(self, finish: Finish) -> dict[str, Json]:
        """The chunk that has only the usage of the whole completion."""
        return {**self._frame, "choices": [], "usage": dict(finish.usage or {})}

    def _start(self, start: CallStart, arguments: str = "") -> dict[str, Json]:
        kind, key = "function", "arguments"
        if start.name in self._free_form:
            self._custom.add(start.index)
            kind, key = "custom", FREE_FORM
        call = {"index": start.index, "id": start.id, "type": kind, kind: {"name": start.name, key: arguments}}
        return self._chunk({"tool_calls": [call]})

    def _chunk(self, delta: dict[str, Json], reason: str | None = None) -> dict[str, Json]:
        if not self._started:
            self._started = True
            delta = {"role": "assistant", **delta}
        return {**self._frame, "choices": [{"index": self._index, "delta": delta, "finish_reason": reason}]}


def events_to_chunks(
    events: Iterable[Event],
    *,
    model: str = "",
    completion_id: str | None = None,
    created: int | None = None,
    hold: bool = False,
) -> Iterator[dict[str, Json]]:
    """The chunks of a whole stream of events, one after the other; `hold` is that of `Chunks`."""
    chunks = Chunks(model=model, completion_id=completion_id, created=created, hold=hold)
    for event in events:
        yield from chunks.feed(event)
    yield from chunks.close()


# Whole completions


def choice(
    message: Message,
    *,
    finish: Finish = NOTHING_SAID,
    index: int = 0,
    reasoning: Sequence[str] = ("reasoning_content",),
    ids: Ids | None = None,
    free_form: Collection[str] = (),
) -> dict[str, Json]:
    """The choice of a completion that says `message`: attempts that must not be run stand in `invalid_tool_calls`.

    Calls of the tools `free_form` are of type `custom`.
    """
    check_answer(message, finish)
    segments = with_ids(message.segments, ids) if ids else message.segments
    said = assistant_message(segments, free_form=free_form)
    if (thought := said.pop("reasoning_content", None)) is not None:
        said |= dict.fromkeys(reasoning, thought)
    said |= finish.extensions or {}
    return {"index": index, "message": said, "finish_reason": finish_reason(finish.reason, message.calls)}


def completion(
    message: Message | Sequence[Mapping[str, Json]],
    *,
    finish: Finish = NOTHING_SAID,
    model: str = "",
    completion_id: str | None = None,
    created: int | None = None,
    **options: Any,
) -> dict[str, Json]:
    """The `chat.completion` of a message, or of choices; `options` are those of `choice`.

    `finish` is what the engine says: a completion has the usage that it has.
    """
    is_list = isinstance(message, Sequence) and all(isinstance(one, Mapping) for one in message)
    choices = [*message] if is_list else [choice(message, finish=finish, **options)]  # type: ignore[misc, arg-type]
    body: dict[str, Json] = {
        "id": completion_id or new_completion_id(),
        "object": "chat.completion",
        "created": int(time.time()) if created is None else created,
        "model": model,
        "choices": choices,
    }
    return body if finish.usage is None else body | {"usage": dict(finish.usage)}

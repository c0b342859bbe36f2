"""Messages and events as a client of Anthropic's Messages API has them: whole answers, and events of streamed ones."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, overload

from toolect._chat_completion import CUT, Ids, cut_off, read_arguments, with_ids, without_arguments
from toolect._events import ArgumentsDelta, CallStart, ContentDelta, ReasoningDelta
from toolect._exchange.anthropic_messages import blocks_of, message_of
from toolect._exchange.sent_calls import (
    NOTHING_SAID,
    CallEvent,
    EventReader,
    Finish,
    NamedEvents,
    Piece,
    SentCalls,
    check_answer,
    encode,
    extensions_of,
    finish_reason,
)
from toolect._message import Call, Json, Message, dumps
from toolect._objects import as_events, field, plain

__all__ = ["AnthropicEvents", "Finish", "from_anthropic", "from_events", "response", "stop_reason", "stream"]

_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""The ids that the API takes back."""


class ToolUseIds(Ids):
    """Ids as the API has them: the wire's where it would take it, else `toolu_` and 24 hexadecimal digits."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        super().__init__(taken, lambda: f"toolu_{os.urandom(12).hex()}")

    def give(self, wire: str | None) -> str:
        """`wire`, unless an earlier call has it or the API would refuse it."""
        return super().give(wire if wire and _ID.fullmatch(wire) else None)


def stop_reason(reason: str, finish: Finish = NOTHING_SAID) -> str:
    """The `stop_reason` of a finish reason; `stop_sequence` where one of those asked for was met. Raises ValueError."""
    if reason not in _REASONS:
        raise ValueError(f"expected {', '.join(_REASONS)} as a finish reason, got {reason!r}")
    return "stop_sequence" if reason == "stop" and finish.stop_sequence is not None else _REASONS[reason]


def response(
    message: Message,
    *,
    finish: Finish = NOTHING_SAID,
    model: str = "",
    message_id: str | None = None,
    ids: Ids | None = None,
) -> dict[str, Json]:
    """The API's answer that says `message`, with the attempts that must not be run in `invalid_tool_calls`.

    `finish` is what the engine says; tokens that nobody counted are 0.
    """
    check_answer(message, finish)
    said = with_ids(message.segments, ids or ToolUseIds())
    passed_on = Message([one for one in said if not isinstance(one, Call) or one.runnable])
    calls = [one for one in said if isinstance(one, Call)]
    return {
        **_frame(model, message_id, finish.usage),
        "content": [*blocks_of(passed_on)],
        **_stop(finish, finish_reason(finish.reason, calls)),
        **extensions_of(calls, finish),
    }


def _frame(model: str, message_id: str | None, usage: Mapping[str, Json] | None) -> dict[str, Json]:
    name = message_id or f"msg_{os.urandom(12).hex()}"
    return {"id": name, "type": "message", "role": "assistant", "model": model, "usage": _usage(usage)}


def _usage(usage: Mapping[str, Json] | None) -> dict[str, Json]:
    usage = usage or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    counted = {"input_tokens": usage.get("prompt_tokens", 0), "output_tokens": usage.get("completion_tokens", 0)}
    counted |= {} if cached is None else {"cache_read_input_tokens": cached}
    return counted | {key: value for key, value in usage.items() if key == "estimated"}


def _stop(finish: Finish, reason: str) -> dict[str, Json]:
    stopped = stop_reason(reason, finish)
    return {"stop_reason": stopped, "stop_sequence": finish.stop_sequence if stopped == "stop_sequence" else None}


class AnthropicEvents(NamedEvents):
    """Turns events into those of a streamed message as they happen.

    A client cannot take back what it was sent: with `hold`, a call is sent only when it is complete and runnable.
    """

    def __init__(
        self,
        *,
        model: str = "",
        message_id: str | None = None,
        hold: bool = False,
        input_tokens: int = 0,
        ids: Ids | None = None,
    ) -> None:
        self._calls = SentCalls(hold, ids or ToolUseIds())
        self._start = _frame(model, message_id, {"prompt_tokens": input_tokens})
        self._index = -1
        self._block = ""  # the type of the block that is open

    def _first(self) -> list[dict[str, Json]]:
        empty: dict[str, Json] = {"content": [], "stop_reason": None, "stop_sequence": None}
        return [{"type": "message_start", "message": {**self._start, **empty}}]

    def _last(self, finish: Finish, reason: str, extensions: dict[str, Json]) -> list[dict[str, Json]]:
        delta = {**_stop(finish, reason), **extensions}
        last: dict[str, Json] = {"type": "message_delta", "delta": delta, "usage": _usage(finish.usage)}
        return [*self._end(), last, {"type": "message_stop"}]

    def _text(self, event: ContentDelta | ReasoningDelta) -> list[dict[str, Json]]:
        kind, more = ("text", {}) if isinstance(event, ContentDelta) else ("thinking", {"signature": ""})
        begun = [] if self._block == kind else self._begin(kind, {kind: "", **more})
        return [*begun, self._delta({"type": f"{kind}_delta", kind: event.text})]

    def _delta(self, delta: dict[str, Json]) -> dict[str, Json]:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _begin(self, kind: str, empty: dict[str, Json]) -> list[dict[str, Json]]:
        ended = self._end()
        self._block = kind
        self._index += 1
        block = {"type": kind, **empty}
        return [*ended, {"type": "content_block_start", "index": self._index, "content_block": block}]

    def _end(self) -> list[dict[str, Json]]:
        was, self._block = self._block, ""
        return [{"type": "content_block_stop", "index": self._index}] if was else []

    def _call(self, event: CallEvent) -> list[dict[str, Json]]:
        match event:
            case CallStart(_, call_id, name):
                return self._begin("tool_use", {"id": call_id, "name": name, "input": {}})
            case ArgumentsDelta(_, text):
                return [self._delta({"type": "input_json_delta", "partial_json": text})]
            case _:
                return self._end()


@overload
def stream(source: Iterable[Piece], reader: EventReader, **options: Any) -> Iterator[dict[str, Json]]: ...
@overload
def stream(source: AsyncIterable[Piece], reader: EventReader, **options: Any) -> AsyncIterator[dict[str, Json]]: ...
def stream(source: Any, reader: EventReader, **options: Any) -> Any:
    """The events of a streamed message, as `source` yields its text: as `toolect.openai.stream` does.

    `options` are those of `AnthropicEvents`. Each event goes out under its own `type`.
    """
    return encode(source, reader, AnthropicEvents(**options))


def from_anthropic(obj: Any) -> Message:
    """The message of an answer of the API, or of the assistant's message of a request. Raises MessageError."""
    said = message_of(obj)
    if field(obj, "stop_reason") not in CUT:
        return said
    return Message(cut_off([_spelled(one, "") if isinstance(one, Call) else one for one in said.segments]))


def from_events(events: Iterable[Any]) -> Message:
    """The message of a stream's events, given as mappings or as the client's objects. Raises MessageError.

    A call whose input is no JSON object is malformed; one that the stream ends in is truncated.
    """
    blocks: dict[int, dict[str, Json]] = {}
    texts: dict[int, str] = {}
    ended, reason = set[int](), None
    for event in as_events(events):
        index, kind = field(event, "index"), field(event, "type")
        if kind == "content_block_start":
            block = field(event, "content_block")
            blocks[index] = {
                key: field(block, key)
                for key in ("type", "text", "thinking", "signature", "data", "id", "name", "input")
                if field(block, key) is not None
            }
        elif kind == "content_block_stop":
            ended.add(index)
        elif kind == "message_delta":
            reason = field(field(event, "delta"), "stop_reason") or reason
        elif kind == "content_block_delta":
            delta = field(event, "delta")
            for key in ("text", "thinking", "signature"):
                if piece := field(delta, key):
                    block = blocks.setdefault(index, {"type": "text" if key == "text" else "thinking"})
                    block[key] = block.get(key, "") + piece
            piece = field(delta, "partial_json") or ""
            texts[index] = texts.get(index, "") + (piece if isinstance(piece, str) else dumps(plain(piece, "delta")))
    said = message_of({"role": "assistant", "content": [*blocks.values()]})
    spelled = iter([texts.get(index, "") for index, block in blocks.items() if block.get("type") == "tool_use"])
    segments = [_spelled(one, next(spelled)) if isinstance(one, Call) else one for one in said.segments]
    return Message(cut_off(segments) if reason in CUT or {*blocks} - ended else segments)


def _spelled(call: Call, text: str) -> Call:
    """The call with its input as the deltas spell it."""
    if text:
        return read_arguments(Call(call.name, None, call.id, spelling=text), text)
    return call if call.arguments else without_arguments(call.name, call.id)

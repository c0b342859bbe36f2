"""Messages and events as a client of the Responses API has them: whole responses, and events of streamed ones."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Iterator, Mapping
from typing import Any, overload

from toolect._chat_completion import FREE_FORM, Ids, truncated
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, ReasoningDelta
from toolect._exchange.response_items import message_of
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
    events_of,
)
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment
from toolect._objects import as_events, as_text, field, holding

__all__ = ["Finish", "ResponseEvents", "from_events", "from_response", "response", "stream"]

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def response(
    message: Message,
    *,
    finish: Finish = NOTHING_SAID,
    model: str = "",
    response_id: str | None = None,
    created: int | None = None,
    request: Mapping[str, Json] | None = None,
    ids: Ids | None = None,
    free_form: Collection[str] = (),
) -> dict[str, Json]:
    """The `response` that says `message`; `request` are fields of the request that it repeats, such as `tools`.

    Attempts that must not be run stand in `invalid_tool_calls`, if there are any. Calls of the tools `free_form` are
    items of type `custom_tool_call`.
    """
    check_answer(message, finish)
    made = ResponseEvents(
        model=model, response_id=response_id, created=created, hold=True, request=request, ids=ids, free_form=free_form
    )
    for event in events_of(message):
        made.feed(event)
    whole: dict[str, Json] = made.close(finish)[-1]["response"]
    return whole


def _frame(model: str, response_id: str | None, created: int | None, request: Mapping[str, Json]) -> dict[str, Json]:
    """A response before its answer."""
    defaults: dict[str, Json] = {
        "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": None, "tool_choice": "auto",
        "tools": [], "top_p": None,
    }  # fmt: skip
    return {
        "id": response_id or _id("resp"),
        "object": "response",
        "created_at": int(time.time()) if created is None else created,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "model": model,
        "output": [],
        "usage": None,
        "store": False,
        **defaults,
        **{key: value for key, value in request.items() if value is not None},
    }


def _usage(usage: Mapping[str, Json]) -> dict[str, Json]:
    given, made = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0, **(usage.get("prompt_tokens_details") or {})},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0, **(usage.get("completion_tokens_details") or {})},
        "total_tokens": given + made,
        **{key: value for key, value in usage.items() if key == "estimated"},
    }


def _id(kind: str) -> str:
    return f"{kind}_{os.urandom(12).hex()}"


def _text_part(text: str) -> dict[str, Json]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


_TEXT_OF = {
    "function_call": ("arguments", "response.function_call_arguments"),
    "custom_tool_call": (FREE_FORM, "response.custom_tool_call_input"),
}
"""Key of a call's text, by the type of its item, and the beginning of its events' types."""
_DELTAS = frozenset(
    f"{begins}.delta"
    for begins in (
        *(begins for _, begins in _TEXT_OF.values()),
        *(f"response.{one}" for one in ("output_text", "refusal", "reasoning_text", "reasoning_summary_text")),
    )
)


class _OpenItem:
    """The item that is being sent: its type, id, place and text so far."""

    def __init__(self, kind: str, item_id: str, index: int, call: CallStart | None = None) -> None:
        self.kind, self.id, self.index, self.call = kind, item_id, index, call
        self.texts: list[str] = []

    def shown(self, text: str | None) -> dict[str, Json]:
        """The item with its text, or as it begins."""
        begun: dict[str, Json] = {"id": self.id, "type": self.kind, "status": "completed" if text else "in_progress"}
        if self.call is not None:
            return begun | {"call_id": self.call.id, "name": self.call.name, _TEXT_OF[self.kind][0]: text or ""}
        if self.kind == "reasoning":
            return begun | {"summary": [], "content": [{"type": "reasoning_text", "text": text}] if text else []}
        return begun | {"role": "assistant", "content": [_text_part(text)] if text else []}


class ResponseEvents(NamedEvents):
    """Turns events into those of a streamed response as they happen.

    A client cannot take back what it was sent: with `hold`, a call is sent only when it is complete and runnable.
    `request` are fields of the request that the response repeats. Calls of the tools `free_form` are of type
    `custom_tool_call`.
    """

    def __init__(
        self,
        *,
        model: str = "",
        response_id: str | None = None,
        created: int | None = None,
        hold: bool = False,
        request: Mapping[str, Json] | None = None,
        ids: Ids | None = None,
        free_form: Collection[str] = (),
    ) -> None:
        self._calls = SentCalls(hold, ids, free_form)
        self._response, self._free_form = _frame(model, response_id, created, request or {}), free_form
        self._items: list[dict[str, Json]] = []
        self._item: _OpenItem | None = None
        self._number = -1

    def _first(self) -> list[dict[str, Json]]:
        kinds = ("response.created", "response.in_progress")
        return [self.numbered(kind, response={**self._response, "output": []}) for kind in kinds]

    def _last(self, finish: Finish, reason: str, extensions: dict[str, Json]) -> Iterator[dict[str, Json]]:
        yield from self._done()
        why = _INCOMPLETE.get(reason)
        status = "incomplete" if why else "completed"
        self._response |= {
            "status": status,
            "incomplete_details": {"reason": why} if why else None,
            "output": self._items,
            "usage": None if finish.usage is None else _usage(finish.usage),
            **extensions,
        }
        yield self.numbered(f"response.{status}", response=self._response)

    def fail(self, code: str, message: str) -> list[dict[str, Json]]:
        """The last events of an answer that failed in the middle."""
        self._closed = True
        made = self.open()
        failed = {"status": "failed", "error": {"code": code, "message": message}, "output": self._items}
        return [*made, self.numbered("response.failed", response=self._response | failed)]

    def numbered(self, kind: str, **fields: Json) -> dict[str, Json]:
        """The next event, of a kind of the API's, with its number."""
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **fields}

    def _begin(self, kind: str, prefix: str, call: CallStart | None = None) -> Iterator[dict[str, Json]]:
        yield from self._done()
        self._item = item = _OpenItem(kind, _id(prefix), len(self._items), call)
        yield self.numbered("response.output_item.added", output_index=item.index, item=item.shown(None))
        if kind == "message":
            yield self.numbered("response.content_part.added", **_place(item, 0), part=_text_part(""))

    def _text(self, event: ContentDelta | ReasoningDelta) -> Iterator[dict[str, Json]]:
        kind, text = "message" if isinstance(event, ContentDelta) else "reasoning", event.text
        if self._item is None or self._item.kind != kind:
            yield from self._begin(kind, "msg" if kind == "message" else "rs")
        item = self._item
        assert item is not None
        item.texts.append(text)
        more: dict[str, Json] = {"delta": text}
        if kind == "message":
            yield self.numbered("response.output_text.delta", **_place(item, 0), **more, logprobs=[])
        else:
            yield self.numbered("response.reasoning_text.delta", **_place(item, 0), **more)

    def _call(self, event: CallEvent) -> Iterator[dict[str, Json]]:
        match event:
            case CallStart():
                kind, prefix = ("custom_tool_call", "ctc") if event.name in self._free_form else ("function_call", "fc")
                yield from self._begin(kind, prefix, event)
            case ArgumentsDelta(_, text) if self._item is not None:
                self._item.texts.append(text)
                begins = _TEXT_OF[self._item.kind][1]
                yield self.numbered(f"{begins}.delta", **_place(self._item), delta=text)
            case CallEnd(_, call):
                yield from self._done(complete=call.runnable)

    def _done(self, complete: bool = True) -> Iterator[dict[str, Json]]:
        """The events that end the open item."""
        item, self._item = self._item, None
        if item is None:
            return
        text = "".join(item.texts)
        whole = item.shown(text)
        if item.kind == "message":
            yield self.numbered("response.output_text.done", **_place(item, 0), text=text, logprobs=[])
            yield self.numbered("response.content_part.done", **_place(item, 0), part=_text_part(text))
        elif item.kind == "reasoning":
            yield self.numbered("response.reasoning_text.done", **_place(item, 0), text=text)
        elif item.call is not None:
            key, begins = _TEXT_OF[item.kind]
            yield self.numbered(f"{begins}.done", **_place(item), **{"name": item.call.name, key: text})
            whole = whole if complete else whole | {"status": "incomplete"}
        self._items.append(whole)
        yield self.numbered("response.output_item.done", output_index=item.index, item=whole)


def _place(item: _OpenItem, part: int | None = None) -> dict[str, Json]:
    place: dict[str, Json] = {"item_id": item.id, "output_index": item.index}
    return place if part is None else place | {"content_index": part}


@overload
def stream(source: Iterable[Piece], reader: EventReader, **options: Any) -> Iterator[dict[str, Json]]: ...
@overload
def stream(source: AsyncIterable[Piece], reader: EventReader, **options: Any) -> AsyncIterator[dict[str, Json]]: ...
def stream(source: Any, reader: EventReader, **options: Any) -> Any:
    """The events of a streamed response, as `source` yields its text: as `toolect.openai.stream` does.

    `options` are those of `ResponseEvents`. Each event goes out under its own `type`.
    """
    return encode(source, reader, ResponseEvents(**options))


def from_response(obj: Any) -> Message:
    """The message of a response, or of the list of its items. Raises MessageError."""
    items = field(obj, "output") if not isinstance(obj, list | tuple) else obj
    if items is None:
        raise MessageError("a response with `output`", holding(obj), "$")
    return message_of(items)


def from_events(events: Iterable[Any]) -> Message:
    """The message of a stream's events, given as mappings or as the client's objects. Raises MessageError.

    Of items that the stream ends in it has what came; a call among them is truncated.
    """
    items: dict[int, Any] = {}
    begun: dict[int, tuple[Any, list[str]]] = {}
    for event in as_events(events):
        kind, index = field(event, "type"), field(event, "output_index")
        if kind == "response.output_item.added":
            begun[index] = field(event, "item"), []
        elif kind in _DELTAS and index in begun:
            begun[index][1].append(as_text(field(event, "delta"), "delta"))
        elif kind == "response.output_item.done":
            items[index] = field(event, "item")
            begun.pop(index, None)
        elif kind in ("response.completed", "response.incomplete"):
            return from_response(field(event, "response"))
    whole = message_of([items[index] for index in sorted(items)])
    rest = [_begun(item, "".join(texts)) for _, (item, texts) in sorted(begun.items())]
    return Message([*whole.segments, *(one for one in rest if one is not None)])


def _begun(item: Any, text: str) -> Segment | None:
    """Segment of an item that the stream ends in; None for nothing."""
    match field(item, "type"):
        case "function_call" | "custom_tool_call":
            name, call_id = (as_text(field(item, key), f"item.{key}") for key in ("name", "call_id"))
            return truncated(Call(name, {}, call_id or None), text)
        case "reasoning":
            return Reasoning(text) if text else None
    return Content(text) if text else None

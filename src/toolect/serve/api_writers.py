"""Answers as a client of each API is sent them: bytes of a stream as events happen, or a whole body."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from string import ascii_letters, digits
from typing import Any, TypeAlias

from toolect import anthropic, openai, responses
from toolect._chat_completion import Ids
from toolect._compiled import Dialect
from toolect._events import Event
from toolect._exchange.sent_calls import Finish
from toolect._message import Json
from toolect._turns import Assistant
from toolect.agent.completions_client import encode
from toolect.openai.chunks import new_completion_id
from toolect.serve.answer_reading import AnswerReading, ServedIds, merged
from toolect.serve.api_errors import RequestError
from toolect.serve.api_requests import ModelRequest

REASONING = ("reasoning_content", "reasoning")
"""The names under which clients look for reasoning."""
BYTES_A_TOKEN = 4
"""Bytes of text that a token is taken to have where nobody counts tokens."""


def nine_letters() -> str:
    """An id that the servers of all families take back: nine letters and digits."""
    return "".join(secrets.choice(ascii_letters + digits) for _ in range(9))


def estimated_tokens(size: int) -> int:
    """The tokens that so many bytes of text are taken to have."""
    return -(-size // BYTES_A_TOKEN)


def estimated_usage(prompt: int, answer: int) -> dict[str, Json]:
    """Usage where the upstream gives none, by the bytes of prompt and answer; `estimated` marks it."""
    given, made = estimated_tokens(prompt), estimated_tokens(answer)
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made, "estimated": True}


class ChatWriter:
    """Chat completions."""

    ping = b": keep-alive\n\n"

    def __init__(self, request: ModelRequest, ids: Iterable[Ids], hold: bool) -> None:
        self._request, self._ids, self._id = request, [*ids], new_completion_id()
        self._chunks = [
            openai.Chunks(
                model=request.model, completion_id=self._id, hold=hold, index=index, reasoning=REASONING, ids=one,
                free_form=request.free_form,
            )
            for index, one in enumerate(self._ids)
        ]  # fmt: skip
        self._kept: dict[int, dict[str, Json]] = {}  # extras of what nothing was sent of yet

    def begin(self) -> bytes:
        """Nothing: the role comes with the first delta."""
        return b""

    def events(self, index: int, events: Iterable[Event], extras: dict[str, Json]) -> bytes:
        """The chunks of a choice."""
        feed = self._chunks[index].feed
        made = [chunk for event in events for chunk in feed(event)]
        if extras or index in self._kept:
            kept = merged(self._kept.pop(index, {}), extras)
            if made:
                _extend(made[0], made[0]["choices"][0], "delta", kept)
            else:
                self._kept[index] = kept
        return b"".join(map(_data, made))

    def end(self, answer: AnswerReading) -> bytes:
        """The finish reasons, and the usage if it was asked for."""
        made = []
        for index, chunks in enumerate(self._chunks):
            last = chunks.close(answer.finish(index))
            _extend(last[0], last[0]["choices"][0], "delta", self._kept.pop(index, {}))
            made += last
        if self._request.include_usage:
            made.append(self._chunks[0].usage(answer.finish(0)))
        return b"".join(map(_data, made)) + b"data: [DONE]\n\n"

    def fail(self, error: RequestError) -> bytes:
        """The error, which is the last event."""
        return _data(error.body("chat"))

    def whole(self, answer: AnswerReading) -> dict[str, Json]:
        """The completion."""
        choices = [
            openai.choice(
                answer.choices[index].said.message, finish=answer.finish(index), index=index, reasoning=REASONING,
                ids=ids, free_form=self._request.free_form,
            )
            for index, ids in enumerate(self._ids)
        ]  # fmt: skip
        finish = Finish(usage=answer.usage)
        body = openai.completion(choices, finish=finish, model=self._request.model, completion_id=self._id)
        for index, choice in enumerate(choices):
            _extend(body, choice, "message", answer.choices[index].extras)
        return body


def _extend(body: dict[str, Json], choice: dict[str, Json], said: str, extras: dict[str, Json]) -> None:
    """Adds fields that are only passed on to a chunk or completion and to a choice of it, without overwriting."""
    for place, name in ((body, "chunk"), (choice, "choice"), (choice[said], "delta")):
        for key, value in extras.get(name, {}).items():
            place.setdefault(key, value)


class _EventWriter:
    """An API whose streams are of named events, and whose answers have one choice."""

    ping = ChatWriter.ping

    def __init__(self, events: anthropic.AnthropicEvents | responses.ResponseEvents) -> None:
        self._events = events

    def begin(self) -> bytes:
        """The beginning of the answer."""
        return b"".join(map(_event, self._events.open()))

    def events(self, index: int, events: Iterable[Event], extras: dict[str, Json]) -> bytes:  # noqa: ARG002  # there is one
        """The events as the API has them."""
        return b"".join(_event(one) for event in events for one in self._events.feed(event))

    def end(self, answer: AnswerReading) -> bytes:
        """The end of the answer."""
        return b"".join(map(_event, self._events.close(answer.finish(0))))


class MessagesWriter(_EventWriter):
    """Anthropic's messages."""

    ping = b'event: ping\ndata: {"type": "ping"}\n\n'

    def __init__(self, request: ModelRequest, ids: Ids, hold: bool, input_tokens: int) -> None:
        self._options: dict[str, Any] = {"model": request.model, "ids": ids}
        super().__init__(anthropic.AnthropicEvents(hold=hold, input_tokens=input_tokens, **self._options))

    def fail(self, error: RequestError) -> bytes:
        """The error, which is the last event."""
        return _event(error.body("messages"))

    def whole(self, answer: AnswerReading) -> dict[str, Json]:
        """The message."""
        return anthropic.response(answer.choices[0].said.message, finish=answer.finish(0), **self._options)


class ResponsesWriter(_EventWriter):
    """Responses."""

    _events: responses.ResponseEvents

    def __init__(self, request: ModelRequest, ids: Ids, hold: bool) -> None:
        self._options: dict[str, Any] = {
            "model": request.model, "request": request.repeated, "ids": ids, "free_form": request.free_form,
        }  # fmt: skip
        super().__init__(responses.ResponseEvents(hold=hold, **self._options))

    def fail(self, error: RequestError) -> bytes:
        """The response that failed, and the error."""
        failed = self._events.fail(error.code or "server_error", error.message)
        body = {**error.body("responses"), "message": error.message, "code": error.code, "param": None}
        return b"".join(map(_event, [*failed, self._events.numbered("error", **body)]))

    def whole(self, answer: AnswerReading) -> dict[str, Json]:
        """The response."""
        return responses.response(answer.choices[0].said.message, finish=answer.finish(0), **self._options)


ApiWriter: TypeAlias = ChatWriter | MessagesWriter | ResponsesWriter


def writer_for(request: ModelRequest, dialect: Dialect | None, hold: bool, prompt: int) -> ApiWriter:
    """Writer of the answer to a request; `prompt` is the size of the prompt in bytes."""
    try:
        turns = request.conversation.turns
    except RequestError:
        turns = ()  # only the upstream understands it
    earlier = [call for turn in turns if isinstance(turn, Assistant) for call in turn.message.calls]
    if request.api == "messages":
        taken = anthropic.ToolUseIds(call.id for call in earlier if call.id)
        return MessagesWriter(request, taken, hold, estimated_tokens(prompt))
    ids = [ServedIds(earlier, dialect, nine_letters) for _ in range(request.count)]
    return ChatWriter(request, ids, hold) if request.api == "chat" else ResponsesWriter(request, ids[0], hold)


def _data(chunk: dict[str, Json]) -> bytes:
    return b"data: %b\n\n" % _on_one_line(chunk)


def _event(event: dict[str, Json]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), _on_one_line(event))


def _on_one_line(value: dict[str, Json]) -> bytes:
    """A value as JSON. Clients that end lines where Unicode does would read what a model wrote there as events."""
    return _ENDS.sub(lambda end: b"\\u%04x" % ord(end[0].decode()), encode(value))


_ENDS = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")
"""Ends of lines that those of events are not: U+0085, U+2028, U+2029."""

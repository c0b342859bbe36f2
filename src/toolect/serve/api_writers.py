"""Answers as a client of each API is sent them: bytes of a stream as events happen, or a whole body."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeAlias

from toolect import anthropic, openai, responses
from toolect._chat_completion import Ids
from toolect._compiled import Dialect
from toolect._events import Event
from toolect._exchange.sent_calls import Finish
from toolect._message import Json, MessageError
from toolect._turns import Assistant
from toolect.openai.chunks import new_completion_id
from toolect.serve.answer_reading import AnswerReading, ServedIds, merged
from toolect.serve.api_errors import RequestError
from toolect.serve.api_requests import ModelRequest
from toolect.serve.upstream import encode

REASONING = ("reasoning_content", "reasoning")
"""The names under which clients look for reasoning."""
BYTES_A_TOKEN = 4
"""Bytes of text that a token is taken to have where nobody counts tokens."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def nine_letters() -> str:
    """An id that the servers of all families take back: nine letters and digits."""
    return "".join(_LETTERS[byte % 62] for byte in os.urandom(9))


def estimated_usage(prompt: int, answer: int) -> dict[str, Json]:
    """Usage where the upstream tells none, by the bytes of prompt and answer; `estimated` says so."""
    given, made = -(-prompt // BYTES_A_TOKEN), -(-answer // BYTES_A_TOKEN)
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made, "estimated": True}


class ChatWriter:
    """Chat completions."""

    ping = b": keep-alive\n\n"

    def __init__(self, request: ModelRequest, ids: Iterable[Ids], hold: bool) -> None:
        self._request = request
        self._ids = [*ids]
        self._id = new_completion_id()
        self._hold = hold
        self._chunks: dict[int, openai.Chunks] = {}
        self._kept: dict[int, dict[str, Json]] = {}  # extras of what nothing was sent of yet

    def begin(self) -> bytes:
        """Nothing: the role comes with the first delta."""
        return b""

    def events(self, index: int, events: Iterable[Event], extras: dict[str, Json]) -> bytes:
        """The chunks of a choice."""
        chunks = self._choice(index)
        made = [chunk for event in events for chunk in chunks.feed(event)]
        if extras or index in self._kept:
            kept = merged(self._kept.pop(index, {}), extras)
            if made:
                _extend(made[0], kept)
            else:
                self._kept[index] = kept
        return b"".join(map(_data, made))

    def _choice(self, index: int) -> openai.Chunks:
        if index not in self._chunks:
            self._chunks[index] = openai.Chunks(
                model=self._request.model, completion_id=self._id, hold=self._hold, index=index, reasoning=REASONING,
                ids=self._ids[index], free_form=self._request.free_form,
            )  # fmt: skip
        return self._chunks[index]

    def end(self, answer: AnswerReading) -> bytes:
        """The finish reasons, and the usage if it was asked for."""
        made: list[dict[str, Json]] = []
        for index in sorted(answer.choices):
            last = self._choice(index).close(answer.finish(index))
            _extend(last[0], self._kept.pop(index, {}))
            made += last
        if self._request.include_usage:
            made.append(self._choice(0).usage(answer.finish(0)))
        return b"".join(map(_data, made)) + b"data: [DONE]\n\n"

    def fail(self, error: RequestError) -> bytes:
        """The error, which is the last event."""
        return _data(error.body("chat"))

    def whole(self, answer: AnswerReading) -> dict[str, Json]:
        """The completion."""
        choices = []
        beside: dict[str, Json] = {}
        for index, read in sorted(answer.choices.items()):
            finish, ids = answer.finish(index), self._ids[index]
            made = openai.choice(
                read.said.message, finish=finish, index=index, reasoning=REASONING, ids=ids,
                free_form=self._request.free_form,
            )  # fmt: skip
            made["message"] |= read.extras.get("delta", {})
            choices.append(read.extras.get("choice", {}) | made)
            beside |= read.extras.get("chunk", {})
        finish = Finish(usage=answer.usage)
        return beside | openai.completion(choices, finish=finish, model=self._request.model, completion_id=self._id)


def _extend(chunk: dict[str, Json], extras: dict[str, Json]) -> None:
    """Adds what was not understood to a chunk, beside what is."""
    choice = chunk["choices"][0]
    for key, value in extras.get("chunk", {}).items():
        chunk.setdefault(key, value)
    for key, value in extras.get("choice", {}).items():
        choice.setdefault(key, value)
    for key, value in extras.get("delta", {}).items():
        choice["delta"].setdefault(key, value)


class _EventWriter:
    """An API whose streams are of named events, and whose answers have one choice."""

    ping = ChatWriter.ping
    _events: anthropic.AnthropicEvents | responses.ResponseEvents

    def begin(self) -> bytes:
        """The beginning of the answer."""
        return b"".join(map(_event, self._events.open()))

    def events(self, index: int, events: Iterable[Event], extras: dict[str, Json]) -> bytes:  # noqa: ARG002  # there is one
        """What the client is sent of events."""
        return b"".join(_event(one) for event in events for one in self._events.feed(event))

    def end(self, answer: AnswerReading) -> bytes:
        """How the answer finished."""
        return b"".join(map(_event, self._events.close(answer.finish(0))))


class MessagesWriter(_EventWriter):
    """Anthropic's messages."""

    ping = b'event: ping\ndata: {"type": "ping"}\n\n'

    def __init__(self, request: ModelRequest, ids: Ids, hold: bool, input_tokens: int) -> None:
        self._model, self._ids = request.model, ids
        self._events = anthropic.AnthropicEvents(model=request.model, hold=hold, input_tokens=input_tokens, ids=ids)

    def fail(self, error: RequestError) -> bytes:
        """The error, which is the last event."""
        return _event(error.body("messages"))

    def whole(self, answer: AnswerReading) -> dict[str, Json]:
        """The message."""
        message = answer.choices[0].said.message
        return anthropic.response(message, finish=answer.finish(0), model=self._model, ids=self._ids)


class ResponsesWriter(_EventWriter):
    """Responses."""

    _events: responses.ResponseEvents

    def __init__(self, request: ModelRequest, ids: Ids, hold: bool) -> None:
        self._request, self._ids = request, ids
        self._events = responses.ResponseEvents(
            model=request.model, hold=hold, request=request.repeated, ids=ids, free_form=request.free_form
        )

    def fail(self, error: RequestError) -> bytes:
        """The response that failed, and the error."""
        failed = self._events.fail(error.code or "server_error", error.message)
        body = {**error.body("responses"), "message": error.message, "code": error.code, "param": None}
        return b"".join(map(_event, [*failed, self._events.numbered("error", **body)]))

    def whole(self, answer: AnswerReading) -> dict[str, Json]:
        """The response."""
        message, asked = answer.choices[0].said.message, self._request
        return responses.response(
            message, finish=answer.finish(0), model=asked.model, request=asked.repeated, ids=self._ids,
            free_form=asked.free_form,
        )  # fmt: skip


ApiWriter: TypeAlias = ChatWriter | MessagesWriter | ResponsesWriter


def writer_for(request: ModelRequest, dialect: Dialect | None, hold: bool, prompt: int) -> ApiWriter:
    """What writes the answer to a request whose prompt has so many bytes."""
    try:
        turns = request.conversation.turns
    except MessageError:
        turns = ()  # it has what only the upstream understands
    earlier = [call for turn in turns if isinstance(turn, Assistant) for call in turn.message.calls]
    if request.api == "messages":
        taken = anthropic.ToolUseIds(call.id for call in earlier if call.id)
        return MessagesWriter(request, taken, hold, -(-prompt // BYTES_A_TOKEN))
    ids = [ServedIds(earlier, dialect, nine_letters) for _ in range(request.count)]
    return ChatWriter(request, ids, hold) if request.api == "chat" else ResponsesWriter(request, ids[0], hold)


def _data(chunk: dict[str, Json]) -> bytes:
    return b"data: %b\n\n" % encode(chunk)


def _event(event: dict[str, Json]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), encode(event))

"""Endpoints: one request from its bytes to the last byte of its answer, within bounds, for as long as its client."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolect._events import Event
from toolect._message import Json, MessageError
from toolect._rendered import RenderError
from toolect._shown import unread_json
from toolect.serve.answer_reading import AnswerReading
from toolect.serve.api_errors import ApiName, RequestError
from toolect.serve.api_requests import AUTO, NONE, ModelRequest, read_request
from toolect.serve.api_writers import ApiWriter, estimated_usage, writer_for
from toolect.serve.model_lookup import ModelForm, ModelLookup
from toolect.serve.serve_metrics import ServeMetrics
from toolect.serve.serve_options import ServeOptions
from toolect.serve.text_prompts import TextPrompt, write_prompt
from toolect.serve.upstream import DONE, Upstream, decode, encode

LOG = logging.getLogger("toolect.serve")
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_REASONS = ("stop", "length", "tool_calls", "content_filter")
_ABSENT = (404, 405, 501)
"""The statuses of an upstream that has no such endpoint."""
_STREAM = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache"),
           (b"x-accel-buffering", b"no")]  # fmt: skip
_MEDIA = frozenset(("image_url", "input_audio", "file", "video_url", "input_image", "input_file", "image"))


@dataclass
class Service:
    """What all requests share."""

    options: ServeOptions
    upstream: Upstream
    models: ModelLookup
    metrics: ServeMetrics
    open: int = 0


@dataclass
class RequestLog:
    """What one line of the log tells of a request: nothing of what it says."""

    api: ApiName
    began: float = field(default_factory=time.perf_counter)
    model: str = ""
    dialect: str = "none"
    mode: str = "none"
    stream: bool = False
    status: int = 0
    error: str = ""
    finish: str = ""
    calls: Mapping[str, int] = field(default_factory=dict)
    first: float | None = None
    """Seconds to the first delta."""

    def write(self, metrics: ServeMetrics) -> None:
        """One line, and the metrics."""
        took = time.perf_counter() - self.began
        fields: dict[str, Any] = {
            "api": self.api, "model": self.model[:80], "mode": self.mode, "dialect": self.dialect,
            "stream": self.stream, "status": self.status, "finish": self.finish,
            **{f"calls_{status}": number for status, number in self.calls.items()},
            "first_ms": None if self.first is None else round(self.first * 1e3, 1), "ms": round(took * 1e3, 1),
            "error": self.error,
        }  # fmt: skip
        said = " ".join(f"{key}={_shown(value)}" for key, value in fields.items() if value not in ("", None))
        LOG.log(logging.WARNING if self.status >= 500 else logging.INFO, "request %s", said, extra={"toolect": fields})
        metrics.requests.labels(self.api, self.mode, self.dialect, str(self.status)).inc()
        metrics.seconds.labels(self.api).observe(took)
        if self.first is not None:
            metrics.first_delta.labels(self.api).observe(self.first)


def _shown(value: Any) -> str:
    """A value of a line: quoted, where it is no word."""
    return str(value) if not isinstance(value, str) or re.fullmatch(r"[\w.,-]+", value, re.ASCII) else repr(value)


class _Line:
    """The connection to a client: what is sent, what ends it."""

    def __init__(self, receive: Receive, send: Send, options: ServeOptions) -> None:
        self._receive, self._send, self._options = receive, send, options
        self._loop = asyncio.get_running_loop()
        self._scope = asyncio.timeout(options.max_seconds)
        self._sending = 0.0  # since when, while something is being sent
        self._last = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._pings: set[asyncio.Task[None]] = set()
        self._ping = b""
        self.started = False
        """Whether the status is out."""
        self.why = "time"
        """What ended it early: `time`, `gone` or `stalled`."""

    async def body(self, most: int) -> bytes:
        """The body of the request. Raises RequestError for one of more than `most` bytes."""
        pieces, size = [], 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.why = "gone"
                raise TimeoutError
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > most:
                raise RequestError(413, f"expected a body of at most {most} bytes, got more")
            if not message.get("more_body"):
                return b"".join(pieces)

    async def __aenter__(self) -> _Line:
        await self._scope.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for task in (*self._pings, *((self._watch,) if hasattr(self, "_watch") else ())):
            task.cancel()
        await self._scope.__aexit__(*raised)

    def watch(self) -> None:
        """From now on a client that goes away ends the work."""
        self._watch = self._loop.create_task(self._until_gone())

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._end("gone")

    def _end(self, why: str) -> None:
        self.why = why
        if not self._scope.expired():
            self._scope.reschedule(self._loop.time())

    async def send(self, data: bytes) -> None:
        """More of a body."""
        self._sending = self._loop.time()
        await self._send({"type": "http.response.body", "body": data, "more_body": True})
        self._last, self._sending = self._loop.time(), 0.0

    async def start(self, ping: bytes) -> None:
        """The status and headers of a stream."""
        self.started, self._ping = True, ping
        await self._send({"type": "http.response.start", "status": 200, "headers": _STREAM})
        self._tick()

    async def end(self) -> None:
        """The end of a stream."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def answer(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        data = encode(body)
        told = {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}
        self.started = True
        raw = [(key.encode(), value.encode("latin-1", "replace")) for key, value in told.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})
        await self._send({"type": "http.response.body", "body": data})

    def _tick(self) -> None:
        """Now and then: a sign of life, and the end of a client that takes nothing."""
        now = self._loop.time()
        if self._sending and now - self._sending >= self._options.idle_seconds:
            self._end("stalled")
            return
        if not self._sending and now - self._last >= self._options.keep_alive:
            task = self._loop.create_task(self.send(self._ping))
            self._pings.add(task)
            task.add_done_callback(self._pings.discard)
        period = min(self._options.keep_alive, self._options.idle_seconds) / 2
        self._timer = self._loop.call_later(period, self._tick)


class Endpoint:
    """The endpoint of one API, as an ASGI application."""

    def __init__(self, service: Service, api: ApiName) -> None:
        self._service, self._api = service, api

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        service, log = self._service, RequestLog(self._api)
        line = _Line(receive, send, service.options)
        service.open += 1
        service.metrics.open.inc()
        try:
            await self._within(scope, line, log)
        finally:
            service.open -= 1
            service.metrics.open.dec()
            log.write(service.metrics)

    async def _within(self, scope: MutableMapping[str, Any], line: _Line, log: RequestLog) -> None:
        """One request, with whatever goes wrong."""
        error: RequestError
        try:
            async with line:
                if self._service.open > self._service.options.max_requests:
                    raise RequestError(503, "too many requests at a time", code="overloaded", retry="1")
                body = await line.body(self._service.options.max_body)
                line.watch()
                headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
                await self._answer(body, headers, line, log)
                return
        except RequestError as raised:
            error = raised
        except TimeoutError:
            if line.why != "time":
                log.status, log.error = 499, f"client-{line.why}"
                return  # nothing more can be sent: what was begun is left unfinished, and the connection is closed
            error = RequestError(504, "the answer took too long", code="timeout")
        log.error = log.error or error.kind
        log.status = log.status or error.status_for(self._api)
        if not line.started:
            await line.answer(error.status_for(self._api), error.body(self._api), error.headers())

    async def _answer(self, body: bytes, headers: Mapping[str, str], line: _Line, log: RequestLog) -> None:
        """The answer to a request, whole or streamed."""
        request = read_request(self._api, read_json(body))
        log.model, log.stream = request.model, request.stream
        work = await self._ask(request, headers, log)
        try:
            await (self._stream if request.stream else self._whole)(work, line, log)
        finally:
            await work.batches.aclose()
            self._count(work.answer, log)

    async def _whole(self, work: _Work, line: _Line, log: RequestLog) -> None:
        """An answer that does not stream."""
        answer = work.answer
        async for batch in work.batches:
            for chunk in batch:
                for index, events, extras in answer.take(chunk):
                    answer.choices[index].keep(events, extras)
        for index, events in work.close(True):
            answer.choices[index].keep(events, {})
        log.status, log.finish = 200, answer.reasons
        await line.answer(200, work.writer.whole(answer))

    async def _stream(self, work: _Work, line: _Line, log: RequestLog) -> None:
        """An answer that streams: all that arrives together goes out together."""
        writer, answer, ended = work.writer, work.answer, False
        await line.start(writer.ping)
        log.status = 200
        if head := writer.begin():
            await line.send(head)
        try:
            async for batch in work.batches:
                made = []
                for chunk in batch:
                    ended = ended or chunk is DONE
                    made += [writer.events(*found) for found in answer.take(chunk)]
                if data := b"".join(made):
                    if log.first is None:
                        log.first = time.perf_counter() - log.began
                    await line.send(data)
                if answer.cut:
                    break
            last = [writer.events(index, events, {}) for index, events in work.close(ended)]
            log.finish = answer.reasons
            await line.send(b"".join(last) + writer.end(answer))
        except RequestError as error:
            log.error = error.kind
            await line.send(writer.fail(error))
        await line.end()

    def _count(self, answer: AnswerReading, log: RequestLog) -> None:
        metrics = self._service.metrics
        log.calls = answer.statuses
        for status, number in answer.statuses.items():
            metrics.calls.labels(log.dialect, status).inc(number)
        for kind, number in answer.repairs.items():
            metrics.repairs.labels(log.dialect, kind).inc(number)
        for choice in answer.choices.values():
            metrics.finished.labels(
                self._api, log.dialect, choice.finish if choice.finish in _REASONS else "other"
            ).inc()

    async def _ask(self, request: ModelRequest, headers: Mapping[str, str], log: RequestLog) -> _Work:
        """What the upstream begins to answer; in the other way where it has no completions of text."""
        service = self._service
        form = await service.models.form(request.model, headers)
        chosen = service.options.mode
        if form.chat is not None and not (chosen == "auto" and _has_media(request.messages)):
            prompt = await asyncio.to_thread(write_prompt, request, form)
            try:
                return await self._begin(request, form, prompt, headers, log)
            except RequestError as error:
                if chosen != "auto" or error.status not in _ABSENT or not error.from_upstream:
                    raise
            work = await self._begin(request, form, None, headers, log)
            service.models.text_refused = True
            return work
        return await self._begin(request, form, None, headers, log)

    async def _begin(
        self, request: ModelRequest, form: ModelForm, prompt: TextPrompt | None, headers: Mapping[str, str],
        log: RequestLog,
    ) -> _Work:  # fmt: skip
        """The upstream's first chunks, so that what it refuses is refused with its status."""
        options = self._service.options
        dialect = form.dialect
        log.mode, log.dialect = "text" if prompt else "chat", dialect.name if dialect else "auto"
        if prompt is not None:
            path, body, size = "/completions", prompt.body(request, form), len(prompt.text.encode())
        else:
            body = chat_body(request)
            path, size = "/chat/completions", len(encode(body["messages"]))
        batches = self._service.upstream.batches(path, body, headers)
        first = asyncio.ensure_future(anext(batches, None))
        try:
            await asyncio.wait((first,), timeout=options.keep_alive)
        except asyncio.CancelledError:
            first.cancel()
            raise
        if first.done() and first.result() is None:
            raise RequestError(502, "the upstream ended without an answer", code="upstream_broke_off")
        tail, opening = (prompt.tail, prompt.opening) if prompt else (options.prefix, "")
        answer = AnswerReading(request, dialect, tail, opening, options.max_answer)
        hold = not options.stream_arguments or not request.parallel or request.choice == NONE or bool(request.named)
        try:
            turns = request.conversation().turns
        except MessageError:
            turns = ()
        writer = writer_for(request, turns, dialect, hold, size)
        return _Work(writer, answer, _resumed(first, batches), size)


@dataclass
class _Work:
    """An answer that has begun."""

    writer: ApiWriter
    answer: AnswerReading
    batches: AsyncGenerator[list[dict[str, Any]], None]
    prompt: int
    """Bytes of the prompt."""

    def close(self, ended: bool) -> list[tuple[int, list[Event]]]:
        """The last events, with the usage that there is, or an estimate. Raises RequestError."""
        last = self.answer.close(ended)
        if self.answer.usage is None:
            length = sum(one.length for one in self.answer.choices.values())
            self.answer.usage = estimated_usage(self.prompt, length)
        return last


async def _resumed(
    first: asyncio.Future[list[dict[str, Any]] | None], batches: AsyncGenerator[list[dict[str, Any]], None]
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """The batches, of which the first is on its way; all ends with it."""
    try:
        batch = await first
        if batch is not None:
            yield batch
            async for batch in batches:
                yield batch
    finally:
        if first.cancel():
            await asyncio.wait((first,))
        await batches.aclose()


def read_json(data: bytes) -> Json:
    """The body of a request. Raises RequestError for what is no JSON object."""
    try:
        value = decode(data)
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"expected a JSON object as body, got none: {unread_json(error)}") from None
    if not isinstance(value, dict):
        raise RequestError(400, f"expected a JSON object as body, got {type(value).__name__}")
    return value


def chat_body(request: ModelRequest) -> dict[str, Json]:
    """The request for a chat completion. Raises RequestError for messages that make no sense."""
    messages = request.messages
    if messages is None:
        try:
            messages = request.conversation().to_openai()["messages"]
        except (MessageError, RenderError) as error:
            raise RequestError.of(error) from None
    body: dict[str, Json] = {"model": request.model, "messages": messages, **request.options}
    if request.tools:
        body["tools"] = request.tools
        if request.choice != AUTO:
            named = {"type": "function", "function": {"name": request.named}}
            body["tool_choice"] = named if request.named else request.choice
        if not request.parallel:
            body["parallel_tool_calls"] = False
    if request.count > 1:
        body["n"] = request.count
    body |= {"stream": request.stream, "skip_special_tokens": False}
    return body | {"stream_options": {"include_usage": True}} if request.stream else body


def _has_media(messages: list[Json] | None) -> bool:
    """True where a message has a part that is no text, such as an image."""
    contents = (one.get("content") for one in messages or () if isinstance(one, dict))
    parts = (part for content in contents if isinstance(content, list) for part in content)
    return any(isinstance(part, dict) and part.get("type") in _MEDIA for part in parts)

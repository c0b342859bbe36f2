"""Endpoints: one request from its bytes to the last byte of its answer, within bounds, for as long as its client.

An answer ends early by time, by a client that goes, or by one that takes nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolect._events import Event
from toolect._exchange.media import media_of
from toolect._message import Json
from toolect._shown import unread_json
from toolect.agent.completions_client import DONE, decode, encode
from toolect.serve.answer_reading import AnswerReading
from toolect.serve.api_errors import ApiName, RequestError
from toolect.serve.api_requests import ModelRequest, read_request
from toolect.serve.api_writers import ApiWriter, estimated_tokens, estimated_usage, writer_for
from toolect.serve.model_lookup import ModelForm, ModelLookup
from toolect.serve.serve_metrics import RequestLog, ServeMetrics
from toolect.serve.serve_options import ServeOptions
from toolect.serve.text_prompts import TextPrompt, write_prompt
from toolect.serve.upstream import Upstream, ask

Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_STREAM = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache"),
           (b"x-accel-buffering", b"no")]  # fmt: skip


class ClientConnection:
    """The connection to a client: what is sent, what ends it."""

    def __init__(self, receive: Receive, send: Send, options: ServeOptions) -> None:
        self._receive, self._send, self._options = receive, send, options
        self._loop = asyncio.get_running_loop()
        self._scope = asyncio.timeout(options.max_seconds)
        self._sending = 0.0  # since when, while something is being sent
        self._last = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.writer: ApiWriter | None = None
        """Writer of the events of a stream that has begun."""
        self.started = self._over = False
        """True once the status is out; once all is."""
        self.why = "time"
        """Reason of an early end: `time`, `gone` or `stalled`."""

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

    async def __aenter__(self) -> ClientConnection:
        await self._scope.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await self._scope.__aexit__(*raised)

    def watch(self) -> None:
        """Begin to watch the client: where it goes away, the work ends."""
        self._begin(self._until_gone())

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._end("gone")

    def _end(self, why: str) -> None:
        if not self._over and not self._scope.expired():
            self.why = why
            self._scope.reschedule(self._loop.time())

    async def send(self, data: bytes) -> None:
        """More of a body."""
        self._sending = self._loop.time()
        await self._send({"type": "http.response.body", "body": data, "more_body": True})
        self._last, self._sending = self._loop.time(), 0.0

    async def start(self, writer: ApiWriter) -> None:
        """The status and headers of a stream."""
        self.started, self.writer = True, writer
        await self._send({"type": "http.response.start", "status": 200, "headers": _STREAM})
        self._tick()

    async def fail(self, error: RequestError) -> None:
        """The error that ends a stream, for a client that takes it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._options.idle_seconds):
                if self.writer is not None and not self._over:
                    await self.send(self.writer.fail(error))
                    await self.end()

    async def end(self) -> None:
        """The end of a stream."""
        self._over = True
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def answer(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        data = encode(body)
        shown = {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}
        self.started = self._over = True
        raw = [(key.encode(), value.encode("latin-1", "replace")) for key, value in shown.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})
        await self._send({"type": "http.response.body", "body": data})

    def _tick(self) -> None:
        """Send a sign of life after a silence, end a client that takes nothing, and run again after a while."""
        now = self._loop.time()
        if self._sending and now - self._sending >= self._options.idle_seconds:
            self._end("stalled")
            return
        if self.writer and not self._sending and now - self._last >= self._options.keep_alive:
            self._begin(self.send(self.writer.ping))
        period = min(self._options.keep_alive, self._options.idle_seconds) / 2
        self._timer = self._loop.call_later(period, self._tick)


LOG = logging.getLogger("toolect.serve")
TURN = 0.02
"""Seconds after which others have a turn while an answer is read."""
_ABSENT = (404, 405, 501)
"""The statuses of an upstream that has no such endpoint."""


@dataclass
class Service:
    """Objects that all requests share."""

    options: ServeOptions
    upstream: Upstream
    models: ModelLookup
    metrics: ServeMetrics
    open: int = 0


class Endpoint:
    """The endpoint of one API, as an ASGI application."""

    def __init__(self, service: Service, api: ApiName) -> None:
        self._service, self._api = service, api

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        service, log = self._service, RequestLog(self._api)
        line = ClientConnection(receive, send, service.options)
        service.open += 1
        service.metrics.open.inc()
        try:
            await self._within(scope, line, log)
        finally:
            service.open -= 1
            service.metrics.open.dec()
            log.write(service.metrics)

    async def _within(self, scope: MutableMapping[str, Any], line: ClientConnection, log: RequestLog) -> None:
        """Answer one request, with errors of any kind."""
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
        except asyncio.CancelledError:
            error = RequestError(503, "the server is being ended", code="shutdown")
        except Exception as raised:  # a client is answered whatever happens here
            error = fault(raised)
        log.error = log.error or error.kind
        log.status = log.status or error.status_for(self._api)
        if not line.started:
            await line.answer(error.status_for(self._api), error.body(self._api), error.headers())
        else:
            await line.fail(error)

    async def _answer(self, body: bytes, headers: Mapping[str, str], line: ClientConnection, log: RequestLog) -> None:
        """The answer to a request, whole or streamed."""
        request = read_request(self._api, read_json(body))
        request.validate = self._service.options.validate
        log.model, log.stream = request.model, request.stream
        work = await self._ask(request, headers, log)
        try:
            await (self._stream if request.stream else self._whole)(work, line, log)
        finally:
            await work.aclose()
            log.count(work.answer, self._service.metrics)

    async def _whole(self, work: _RequestWork, line: ClientConnection, log: RequestLog) -> None:
        """An answer that does not stream."""
        async for found in work.events():
            for index, events, extras in found:
                work.answer.choices[index].keep(events, extras)
        log.status, log.finish = 200, work.answer.reasons
        await line.answer(200, work.writer.whole(work.answer))

    async def _stream(self, work: _RequestWork, line: ClientConnection, log: RequestLog) -> None:
        """An answer that streams: all that arrives together goes out together."""
        await line.start(work.writer)
        log.status = 200
        if head := work.writer.begin():
            await line.send(head)
        async for found in work.events():
            if data := b"".join([work.writer.events(*one) for one in found]):
                if log.first is None:
                    log.first = time.perf_counter() - log.began
                await line.send(data)
        log.finish = work.answer.reasons
        await line.send(work.writer.end(work.answer))
        await line.end()

    async def _ask(self, request: ModelRequest, headers: Mapping[str, str], log: RequestLog) -> _RequestWork:
        """Begin an answer of the upstream, by chat completions where it has no completions of text."""
        service = self._service
        form = await service.models.form(request.model, headers)
        chosen = service.options.mode
        if form.chat is not None and not (chosen == "auto" and any(map(media_of, request.conversation.turns))):
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
    ) -> _RequestWork:  # fmt: skip
        """The upstream's first chunks, so that what it refuses is refused with its status."""
        options = self._service.options
        dialect = form.dialect
        log.mode, log.dialect = "text" if prompt else "chat", dialect.name if dialect else "auto"
        if prompt is not None:
            path, body, size = "/completions", prompt.body(request, form), len(prompt.text.encode())
        else:
            body = request.chat_body()
            path, size = "/chat/completions", len(encode(body["messages"]))
        # A message that the client has begun is gone on from behind its words, and not behind an opened reasoning.
        tail, opening = (prompt.tail, prompt.opening) if prompt else ("" if request.prefill else options.prefix, "")
        answer = AnswerReading(request, dialect, tail, opening, options.max_answer)
        if prompt is None:
            answer.check_prefill()
        judged = request.no_calls or not request.parallel or request.named or request.validate == "refuse"
        writer = writer_for(request, dialect, bool(judged) or not options.stream_arguments, size)
        batches = self._service.upstream.batches(path, body, headers)
        first = asyncio.ensure_future(anext(batches, None))
        try:
            await asyncio.wait((first,), timeout=options.keep_alive)
        except asyncio.CancelledError:
            first.cancel()
            raise
        if first.done() and first.result() is None:
            raise RequestError(502, "the upstream ended without an answer", code="upstream_broke_off")
        return _RequestWork(writer, answer, first, batches, size)


class TokenCount(Endpoint):
    """The endpoint that counts the tokens of a request: as the upstream counts them, else by the bytes."""

    async def _answer(self, body: bytes, headers: Mapping[str, str], line: ClientConnection, log: RequestLog) -> None:
        service, request = self._service, read_request(self._api, read_json(body))
        log.model, log.mode = request.model, "count"
        form, count = await service.models.form(request.model, headers), None
        if form.chat is None:
            data = encode([request.chat_body()["messages"], request.tools])
        else:
            text = (await asyncio.to_thread(write_prompt, request, form)).text
            data, query = text.encode(), {"prompt": text, "content": text, "add_special_tokens": False}
            with suppress(RequestError):  # it counts none
                found = await ask(service.upstream, "/tokenize", headers, {"model": request.model, **query})
                tokens = found.get("tokens")
                count = found.get("count") or (len(tokens) if isinstance(tokens, list) else None)
        estimate = {"input_tokens": estimated_tokens(len(data)), "estimated": True}
        log.status = 200
        await line.answer(200, {"input_tokens": count} if type(count) is int else estimate)


@dataclass
class _RequestWork:
    """An answer that has begun: its `first` batch is on its way."""

    writer: ApiWriter
    answer: AnswerReading
    first: asyncio.Future[list[dict[str, Any]] | None]
    batches: AsyncGenerator[list[dict[str, Any]], None]
    prompt: int
    """Bytes of the prompt."""

    async def events(self) -> AsyncIterator[list[tuple[int, list[Event], dict[str, Json]]]]:
        """The events of each choice as they arrive, and what is passed on beside them; last the usage is known.

        Raises RequestError.
        """
        batch, ended = await self.first, False
        while batch is not None:
            made, began = [], time.perf_counter()
            for chunk in batch:
                ended = ended or chunk is DONE
                for found in self.answer.take(chunk):
                    made.append(found)
                    if time.perf_counter() - began > TURN:
                        yield made
                        await asyncio.sleep(0)
                        made, began = [], time.perf_counter()
            yield made
            batch = None if ended or self.answer.cut else await anext(self.batches, None)
        yield [(index, events, {}) for index, events in self.answer.close(ended)]
        if self.answer.usage is None:
            length = sum(one.length for one in self.answer.choices.values())
            self.answer.usage = estimated_usage(self.prompt, length)

    async def aclose(self) -> None:
        """End the request to the upstream."""
        if self.first.cancel():
            await asyncio.wait((self.first,))
        await self.batches.aclose()


def fault(raised: Exception) -> RequestError:
    """The answer to a fault of the server's own, which is logged."""
    LOG.error("a fault: %s", type(raised).__name__, exc_info=LOG.isEnabledFor(logging.DEBUG))
    return RequestError(500, "the server has a fault", code="internal_error")


def read_json(data: bytes) -> Json:
    """The body of a request, half characters as U+FFFD. Raises RequestError for what is no JSON object."""
    try:
        value = decode(data)
        if b"\\ud" in data or b"\\uD" in data:  # no text that is sent on may have half of a pair
            text = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
            value = json.loads(text.decode("utf-16", "replace"))
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"expected a JSON object as body, got none: {unread_json(error)}") from None
    if not isinstance(value, dict):
        raise RequestError(400, f"expected a JSON object as body, got {type(value).__name__}")
    return value

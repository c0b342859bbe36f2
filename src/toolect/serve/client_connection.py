"""Client connection: what a client is sent, and what ends it early: time, a client that goes or that takes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

from toolect._message import Json
from toolect.agent.completions_client import encode
from toolect.serve.api_errors import RequestError
from toolect.serve.api_writers import ApiWriter
from toolect.serve.serve_options import ServeOptions

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
        """What writes the events of a stream that has begun."""
        self.started = self._over = False
        """Whether the status is out; whether all is."""
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
        """From now on a client that goes away ends the work."""
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
        """Now and then: a sign of life, and the end of a client that takes nothing."""
        now = self._loop.time()
        if self._sending and now - self._sending >= self._options.idle_seconds:
            self._end("stalled")
            return
        if self.writer and not self._sending and now - self._last >= self._options.keep_alive:
            self._begin(self.send(self.writer.ping))
        period = min(self._options.keep_alive, self._options.idle_seconds) / 2
        self._timer = self._loop.call_later(period, self._tick)

"""A client of chat-completions servers: vLLM, SGLang, llama.cpp, Ollama and hosted APIs."""

from __future__ import annotations

import asyncio
import json
import math
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from toolect._shown import cut
from toolect.message import Json

if TYPE_CHECKING:
    import httpx

RETRIED = frozenset((408, 409, 429, 500, 502, 503, 504))
"""The statuses after which asking again may help."""
MAX_WAIT = 30.0
"""Seconds between two attempts at most, whatever the server asks for."""
MAX_LINE = 16 << 20
"""Characters that one event of a stream, or an answer that is none, may have."""
MAX_STREAM = 256 << 20
"""Characters that a stream may have, its events and what is between them."""
_SHOWN = 300


class ModelError(Exception):  # what it is, as `OSError` is
    """The server did not answer as a chat-completions server does; `status` is its HTTP status, if there was one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Chat:
    """A server's chat completions. `url` is its base, such as `http://localhost:8000/v1`; times are in seconds.

    `timeout` is how long the server may be silent, `limit` how long a request may take as a whole, with all attempts
    and the pauses between them. `options` go into every request: temperature, seed, and so on.
    """

    def __init__(
        self, url: str, model: str, api_key: str | None = None, *, timeout: float = 120.0, limit: float = 900.0,
        retries: int = 4, backoff: float = 0.5, options: Mapping[str, Json] | None = None,
    ) -> None:  # fmt: skip
        try:
            import httpx
        except ImportError:
            raise ImportError("toolect.agent needs more packages: pip install 'toolect[agent]'") from None
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"expected a URL that begins with http:// or https://, got {url!r}")
        self.url = url.rstrip("/")
        self.url += "" if self.url.endswith("/chat/completions") else "/chat/completions"
        self.model, self.timeout, self.limit, self.retries, self.backoff = model, timeout, limit, retries, backoff
        self.options = dict(options or {})
        self._key = api_key or ""
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)), headers=headers)

    def __repr__(self) -> str:
        return f"<Chat {self.model} at {self.url}>"  # and never the key

    async def __aenter__(self) -> Chat:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def stream(self, body: Mapping[str, Json]) -> AsyncIterator[dict[str, Any]]:
        """The first choice of each chunk of a streamed answer, `body` being what the request asks besides.

        A server that does not stream gives its one choice, which has a `message` and no `delta`. Raises `ModelError`;
        the request is repeated only as long as nothing has been passed on.
        """
        request = {"model": self.model, **self.options, **body, "stream": True}
        end = time.monotonic() + self.limit
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            begun = False
            try:
                async for choice in self._until(end, self._once(request)):
                    begun = True
                    yield choice
                return
            except _Again as again:
                if last or begun:
                    raise again.error from None
                wait = again.wait if again.wait is not None else self.backoff * 2**attempt * (0.5 + random.random())
                wait = min(wait, MAX_WAIT)
                if time.monotonic() + wait >= end:
                    raise again.error from None
                await asyncio.sleep(wait)

    async def _until(self, end: float, answer: AsyncGenerator[dict[str, Any], None]) -> AsyncIterator[dict[str, Any]]:
        """What comes of `answer` until the moment `end`: a server that never stops is never silent."""
        async with aclosing(answer):
            while True:
                try:
                    async with asyncio.timeout(end - time.monotonic()):
                        choice = await anext(answer)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise ModelError(
                        f"expected an answer from {self.url} within {self.limit:g} seconds, got no end of it"
                    ) from None
                yield choice

    async def _once(self, request: dict[str, Json]) -> AsyncGenerator[dict[str, Any], None]:
        import httpx

        try:
            async with self._client.stream("POST", self.url, json=request) as response:
                if response.status_code >= 400:
                    raise self._refused(response, await _start(response))
                if "text/event-stream" in response.headers.get("content-type", ""):
                    async for choice in self._events(response):
                        yield choice
                else:
                    for choice in _choices(self._json(await _all(response), "a chat completion")):
                        yield choice
        except httpx.ConnectError as error:
            raise _Again(
                ModelError(f"expected a server at {self.url}, got `{self._safe(str(error))}`: is it running?")
            ) from None
        except httpx.TimeoutException:
            raise _Again(
                ModelError(f"expected an answer from {self.url}, got silence for {self.timeout:g} seconds")
            ) from None
        except httpx.HTTPError as error:
            why = self._safe(str(error)) or type(error).__name__
            raise _Again(ModelError(f"expected a whole answer from {self.url}, got one cut off: {why}")) from None

    async def _events(self, response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
        """The choices of a stream of server-sent events, up to `[DONE]`."""
        data: list[str] = []
        size = 0
        done = False
        async for line in _lines(response):  # what no empty line ends was cut off
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
                size = _within(size + len(line), MAX_LINE, "events")
            elif not line and data:
                text = "\n".join(data)
                data.clear()
                size = 0
                if text.strip() == "[DONE]":
                    return
                for choice in _choices(self._json(text, "an event")):
                    done = done or choice.get("finish_reason") is not None
                    yield choice
        if not done:
            raise _Again(ModelError(f"expected a whole answer from {self.url}, got one cut off before its end"))

    def _json(self, text: str, what: str) -> dict[str, Any]:
        """The object that `text` is. A server tells errors in the middle of a stream as an object with `error`."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ModelError(f"expected {what} as JSON from {self.url}, got `{self._safe(text)}`") from None
        if not isinstance(value, dict):
            raise ModelError(f"expected {what} as a JSON object from {self.url}, got `{self._safe(text)}`")
        if value.get("error"):
            raise ModelError(f"the server at {self.url} says: {self._safe(_reason(value))}")
        return value

    def _refused(self, response: httpx.Response, text: str) -> Exception:
        status = response.status_code
        try:
            reason = _reason(json.loads(text))
        except (ValueError, RecursionError):
            reason = text
        error = ModelError(f"the server at {self.url} answers {status}: {self._safe(reason) or 'nothing'}", status)
        return _Again(error, _seconds(response.headers.get("retry-after"))) if status in RETRIED else error

    def _safe(self, text: str) -> str:
        """`text` in one short line, without the key: servers quote what they refuse."""
        text = " ".join((text.replace(self._key, "…") if self._key else text).split())
        return cut("".join(c if c.isprintable() else "�" for c in text), _SHOWN)


class _Again(Exception):  # it ends an attempt, nobody else sees it
    """An attempt failed in a way that another one may not; `wait` is what the server asks for, in seconds."""

    def __init__(self, error: ModelError, wait: float | None = None) -> None:
        super().__init__(error)
        self.error, self.wait = error, wait


def _choices(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The first choice of a chunk; none in one that tells the usage only."""
    choices = value.get("choices")
    return [choices[0]] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else []


def _reason(value: Any) -> str:
    """What an error object says, whichever of the usual forms it has."""
    error = value.get("error", value.get("detail", value)) if isinstance(value, dict) else value
    if isinstance(error, dict):
        error = error.get("message", error)
    return error if isinstance(error, str) else json.dumps(error)


def _seconds(header: str | None) -> float | None:
    try:
        wait = float(header) if header else math.nan
    except ValueError:
        return None  # a date: the usual waiting does
    return None if math.isnan(wait) else max(wait, 0.0)


async def _start(response: httpx.Response) -> str:
    """The beginning of an answer, which may be endless."""
    text = ""
    async for piece in response.aiter_text():
        text += piece
        if len(text) > 10_000:
            break
    return text


def _within(size: int, most: int, what: str) -> int:
    """`size`, where that is not too large."""
    if size > most:
        raise ModelError(f"expected {what} of at most {most} characters, got more")
    return size


async def _all(response: httpx.Response) -> str:
    pieces, size = [], 0
    async for piece in response.aiter_text():
        size = _within(size + len(piece), MAX_LINE, "an answer")
        pieces.append(piece)
    return "".join(pieces)


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """The lines of a stream. Only line feeds and carriage returns end one: JSON may hold any other separator."""
    rest: list[str] = []
    size = whole = 0
    async for piece in response.aiter_text():
        whole = _within(whole + len(piece), MAX_STREAM, "an answer")
        *lines, tail = piece.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            yield "".join(rest) + line
            rest.clear()
            size = 0
        rest.append(tail)
        size = _within(size + len(tail), MAX_LINE, "events")
    yield "".join(rest)

"""A client of servers that speak as OpenAI's does: vLLM, SGLang, llama.cpp, Ollama and hosted APIs."""

from __future__ import annotations

import asyncio
import functools
import json
import random
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from toolect import _extras as extras
from toolect._message import Json
from toolect._shown import cut
from toolect.agent import sse
from toolect.agent.errors import ModelError, ToolsRefused
from toolect.agent.server_address import check_address, check_headers

if TYPE_CHECKING:
    import httpx

RETRIED = frozenset((408, 409, 429, 500, 502, 503, 504))
"""The statuses after which asking again may help."""
MAX_WAIT = 30.0
"""Seconds between two attempts at most, whatever the server asks for."""
LINGER = 0.5
"""Seconds that a stream is read on after its last event: where it ends, the connection can be used again."""
DISPENSABLE = ("stream_options", "skip_special_tokens", "reasoning_content")
"""What requests, and the messages in them, have besides; a server that does not know it is asked without."""
_SHOWN = 300
_REFUSAL = re.compile(
    r"""(?isx) (?=.* \btools?\b (?! \W{0,3} \d ))  # no single one of them is wrong
    .* ( support | requir | enabl | permit | allow | unknown | unrecogni | unexpected | extra | forbid | implement
    | jinja | parser )"""
)
"""What a server says that has no tools: vLLM, llama.cpp and Ollama, gateways, and strict readers of requests."""


class Chat:
    """A server and its model. `url` is its base, such as `http://localhost:8000/v1`, or the address of its completions;
    times are in seconds.

    `timeout` is how long the server may be silent, `limit` how long a request may take as a whole, with all attempts
    and the pauses between them. `options` go into every request: temperature, seed, and so on. `headers` are sent
    along; `client` is used instead of one of our own, and is left open.

    Connections are kept as long as one `async with` of the chat is open, else until `close`.
    """

    def __init__(
        self, url: str, model: str, api_key: str | None = None, *, timeout: float = 120.0, limit: float = 900.0,
        retries: int = 4, backoff: float = 0.5, options: Mapping[str, Json] | None = None,
        headers: Mapping[str, str] | None = None, client: httpx.AsyncClient | None = None,
    ) -> None:  # fmt: skip
        try:
            import httpx  # noqa: F401  # missing, it is said at once
        except ImportError:
            raise extras.MissingExtraError("httpx", "agent") from None
        check_address(url)
        self.raw = bool(re.search(r"(?<!/chat)/completions/*$", url))
        """Whether the address is that of raw completions."""
        self.base = re.sub(r"(/(chat/)?completions)?/*$", "", url)
        self.model, self.timeout, self.limit, self.retries, self.backoff = model, timeout, limit, retries, backoff
        self.options = dict(options or {})
        self._key = api_key or ""
        self._headers = ({"Authorization": f"Bearer {api_key}"} if api_key else {}) | dict(headers or {})
        check_headers(self._headers)
        self._given = client
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()
        self._unknown: set[str] = set()
        """What of the dispensable the server does not know."""

    def __repr__(self) -> str:
        return f"<Chat {self.model} at {self.base}>"  # and never the key

    async def __aenter__(self) -> Chat:
        loop = asyncio.get_running_loop()
        self._open[loop] = self._open.get(loop, 0) + 1
        return self

    async def __aexit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        self._open[loop] -= 1
        if not self._open[loop]:
            await self.close()

    async def close(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def stream(self, body: Mapping[str, Json], path: str = "/chat/completions") -> AsyncIterator[dict[str, Any]]:
        """The first choice of each chunk of a streamed answer, `body` being what the request asks besides.

        A choice has the chunk's `usage` and `model` too, where it tells them; the last one may have nothing else. A
        server that does not stream gives its one choice, which has a `message` and no `delta`. Raises `ModelError`;
        the request is repeated only as long as nothing has been passed on.
        """
        url = self.base + path
        usage: Json = {"include_usage": True}
        asked = {"model": self.model, "stream_options": usage, **self.options, **body, "stream": True}
        end = time.monotonic() + self.limit
        attempt = 0
        while True:
            begun = False
            request = _without(asked, self._unknown)
            try:
                async for choice in self._until(end, self._once(url, request)):
                    begun = True
                    yield choice
                return
            except _Unknown as unknown:
                self._unknown |= unknown.members
            except _Again as again:
                wait = again.wait if again.wait is not None else self.backoff * 2**attempt * (0.5 + random.random())
                wait = min(wait, MAX_WAIT)
                attempt += 1
                if begun or attempt > self.retries or time.monotonic() + wait >= end:
                    raise again.error from None
                await asyncio.sleep(wait)

    async def get(self, path: str, *, root: bool = False) -> Any:
        """The JSON at `path` below the base, or below the server's root; nothing where there is none. Never raises."""
        import httpx

        base = re.sub(r"/v\d+$", "", self.base) if root else self.base
        try:
            async with asyncio.timeout(10.0), self._client().stream("GET", base + path, headers=self._headers) as got:
                return json.loads(await sse.whole(got)) if got.status_code == 200 else None
        except (httpx.HTTPError, TimeoutError, ModelError, ValueError, RecursionError):
            return None

    def _client(self) -> httpx.AsyncClient:
        """The client of this event loop: connections cannot be used in another."""
        import httpx

        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None or client.is_closed:
            times = httpx.Timeout(self.timeout, connect=min(self.timeout, 10.0))
            client = self._clients[loop] = httpx.AsyncClient(timeout=times, verify=_certificates())
        return client

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
                        f"expected an answer from {self.base} within {self.limit:g} seconds, got no end of it"
                    ) from None
                yield choice

    async def _once(self, url: str, request: dict[str, Json]) -> AsyncGenerator[dict[str, Any], None]:
        import httpx

        try:
            headers = httpx.Headers({"content-type": "application/json"})
            headers.update(self._headers)
            async with self._client().stream("POST", url, content=_body(request), headers=headers) as response:
                if response.status_code >= 400:
                    raise self._refused(url, request, response, await sse.start(response))
                if "text/event-stream" in response.headers.get("content-type", ""):
                    async for choice in self._events(url, response):
                        yield choice
                else:
                    for choice in sse.choices(self._json(url, await sse.whole(response), "a chat completion")):
                        yield choice
        except httpx.ConnectError as error:
            raise _Again(
                ModelError(f"expected a server at {url}, got `{self._safe(str(error))}`: is it running?")
            ) from None
        except httpx.TimeoutException:
            raise _Again(
                ModelError(f"expected an answer from {url}, got silence for {self.timeout:g} seconds")
            ) from None
        except httpx.HTTPError as error:
            why = self._safe(str(error)) or type(error).__name__
            raise _Again(ModelError(f"expected a whole answer from {url}, got one cut off: {why}")) from None

    async def _events(self, url: str, response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
        """The choices of a stream of server-sent events, up to `[DONE]`."""
        done = False
        async with aclosing(sse.events(response)) as data:
            async for text in data:
                if text.strip() == "[DONE]":
                    await _rest(data)
                    return
                for choice in sse.choices(self._json(url, text, "an event")):
                    done = done or choice.get("finish_reason") is not None
                    yield choice
        if not done:
            raise _Again(ModelError(f"expected a whole answer from {url}, got one cut off before its end"))

    def _json(self, url: str, text: str, what: str) -> dict[str, Any]:
        """The object that `text` is. A server tells errors in the middle of a stream as an object with `error`."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ModelError(f"expected {what} as JSON from {url}, got `{self._safe(text)}`") from None
        if not isinstance(value, dict):
            raise ModelError(f"expected {what} as a JSON object from {url}, got `{self._safe(text)}`")
        if value.get("error"):
            raise ModelError(f"the server at {url} says: {self._safe(sse.reason(value))}")
        return value

    def _refused(self, url: str, request: Mapping[str, Json], response: httpx.Response, text: str) -> Exception:
        status = response.status_code
        unknown = {name for name in DISPENSABLE if name in text and _without(request, {name}) != request}
        if status in (400, 422) and unknown:
            return _Unknown(unknown)
        try:
            reason = sse.reason(json.loads(text))
        except (ValueError, RecursionError):
            reason = text
        hint = "; does its address end in /v1?" if status == 404 and not re.search(r"/v\d", self.base) else ""
        told = f"the server at {url} answers {status}: {self._safe(reason) or 'nothing'}{hint}"
        if "tools" in request and _REFUSAL.match(reason):  # with any status, and waiting does not help
            return ToolsRefused(told, status)
        error = ModelError(told, status)
        return _Again(error, sse.seconds(response.headers.get("retry-after"))) if status in RETRIED else error

    def _safe(self, text: str) -> str:
        """`text` in one short line, without the key: servers quote what they refuse."""
        text = " ".join((text.replace(self._key, "…") if self._key else text).split())
        return cut("".join(c if c.isprintable() else "�" for c in text), _SHOWN)


class _Again(Exception):  # it ends an attempt, nobody else sees it
    """An attempt failed in a way that another one may not; `wait` is what the server asks for, in seconds."""

    def __init__(self, error: ModelError, wait: float | None = None) -> None:
        super().__init__(error)
        self.error, self.wait = error, wait


class _Unknown(Exception):  # as above
    """The server does not know these members of a request."""

    def __init__(self, members: set[str]) -> None:
        super().__init__(members)
        self.members = members


def _body(request: Mapping[str, Json]) -> bytes:
    """A request as JSON; what UTF-8 cannot carry, a lone surrogate in a tool's output, is written as an escape."""
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(request, allow_nan=False, separators=(",", ":")).encode()


def _without(request: Mapping[str, Json], names: set[str]) -> dict[str, Json]:
    """A request without these members, in its messages too; `None` in the options leaves one out."""
    left = {name: value for name, value in request.items() if name not in names and value is not None}
    messages = left.get("messages")
    if isinstance(messages, list):
        left["messages"] = [{name: value for name, value in one.items() if name not in names} for one in messages]
    return left


async def _rest(data: AsyncIterator[str]) -> None:
    """Reads to the end of what is left, if that comes soon."""
    import httpx

    try:
        async with asyncio.timeout(LINGER):
            async for _ in data:
                pass
    except (TimeoutError, ModelError, httpx.HTTPError):
        pass  # the answer is whole


@functools.cache
def _certificates() -> Any:
    """The certificates that are trusted; reading them takes longer than asking a server nearby."""
    import httpx

    return httpx.create_ssl_context()

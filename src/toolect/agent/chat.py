"""HTTP client of servers that speak as OpenAI's does: vLLM, SGLang, llama.cpp, Ollama and hosted APIs."""

from __future__ import annotations

import asyncio
import functools
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from toolect import _extras as extras
from toolect._message import Json, kind_of
from toolect.agent import sse
from toolect.agent.completions_client import DONE, CompletionsClient, RefusedError
from toolect.agent.errors import ModelError, ToolsRefusedError
from toolect.agent.redaction import Redactor, public_url, split_url, url_secrets

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

MAX_WAIT = 30.0
"""Seconds between two attempts at most, whatever the server asks for."""
_PORTS = 1 << 16
_REFUSAL = re.compile(
    r"""(?isx) (?=.* \btools?\b (?! \W{0,3} \d ))  # no single one of them is wrong
    .* ( support | requir | enabl | permit | allow | unknown | unrecogni | unexpected | extra | forbid | implement
    | jinja | parser )"""
)
"""A refusal of tools: by vLLM, llama.cpp and Ollama, by gateways, and by strict readers of requests."""


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
        for module in ("httpx", "tenacity"):  # a missing one is reported at once
            extras.need(module, "agent")
        _check_address(url)
        for name, seconds in (("timeout", timeout), ("limit", limit)):
            if not isinstance(seconds, int | float) or not seconds > 0:
                raise ValueError(f"expected seconds above 0 for {name}, got {seconds!r}")
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"expected options as a mapping of members of each request, got {kind_of(options)}")
        secrets = url_secrets(url)
        url, account, _ = split_url(url)
        url, mark, query = url.partition("?")
        self._query = mark + query
        """Query behind the path of each request, with its `?`."""
        self.raw = bool(re.search(r"(?<!/chat)/completions/*$", url))
        """True when the address is that of raw completions."""
        self.base = re.sub(r"(/(chat/)?completions)?/*$", "", url)
        self.model, self.timeout, self.limit, self.retries, self.backoff = model, timeout, limit, retries, backoff
        self.options = dict(options or {})
        self._headers = {"Authorization": account} if account else {}
        self._headers |= ({"Authorization": f"Bearer {api_key}"} if api_key else {}) | dict(headers or {})
        _check_headers(self._headers)
        self.redact = Redactor([*secrets, *self._headers.values()])
        """Blanks the key, the account, the headers and the values of the query in texts."""
        self._given = client
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()
        self._server = CompletionsClient(f"the server at {self.base}", self.redact)

    def __repr__(self) -> str:
        return f"<Chat {self.model} at {self.redact(self.base)}>"

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
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, stop_before_delay

        asked: dict[str, Json] = {
            "model": self.model,
            "stream_options": {"include_usage": True},
            **self.options,
            **body,
        }
        end = time.monotonic() + self.limit
        passed_on = False
        attempts = AsyncRetrying(
            retry=retry_if_exception(lambda e: isinstance(e, ModelError) and e.is_transient and not passed_on),
            stop=stop_after_attempt(self.retries + 1) | stop_before_delay(self.limit), wait=self._pause, reraise=True,
        )  # fmt: skip
        async for attempt in attempts:
            with attempt:
                held: list[dict[str, Any]] = []
                once = self._once(self.base + path + self._query, {**asked, "stream": True})
                async with aclosing(self._until(end, once)) as choices:
                    async for choice in choices:
                        held.append(choice)
                        if passed_on := passed_on or _says_something(choice):
                            while held:
                                yield held.pop(0)
                if not passed_on:
                    raise ModelError(f"expected an answer from {self.base}{path}, got an empty one")
                return

    def _pause(self, state: RetryCallState) -> float:
        """The seconds before another attempt: as the server asks, else longer each time."""
        from tenacity import wait_random_exponential

        error = state.outcome.exception() if state.outcome else None
        wait = error.wait if isinstance(error, ModelError) else None
        return min(MAX_WAIT, wait_random_exponential(self.backoff, MAX_WAIT)(state) if wait is None else wait)

    async def get(self, path: str, *, root: bool = False) -> dict[str, Any] | None:
        """The JSON object at `path` below the base, or below the server's root, if there is one. Never raises."""
        import httpx

        base = re.sub(r"/v\d+$", "", self.base) if root else self.base
        answer = self._server.objects(self._client(), base + path + self._query, self._headers)
        try:
            async with asyncio.timeout(10.0), aclosing(answer):
                return (await anext(answer))[0]
        except (httpx.HTTPError, TimeoutError, ModelError, LookupError, StopAsyncIteration):
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

    async def _until(
        self, end: float, answer: AsyncGenerator[dict[str, Any], None]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The choices of `answer` until the moment `end`: a server that never stops is never silent."""
        async with aclosing(answer):
            while True:
                try:
                    async with asyncio.timeout(end - time.monotonic()):
                        choice = await anext(answer)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    what = f"expected an answer from {self.base} within {self.limit:g} seconds, got no end of it"
                    raise ModelError(what) from None
                yield choice

    async def _once(self, url: str, asked: dict[str, Json]) -> AsyncGenerator[dict[str, Any], None]:
        """One attempt."""
        import httpx

        is_done = False
        try:
            async with aclosing(self._server.objects(self._client(), url, self._headers, asked)) as batches:
                async for value in (one async for batch in batches for one in batch):
                    is_done = is_done or value is DONE
                    for choice in sse.choices(value):
                        is_done = is_done or bool(choice.get("finish_reason"))
                        yield choice
        except RefusedError as error:
            if "tools" in asked and _REFUSAL.match(error.reason or error.body):
                raise ToolsRefusedError(str(error), error.status) from None  # waiting does not help
            if error.status == 404 and not re.search(r"/v\d", self.base):
                raise ModelError(f"{error}; does its address end in /v1?", 404) from None
            raise
        except httpx.ConnectError as error:
            what = f"expected a server at {url}, got `{self._server.line(str(error))}`: is it running?"
            raise ModelError(what, is_transient=True) from None
        except httpx.TimeoutException:
            what = f"expected an answer from {url}, got silence for {_seconds(self.timeout)}"
            raise ModelError(what, is_transient=True) from None
        except httpx.HTTPError as error:
            why = self._server.line(str(error)) or type(error).__name__
            raise ModelError(f"expected a whole answer from {url}, got one cut off: {why}", is_transient=True) from None
        if not is_done:
            raise ModelError(f"expected a whole answer from {url}, got one cut off before its end", is_transient=True)


def _seconds(number: float) -> str:
    return f"{number:g} second{'s' * (number != 1)}"


def _says_something(choice: Mapping[str, Any]) -> bool:
    """True for a choice that has more than a role, and more than empty texts."""
    delta = choice.get("delta")
    members = [value for key, value in delta.items() if key != "role"] if isinstance(delta, dict) else [delta]
    rest = [value for key, value in choice.items() if key not in ("delta", "index", "logprobs", "model", "usage")]
    return any(members) or any(rest)


def _check_address(url: str) -> None:
    """Raises ValueError for an address at which no server can be."""
    import httpx

    if not isinstance(url, str):
        raise TypeError(f"expected a URL as str, got {kind_of(url)}")
    shown = repr(public_url(url))
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"expected a URL that begins with http:// or https://, got {shown}")
    try:
        address = httpx.URL(url)
        why = "" if address.host else "it names no host"
        if address.port is not None and not 0 < address.port < _PORTS:
            why = f"the port is none of 1 to {_PORTS - 1}"
    except (httpx.InvalidURL, ValueError) as error:  # a host may have letters that no name has
        why = " ".join(Redactor(split_url(url)[2] if "@" in url else ())(str(error)).split())
    if why:
        raise ValueError(f"expected the URL of a server such as http://localhost:8000/v1, got {shown}: {why}")


def _check_headers(headers: Mapping[str, str]) -> None:
    """Raises ValueError for headers, a key among them, that no request can have; the value is not shown."""
    for name, value in headers.items():
        if not isinstance(value, str):
            raise ValueError(f"expected headers as texts, got {kind_of(value)}: mend `{name}`")
        if not f"{name}{value}".isascii() or any(sign in f"{name}{value}" for sign in "\r\n\0"):
            raise ValueError(f"expected headers of ASCII characters on one line, got others: mend `{name}` or the key")


@functools.cache
def _certificates() -> Any:
    """The certificates that are trusted; reading them takes longer than asking a server nearby."""
    import httpx

    return httpx.create_ssl_context()

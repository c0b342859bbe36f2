"""The model's server: asked over HTTP, its server-sent events decoded within bounds."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import httpx
import msgspec

from toolect._message import Json
from toolect._shown import cut, one_line
from toolect.agent import sse
from toolect.agent.errors import ModelError
from toolect.agent.redaction import Redactor, url_secrets
from toolect.serve.api_errors import RequestError
from toolect.serve.serve_options import ServeOptions

LOG = logging.getLogger("toolect.serve.upstream")
PASSED = ("authorization", "openai-organization", "openai-project", "traceparent", "user-agent", "x-request-id")
"""The headers of a client that the upstream is sent."""
OPTIONAL = ("skip_special_tokens", "stream_options")
"""Fields of ours that an upstream may refuse; then it is asked without them."""
ROOTED = ("/props", "/tokenize")
"""Paths that stand beside `/v1`, and not below it."""
DONE: dict[str, Any] = {}
"""The end that a stream names itself."""
_SHOWN = 300
_REFUSED = (400, 422)
_decode_fast = msgspec.json.Decoder().decode
_encode_fast = msgspec.json.Encoder().encode


def decode(data: bytes) -> Json:
    """A JSON value; numbers of any length and lone surrogates are read, too. Raises ValueError, RecursionError."""
    try:
        return _decode_fast(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(data)


def encode(value: Json) -> bytes:
    """A value as JSON, whatever characters its texts have."""
    try:
        return _encode_fast(value)
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(value).encode()


class Upstream(Protocol):
    """Whatever answers requests for completions."""

    def batches(
        self, path: str, body: dict[str, Json], headers: Mapping[str, str]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of a stream as they arrive, or one whole answer. Raises RequestError."""

    async def ask(self, path: str, headers: Mapping[str, str], body: dict[str, Json] | None = None) -> Json:
        """What can be fetched there, or is answered to a body. Raises RequestError."""

    async def aclose(self) -> None:
        """End all connections."""


class HttpUpstream:
    """A server of completions at a URL."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._base = options.upstream.rstrip("/")
        self._redact = Redactor([options.key, *url_secrets(options.upstream)])
        self._without: frozenset[str] = frozenset()
        """Fields that it has refused."""
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(options.idle_seconds, connect=options.connect_seconds, pool=options.connect_seconds),
            # Servers close what is idle, many after 5 seconds: a request must not meet that moment.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=2.0),
            follow_redirects=False,
            trust_env=False,
        )

    async def aclose(self) -> None:
        """End all connections."""
        await self._client.aclose()

    async def batches(
        self, path: str, body: dict[str, Json], headers: Mapping[str, str]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of a stream as they arrive, or one whole answer. Raises RequestError."""
        response = await self._open(path, body, headers)
        with _refused():
            try:
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    yield [self._object(await sse.whole(response, self._options.max_line))]
                    return
                decoder = sse.EventDecoder(self._options.max_line)
                async for piece in sse.pieces(response):
                    if data := decoder.feed(piece):
                        yield [self._object(one) for one in data]
                        if data[-1].strip() == b"[DONE]":
                            return
                if data := decoder.close():
                    yield [self._object(one) for one in data]
            finally:
                await response.aclose()

    async def ask(self, path: str, headers: Mapping[str, str], body: dict[str, Json] | None = None) -> Json:
        """What can be fetched there, or is answered to a body. Raises RequestError."""
        response = await self._send(path, body, headers)
        with _refused():
            try:
                if response.is_error:
                    raise await self._refusal(response)
                return self._object(await sse.whole(response, self._options.max_line))
            finally:
                await response.aclose()

    async def _open(self, path: str, body: dict[str, Json], headers: Mapping[str, str]) -> httpx.Response:
        """The response to a request, which is made again without a field that the upstream does not know."""
        while True:
            sent = {key: value for key, value in body.items() if key not in self._without}
            response = await self._send(path, sent, headers)
            if not response.is_error and not response.is_redirect:
                return response
            try:
                error = await self._refusal(response)
            finally:
                await response.aclose()
            refused = {one for one in OPTIONAL if one in sent and one in error.message}
            if response.status_code not in _REFUSED or not refused:
                raise error
            LOG.info("retry without=%s status=%d", ",".join(sorted(refused)), response.status_code)
            self._without |= refused

    async def _send(self, path: str, body: dict[str, Json] | None, headers: Mapping[str, str]) -> httpx.Response:
        passed = {name: headers[name] for name in PASSED if headers.get(name, "\xff").isascii()}
        if (key := self._options.key or headers.get("x-api-key", "")) and key.isascii():
            passed["authorization"] = f"Bearer {key}"
        passed |= {"content-type": "application/json", "accept-encoding": "identity"}
        base = self._base.removesuffix("/v1") if path in ROOTED else self._base
        content = None if body is None else encode(body)
        method = "GET" if body is None else "POST"
        with _refused():
            request = self._client.build_request(method, base + path, content=content, headers=passed)
            return await self._client.send(request, stream=True)

    async def _refusal(self, response: httpx.Response) -> RequestError:
        """What an upstream says that does not answer: with its status, and when to try again."""
        text = ""
        with suppress(httpx.HTTPError, ModelError):  # the status says enough
            text = await sse.start(response)
        status = response.status_code
        try:
            message, code = reason_of(json.loads(text), self._redact)
        except (ValueError, RecursionError):
            kind = response.headers.get("content-type", "no content type").partition(";")[0]
            shown = one_line(cut(self._redact(text).strip(), _SHOWN))
            message, code = f"the upstream answered {status} with {kind}: {shown}", None
        retry = response.headers.get("retry-after")
        status = status if status >= 400 else 502
        return RequestError(status, message, code=code, retry=retry, from_upstream=True)

    def _object(self, data: bytes) -> dict[str, Any]:
        """A JSON object of the upstream. Raises RequestError for anything else, and for one that is an error."""
        if data.strip() == b"[DONE]":
            return DONE
        try:
            value = decode(data)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = one_line(cut(self._redact(data.decode("utf-8", "replace")).strip(), _SHOWN))
            raise RequestError(502, f"expected JSON objects of the upstream, got `{shown}`", code="upstream_nonsense")
        if value.get("error") and "choices" not in value:
            message, code = reason_of(value, self._redact)
            raise RequestError(502, message, code=code)
        return value


def reason_of(value: Json, redact: Redactor) -> tuple[str, str | None]:
    """What an error object says, whichever of the usual forms it has, and its code."""
    error = value.get("error") if isinstance(value, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return one_line(cut(redact(sse.reason(value)), _SHOWN * 4)), code if isinstance(code, str) else None


@contextmanager
def _refused() -> Iterator[None]:
    """Whatever goes wrong with a connection, as what the client is answered."""
    try:
        yield
    except httpx.HTTPError as error:
        raise _broken(error) from None
    except ModelError as error:
        raise RequestError(502, f"the upstream is wrong: {error}") from None


def _broken(error: httpx.HTTPError) -> RequestError:
    """What became of a connection, in words that show no address and no key."""
    kind = type(error).__name__
    if isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol):
        return RequestError(502, "the upstream cannot be reached", code="upstream_unreachable")
    if isinstance(error, httpx.TimeoutException):
        return RequestError(504, f"the upstream was silent for too long ({kind})", code="upstream_timeout")
    return RequestError(502, f"the upstream broke off ({kind})", code="upstream_broke_off")

"""HTTP client of completions: requests without what a server does not know, answers as JSON objects within bounds."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from toolect._message import Json
from toolect._shown import cut
from toolect.agent import sse
from toolect.agent.errors import ModelError
from toolect.agent.redaction import Redactor

if TYPE_CHECKING:
    import httpx

LOG = logging.getLogger("toolect.agent.completions")
RETRIED = (408, 409, 429, 500, 502, 503, 504)
"""The statuses after which asking again may help."""
DISPENSABLE = ("stream_options", "skip_special_tokens", "reasoning_content")
"""Members of requests, and of the messages in them, that are left out for a server that does not know them."""
LINGER = 0.5
"""Seconds that a stream is read on after its last event: where it ends, the connection can be used again."""
DONE: dict[str, Any] = {}
"""The end of an answer that is whole, behind its objects."""
_SHOWN = 300
_REASON = 1200
"""Characters that are shown of what a server sends, and of a sentence that it says."""
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


class RefusedError(ModelError):
    """Refusal of a server; one without a `status` came in the middle of an answer.

    `reason` is its own sentence, empty where it sends no JSON, and `code` its word or number for it. `retry_after` is
    that header, `body` all that it sent.
    """

    def __init__(
        self, message: str, status: int | None, reason: str, code: Json, retry_after: str | None = None, body: str = ""
    ) -> None:
        is_transient = (code if status is None else status) in RETRIED
        super().__init__(message, status, is_transient=is_transient, wait=sse.seconds(retry_after))
        self.reason, self.code, self.retry_after, self.body = reason, code, retry_after, body


class CompletionsClient:
    """Asks one server, which errors call `name`. They are `ModelError`, and show nothing that `redact` blanks.

    `most` are the bytes that an event may have, or an answer that does not stream; `MAX_EVENT` by default.
    """

    def __init__(self, name: str, redact: Redactor, most: int | None = None) -> None:
        self._name, self._redact, self._most = name, redact, most
        self._unknown = frozenset[str]()
        """The dispensable members without which the server has answered."""

    async def objects(
        self, client: httpx.AsyncClient, url: str, headers: Mapping[str, str], asked: Mapping[str, Json] | None = None
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The objects of an answer as they arrive: events of a stream, or one that does not stream; then `DONE`.

        A stream that is cut off has no `DONE`. With nothing `asked` it is a GET. Raises ModelError, httpx.HTTPError.
        """
        most = sse.MAX_EVENT if self._most is None else self._most
        decoder, is_done = sse.EventDecoder(most), False
        async with self._response(client, url, headers, asked) as response:
            pieces = sse.pieces(response, sse.MAX_STREAM)
            if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
                body = await sse.whole(response, most)
                if not body.startswith((b"data:", b"event:", b":")):
                    yield [self._object(body), DONE]
                    return
                pieces = _one(body)  # events under another name
            try:
                async for piece in pieces:
                    if data := decoder.feed(piece):
                        is_done = data[-1].strip() == b"[DONE]"
                        yield [self._object(one) for one in data if one]
                        if is_done:
                            return
                # What no empty line ends is an event, or the half of one.
                if data := [one for one in decoder.close() if _value(one) is not None]:
                    yield [self._object(one) for one in data]
            finally:
                if is_done:
                    await _exhaust(pieces)

    @asynccontextmanager
    async def _response(
        self, client: httpx.AsyncClient, url: str, headers: Mapping[str, str], asked: Mapping[str, Json] | None
    ) -> AsyncIterator[httpx.Response]:
        """The response to a request, which is made again without those dispensable members that a refusal names.

        They are left out from then on only if the server then answers: a refusal may quote the whole request.
        """
        import httpx

        sent = httpx.Headers({"content-type": "application/json", "accept-encoding": sse.ENCODINGS})
        sent.update(headers)
        unknown = self._unknown
        while True:
            request = None if asked is None else without(asked, unknown)
            method, content = ("GET", None) if request is None else ("POST", encode(request))
            async with client.stream(method, url, content=content, headers=sent) as response:
                if response.is_success:
                    self._unknown |= unknown
                    try:
                        yield response
                    except ModelError as error:  # it may quote what the server sent
                        error.args = (self.line(str(error), _REASON),)
                        raise
                    return
                refusal = await self._refusal(response)
            named = {one for one in DISPENSABLE if one in refusal.body}
            if refusal.status not in (400, 422) or not request or without(request, named) == request:
                raise refusal
            LOG.info("retry without=%s status=%d", ",".join(sorted(named)), refusal.status)
            unknown |= named

    async def _refusal(self, response: httpx.Response) -> RefusedError:
        """The refusal that a response without success holds."""
        import httpx

        text, status = "", response.status_code
        with suppress(httpx.HTTPError, ModelError):  # the status says enough
            text = self._redact(await sse.start(response))
        try:
            reason, code = self._reason(json.loads(text))
            shown = f": {reason}"
        except (ValueError, RecursionError):
            kind = self.line(response.headers.get("content-type", "")).partition(";")[0]
            reason, code = "", None
            shown = f"{'' if kind in ('', 'application/json') else f' with {kind}'}: {self.line(text) or 'nothing'}"
        retry_after = self._redact(response.headers.get("retry-after", "")) or None
        return RefusedError(f"{self._name} answers {status}{shown}", status, reason, code, retry_after, text)

    def _object(self, data: bytes) -> dict[str, Any]:
        """An object that the server sends. Raises ModelError for anything else, and for one that is an error."""
        value = _value(data)
        if not isinstance(value, dict):
            shown = self.line(data.decode("utf-8", "replace"))
            raise ModelError(f"expected JSON objects from {self._name}, got `{shown}`")
        if value.get("error"):
            reason, code = self._reason(value)
            raise RefusedError(f"{self._name} says: {reason}", None, reason, code)
        return value

    def _reason(self, value: Any) -> tuple[str, Json]:
        """The sentence and the code of an error object, whichever of the usual forms it has."""
        error = value.get("error", value.get("detail", value)) if isinstance(value, dict) else value
        code = error.get("code") if isinstance(error, dict) else None
        code = self.line(code) if isinstance(code, str) else code
        said = error.get("message", error) if isinstance(error, dict) else error
        return self.line(said if isinstance(said, str) else json.dumps(said), _REASON), code

    def line(self, text: str, most: int = _SHOWN) -> str:
        """`text` in one short line, without secrets: servers quote what they refuse."""
        text = " ".join(self._redact(text).split())
        return cut("".join(c if c.isprintable() else "�" for c in text), most)


def without(request: Mapping[str, Json], names: Collection[str]) -> dict[str, Json]:
    """A request without these members, in its messages too; `None` in the options leaves one out."""
    left = {name: value for name, value in request.items() if name not in names and value is not None}
    messages = left.get("messages")
    if isinstance(messages, list):
        left["messages"] = [
            {name: value for name, value in one.items() if name not in names} if isinstance(one, dict) else one
            for one in messages
        ]
    return left


def _value(data: bytes) -> Json:
    """Value of an event: `DONE`, or a JSON value; None where it is neither."""
    if data.strip() == b"[DONE]":
        return DONE
    try:
        return decode(data)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


async def _one(piece: bytes) -> AsyncIterator[bytes]:
    yield piece


async def _exhaust(pieces: AsyncIterator[bytes]) -> None:
    """Reads to the end of what is left, if that comes soon."""
    import httpx

    with suppress(TimeoutError, ModelError, httpx.HTTPError):  # the answer is whole
        async with asyncio.timeout(LINGER):
            async for _ in pieces:
                pass

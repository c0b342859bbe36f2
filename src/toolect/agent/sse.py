"""Server-sent events: what a chat-completions server sends, unpacked in pieces and within bounds."""

from __future__ import annotations

import codecs
import json
import math
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolect.agent.errors import ModelError

if TYPE_CHECKING:
    import httpx

MAX_LINE = 16 << 20
"""Characters that one event of a stream, or an answer that is none, may have. Beyond it: `ModelError`."""
MAX_STREAM = 256 << 20
"""Characters that a stream may have, its events and what is between them. Beyond it: `ModelError`."""
ENCODINGS = "gzip, deflate"
"""Compressions that are asked for."""
_STEP = 64
"""Bytes that are unpacked at a time: some of them become a thousand, in Zstandard tens of thousands."""
_EVENT_END = re.compile(r"\n\n|\r\r|\r\n\r\n")


async def events(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The data of each server-sent event; one that no empty line ends was cut off, and is left out."""
    from httpx_sse import EventSource

    source: Any = _BoundedText(response)
    async for event in EventSource(source).aiter_sse():
        if event.data:
            yield event.data


class _BoundedText:
    """The text of a response as `httpx_sse` reads it, bounded in all and from one event to the next."""

    def __init__(self, response: httpx.Response) -> None:
        self.headers = response.headers
        self._response = response

    async def aiter_text(self) -> AsyncIterator[str]:
        size = whole = 0
        tail = ""
        async for piece in texts(self._response):
            whole = _within(whole + len(piece), MAX_STREAM, "an answer")
            tail += piece
            ends = [*_EVENT_END.finditer(tail)]
            size = _within(len(tail) - ends[-1].end() if ends else size + len(piece), MAX_LINE, "events")
            tail = tail[-3:]
            yield piece


async def texts(response: httpx.Response) -> AsyncIterator[str]:
    """The text of an answer in pieces. Raises `ModelError` for a compression that cannot be bounded, or is broken."""
    name = response.headers.get("content-encoding", "identity").strip().lower()
    unpack = _unpacker(name)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    async for data in response.aiter_raw():
        step = _STEP if unpack else len(data) or 1
        for i in range(0, len(data), step):
            try:
                piece = decode(unpack(data[i : i + step]) if unpack else data)
            except Exception as error:  # each compression has errors of its own
                raise ModelError(f"expected an answer in {name}, got one that does not unpack: {error}") from None
            if piece:
                yield piece


def _unpacker(name: str) -> Callable[[bytes], bytes] | None:
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(47).decompress  # both, by their beginning
    if name == "zstd":
        try:
            import zstandard

            return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj().decompress
        except ImportError:
            pass
    if name not in ("", "identity"):
        raise ModelError(f"expected an answer as it is or in {ENCODINGS}, got one in `{name[:40]}`")
    return None


async def whole(response: httpx.Response) -> str:
    """The text of an answer that is no stream."""
    pieces, size = [], 0
    async for piece in texts(response):
        size = _within(size + len(piece), MAX_LINE, "an answer")
        pieces.append(piece)
    return "".join(pieces)


async def start(response: httpx.Response) -> str:
    """The beginning of an answer, which may be endless."""
    text = ""
    async for piece in texts(response):
        text += piece
        if len(text) > 10_000:
            break
    return text


def choices(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first choice of a chunk, with what the chunk says of the whole: `usage` and `model`; maybe that alone."""
    found = value.get("choices")
    choice = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else {}
    whole = {key: value[key] for key in ("usage", "model") if value.get(key)}
    return [{**choice, **whole}] if choice or "usage" in whole else []


def reason(value: Any) -> str:
    """The message of an error object, whichever of the usual forms it has."""
    error = value.get("error", value.get("detail", value)) if isinstance(value, dict) else value
    if isinstance(error, dict):
        error = error.get("message", error)
    return error if isinstance(error, str) else json.dumps(error)


def seconds(header: str | None) -> float | None:
    """The wait that a `Retry-After` asks for; nothing where it is a date, or makes no sense."""
    try:
        wait = float(header) if header else math.nan
    except ValueError:
        return None  # a date: the usual waiting does
    return None if math.isnan(wait) else max(wait, 0.0)


def _within(size: int, most: int, what: str) -> int:
    if size > most:
        raise ModelError(f"expected {what} of at most {most} characters, got more")
    return size

"""Server-sent events: what a server of completions sends, unpacked in pieces and within bounds."""

from __future__ import annotations

import math
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolect.agent.errors import ModelError

if TYPE_CHECKING:
    import httpx

MAX_EVENT = 16 << 20
"""Bytes that one event of a stream, or an answer that is none, may have. Beyond it: `ModelError`."""
MAX_STREAM = 256 << 20
"""Bytes that a stream may have, its events and what is between them. Beyond it: `ModelError`."""
MAX_REFUSAL = 1 << 16
"""Bytes of a refusal that are looked at."""
ENCODINGS = "gzip, deflate"
"""Compressions that are asked for."""
_STEP = 64
"""Bytes that are unpacked at a time: some of them become a thousand, in Zstandard tens of thousands."""


class EventDecoder:
    """Server-sent events as bytes arrive: the data of each. Raises ModelError for one of more than `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most, self._rest = most, [b""]
        self._size = self._open = 0
        """Bytes of the event so far: of its lines, and of the last one, which is not over."""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that end in a piece."""
        found: list[bytes] = []
        if b"\n" in piece or b"\r" in piece:
            text = b"".join([*self._rest, piece])
            if b"\r" in text:
                held = text.endswith(b"\r")  # it may be half of a line's end
                text = text[: len(text) - held].replace(b"\r\n", b"\n").replace(b"\r", b"\n") + b"\r" * held
            *lines, piece = text.split(b"\n")
            self._rest, self._open = [], 0
            found = [data for line in lines if (data := self._line(line)) is not None]
        self._rest.append(piece)
        self._open += len(piece)
        _check(self._size + self._open, self._most, "events")
        return found

    def close(self) -> list[bytes]:
        """The data of what no empty line ended."""
        return [data for line in (b"".join(self._rest).rstrip(b"\r"), b"") if (data := self._line(line)) is not None]

    def _line(self, line: bytes) -> bytes | None:
        self._size += len(line) + 1
        if line.startswith((b"data:", b"\xef\xbb\xbfdata:")):  # a stream may begin with a byte order mark
            self._data.append(line.partition(b":")[2].removeprefix(b" "))
        elif not line:
            self._size, data, self._data = 0, self._data, []
            return b"\n".join(data) if data else None
        return None


async def pieces(response: httpx.Response, most: int) -> AsyncIterator[bytes]:
    """The bytes of an answer as they arrive.

    Raises `ModelError` for more than `most` bytes, packed or not, for a compression without a bound, and for a broken
    one.
    """
    name, packed, size = response.headers.get("content-encoding", "identity").strip(), 0, 0
    unpacker = _unpacker(name)
    async for data in response.aiter_raw():
        packed += len(data)
        _check(packed, most, "an answer")  # nothing may be left of it: blocks without a text, what follows the last one
        for piece in (data,) if unpacker is None else _unpacked(data, unpacker, name):
            size += len(piece)
            _check(size, most, "an answer")
            yield piece


def _unpacked(data: bytes, unpacker: Any, name: str) -> Iterator[bytes]:
    try:
        for i in range(0, len(data), _STEP):
            if unpacker.eof:  # it would keep all that follows
                return
            yield unpacker.decompress(data[i : i + _STEP])
    except Exception as error:  # each compression has errors of its own
        raise ModelError(f"expected an answer in {name}, got one that does not unpack: {error}") from None


def _unpacker(name: str) -> Any:
    """An object with `decompress` and `eof`; None where nothing is packed."""
    if name.lower() in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(47)  # both, by their beginning
    if name.lower() == "zstd":
        try:
            import zstandard

            return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
        except ImportError:
            pass
    if name.lower() not in ("", "identity"):
        raise ModelError(f"expected an answer as it is or in {ENCODINGS}, got one in `{name}`")
    return None


async def whole(response: httpx.Response, most: int) -> bytes:
    """An answer that is no stream. Raises `ModelError` for one of more than `most` bytes."""
    return b"".join([piece async for piece in pieces(response, most)])


async def start(response: httpx.Response) -> str:
    """The beginning of an answer, which may be endless."""
    found = b""
    async for piece in pieces(response, MAX_STREAM):
        found += piece
        if len(found) > MAX_REFUSAL:
            break
    return found.decode("utf-8", "replace")


def choices(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first choice of a chunk, with what the chunk says of the whole: `usage` and `model`; maybe that alone."""
    found = value.get("choices")
    choice = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else {}
    whole = {key: value[key] for key in ("usage", "model") if value.get(key)}
    return [{**choice, **whole}] if choice or "usage" in whole else []


def seconds(header: str | None) -> float | None:
    """The wait that a `Retry-After` asks for; nothing where it is a date, or makes no sense."""
    try:
        wait = float(header) if header else math.nan
    except ValueError:
        return None  # a date: the usual waiting does
    return None if math.isnan(wait) else max(wait, 0.0)


def _check(size: int, most: int, what: str) -> None:
    if size > most:
        raise ModelError(f"expected {what} of at most {most} bytes, got more")

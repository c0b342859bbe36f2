"""What a chat-completions server sends: JSON, or server-sent events of it, within bounds."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from toolect.agent.errors import ModelError

if TYPE_CHECKING:
    import httpx

MAX_LINE = 16 << 20
"""Characters that one event of a stream, or an answer that is none, may have. Beyond it: `ModelError`."""
MAX_STREAM = 256 << 20
"""Characters that a stream may have, its events and what is between them. Beyond it: `ModelError`."""


async def events(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The data of each server-sent event; one that no empty line ends was cut off, and is left out."""
    data: list[str] = []
    size = 0
    async for line in _lines(response):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
            size = _within(size + len(line), MAX_LINE, "events")
        elif not line and data:
            yield "\n".join(data)
            data.clear()
            size = 0


async def whole(response: httpx.Response) -> str:
    """The text of an answer that is no stream."""
    pieces, size = [], 0
    async for piece in response.aiter_text():
        size = _within(size + len(piece), MAX_LINE, "an answer")
        pieces.append(piece)
    return "".join(pieces)


async def start(response: httpx.Response) -> str:
    """The beginning of an answer, which may be endless."""
    text = ""
    async for piece in response.aiter_text():
        text += piece
        if len(text) > 10_000:
            break
    return text


def choices(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first choice of a chunk, with what the chunk says of the whole: `usage` and `model`; maybe that alone."""
    found = value.get("choices")
    choice = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else {}
    told = {key: value[key] for key in ("usage", "model") if value.get(key)}
    return [{**choice, **told}] if choice or "usage" in told else []


def reason(value: Any) -> str:
    """What an error object says, whichever of the usual forms it has."""
    error = value.get("error", value.get("detail", value)) if isinstance(value, dict) else value
    if isinstance(error, dict):
        error = error.get("message", error)
    return error if isinstance(error, str) else json.dumps(error)


def seconds(header: str | None) -> float | None:
    """How long a `Retry-After` says to wait; nothing where it is a date, or makes no sense."""
    try:
        wait = float(header) if header else math.nan
    except ValueError:
        return None  # a date: the usual waiting does
    return None if math.isnan(wait) else max(wait, 0.0)


def _within(size: int, most: int, what: str) -> int:
    """`size`, where that is not too large."""
    if size > most:
        raise ModelError(f"expected {what} of at most {most} characters, got more")
    return size


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """The lines of a stream. Only line feeds and carriage returns end one: JSON may hold any other separator."""
    rest: list[str] = []
    size = whole = 0
    held = ""  # a carriage return at the end of a piece may be half of a line's end
    async for piece in response.aiter_text():
        whole = _within(whole + len(piece), MAX_STREAM, "an answer")
        piece = held + piece
        held = "\r" if piece.endswith("\r") else ""
        *lines, tail = piece.removesuffix(held).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            yield "".join(rest) + line
            rest.clear()
            size = 0
        rest.append(tail)
        size = _within(size + len(tail), MAX_LINE, "events")
    yield "".join(rest)

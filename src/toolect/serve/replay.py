"""Replay: answers from a file instead of an upstream, for tests of clients."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from toolect._errors import ToolectError
from toolect._message import Json
from toolect.agent.completions_client import DONE
from toolect.serve.api_errors import RequestError


class ReplayError(ToolectError, ValueError):
    """A file of answers that cannot be read: what was expected, and in which line."""


class ReplayRow(msgspec.Struct, forbid_unknown_fields=True):
    """One answer: the text of a model, or what goes wrong instead."""

    text: str = ""
    """What the model writes, markup and all."""
    finish_reason: str | None = "stop"
    """None: the upstream dies after the text."""
    chunk: Annotated[int, msgspec.Meta(ge=1)] = 8
    """Characters of a piece of a stream."""
    delay: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Seconds before each piece."""
    status: Annotated[int, msgspec.Meta(ge=200, lt=600)] = 200
    """Another status is answered with `error`."""
    error: str = "an error of the file"
    retry_after: str | None = None
    usage: dict[str, int] | None = None
    when: str = ""
    """Answers requests only in which this text stands."""
    model: str = "replay"


def read_rows(path: Path) -> list[ReplayRow]:
    """The answers of a file of JSON lines. Raises ReplayError, OSError."""
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line, type=ReplayRow))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            why = f"expected an answer as a JSON object at line {number} of {path}, got another: {error}"
            raise ReplayError(why) from None
    if not rows:
        raise ReplayError(f"expected answers, got none - in {path}")
    return rows


class ReplayUpstream:
    """Gives the answers of a file one after the other, and from the first one again."""

    def __init__(self, path: Path) -> None:
        self._rows = read_rows(path)
        self._turn = itertools.cycle(range(len(self._rows)))

    async def aclose(self) -> None:
        """Nothing."""

    def _next(self, body: Mapping[str, Json]) -> ReplayRow:
        said = str(body.get("prompt", body.get("messages")))
        for index in itertools.islice(self._turn, len(self._rows)):
            if self._rows[index].when in said:
                return self._rows[index]
        raise RequestError(404, "no answer of the file is for this request", code="no_answer")

    async def batches(
        self,
        path: str,
        body: dict[str, Json] | None,
        headers: Mapping[str, str],  # noqa: ARG002  # as an upstream's
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of an answer, or all of it; the models of the file. Raises RequestError."""
        if path == "/models":
            names = dict.fromkeys(row.model for row in self._rows)
            listed = [{"id": name, "object": "model", "created": 0, "owned_by": "toolect"} for name in names]
            yield [{"object": "list", "data": listed}]
            return
        if body is None or path == "/tokenize":
            raise RequestError(404, "there is no such thing in a replay")
        row = self._next(body)
        if row.status != 200:
            raise RequestError(row.status, row.error, retry=row.retry_after)
        broken, streams = row.finish_reason is None, body.get("stream")

        def chunk(text: str, finish: str | None = None) -> dict[str, Json]:
            said: dict[str, Json] = {"role": "assistant", "content": text}
            said = {"text": text} if path == "/completions" else {"delta" if streams else "message": said}
            choices = [{"index": index, **said, "finish_reason": finish} for index in range(body.get("n", 1))]
            return {"choices": choices, "usage": None if finish is None else row.usage}

        for at in range(0, len(row.text) if streams else 0, row.chunk):
            await asyncio.sleep(row.delay)
            yield [chunk(row.text[at : at + row.chunk])]
        if broken and not (streams and row.text):
            raise RequestError(502, "the upstream broke off", code="upstream_broke_off")
        if not broken:
            await asyncio.sleep(row.delay)
            yield [chunk("" if streams else row.text, row.finish_reason), DONE]

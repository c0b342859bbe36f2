"""Replay: answers from a file instead of an upstream, for tests of clients."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from toolect._errors import ToolectError
from toolect._message import Json
from toolect.serve.api_errors import RequestError
from toolect.serve.upstream import DONE


class ReplayError(ToolectError, ValueError):
    """A file of answers that cannot be read: what was expected, and in which line."""


class ReplayRow(msgspec.Struct, forbid_unknown_fields=True):
    """One answer: the text of a model, or what goes wrong instead."""

    text: str = ""
    """What the model writes, markup and all."""
    finish_reason: str | None = "stop"
    """None: the upstream dies after the text."""
    chunk: int = 8
    """Characters of a piece of a stream."""
    delay: float = 0.0
    """Seconds before each piece."""
    status: int = 200
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
            row = msgspec.json.decode(line, type=ReplayRow)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ReplayError(
                f"expected an answer as a JSON object, got {error} - at line {number} of {path}"
            ) from None
        if row.chunk < 1 or row.delay < 0 or not 200 <= row.status < 600:
            wanted = "`chunk` of 1 or more, `delay` of 0 or more and `status` of 200 to 599"
            raise ReplayError(f"expected {wanted}, got others - at line {number} of {path}")
        rows.append(row)
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
        body: dict[str, Json],
        headers: Mapping[str, str],  # noqa: ARG002  # as an upstream's
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of an answer, or all of it. Raises RequestError."""
        row = self._next(body)
        if row.status != 200:
            raise RequestError(row.status, row.error, retry=row.retry_after)
        raw, usage = path == "/completions", row.usage

        def choice(text: str, finish: str | None, key: str = "delta") -> dict[str, Json]:
            said = {"text": text} if raw else {key: {"role": "assistant", "content": text}}
            return {"choices": [{"index": 0, **said, "finish_reason": finish}]}

        if not body.get("stream"):
            await asyncio.sleep(row.delay)
            if row.finish_reason is None:
                raise RequestError(502, "the upstream broke off", code="upstream_broke_off")
            yield [choice(row.text, row.finish_reason, "message") | ({"usage": usage} if usage else {})]
            return
        for at in range(0, len(row.text), row.chunk):
            await asyncio.sleep(row.delay)
            yield [choice(row.text[at : at + row.chunk], None)]
        if row.finish_reason is not None:
            last = choice("", row.finish_reason)
            yield [last, {"choices": [], "usage": usage}, DONE] if usage else [last, DONE]
        elif not row.text:
            raise RequestError(502, "the upstream broke off", code="upstream_broke_off")

    async def ask(self, path: str, headers: Mapping[str, str], body: dict[str, Json] | None = None) -> Json:  # noqa: ARG002  # as an upstream's
        """The models of the file. Raises RequestError for anything else."""
        if path != "/models":
            raise RequestError(404, "there is no such thing in a replay")
        names = dict.fromkeys(row.model for row in self._rows)
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "toolect"} for name in names]
        return {"object": "list", "data": listed}

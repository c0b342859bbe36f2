"""Upstream: the model's server, asked over HTTP as the client would ask it, or answers from a file instead."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Protocol

import httpx
import msgspec

from toolect._errors import ToolectError
from toolect._message import Json
from toolect.agent.completions_client import DONE, CompletionsClient, RefusedError, decode
from toolect.agent.errors import ModelError
from toolect.agent.redaction import Redactor, url_secrets
from toolect.serve.api_errors import RequestError
from toolect.serve.serve_options import ServeOptions

PASSED = ("authorization", "openai-organization", "openai-project", "traceparent", "user-agent", "x-request-id")
"""The headers of a client that the upstream is sent."""
ROOTED = ("/props", "/tokenize")
"""Paths that stand beside `/v1`, and not below it."""
UNREACHED = ("upstream_unreachable", "upstream_timeout", "upstream_broke_off")
"""The codes of errors of connections."""


class Upstream(Protocol):
    """Server of completions, or a replay of one."""

    def batches(
        self, path: str, body: dict[str, Json] | None, headers: Mapping[str, str]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of a stream as they arrive, or one whole answer, and `DONE`; without a body what can be fetched.

        Raises RequestError.
        """

    async def aclose(self) -> None:
        """End all connections."""


async def ask(upstream: Upstream, path: str, headers: Mapping[str, str], body: dict[str, Json] | None = None) -> Json:
    """The first object that the upstream answers to a GET, or to a body. Raises RequestError."""
    async with aclosing(upstream.batches(path, body, headers)) as batches:
        async for batch in batches:
            if batch:
                return batch[0]
    return {}


class HttpUpstream:
    """A server of completions at a URL."""

    def __init__(self, options: ServeOptions) -> None:
        self._key, self._base = options.key, options.upstream.rstrip("/")
        redact = Redactor([options.key, *url_secrets(options.upstream)])
        self._server = CompletionsClient("the upstream", redact, options.max_line)
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
        self, path: str, body: dict[str, Json] | None, headers: Mapping[str, str]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of an answer as they arrive. Raises RequestError."""
        passed = {name: headers[name] for name in PASSED if headers.get(name, "\xff").isascii()}
        if (key := self._key or headers.get("x-api-key", "")) and key.isascii():
            passed["authorization"] = f"Bearer {key}"
        passed["accept-encoding"] = "identity"
        base = self._base.removesuffix("/v1") if path in ROOTED else self._base
        with _refused():
            async with aclosing(self._server.objects(self._client, base + path, passed, body)) as batches:
                async for batch in batches:
                    yield batch


@contextmanager
def _refused() -> Iterator[None]:
    """Raise errors of the upstream as RequestError for the client: without its address or a key."""
    try:
        yield
    except RefusedError as error:
        status = 502 if error.status is None or error.status < 400 else error.status
        code = error.code if isinstance(error.code, str) else None
        raise RequestError(
            status, error.reason or str(error), code=code, retry=error.retry_after,
            from_upstream=error.status is not None,
        ) from None  # fmt: skip
    except ModelError as error:
        raise RequestError(502, str(error), code="upstream_nonsense") from None
    except (httpx.ConnectError, httpx.UnsupportedProtocol):
        raise RequestError(502, "the upstream cannot be reached", code="upstream_unreachable") from None
    except httpx.TimeoutException as error:
        why = f"the upstream was silent for too long ({type(error).__name__})"
        raise RequestError(504, why, code="upstream_timeout") from None
    except httpx.HTTPError as error:
        raise RequestError(502, f"the upstream broke off ({type(error).__name__})", code="upstream_broke_off") from None


# Replay, for tests of clients


class ReplayError(ToolectError, ValueError):
    """A file of answers that cannot be read: what was expected, and in which line."""


class ReplayRow(msgspec.Struct, forbid_unknown_fields=True):
    """One answer: the text of a model, or what goes wrong instead."""

    text: str = ""
    """Text of the model, markup and all."""
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
            rows.append(msgspec.convert(decode(line), ReplayRow))
        except (ValueError, RecursionError) as error:
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

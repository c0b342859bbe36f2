"""Upstream: the model's server, asked over HTTP as the client would ask it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any, Protocol

import httpx

from toolect._message import Json
from toolect.agent.completions_client import CompletionsClient, RefusedError
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
    """Whatever answers requests for completions."""

    def batches(
        self, path: str, body: dict[str, Json] | None, headers: Mapping[str, str]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """The chunks of a stream as they arrive, or one whole answer, and `DONE`; without a body what can be fetched.

        Raises RequestError.
        """

    async def aclose(self) -> None:
        """End all connections."""


async def ask(upstream: Upstream, path: str, headers: Mapping[str, str], body: dict[str, Json] | None = None) -> Json:
    """What can be fetched there, or is answered to a body. Raises RequestError."""
    async with aclosing(upstream.batches(path, body, headers)) as batches:
        async for batch in batches:
            return batch[0] if batch else {}


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
    """Whatever goes wrong with the upstream, as what the client is answered: without its address or a key."""
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

"""Errors of a request, with their HTTP status, in the form of each API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from toolect._errors import ToolectError
from toolect._message import Json, MessageError
from toolect._rendered import RenderError

ApiName: TypeAlias = Literal["chat", "messages", "responses"]

_INVALID = "invalid_request_error"
_OPENAI = {400: _INVALID, 401: "authentication_error", 403: "permission_error", 404: _INVALID, 405: _INVALID,
           409: "conflict_error", 413: _INVALID, 422: _INVALID, 429: "rate_limit_error"}  # fmt: skip
_ANTHROPIC = {400: _INVALID, 401: "authentication_error", 402: "billing_error", 403: "permission_error",
              404: "not_found_error", 405: _INVALID, 413: "request_too_large", 422: _INVALID, 429: "rate_limit_error",
              503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error"}  # fmt: skip


class RequestError(ToolectError):
    """Error in a request, or in answering it: an HTTP status, a sentence, and where.

    `from_upstream` says that the status is the upstream's own.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry: str | None = None,
        from_upstream: bool = False,
    ) -> None:
        super().__init__(message)
        self.from_upstream = from_upstream
        self.status, self.message, self.code, self.param, self.retry = status, message, code, param, retry

    @property
    def kind(self) -> str:
        """Kind of the error, in one word without anything of the request."""
        return self.code or ("upstream_refused" if self.from_upstream else f"refused_{self.status}")

    def headers(self) -> dict[str, str]:
        """The header with the wait before another try, if any."""
        return {} if self.retry is None else {"retry-after": self.retry}

    def status_for(self, api: ApiName) -> int:
        """The status, as the API has it."""
        return 529 if api == "messages" and self.code == "overloaded" else self.status

    def body(self, api: ApiName) -> dict[str, Json]:
        """The body of the answer."""
        if api == "messages":
            kind = _ANTHROPIC.get(self.status_for(api), "api_error")
            return {"type": "error", "error": {"type": kind, "message": self.message}}
        kind = _OPENAI.get(self.status, "server_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


@contextmanager
def refusing() -> Iterator[None]:
    """Raise errors of messages or tools that cannot be read, or not be written for the model, as RequestError."""
    try:
        yield
    except MessageError as error:
        raise RequestError(400, str(error), param=error.where) from None
    except RenderError as error:
        raise RequestError(400, str(error)) from None
    except RecursionError:
        raise RequestError(400, "expected values that are nested less deeply, got too deep a nesting") from None

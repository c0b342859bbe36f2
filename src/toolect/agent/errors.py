"""Errors of agents: how a run ends without an answer, each with the conversation so far; and what tools raise."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._errors import ToolectError
from toolect._turns import Turn


class AgentError(ToolectError):
    """The agent stopped without an answer; `history` is the conversation until then."""

    def __init__(self, message: str, history: Sequence[Turn] = ()) -> None:
        super().__init__(message)
        self.history: list[Turn] = [*history]


class MaxIterationsError(AgentError):
    """The model was asked as often as it may be, and still makes calls."""


class UnreadableCallsError(AgentError):
    """The model wrote calls that cannot be read, again and again."""


class RetryLimitError(AgentError):
    """Answers were sent back again and again: by tools, or because they are not of the type that was asked for."""


class UnparsedCallsError(AgentError):
    """The server left calls in the text, and no parser was there for them: `dialect` is what they look like."""

    def __init__(self, message: str, history: Sequence[Turn] = (), dialect: str = "") -> None:
        super().__init__(message, history)
        self.dialect = dialect


class AbortedError(AgentError):
    """The run was cancelled."""


class ModelError(AgentError):
    """The server did not answer as it should; `status` is its HTTP status, if there was one.

    Asking again may help where it `is_transient`, after `wait` seconds where the server says so.
    """

    def __init__(
        self, message: str, status: int | None = None, history: Sequence[Turn] = (), *, is_transient: bool = False,
        wait: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message, history)
        self.status, self.is_transient, self.wait = status, is_transient, wait


class ToolsRefusedError(ModelError):
    """The server has no tools, not for this model or not as it was started."""


class RetryError(ToolectError):
    """Error of a tool that sends the call back to the model with this message, which says what to do otherwise."""


class ToolError(ToolectError):
    """Error of a tool whose call failed: the model reads this message and no more."""


class ToolDefinitionError(ToolectError, ValueError):
    """A tool that cannot be offered: the message says what was expected, what came, and where."""

"""How a run ends without an answer: every error has the conversation so far."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._errors import ToolectError
from toolect._turns import Turn


class AgentError(ToolectError):
    """The agent stopped without an answer; `history` is what was said until then."""

    def __init__(self, message: str, history: Sequence[Turn] = ()) -> None:
        super().__init__(message)
        self.history: list[Turn] = [*history]


class MaxIterations(AgentError):  # what happened
    """The model was asked as often as it may be, and still makes calls."""


class Unreadable(AgentError):  # what happened
    """The model wrote calls that cannot be read, again and again."""


class SentBack(AgentError):  # what happened
    """What the model wrote was sent back again and again: by its tools, or because it is not what was asked for."""


class UnreadCalls(AgentError):  # what happened
    """The server gave calls of tools as text: `dialect` is what they look like."""

    def __init__(self, message: str, history: Sequence[Turn] = (), dialect: str = "") -> None:
        super().__init__(message, history)
        self.dialect = dialect


class Aborted(AgentError):  # what happened
    """The run was cancelled."""


class ModelError(AgentError):  # what it is, as `OSError` is
    """The server did not answer as it should; `status` is its HTTP status, if there was one."""

    def __init__(self, message: str, status: int | None = None, history: Sequence[Turn] = ()) -> None:
        super().__init__(message, history)
        self.status = status


class ToolsRefused(ModelError):  # what happened
    """The server has no tools, not for this model or not as it was started."""


class Retry(Exception):
    """Raised by a tool: the call is sent back to the model with this message, which says what to do otherwise."""


class Failed(Exception):
    """Raised by a tool: the call failed, and the model is told this message and no more."""

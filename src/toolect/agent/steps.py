"""The steps of a run, for whoever traces it: each is given to a context manager that is open while it lasts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolect._message import Call, Json, Message
from toolect._turns import ToolResult, Turn
from toolect.agent.outcome import Ended, Result


@dataclass(slots=True)
class RunStep:
    """A run: the user's message, if there is one; `result` when it has come to its end."""

    message: str | None
    result: Result[Any] | None = None


@dataclass(slots=True)
class ModelStep:
    """A request to the model: what it is told, and under which `name` it is asked; its answer when that is there."""

    name: str
    turns: list[Turn]
    tools: list[dict[str, Json]]
    message: Message | None = None
    ended: Ended | None = None


@dataclass(slots=True)
class ToolStep:
    """The execution of a call that fits its tool and is approved; `result` when it is there."""

    call: Call
    call_id: str
    result: ToolResult | None = None


Step: TypeAlias = RunStep | ModelStep | ToolStep
Around: TypeAlias = Callable[[Step], AbstractContextManager[Any]]
"""A context manager for each step: entered as it begins, left when it ends, with the error if there is one."""

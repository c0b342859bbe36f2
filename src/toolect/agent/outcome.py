"""Events, steps and result of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from toolect._events import Event
from toolect._exchange.openai_messages import messages_of
from toolect._message import Call, Json, Message, kind_of
from toolect._turns import ToolResult, Turn

T = TypeVar("T")


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the server counts them, 0 where it does not, and the requests that were answered."""

    input_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.requests + other.requests,
        )

    @classmethod
    def from_openai(cls, usage: Any) -> Usage:
        """The usage of one answer, from a server's `usage` object, or from nothing."""
        usage = usage if isinstance(usage, dict) else {}
        counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
        sent, got = (count if type(count) is int and count >= 0 else 0 for count in counts)
        return cls(sent, got, 1)


NO_USAGE = Usage()


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The end of an answer, which a model may yield last: why (`stop`, `length`, …), at what cost, by which model."""

    finish: str | None = None
    usage: Usage = Usage(requests=1)
    model: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.usage, Usage):
            raise TypeError(f"expected a Usage, got {kind_of(self.usage)}: `Usage.from_openai` reads a server's")

    def after(self, choice: Mapping[str, Any]) -> Ended:
        """The end of an answer, after one more choice of its chunks."""
        finish, model = choice.get("finish_reason"), choice.get("model")
        return Ended(
            finish if isinstance(finish, str) else self.finish,
            Usage.from_openai(choice["usage"]) if "usage" in choice else self.usage,
            model if isinstance(model, str) else self.model,
        )


class ToolStarted(msgspec.Struct, frozen=True, tag="tool-started"):
    """Call `index` of this answer is being executed: it fits its tool, and is approved."""

    index: int
    call: Call


class ToolFinished(msgspec.Struct, frozen=True, tag="tool-finished"):
    """The result of call `index` of this answer, also of one that never ran; results may come in any order."""

    index: int
    result: ToolResult


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """The model has finished an answer. Unless it was the `last`, another one will follow."""

    message: Message
    last: bool = True
    finish: str | None = None


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The run has come to its end: `result` is what `run` returns."""

    result: Result[Any]


AgentEvent: TypeAlias = Event | ToolStarted | ToolFinished | Answered | Done


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """The result of a run.

    `output` is the text of the last answer, or what the run's `output` asked for. `history` is the whole
    conversation, ready for the next run; `calls` and `results` are those of this run, each call's in its order.
    `finish` is why the last answer ended, in the server's word.
    """

    output: T
    message: Message
    history: list[Turn]
    calls: tuple[Call, ...] = ()
    results: tuple[ToolResult, ...] = ()
    usage: Usage = NO_USAGE
    finish: str | None = None

    @property
    def text(self) -> str:
        """The content of the last answer."""
        return self.message.content

    @property
    def cut(self) -> bool:
        """True when the server's limit ended the answer: a run without a message goes on with it."""
        return self.finish == "length"

    @property
    def messages(self) -> list[dict[str, Json]]:
        """The conversation as chat-completions messages."""
        return messages_of(self.history)

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class RunStep:
    """A run: the user's message, if there is one; `result` when it has come to its end."""

    message: str | None
    result: Result[Any] | None = None


@dataclass(slots=True)
class ModelStep:
    """A request to the model: its turns and tools, the `name` of the model, and the answer when that is there."""

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

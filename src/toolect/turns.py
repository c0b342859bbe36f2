"""The turns of a conversation, as plain data: what the system, the user, the model and its tools say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from toolect.message import Call, Json, Message


class System(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="system"):
    """What the model is told before all else; `developer` when a developer says it, and not the platform."""

    text: str
    developer: bool = False


class User(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="user"):
    """What the user says."""

    text: str


class Assistant(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="assistant"):
    """What the model answered.

    `text` is the wire text as it was sampled, without its end token, where there is one; `dialect` names the dialect
    that it is in, where that is known.
    """

    message: Message
    text: str | None = None
    dialect: str | None = None
    opened: str | None = None
    """What the prompt had of the answer before `text`, as `<think>\n`; None for what the chat opens answers with."""


class ToolResult(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """What came of one call: `output` is text for the model, `duration_ms` milliseconds.

    `call_id` is empty for a call that has no id, or could not be read; so is `name` where nothing but the order tells
    whose result it is.
    """

    call_id: str
    name: str
    output: str
    is_error: bool = False
    duration_ms: float = 0.0

    def to_openai(self) -> dict[str, Json]:
        """The result as a chat-completions tool message."""
        return {"role": "tool", "tool_call_id": self.call_id, "name": self.name, "content": self.output}


class Results(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="results"):
    """What came of the calls of the answer before, in the order in which it is told."""

    results: tuple[ToolResult, ...]


Turn: TypeAlias = System | User | Assistant | Results


class Waiting:
    """Follows the turns of a conversation, and knows the calls that wait for their results.

    A user turn ends the wait, and so does an answer that follows results.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._told = False

    def follow(self, turn: Turn) -> tuple[Call | None, ...]:
        """The call that each of the turn's results is of; of a turn without results nothing.

        That is the call with the result's id, else the first one left where the result or the call has no id.
        """
        match turn:
            case Results(results):
                self._told = True
                return self._paired(results)
            case Assistant(message):
                self.calls = [*([] if self._told else self.calls), *message.runnable]
                self._told = False
            case User():
                self.calls = []
            case System():
                pass
        return ()

    def _paired(self, results: Sequence[ToolResult]) -> tuple[Call | None, ...]:
        by_id: dict[str | None, list[int]] = {}
        for number, call in reversed([*enumerate(self.calls)]):
            by_id.setdefault(call.id or None, []).append(number)
        found = [by_id[one.call_id].pop() if by_id.get(one.call_id) else None for one in results]
        left = [number for number in range(len(self.calls)) if number not in {*found}]
        for at, result in enumerate(results):
            if found[at] is None:
                found[at] = next((n for n in left if not (result.call_id and self.calls[n].id)), None)
                left = [number for number in left if number != found[at]]
        calls = self.calls
        self.calls = [calls[number] for number in left]
        return tuple(None if number is None else calls[number] for number in found)

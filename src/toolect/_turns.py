"""The turns of a conversation, as plain data: what the system, the user, the model and its tools say."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from toolect._message import Call, Json, Message, dumps


class System(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="system"):
    """The system prompt; `developer` when a developer says it, and not the platform."""

    text: str
    developer: bool = False


MediaKind: TypeAlias = Literal["image", "audio", "video", "file"]


class Media(msgspec.Struct, frozen=True):
    """An image, a sound, a video or a file in a text: `part` is the provider's form of it, as it came.

    `at` characters of the text stand before it.
    """

    kind: MediaKind
    at: int
    part: dict[str, Json]

    def __hash__(self) -> int:
        return hash((self.kind, self.at, dumps(self.part)))


class User(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="user"):
    """A turn of the user."""

    text: str
    media: tuple[Media, ...] = ()


class Assistant(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="assistant"):
    """An answer of the model.

    `text` is the wire text as it was sampled, without its end token, where there is one; `dialect` names the dialect
    that it is in, where that is known.
    """

    message: Message
    text: str | None = None
    dialect: str | None = None
    opened: str | None = None
    """The part of the answer before `text` that the prompt had, as `<think>\n`; None for the chat's own opening."""


class ToolResult(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """The result of one call: `output` is text for the model, `duration_ms` milliseconds.

    `call_id` is empty for a call that has no id, or could not be read; so is `name` where nothing but the order tells
    whose result it is.
    """

    call_id: str
    name: str
    output: str
    is_error: bool = False
    duration_ms: float = 0.0
    media: tuple[Media, ...] = ()

    def to_openai(self) -> dict[str, Json]:
        """The text of the result as a chat-completions tool message."""
        return {"role": "tool", "tool_call_id": self.call_id, "name": self.name, "content": self.output}


class Results(msgspec.Struct, frozen=True, repr_omit_defaults=True, tag="results"):
    """The results of the calls of the answer before, in the order in which they are written."""

    results: tuple[ToolResult, ...]


Turn: TypeAlias = System | User | Assistant | Results


def with_one_system(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns, the system's at the head as one: an empty line stands between two texts."""
    head = [*takewhile(lambda turn: isinstance(turn, System), turns)]
    if len(head) < 2:
        return turns
    text = "\n\n".join(turn.text for turn in head if isinstance(turn, System) and turn.text)
    return [replace(head[0], text=text), *turns[len(head) :]]


class _Line:
    """Numbers of calls that wait, in their order, those among them that could be run, and those of each name."""

    def __init__(self) -> None:
        self.all: deque[int] = deque()
        self.runnable: deque[int] = deque()
        self.named: dict[str, _Line] = {}

    def add(self, number: int, call: Call) -> None:
        self.all.append(number)
        if call.runnable:
            self.runnable.append(number)

    def add_named(self, number: int, call: Call) -> None:
        self.add(number, call)
        self.named.setdefault(call.name, _Line()).add(number, call)


class PendingCalls:
    """Follows the turns of a conversation, and knows the calls that wait for their results.

    A call that could not be read waits, too: it is answered by an error. A user turn ends the wait, and so does an
    answer that follows results.
    """

    def __init__(self) -> None:
        self._told = False
        self._count = 1
        self._clear()

    @property
    def calls(self) -> list[Call]:
        """The calls that wait, in their order."""
        return [*self._calls.values()]

    def follow(self, turn: Turn) -> tuple[Call | None, ...]:
        """The call that each of the turn's results is of; of a turn without results nothing.

        That is the call with the result's id. Where the result or the call has none, it is the first one left of the
        result's name, else the first one left of all. Where fewer results are left than calls, those that could be run
        come first.
        """
        if isinstance(turn, Assistant):
            if self._told:
                self._clear()
            for segment in turn.message.segments:
                if type(segment) is Call:
                    self._add(segment)
            self._told = False
        elif isinstance(turn, Results):
            self._told = True
            return self._paired(turn.results)
        elif isinstance(turn, User):
            self._clear()
        return ()

    def _clear(self) -> None:
        if not self._count:
            return
        self._calls: dict[int, Call] = {}
        self._count = 0
        # The numbers of calls; those that wait no more are passed over when they come up.
        self._all = _Line()
        self._without_id = _Line()
        self._known: dict[str, deque[int]] = {}  # by their ids

    def _add(self, call: Call) -> None:
        self._calls[self._count] = call
        self._all.add_named(self._count, call)
        if call.id:
            self._known.setdefault(call.id, deque()).append(self._count)
        else:
            self._without_id.add_named(self._count, call)
        self._count += 1

    def _paired(self, results: Sequence[ToolResult]) -> tuple[Call | None, ...]:
        found = [self._take(self._known.get(one.call_id)) for one in results]
        enough = found.count(None) >= len(self._calls)
        lines = [self._without_id if one.call_id else self._all for one in results]
        for by_name in (True, False):
            for at, result in enumerate(results):
                line = lines[at].named.get(result.name) if by_name else lines[at]
                if found[at] is None and line is not None:
                    found[at] = (None if enough else self._take(line.runnable)) or self._take(line.all)
        return tuple(found)

    def _take(self, numbers: deque[int] | None) -> Call | None:
        """The first of these calls that waits."""
        while numbers:
            call = self._calls.pop(numbers.popleft(), None)
            if call is not None:
                return call
        return None

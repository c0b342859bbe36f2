"""What has been said: the turns of a conversation, and their chat-completions shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from toolect.agent.tool import ToolResult
from toolect.events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect.message import Call, Content, Json, Message, Reasoning, Segment


class System(msgspec.Struct, frozen=True, tag="system"):
    """What the model is told before all else."""

    text: str


class User(msgspec.Struct, frozen=True, tag="user"):
    """What the user says."""

    text: str


class Assistant(msgspec.Struct, frozen=True, tag="assistant"):
    """What the model answered; `text` is the wire text as the model wrote it, where there is one."""

    message: Message
    text: str | None = None


class Results(msgspec.Struct, frozen=True, tag="results"):
    """What came of the calls of the answer before, in their order."""

    results: tuple[ToolResult, ...]


Turn: TypeAlias = System | User | Assistant | Results


def to_openai(turns: Iterable[Turn]) -> list[dict[str, Json]]:
    """The turns as chat-completions messages. A call that could not be read is told as what it was: text."""
    return [message for turn in turns for message in _messages(turn)]


def _messages(turn: Turn) -> Iterator[dict[str, Json]]:
    match turn:
        case System(text):
            yield {"role": "system", "content": text}
        case User(text):
            yield {"role": "user", "content": text}
        case Assistant(message):
            said = message.to_openai()
            unread = [call for call in message.calls if not call.runnable]
            said.pop("invalid_tool_calls", None)
            if unread:
                said["content"] = (said.get("content") or "") + "".join(
                    call.raw or call.arguments_text for call in unread
                )
            yield said
        case Results(results):
            yield from (result.to_openai() for result in results if result.call_id)
            yield from ({"role": "user", "content": result.output} for result in results if not result.call_id)


class Gathered:
    """The message that events tell, as they arrive."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []

    def add(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case ContentDelta(text):
                self._extend(Content, text)
            case ReasoningDelta(text):
                self._extend(Reasoning, text)
            case CallEnd(call=call):
                self._segments.append(call)
            case CallStart() | ArgumentsDelta():
                pass  # the call's end says it all

    def _extend(self, kind: type[Content] | type[Reasoning], text: str) -> None:
        last = self._segments[-1] if self._segments else None
        if isinstance(last, Content | Reasoning) and type(last) is kind:
            self._segments[-1] = kind(last.text + text)
        else:
            self._segments.append(kind(text))

    @property
    def message(self) -> Message:
        """What has been said so far."""
        return Message([*self._segments])


def with_ids(message: Message, ids: dict[int, str]) -> Message:
    """`message` with the id of its call number `i`, counted from 0, as `ids[i]` says."""
    count = iter(range(len(message.segments)))
    segments = [
        msgspec.structs.replace(s, id=ids.get(next(count)) or None) if isinstance(s, Call) else s
        for s in message.segments
    ]
    return Message(segments, message.repairs)

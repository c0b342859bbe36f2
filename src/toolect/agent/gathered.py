"""An answer as its events tell it, and its calls' ids."""

from __future__ import annotations

import msgspec

from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Message, Reasoning, Segment


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

"""Turns as any template may be given them: with ids, in an order that there is, and with no markup in their texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from msgspec.structs import replace

from toolect._chats.guarding import split_markers
from toolect._chats.writing import Unsafe
from toolect._exchange.gathering import check
from toolect._exchange.numbering import numbered
from toolect._message import Call, Content, Message, MessageError, Reasoning, Segment, dumps
from toolect._objects import not_finite
from toolect._rendered import RenderError
from toolect._transcript import Defused
from toolect._turns import Assistant, Results, System, Turn, User

_ORDER: dict[type, int] = {Reasoning: 0, Content: 1, Call: 2}


def sound(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, with ids for all calls. Raises RenderError for turns that no template tells as what they are."""
    try:
        check(turns)
    except MessageError as error:
        raise RenderError("conversation", str(error)) from None
    for turn in turns:
        if not isinstance(turn, Assistant):
            continue
        for call in turn.message.calls:
            if not call.runnable:
                raise RenderError(
                    "call",
                    f"a {call.status} call has no canonical spelling (`Conversation.unread_as_text` makes text of it)",
                    call.raw,
                )
            if not_finite(call.arguments) is not None:
                raise RenderError("arguments", "expected finite numbers", call.arguments_text)
        kinds = [_ORDER[type(segment)] for segment in turn.message.segments]
        if kinds != sorted(kinds):
            raise RenderError("answer", "expected reasoning, then content, then calls", turn.message.content)
    return list(numbered(turns))


class Guarded:
    """The turns in which texts with markers of turns are refused, made harmless or kept.

    Raises RenderError for what is refused.
    """

    def __init__(self, turns: Sequence[Turn], markers: re.Pattern[str], unsafe: Unsafe) -> None:
        self._markers, self._unsafe = markers, unsafe
        self.defused: list[Defused] = []
        self.turns = [*turns] if unsafe == "keep" else [self._turn(turn, at) for at, turn in enumerate(turns)]

    def _turn(self, turn: Turn, at: int) -> Turn:
        match turn:
            case System(text) | User(text):
                return replace(turn, text=self._safe(text, at))
            case Assistant(message):
                segments = [self._segment(segment, at) for segment in message.segments]
                return replace(turn, message=Message(segments, message.repairs))
            case Results(results):
                return Results(tuple(replace(one, output=self._safe(one.output, at)) for one in results))

    def _segment(self, segment: Segment, at: int) -> Segment:
        if not isinstance(segment, Call):
            return replace(segment, text=self._safe(segment.text, at))
        given = dumps(segment.arguments)
        safe = self._safe(given, at)
        return segment if safe == given else replace(segment, arguments=json.loads(safe), spelling=None)

    def _safe(self, text: str, at: int) -> str:
        found = self._markers.search(text)
        if found is None:
            return text
        if self._unsafe == "refuse":
            raise RenderError(f"turn {at}", f"it holds `{found[0]}`, which is markup of the template", text)
        self.defused.append(Defused(at, found[0]))
        return split_markers(text, self._markers)

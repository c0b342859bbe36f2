"""Turns as any template may be given them: with ids, in an order that there is, and with no markup in their texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolect._chats.filling import check_spelled
from toolect._chats.given_texts import SAMPLED, TextPlace, mapped
from toolect._chats.injection_guard import split_markers
from toolect._chats.transcript_writer import Unsafe
from toolect._exchange.gathering import check
from toolect._exchange.numbering import numbered
from toolect._message import MessageError
from toolect._rendered import BreakOutError, RenderError
from toolect._transcript import Defused
from toolect._turns import Assistant, Turn
from toolect.conversation import Conversation


def sound(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, with ids for all calls. Raises RenderError for turns that no template tells as what they are."""
    try:
        check(turns)
    except MessageError as error:
        raise RenderError("conversation", str(error)) from None
    for turn in turns:
        if isinstance(turn, Assistant):
            check_spelled(turn.message)
    return list(numbered(turns))


class Guarded:
    """A conversation in which texts with markers of turns are refused, made harmless or kept.

    Raises RenderError for what is refused; names, keys and ids are never made harmless.
    """

    def __init__(self, given: Conversation, markers: re.Pattern[str], unsafe: Unsafe) -> None:
        self._markers, self._unsafe = markers, unsafe
        self.defused: list[Defused] = []
        self.given = given if unsafe == "keep" else mapped(given, self._safe)

    def _safe(self, place: TextPlace, text: str) -> str:
        found = None if place.what == SAMPLED else self._markers.search(text)
        if found is None:
            return text
        if self._unsafe == "refuse" or place.is_name:
            raise BreakOutError(str(place), f"it holds `{found[0]}`, which is markup of the template", text)
        self.defused.append(Defused(place.turn, found[0]))
        return split_markers(text, self._markers)

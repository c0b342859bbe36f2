"""A conversation as text, which knows who each of its characters is from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple


class Origin(StrEnum):
    """Whose words a stretch of a transcript is."""

    SCAFFOLD = "scaffold"
    """What the chat itself writes: markers of turns, prose about tools."""
    SYSTEM = "system"
    USER = "user"
    TOOLS = "tools"
    """A definition of a tool."""
    RESULT = "result"
    """What came of a call."""
    ANSWER = "answer"
    """What the model wrote, its end token included."""


class OriginSpan(NamedTuple):
    """Characters `start:end` of a transcript are of `origin`, in turn number `turn` (-1 for none)."""

    start: int
    end: int
    origin: Origin
    turn: int


class Defused(NamedTuple):
    """A text of turn number `turn` that would have broken out of its slot: it held `marker`, which was changed."""

    turn: int
    marker: str


class Transcript(str):
    """A conversation's text. `spans` tile it; `defused` says where texts were changed to keep them in their slots.

    It is made of pieces: texts, each with its origin and the number of its turn (-1 for none).
    """

    __slots__ = ("_pieces", "_spans", "defused")
    defused: tuple[Defused, ...]
    _pieces: tuple[tuple[str, Origin, int], ...]
    _spans: tuple[OriginSpan, ...] | None

    def __new__(cls, pieces: Iterable[tuple[str, Origin, int]] = (), defused: Iterable[Defused] = ()) -> Transcript:
        pieces = tuple(pieces)
        self = super().__new__(cls, "".join([piece[0] for piece in pieces]))
        self._pieces = pieces
        self._spans = None
        self.defused = tuple(defused)
        return self

    @property
    def spans(self) -> tuple[OriginSpan, ...]:
        """Whose words which characters are; neighbours of one origin and turn are one span."""
        if self._spans is None:
            self._spans = tuple(_spans(self._pieces))
        return self._spans

    def __reduce__(self) -> tuple[Any, ...]:
        return Transcript, (self._pieces, self.defused)

    def after(self, start: int) -> Transcript:
        """What follows the first `start` characters, with its spans."""
        pieces = []
        at = 0
        for text, origin, turn in self._pieces:
            if at + len(text) > start:
                pieces.append((text[max(start - at, 0) :], origin, turn))
            at += len(text)
        return Transcript(pieces, self.defused)


def _spans(pieces: Iterable[tuple[str, Origin, int]]) -> Iterator[OriginSpan]:
    last: OriginSpan | None = None
    at = 0
    for text, origin, turn in pieces:
        end = at + len(text)
        if last is not None and last.origin is origin and last.turn == turn:
            last = OriginSpan(last.start, end, origin, turn)
        elif text:
            if last is not None:
                yield last
            last = OriginSpan(at, end, origin, turn)
        at = end
    if last is not None:
        yield last

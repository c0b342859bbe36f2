"""A conversation as text, with the provenance of each character."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from toolect._rendered import Part, PartSpan, Rendered


class Origin(StrEnum):
    """Provenance of a stretch of a transcript."""

    SCAFFOLD = "scaffold"
    """Text of the chat itself: markers of turns, prose about tools."""
    SYSTEM = "system"
    USER = "user"
    TOOLS = "tools"
    """A definition of a tool."""
    RESULT = "result"
    """The result of a call."""
    ANSWER = "answer"
    """The model's own text, its end token included."""


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


class Changed(NamedTuple):
    """A text of turn number `turn` that a template writes otherwise: `written`, empty where it is left out."""

    turn: int
    given: str
    written: str


class Author(NamedTuple):
    """Writer of a transcript: the dialect of its answers, and the texts that the chat has of its own."""

    dialect: Any
    texts: tuple[str, ...]


Given: TypeAlias = tuple[str, Origin, int] | tuple[str, Origin, int, Part]
"""A piece: text, origin and turn; for a text of the model that is no markup also the part of the answer."""


class Transcript(str):
    """A conversation's text. `spans` tile it; `defused` says where texts were changed to keep them in their slots.

    `changed` says which texts a model's own template writes otherwise.

    It is made of `pieces`: texts, each with its origin and the number of its turn (-1 for none). What the model wrote
    is a `Rendered` that knows its markup, or has no spans where only reading it would tell; else it is all markup.
    """

    __slots__ = ("_pieces", "_spans", "author", "changed", "defused")
    _pieces: tuple[Given, ...]
    defused: tuple[Defused, ...]
    author: Author | None
    changed: tuple[Changed, ...]
    _spans: tuple[OriginSpan, ...] | None

    def __new__(
        cls,
        pieces: Iterable[Given] = (),
        defused: Iterable[Defused] = (),
        author: Author | None = None,
        changed: Iterable[Changed] = (),
    ) -> Transcript:
        pieces = tuple(pieces)
        self = super().__new__(cls, "".join([piece[0] for piece in pieces]))
        self._pieces = pieces
        self._spans = None
        self.defused = tuple(defused)
        self.author = author
        self.changed = tuple(changed)
        return self

    @property
    def pieces(self) -> tuple[tuple[str, Origin, int], ...]:
        """The texts, each with its origin and the number of its turn."""
        if any(len(piece) > 3 for piece in self._pieces):
            self._pieces = tuple(known_piece(piece) for piece in self._pieces)
        return self._pieces  # type: ignore[return-value]

    @property
    def spans(self) -> tuple[OriginSpan, ...]:
        """Spans of one origin and turn, which tile the text; neighbours of one origin and turn are one span."""
        if self._spans is None:
            self._spans = tuple(_spans(piece[:3] for piece in self._pieces))
        return self._spans

    def __reduce__(self) -> tuple[Any, ...]:
        return Transcript, (self.pieces, self.defused, self.author, self.changed)

    def after(self, start: int) -> Transcript:
        """The transcript behind its first `start` characters."""
        pieces = []
        at = len(self)
        for piece in reversed(self._pieces):
            if at <= start:
                break
            text, origin, turn = known_piece(piece)
            at -= len(text)
            pieces.append((text if at >= start else _tail(text, start - at), origin, turn))
        pieces.reverse()
        return Transcript(pieces, self.defused, self.author, self.changed)


def known_piece(piece: Given) -> tuple[str, Origin, int]:
    """A piece of three items: a part becomes the span of a `Rendered` text."""
    if len(piece) == 3:
        return piece
    text, origin, turn, part = piece
    return Rendered(text, (PartSpan(0, len(text), part, -1),)), origin, turn


def _tail(text: str, start: int) -> str:
    """`text` from `start` on; an answer loses its spans, as the rest has to be read for its parts."""
    return Rendered(text[start:]) if isinstance(text, Rendered) else text[start:]


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

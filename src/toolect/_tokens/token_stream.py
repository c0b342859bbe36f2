"""An answer read while its ids arrive: the events of its text, and the ids of each call."""

from __future__ import annotations

import codecs
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from toolect._events import Event
from toolect._graph.graph import Graph
from toolect._message import Message, Span
from toolect._search.answer_search import Stream
from toolect._spec.model import Spec
from toolect._tokens.quoting import Quoting
from toolect._tokens.tokenizer_protocol import TokenIdError, Tokenizer, guarded


class IdPiece(NamedTuple):
    """The bytes of an id; their text, or None where characters are cut in two; whether it is an added text."""

    data: bytes
    text: str | None
    added: bool


class Pieces(dict[int, IdPiece]):
    """The pieces of one tokenizer by id, made when they are first needed."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._added = frozenset(tokenizer.added.values())

    def __missing__(self, number: int) -> IdPiece:
        if type(number) is not int:
            if not hasattr(number, "__index__") or isinstance(number, bool):
                raise TokenIdError(number, self._tokenizer.size)
            return self[number.__index__()]  # one of numpy or torch
        data = self._tokenizer.piece(number)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = None
        found = self[number] = IdPiece(data, text, number in self._added)
        return found


@lru_cache(8)
def pieces_of(tokenizer: Tokenizer) -> Pieces:
    """The pieces of a tokenizer."""
    return Pieces(tokenizer)


Markers: TypeAlias = Literal["token", "text"]
"""Spelling of a marker that the vocabulary has as one id: by that id alone, or by any ids of its text."""


class TokenStream:
    """One answer, id by id. Belongs to one consumer; `reset` makes it ready for the next answer.

    Offsets in messages are characters of the text that the ids stand for; bytes that are no UTF-8 become U+FFFD.
    """

    __slots__ = ("_count", "_decoder", "_ends", "_open", "_pieces", "_starts", "_stream")

    def __init__(
        self, stream: Stream, spec: Spec, graph: Graph, tokenizer: Tokenizer, markers: Markers = "token"
    ) -> None:
        if markers not in ("token", "text"):
            raise ValueError(f"expected markers 'token' or 'text', got {markers!r}")
        words = guarded(tokenizer, spec) if markers == "token" else frozenset[str]()
        self._pieces = pieces_of(tokenizer)
        self._stream = Quoting(stream, words, graph.openers)
        self._begin()

    def reset(self) -> None:
        """Forget everything: the next id begins a new answer."""
        self._stream.reset()
        self._begin()

    def _begin(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = False  # a character has begun
        self._count = 0
        self._starts: list[int] = []
        self._ends: list[int] = []

    def feed(self, ids: int | Iterable[int]) -> list[Event]:
        """Return the events of one id, or of several. Raises TokenIdError, before any of them is read."""
        pieces = self._pieces
        if not isinstance(ids, Iterable):
            return self._read(pieces[ids])
        events: list[Event] = []
        said = ""
        for piece in [pieces[number] for number in ids]:
            if piece.added:
                events += self._stream.text(said) if said else ()
                events += self._read(piece)
                said = ""
            else:
                said += self._decoded(piece)
        return events + self._stream.text(said) if said else events

    def close(self) -> list[Event]:
        """Return the events of the end of the answer: a second call has none."""
        return [*self._break(), *self._stream.close()]

    @property
    def message(self) -> Message:
        """The message so far; final after `close`."""
        return self._stream.message

    @property
    def pending(self) -> str:
        """Text that arrived and waits for more before it is decided."""
        return self._stream.pending

    @property
    def calls(self) -> list[Span]:
        """The ids of each call of the message: from the first to behind the last, counted from 0."""
        return [self.ids_of(call.span) for call in self.message.calls if call.span is not None]

    def ids_of(self, span: Span) -> Span:
        """The ids that characters `span` of the text are of."""
        start, end = span
        first = bisect_right(self._ends, max(start, 0))
        return first, max(bisect_left(self._starts, end), first)

    def _read(self, piece: IdPiece) -> list[Event]:
        """Return the events of an id."""
        if not piece.added:
            return self._stream.text(self._decoded(piece))
        events = [*self._break(), *self._stream.rest()]
        return events + self._stream.marker(self._decoded(piece))

    def _decoded(self, piece: IdPiece) -> str:
        """The characters that an id completes, which are noted."""
        text = piece.text
        if text is None or self._open:
            text = self._decoder.decode(piece.data)
            self._open = bool(self._decoder.getstate()[0])
        self._starts.append(self._count)
        self._count += len(text)
        self._ends.append(self._count + self._open)
        return text

    def _break(self) -> list[Event]:
        """Return the events of a character that breaks off here."""
        if not self._open:
            return []
        self._open = False
        rest = self._decoder.decode(b"", True)
        self._count += len(rest)
        return self._stream.text(rest)

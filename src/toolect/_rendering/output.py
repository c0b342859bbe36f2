"""Text being written, piece by piece, until it is whole."""

from __future__ import annotations

from typing import NamedTuple

from toolect._message import Json
from toolect._rendered import Part, PartSpan, Rendered
from toolect._rendering.reader import TextParser


class OutputPiece(NamedTuple):
    """A stretch of text, what it is, and the number of its segment."""

    text: str
    part: Part
    segment: int


class Later(NamedTuple):
    """The place of a value that is still to be written as `rule`."""

    rule: str
    value: Json


class RenderedOutput:
    """Output of rendering so far. Pieces that are not markup belong to segment number `segment`."""

    def __init__(self) -> None:
        self.segment = -1
        self.pieces: list[OutputPiece | Later] = []

    def write(self, text: str, part: Part = Part.MARKUP) -> None:
        """Append `text`."""
        self.pieces.append(OutputPiece(text, part, -1 if part is Part.MARKUP else self.segment))

    def wait(self, rule: str, value: Json) -> None:
        """Leave a place for `value`."""
        self.pieces.append(Later(rule, value))

    def mark(self) -> int:
        """The place to `rewind` to."""
        return len(self.pieces)

    def rewind(self, mark: int) -> None:
        """Take back what was written since `mark`."""
        del self.pieces[mark:]

    def rendered(self, dialect: TextParser | None = None) -> Rendered:
        """All of it, in `dialect`; neighbours of one part and segment are one span."""
        pieces = [piece for piece in self.pieces if isinstance(piece, OutputPiece) and piece.text]
        spans: list[PartSpan] = []
        at = 0
        for text, part, segment in pieces:
            end = at + len(text)
            if spans and spans[-1].part is part and spans[-1].segment == segment:
                spans[-1] = spans[-1]._replace(end=end)
            else:
                spans.append(PartSpan(at, end, part, segment))
            at = end
        return Rendered("".join(piece.text for piece in pieces), tuple(spans), dialect)

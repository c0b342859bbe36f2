"""Reads as a dialect does, at its speed, and notes which parts of its grammar are taken.

A stride goes from one run of markers to the next; what it takes of the grammar follows from the pairs of runs that come
one after the other. A text with a pair that is new is derived in full; all others have nothing to add. So is a text
that was not read in strides alone, when no text before had the same lexemes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from toolect._reading.whole_answer import read_answer
from toolect._values.toolset import tool_schemas
from toolect.authoring.derivation import derive
from toolect.authoring.derivation.log import Log
from toolect.compiled import Dialect
from toolect.message import Json, Message

Way: TypeAlias = tuple[object, int]
"""A run of markers: all those that may come at its place, and its number among them."""
_EDGE: Way = (None, 0)
MAX_KNOWN = 100_000
"""Pairs, or sequences of lexemes, that are remembered; then it is begun anew."""
LONG = 2_000
"""Lexemes of a sequence that is not worth remembering."""


class Watch:
    """Reads texts in one dialect; `taken` names the parts of the grammar that they took."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.taken: set[str] = set()
        self._pairs: set[tuple[Way, Way]] = set()
        self._sequences: set[tuple[object, ...]] = set()

    def read(self, text: str, tools: Sequence[Json] = ()) -> Message:
        """The message that `text` says, as `Dialect.parse` reads it."""
        spec, log = self.dialect.spec, Log()
        ways: list[Way] = []
        message = read_answer(spec, self.dialect.graph(), text, tool_schemas(tools or None), watcher=log, ways=ways)
        if not log.lexemes:
            pairs = [*zip((_EDGE, *ways), (*ways, _EDGE), strict=True)]
            if not self._pairs.issuperset(pairs):
                if len(self._pairs) > MAX_KNOWN:
                    self._pairs.clear()
                self._pairs.update(pairs)
                self._derive(text, tools)
        else:
            sequence = (*ways, *(lexeme.key for lexeme in log.lexemes))
            if sequence not in self._sequences:
                if len(self._sequences) > MAX_KNOWN:
                    self._sequences.clear()
                if len(sequence) < LONG:
                    self._sequences.add(sequence)
                self._derive(text, tools)
        return message

    def _derive(self, text: str, tools: Sequence[Json]) -> None:
        self.taken.update(derive(self.dialect, text, tools or None).edges)

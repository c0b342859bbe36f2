"""Reads as a dialect does, at its speed, and notes which parts of its grammar are taken.

A stride goes from one run of markers to the next; what it takes of the grammar follows from the pairs of runs that come
one after the other, and of what is said one after the other. So of all texts with the same pairs one is derived in
full, and of those that were not read in strides alone, one of all with the same lexemes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
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
MAX_KNOWN = 20_000
"""Sets of pairs, and sequences of lexemes, whose parts are remembered. Beyond it: it is begun anew."""
LONG = 2_000
"""Lexemes of a sequence that is not worth remembering."""


class Watch:
    """Reads texts in one dialect, and knows the parts of the grammar that they take."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._known: dict[Hashable, frozenset[str]] = {}

    def read(self, text: str, tools: Sequence[Json] = ()) -> tuple[Message, frozenset[str]]:
        """The message that `text` says, as `Dialect.parse` reads it, and the names of the parts that it takes."""
        spec, log = self.dialect.spec, Log()
        ways: list[Way] = []
        message = read_answer(spec, self.dialect.graph(), text, tool_schemas(tools or None), watcher=log, ways=ways)
        kinds = frozenset(pairwise([None, *map(type, message.segments), None]))
        key: Hashable
        if not log.lexemes:
            key = frozenset(zip((_EDGE, *ways), (*ways, _EDGE), strict=True)), kinds
        else:
            key = kinds, *ways, *(lexeme.key for lexeme in log.lexemes)
            if len(key) >= LONG:
                return message, self._taken(text, tools)
        taken = self._known.get(key)
        if taken is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            taken = self._known[key] = self._taken(text, tools)
        return message, taken

    def _taken(self, text: str, tools: Sequence[Json]) -> frozenset[str]:
        return frozenset(derive(self.dialect, text, tools or None).edges)

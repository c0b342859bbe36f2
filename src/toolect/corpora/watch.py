"""Reads as a dialect does, at its speed, and notes which parts of its grammar are taken.

A stride goes from one run of markers to the next; what it takes of the grammar follows from the pairs of runs that come
one after the other, and of what is said one after the other. So of all texts with the same pairs one is read lexeme by
lexeme. Where a stride stops, the lexemes after it are told; those before it are the same in all texts that it went over
on the same ways.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TypeAlias, TypeVar

from toolect._reading.whole_answer import begin_answer, read_answer
from toolect._values.toolset import tool_schemas
from toolect.authoring.derivation import edges
from toolect.authoring.derivation.log import Lexeme, Log
from toolect.compiled import Dialect
from toolect.message import Json, Message

Way: TypeAlias = tuple[object, int]
"""A run of markers: all those that may come at its place, and its number among them."""
_Key = TypeVar("_Key", bound=Hashable)
_Found = TypeVar("_Found")
_EDGE: Way = (None, 0)
MAX_KNOWN = 20_000
"""Sets of pairs, and sequences of lexemes or ways, that are remembered. Beyond it: it is begun anew."""
LONG = 2_000
"""Lexemes of a sequence that is not worth remembering."""


class Watch:
    """Reads texts in one dialect, and knows the parts of the grammar that they take."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._known: dict[Hashable, frozenset[str]] = {}
        self._begun: dict[tuple[Way, ...], list[Lexeme]] = {}

    def read(self, text: str, tools: Sequence[Json] = ()) -> tuple[Message, frozenset[str]]:
        """The message that `text` says, as `Dialect.parse` reads it, and the names of the parts that it takes."""
        spec, log = self.dialect.spec, Log()
        ways: list[Way] = []
        message = read_answer(spec, self.dialect.graph(), text, tool_schemas(tools or None), watcher=log, ways=ways)
        after = log.lexemes
        key: Hashable
        if after:
            key = *ways, *((lexeme.key, lexeme.fresh) for lexeme in after)
        else:
            said = frozenset(pairwise([None, *map(type, message.segments), None]))
            key = frozenset(zip((_EDGE, *ways), (*ways, _EDGE), strict=True)), said
        taken = self._known.get(key)
        if taken is None:
            taken = edges(self.dialect, self._lexemes(text, tools, tuple(ways), after))
            if len(after) < LONG:
                _keep(self._known, key, taken)
        return message, taken

    def _lexemes(self, text: str, tools: Sequence[Json], ways: tuple[Way, ...], after: list[Lexeme]) -> list[Lexeme]:
        """All lexemes of a text of which a stride read these `ways`, and `after` was read one by one."""
        if not ways and after:
            return after
        begun = self._begun.get(ways) if after else None
        if begun is not None:
            return [*begun, *after]
        log = Log()
        schemas = tool_schemas(tools or None)
        begin_answer(self.dialect.spec, self.dialect.graph(), schemas, watcher=log).read(text)
        found = log.lexemes
        at = len(found) - len(after)
        if after and at >= 0 and [(a.key, a.fresh) for a in found[at:]] == [(a.key, a.fresh) for a in after]:
            _keep(self._begun, ways, found[:at])
        return found


def _keep(known: dict[_Key, _Found], key: _Key, found: _Found) -> None:
    if len(known) >= MAX_KNOWN:
        known.clear()
    known[key] = found

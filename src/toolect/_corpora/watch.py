"""Rule coverage: reads as a dialect does, and notes which parts of its grammar are taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from toolect._authoring.derivation import edges
from toolect._compiled import Dialect
from toolect._graph.symbols import Key
from toolect._message import Json, Message
from toolect._search.answer_search import AnswerSearch
from toolect._search.trace import Trace
from toolect._values.toolset import tool_schemas

_Lexemes: TypeAlias = tuple[tuple[Key, bool], ...]
MAX_KNOWN = 20_000
"""Sequences of lexemes that are remembered. Beyond it: it is begun anew."""
LONG = 2_000
"""Lexemes of a sequence that is not worth remembering."""


class Watch:
    """Reads texts in one dialect, and knows the parts of the grammar that they take."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._known: dict[_Lexemes, frozenset[str]] = {}

    def read(self, text: str, tools: Sequence[Json] = ()) -> tuple[Message, frozenset[str]]:
        """The message that `text` says, as `Dialect.parse` reads it, and the names of the parts that it takes."""
        trace, known = Trace(), self._known
        schemas = tool_schemas(tools or None)
        message = AnswerSearch(self.dialect.spec, self.dialect._graph(), schemas, trace=trace).read(text)
        lexemes = tuple((lexeme.key, lexeme.fresh) for lexeme in trace.lexemes)
        taken = known.get(lexemes)
        if taken is None:
            taken = edges(self.dialect, trace.lexemes)
            if len(lexemes) < LONG:
                if len(known) >= MAX_KNOWN:
                    known.clear()
                known[lexemes] = taken
        return message, taken

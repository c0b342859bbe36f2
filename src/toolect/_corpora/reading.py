"""Reading of texts in given or detected dialects, with the parts of the grammar that are taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from toolect import registry
from toolect._authoring.derivation import edges
from toolect._compiled import Dialect
from toolect._detection.auto import auto
from toolect._detection.leaks import Leak, leaks, markers
from toolect._graph.symbols import Key
from toolect._message import Call, Json, Message, Status
from toolect._search.answer_search import AnswerSearch
from toolect._search.trace import Trace
from toolect._values.toolset import tool_schemas

_Lexemes: TypeAlias = tuple[tuple[Key, bool], ...]
MAX_WAYS = 20_000
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
        own = self.dialect._with_names(schemas)
        message = AnswerSearch(own.spec, own._graph(), schemas, trace=trace).read(text)
        lexemes = tuple((lexeme.key, lexeme.fresh) for lexeme in trace.lexemes)
        taken = known.get(lexemes)
        if taken is None:
            taken = edges(own, trace.lexemes)
            if len(lexemes) < LONG:
                if len(known) >= MAX_WAYS:
                    known.clear()
                known[lexemes] = taken
        return message, taken


HOUSE = 4
"""Dialects that are tried on a text without markers before anything is detected: the last ones that were."""
MAX_KNOWN = 4096
"""Sets of markers whose dialect is remembered. Beyond it: it is begun anew."""
NONE = ""
"""The dialect of a text that has no mark of any."""


class Read(NamedTuple):
    """Reading in a dialect: the message, and the calls that are the dialect's own."""

    dialect: str
    message: Message
    calls: list[Call]
    left: list[Leak]
    """The markers it leaves over."""
    taken: frozenset[str] = frozenset()
    """The parts of its grammar that the text takes, where it is in this dialect alone."""


class Reader:
    """Reads texts in dialects that are given, or in the one that fits.

    A text without a given dialect is read in that of the last text with the same markers, or where it has none, in
    those of the texts before it. One of them has it when it reads calls or reasoning, without a repair and none badly
    but for a last call that is cut off, and leaves no marker over. Else the dialect is detected.
    """

    def __init__(self, dialects: Sequence[str]) -> None:
        self.dialects = [registry.dialect(name).name for name in dialects]
        self._watches: dict[str, Watch] = {}
        self._house: list[str] = []
        self._marked: dict[frozenset[str], str] = {}

    def watch(self, name: str) -> Watch:
        """The watch over a dialect."""
        found = self._watches.get(name)
        if found is None:
            found = self._watches[name] = Watch(registry.dialect(name))
        return found

    def forget(self) -> None:
        """Begin a new part of a corpus: no dialect that was found before has a say in it."""
        self._house.clear()
        self._marked.clear()

    def read(self, text: str, tools: Sequence[Json], named: str) -> list[Read]:
        """Return the reading in each dialect, the best one first; `named` is the dialect that the record names."""
        if self.dialects:
            found = [self._in(name, text, tools) for name in self.dialects]
            return sorted(found, key=badness) if len(found) > 1 else found
        return [self._in(named, text, tools)] if named else self._fitting(text, tools)

    def _in(self, name: str, text: str, tools: Sequence[Json]) -> Read:
        message, taken = self.watch(name).read(text, tools)
        return Read(name, message, message.calls, leaks(message.segments), taken)

    def _fitting(self, text: str, tools: Sequence[Json]) -> list[Read]:
        """The reading in the dialect that fits; several, where several have calls in the text."""
        house, marks = self._house, markers().kinds(text)
        marked = self._marked.get(marks)
        tried: dict[str, Read] = {}
        for i, name in enumerate(house if not marks else [marked] if marked else []):
            if i and not self.watch(name).dialect.has_marker(text):
                continue
            read = tried[name] = self._in(name, text, tools)
            if _whole(read):
                return [read]
        message = auto.parse(text, list(tools) or None)
        calls = message.calls
        names = list(dict.fromkeys(message.dialects))
        if not names:
            return [Read(NONE, message, [], leaks(message.segments))]
        if marks and len(names) == 1:
            if len(self._marked) >= MAX_KNOWN:
                self._marked.clear()
            self._marked[marks] = names[0]
        house[:] = [*names[:HOUSE], *(name for name in house if name not in names)][:HOUSE]
        taken = frozenset[str]()
        if len(names) == 1:
            taken = (tried.get(names[0]) or self._in(names[0], text, tools)).taken
        left = leaks(message.segments)
        return [
            Read(name, message, [c for c, who in zip(calls, message.dialects, strict=True) if who == name], left, taken)
            for name in names
        ]


def _whole(read: Read) -> bool:
    """True when the dialect has read all there is as it writes it; a last call may be cut off after its name."""
    if read.left or read.message.repairs or any(call.repairs for call in read.calls):
        return False
    if not read.calls:
        return bool(read.message.reasoning)
    last = read.calls[-1]
    if not last.runnable and (last.status is not Status.TRUNCATED or not last.name):
        return False
    return all(call.runnable for call in read.calls[:-1])


def badness(read: Read) -> tuple[bool, int, int, int, int]:
    """Sort key of a reading: its faults, the worst first."""
    runnable = [call for call in read.calls if call.runnable]
    repairs = len(read.message.repairs) + sum(len(call.repairs) for call in read.calls)
    failed, left = len(read.calls) - len(runnable), len(read.left)
    return not runnable, failed + left, left, -len(runnable), repairs

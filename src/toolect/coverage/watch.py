"""Reads as a dialect does, at its speed, and notes which parts of its grammar are taken.

The short way through canonical text goes from one run of markers to the next. Each run that may come at a place has a
number here, and what a text takes of the grammar follows from the pairs of runs that come one after the other. A text
with a pair that is new is derived in full; all others have nothing to add. What the short way declines is read by a
machine that keeps a log, and derived in full when no text before had the same lexemes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from toolect.compile.graph import Graph
from toolect.compile.network import Network
from toolect.compile.node import Config, Node
from toolect.compiled import Dialect, Mode
from toolect.derivation import derive
from toolect.derivation.log import LoggingMachine
from toolect.engine.machine import Machine
from toolect.engine.scalars import Scalars
from toolect.engine.schema import Schema
from toolect.engine.traces import Hub, Route
from toolect.ir import Json, Message
from toolect.spec.model import Spec

MAX_KNOWN = 100_000
"""Pairs, or sequences of lexemes, that are remembered; then it is begun anew."""
LONG = 2_000
"""Lexemes of a sequence that is not worth remembering."""
_APART = 1 << 20
"""How far apart the numbers of two places are: more than one place has runs."""
M = TypeVar("M", bound=Machine)


class Watch:
    """Reads texts in one dialect; `taken` names the parts of the grammar that they took."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.taken: set[str] = set()
        self._watched = _Watched(dialect.spec)
        self._pairs: set[tuple[int, int]] = set()
        self._sequences: set[tuple[str, ...]] = set()

    def forget(self) -> None:
        """Begin anew: what is noted from now on does not depend on what was read before."""
        self.taken = set()
        self._pairs.clear()
        self._sequences.clear()

    def read(self, text: str, tools: Sequence[Json] = ()) -> Message:
        """The message that `text` says, as `Dialect.parse` reads it."""
        watched, log = self._watched, self._watched.log
        log.clear()
        watched.machine_used = None
        message = watched.parse(text, tools or None)
        machine = watched.machine_used
        if machine is None:
            pairs = [*zip((-1, *log), (*log, -1), strict=True)]
            if not self._pairs.issuperset(pairs):
                if len(self._pairs) > MAX_KNOWN:
                    self._pairs.clear()
                self._pairs.update(pairs)
                self._derive(text, tools)
        else:
            sequence = tuple([lexeme.key for lexeme in machine.lexemes])
            if sequence not in self._sequences:
                if len(self._sequences) > MAX_KNOWN:
                    self._sequences.clear()
                if len(sequence) < LONG:
                    self._sequences.add(sequence)
                self._derive(text, tools)
        return message

    def _derive(self, text: str, tools: Sequence[Json]) -> None:
        self.taken.update(derive(self.dialect, text, tools or None).edges)


class _Watched(Dialect):
    """A dialect of which it is seen how it reads."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.log: list[int] = []
        """The numbers of the runs of markers of the last text."""
        self.machine_used: LoggingMachine | None = None
        """What read the last text, when the short way did not."""
        self._graph = _Graph(Network(spec), spec.policies, self.log)

    def graph(self, policies: Mapping[str, str] | None = None) -> Graph:  # noqa: ARG002  # nobody overrides any here
        """The graph that is watched."""
        return self._graph

    def machine(
        self,
        schemas: Mapping[str, Schema],
        mode: Mode,
        prefix: str,
        policies: Mapping[str, str],
        streaming: bool,
        kind: type[M] = Machine,  # type: ignore[assignment]  # as above it  # noqa: ARG002
    ) -> M:
        """A machine that keeps a log."""
        self.machine_used = super().machine(schemas, mode, prefix, policies, streaming, LoggingMachine)
        return self.machine_used  # type: ignore[return-value]  # as good as any


class _Graph(Graph):
    """A graph that numbers the runs of markers."""

    def __init__(self, network: Network, policies: Any, log: list[int]) -> None:
        self.log = log
        self.places = 0
        super().__init__(network, policies)

    def watched(self, place: Hub | Scalars) -> _Place:
        """What stands in for `place` and logs."""
        self.places += 1
        return _Place(place, self.places * _APART, self.log)


class _Node(Node):
    """A node whose routes log."""

    graph: _Graph
    _route: Route | None = None

    def __init__(self, graph: Graph, kernel: tuple[Config, ...]) -> None:
        super().__init__(graph, kernel)

    @property
    def express(self) -> Route:
        """How the short way goes on here."""
        if self._route is None:
            found: Any = Route(self)
            for part in ("hub", "direct", "scalars"):
                if (place := getattr(found, part)) is not None:
                    setattr(found, part, self.graph.watched(place))
            self._route = found
        return self._route

    @express.setter
    def express(self, _: object) -> None:
        """Nobody else makes the route."""


_Graph.kind = _Node


class _Place:
    """A hub, or the scalars of a place, that logs which of its ways is taken."""

    __slots__ = ("_append", "_first", "_match", "traces", "ways")

    def __init__(self, place: Hub | Scalars, first: int, log: list[int]) -> None:
        self._match, self._first, self._append = place.match, first, log.append
        self.traces = getattr(place, "traces", None)
        self.ways = getattr(place, "ways", None)

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """As the hub or the scalars match."""
        found = self._match(text, at)
        if found is not None:
            self._append(self._first + found.lastindex)  # type: ignore[operator]  # every way has a group
        return found

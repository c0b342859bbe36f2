"""Semantic actions of several dialects in one message, and which of them read each call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Self

import msgspec

from toolect._building.builder import Builder
from toolect._building.inner_calls import NEVER
from toolect._graph.graph import Graph
from toolect._message import Call, Json, Message, RepairKind, Segment
from toolect._search.performer import Performer
from toolect._search.trace import Trace

FENCE: Final = "```"
_FENCE_END: Final = re.compile(r"\s*```[ \t]*(?=\r?\n|\Z)")


class MixedMessage(Message, frozen=True, eq=False):
    """A message, and beside it which dialect read each of its calls. Two are equal when their segments are."""

    dialects: tuple[str, ...] = ()
    """The dialect of each call, in the order of `calls`."""

    def to_dict(self) -> dict[str, Json]:
        """The message as a dictionary of JSON; each call has its `dialect`."""
        form = Message.to_dict(self)
        calls = [segment for segment in form["segments"] if segment["type"] == "call"]
        for call, dialect in zip(calls, self.dialects, strict=False):
            call["dialect"] = dialect
        return form

    @classmethod
    def from_dict(cls, form: Json) -> Self:
        """The message of such a dictionary. Raises MessageError."""
        message = super().from_dict(form)
        dialects = [s["dialect"] for s in form["segments"] if isinstance(s, dict) and "dialect" in s]
        return msgspec.structs.replace(message, dialects=tuple(map(str, dialects)))


class Switch(NamedTuple):
    """Action that changes to the dialect of `graph`; a code block around what follows begins at character `fence`."""

    graph: Graph
    fence: int

    def perform(self, to: MixedPerformer) -> None:
        """Do it."""
        to.switch(*self)


class MixedPerformer(Performer):
    """Performs actions of several dialects. The lines of a code block around a call are no text."""

    __slots__ = ("fenced", "_fence", "_readers")

    def __init__(
        self, graph: Graph, builder: Builder, raw: Callable[[int, int], str], trace: Trace | None = None
    ) -> None:
        super().__init__(graph, builder, raw, trace)
        self.fenced = False
        """The line that ends a code block may come."""
        self._fence = NEVER
        self._readers = [(0, graph)]

    def switch(self, graph: Graph, fence: int) -> None:
        """Change to the dialect of `graph`; a code block around what follows begins at character `fence`."""
        self._fence = fence
        if graph is not self.graph:
            if self.builder.call is not None and self.island is not None and not self.island.begun:
                self.builder.give_up_call(self.island.start)  # the text behind it would have ended it
            self.graph = graph
            self.builder.obey(graph.network.spec, graph.policies)
            self._readers.append((0 if self.island is None else self.island.start, graph))

    def more_text(self, upto: int) -> None:
        """The open text goes on up to character `upto`."""
        island, upto = self.island, min(upto, self._fence)
        if island is not None and self.fenced and not island.begun and upto > island.start:
            text = self.raw(island.start, upto)
            if (match := _FENCE_END.match(text)) is not None:
                island.start = island.emitted = island.start + match.end()
            self.fenced = match is None and text.isspace()
        super().more_text(upto)

    def close_text(self, end: int) -> None:
        """The open text is over."""
        fence, island = self._fence, self.island
        self.fenced = self.fenced and island is not None and not self.raw(island.start, end).strip()
        super().close_text(min(end, fence))
        self._fence = NEVER
        if fence < end:
            self.builder.note(RepairKind.STRAY_MARKER, fence, FENCE)
            self.fenced = True

    @property
    def closers(self) -> set[str]:
        """The closers of all dialects that have been read."""
        return {core for _, graph in self._readers for core in graph.closers}

    def dialects(self, segments: Iterable[Segment]) -> tuple[str, ...]:
        """The name of the dialect that read each call."""
        calls = (segment for segment in segments if isinstance(segment, Call))
        return tuple(self._reader(0 if call.span is None else call.span[0]) for call in calls)

    def _reader(self, start: int) -> str:
        return [graph for at, graph in self._readers if at <= start][-1].network.spec.name

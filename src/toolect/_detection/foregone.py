"""What a trial would find of a dialect, told by one stride in a text that is there as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from toolect._detection.evidence import PATIENCE, Evidence, step_after
from toolect._detection.guest import Guest
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._reading.stride import stride
from toolect._reading.striding import Striding
from toolect._values.schema import Schema
from toolect.message import Call, Status


class Foregone(NamedTuple):
    """A dialect that leaves nothing to be desired, what its stride has read, and the node that this led to."""

    name: str
    graph: Graph
    to: Striding
    node: Node


class Glance(NamedTuple):
    """Index `at` of a text, which is there to its end; `text[0]` is character `base` of it."""

    text: str
    at: int
    base: int
    evidence: Evidence
    schemas: Mapping[str, Schema]
    graph: Callable[[str], Graph]
    new_guest: Callable[[str, int], Guest]

    def perfect(self, name: str) -> Foregone | None:
        """What the dialect `name` reads, if a guest would leave nothing to be desired; None when only one can tell."""
        graph, at, evidence = self.graph(name), self.at, self.evidence
        if not graph.strides or evidence.free(name):
            return None
        strode = stride(graph, graph.start, self.text, at, self.base, self.schemas, True, True, bound=at)
        if strode is None:
            return None
        to = strode[0]
        calls = [segment for segment in to.segments if type(segment) is Call]
        said = [(call.name, call.status is Status.OK) for call in calls]
        flat = any(call.spelling is None and call.arguments for call in calls)
        if not evidence.perfect(name, said, flat, ()) or evidence.setting.tools and not evidence.declared(said[0][0]):
            return None
        heard = self._heard(name, calls[0])
        if not heard or not (to.left or to.finished) and to.before - at < heard:
            return None
        return Foregone(name, graph, *strode)

    def _heard(self, name: str, call: Call) -> int:
        """How much a guest reads at most before it knows about the first call; 0 when it runs out of patience."""
        assert call.span is not None
        read = call.span[1] - self.base - self.at
        if read < PATIENCE:
            return read + step_after(read)
        guest = self.new_guest(name, self.base + self.at)
        while not guest.decided and guest.fed - guest.at < PATIENCE:
            read = guest.fed - guest.at
            guest.feed(self.text[self.at + read : self.at + read + step_after(read)])
        return guest.fed - guest.at if guest.decided else 0

"""Which dialect a trial would find to be the best, told by strides in a text that is there as a whole.

A dialect that reads all that it can as it would write it is beaten only by one that is met more often and reads it as
well: those are heard alone until something speaks against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toolect._detection.evidence import PATIENCE, Evidence, step_after
from toolect._detection.guest import Guest
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._reading.runs import json_calls
from toolect._reading.stride import stride
from toolect._reading.striding import Striding
from toolect._spec.model import SlotKind
from toolect._values.schema import Schema
from toolect.message import Call, Status

MISSES = 2
"""Dialects that may fail at long JSON before a trial is cheaper: each reads all of it, a trial its beginning."""


class Foregone(NamedTuple):
    """The dialect that is the best, what its stride has read, and the node that this led to."""

    name: str
    graph: Graph
    to: Striding
    node: Node


class Inquiry(NamedTuple):
    """Index `at` of a text, which is there to its end; `text[0]` is character `base` of it."""

    text: str
    at: int
    base: int
    evidence: Evidence
    schemas: Mapping[str, Schema]
    graph: Callable[[str], Graph]
    guest: Callable[[str, int], Guest]
    """Makes a guest that is to read from a character of it on."""

    def best(self, names: Sequence[str]) -> Foregone | None:
        """The best of the dialects `names`; None when only a trial can tell."""
        evidence = self.evidence
        doubtful: list[str] = []
        for name in sorted(names, key=evidence.rank) if len(names) > 1 else names:
            found = self._stride(name)
            if found is None:
                doubtful.append(name)
                if len(doubtful) == MISSES and evidence.bracket(name) and len(self.text) - self.at > PATIENCE:
                    return None
                continue
            good = evidence.sure or self._flawless(found)
            return found if good and all(self._refuses(other) or self._loses(other) for other in doubtful) else None
        return None

    def _stride(self, name: str) -> Foregone | None:
        """What a dialect reads in one stride: a call at least."""
        graph, at = self.graph(name), self.at
        if not graph.strides:
            return None
        strode = stride(graph, graph.start, self.text, at, self.base, self.schemas, True, True, bound=at)
        if strode is None or not any(type(segment) is Call for segment in strode[0].segments):
            return None
        return Foregone(name, graph, *strode)

    def _flawless(self, found: Foregone) -> bool:
        """True when no other dialect can read better, however much of the text is looked at."""
        evidence, to, name = self.evidence, found.to, found.name
        calls = [segment for segment in to.segments if type(segment) is Call]
        said = [(call.name, call.status is Status.OK) for call in calls]
        if not all(good and evidence.named(called) for called, good in said):
            return False
        tools = evidence.setting.tools
        if tools and not all(called in tools for called, _ in said):
            return False
        flat = any(call.spelling is None and call.arguments for call in calls)
        if not evidence.meant(name, said, flat, ()) or evidence.free(name):
            return False
        assert calls[0].span is not None
        if calls[0].span[1] - self.base - self.at >= PATIENCE or not to.left and not to.finished:
            return False
        if len(calls) > 1 and (tools or not evidence.strong(name)):
            return False  # a trial might see one that has no name yet
        return evidence.begins(name) or bool(self._heard(name).calls)

    def _refuses(self, name: str) -> bool:
        """True when a dialect has no call in the JSON here, which is complete and all that it could begin with."""
        if not self.evidence.bracket(name):
            return False
        start = self.graph(name).start
        node = start if start.json else start.step(SlotKind.TEXT).node
        return node.json and json_calls(node).refuses(self.text, self.at, self.schemas)

    def _loses(self, name: str) -> bool:
        """True when something speaks against a dialect as soon as it knows what it makes of the text."""
        guest = self._heard(name)
        if not guest.settled:
            return False
        return guest.left == guest.at or bool(guest.repaired()) or not all(
            good and self.evidence.named(called) for called, good in guest.calls
        )  # fmt: skip

    def _heard(self, name: str) -> Guest:
        """A guest that has read until it knows what it makes of the text, or others would not wait any longer."""
        guest, read, size = self.guest(name, self.base + self.at), 0, len(self.text) - self.at
        while not guest.settled and (until := read + step_after(read)) <= min(size, PATIENCE):
            guest.feed(self.text[self.at + read : self.at + until])
            read = until
        return guest

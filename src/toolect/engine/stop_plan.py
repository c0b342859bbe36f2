"""The stops of a text slot, made ready for searching."""

from __future__ import annotations

import re

from toolect.compile.node import Node, spaced
from toolect.compile.stops import Stop
from toolect.spec.holes import holes
from toolect.spec.model import HoleKind, Many, OneOf, Role, Shape, SlotKind


class StopPlan:
    """The stops of a node, made ready for searching: kept with the node."""

    __slots__ = ("braces", "hint", "holds", "longest", "needles", "stops")

    def __init__(self, stops: list[Stop], gap: str, braces: str) -> None:
        self.stops = sorted(stops, key=lambda s: len(s.core), reverse=True)
        self.needles: list[tuple[str, re.Pattern[str] | None, Stop | None, str]] = []
        holds: set[str] = set()
        for stop in self.stops:
            lead = (gap if stop.probe and stop.repair is None else "") + stop.lead
            needle = stop.core.split(None, 1)[0]
            regex = re.compile(spaced(stop.core)) if needle != stop.core else None
            self.needles.append((needle, regex, stop, lead))
            for i in range(len(lead) + 1):
                whole = lead[i:] + stop.core
                holds.update(whole[:k] for k in range(1, len(whole)))
        for brace in braces:
            self.needles.append((brace, None, None, ""))
        self.braces = braces
        self.holds = frozenset(holds)
        self.longest = max(map(len, holds), default=0)
        first = {h[0] for h in holds} | set(braces) | {n[0] for n, _, _, _ in self.needles}
        self.hint = re.compile("[" + "".join(map(re.escape, sorted(first))) + "]") if first else re.compile(r"(?!)")

    def lead_at(self, text: str, pos: int, at: int) -> int:
        """How many characters before the marker at index `at` are the whitespace that is written there."""
        for needle, _, stop, lead in self.needles:
            if lead and stop is not None and text.startswith(needle, at):
                for k in range(len(lead), 0, -1):
                    if text.endswith(lead[len(lead) - k :], pos, at):
                        return k
                return 0
        return 0

    def hold_from(self, buf: str, pos: int) -> int:
        """The index in `buf` from which its end may be the beginning of a stop."""
        n = len(buf)
        at = max(pos, n - self.longest)
        while (match := self.hint.search(buf, at)) is not None:
            at = match.start()
            if buf[at:] in self.holds:
                return at
            at += 1
        return n


def plan_of(node: Node) -> StopPlan:
    """The stop plan of `node`, made once."""
    if node.plan is None:
        node.plan = _plan(node)
    plan: StopPlan = node.plan
    return plan


def _plan(node: Node) -> StopPlan:
    """The stops of `node` made ready for searching."""
    field = node.text_field()
    gaps = node.graph.network.spec.gaps
    gap = gaps.before_call if field.role in (Role.CONTENT, Role.REASONING) else ""
    if field.role is Role.ARGUMENTS:
        gap = gaps.between_calls
    braces = ""
    if field.role in (Role.CONTENT, None):
        after = node.step(SlotKind.TEXT).node
        source = node if node.json else after if after.json else None
        if source is not None:
            shape: Shape = source.choices[SlotKind.JSON][0].edge.symbol.field.shape  # type: ignore[union-attr,assignment]  # a Hollow with a shape
            options = shape.shapes if isinstance(shape, OneOf) else (shape,)
            lists = any(isinstance(s, Many) for s in options)
            single = not lists or HoleKind.NAME in holes(shape, in_lists=False)
            braces = ("{" if single else "") + ("[" if lists else "")
            braces = braces or "{"
    return StopPlan(list(node.stops.values()), gap, braces)

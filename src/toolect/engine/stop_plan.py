"""The stops of a text slot, made ready for searching."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect.compile.node import Node, spaced
from toolect.compile.stops import Stop
from toolect.compile.symbols import ECHOES
from toolect.engine.spelling import squeeze
from toolect.spec.model import Role, SlotKind

UNKNOWN, ABSENT = -2, -1  # where a needle is next, when that is not an offset


class Needle(NamedTuple):
    """What is searched for: a stop by its text up to the first blank, or, without a stop, a bracket of bare JSON."""

    text: str
    regex: re.Pattern[str] | None
    """Matches the whole stop, where that has blanks."""
    stop: Stop | None
    lead: str
    """The whitespace that is written before it."""


class StopPlan:
    """The stops of a node, made ready for searching: kept with the node."""

    __slots__ = ("braces", "direct", "head", "hint", "holds", "longest", "needles", "stops")

    def __init__(self, stops: list[Stop], gap: str, braces: str, direct: bool = False) -> None:
        # The longest first; of two that differ in blanks, the one with fewer.
        self.stops = sorted(stops, key=lambda s: (-len(squeeze(s.core)), len(s.core)))
        self.needles: list[Needle] = []
        self.head: Needle | None = None
        """A terminal that may stand where the text would begin."""
        holds: set[str] = set()
        for stop in self.stops:
            lead = (gap if stop.calling and stop.repair is None else "") + stop.lead
            if stop.pattern:
                self.head = Needle("", None, stop, lead)
                if not stop.direct:
                    self.needles.append(Needle("\n", None, stop, lead))
                    holds.update(lead[i:k] for k in range(len(lead) + 1) for i in range(k))
                continue
            known = fixed(stop.core)
            needle = known.split(None, 1)[0]
            regex = re.compile(spaced(stop.core)) if needle != known else None
            self.needles.append(Needle(needle, regex, stop, lead))
            for i in range(len(lead) + 1):
                whole = lead[i:] + known
                holds.update(whole[:k] for k in range(1, len(whole) + (known != stop.core)))
        for brace in braces:
            self.needles.append(Needle(brace, None, None, ""))
        self.braces = braces
        self.direct = direct  # bare JSON stands only where no text comes before it
        self.holds = frozenset(holds)
        self.longest = max(map(len, holds), default=0)
        first = {h[0] for h in holds} | set(braces) | {needle.text[0] for needle in self.needles}
        self.hint = re.compile("[" + "".join(map(re.escape, sorted(first))) + "]") if first else re.compile(r"(?!)")

    def lead_at(self, text: str, pos: int, at: int) -> int:
        """How many characters before the marker at index `at` are the whitespace that is written there."""
        for needle in self.needles:
            if needle.lead and needle.stop is not None and text.startswith(needle.text, at):
                return ending(text, needle.lead, pos, at)
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


class Search:
    """Where the needles of a plan come next in one text. Each is looked for once, however many slots there are."""

    __slots__ = ("_found", "_known", "_plan")

    def __init__(self, plan: StopPlan) -> None:
        self._plan = plan
        self._known = 0  # how much of the text has been looked at
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self._found = [UNKNOWN] * len(self._plan.needles)

    def next(self, buf: str, base: int, start: int) -> tuple[int, list[Needle]]:
        """The first index in `buf`, from character `start` on, where a stop may be, and the needles there; -1 for none.

        `buf[0]` is character `base` of the wire text.
        """
        found = self._found
        if self._known != base + len(buf):
            self._known = base + len(buf)
            found[:] = [UNKNOWN if at == ABSENT else at for at in found]
        search = max(start - base, 0)
        best, there = -1, []
        for i, needle in enumerate(self._plan.needles):
            known = found[i]
            if known == ABSENT:
                continue
            at = known - base
            if known == UNKNOWN or at < search:
                at = buf.find(needle.text, search)
                if at < 0:
                    found[i] = ABSENT
                    continue
                found[i] = at + base
            if best < 0 or at < best:
                best, there = at, [needle]
            elif at == best:
                there.append(needle)
        return best, there


def fixed(core: str) -> str:
    """What of the marker `core` does not repeat a name or key: its beginning."""
    return re.split("[" + "".join(ECHOES.values()) + "]", core, maxsplit=1)[0]


def ending(text: str, lead: str, pos: int, at: int) -> int:
    """How many of the last characters of `lead` stand at the end of `text[pos:at]`."""
    return next((k for k in range(len(lead), 0, -1) if text.endswith(lead[len(lead) - k :], pos, at)), 0)


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
    braces, direct = "", False
    if field.role in (Role.CONTENT, None):
        after = node.step(SlotKind.TEXT).node
        direct = not after.json
        braces = "{[" if node.json or after.json else ""
    return StopPlan(list(node.stops.values()), gap, braces, direct)

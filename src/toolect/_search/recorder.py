"""Recorded edges: every hypothesis that lived, and which rows of the table of costs its edge paid; for explanations.

The search itself reads as ever. Each expansion is made once more with a coded table, where a cost is a digit of its own
in one large number: what a hypothesis costs there tells how often each row was paid.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Final

from toolect._explanation import Explanation, Paid, Place, Reading
from toolect._graph.expectations import expectations
from toolect._search.actions import BreakOff, CloseText, Imply, MendJson, Note, Shift, Unexpected
from toolect._search.follow import ESCAPED, JSON, TEXT
from toolect._search.hypothesis import Act, Edges, Expansion, Hypothesis, Mode
from toolect._search.window import Window
from toolect._spec.costs import COSTS, ROWS, Costs

MAX_PLACES: Final = 100
"""Places that an explanation has. Beyond it: they are counted. Of so many calls it says why they failed."""
MAX_READINGS: Final = 8
"""Readings that a place has. Beyond it: they are counted."""
_GOT: Final = 40
_BASE: Final = 1 << 12
"""More than twice what one row is paid at an edge."""
_EVIDENCE: Final = ("fits", "fits_long", "call_seen")
_REST: Final = "adjustment"
"""Cost that no row has."""
_ROWS: Final = sorted(ROWS, key=lambda name: int(getattr(COSTS, name)))
"""The dearer a row, the higher its digit: of two coded costs the lower one is nearly always the cheaper."""
_CODED: Final = Costs(**{name: _BASE**digit for digit, name in enumerate(_ROWS, 1)})
_SLOTS: Final = {Mode.TEXT: TEXT, Mode.STRING: ESCAPED}


class TakenEdge:
    """An edge that a hypothesis took, from that of the hypothesis before: what it paid, and where."""

    __slots__ = ("after", "at", "before", "expected", "last", "paid", "pos")

    def __init__(self, before: TakenEdge | None, paid: dict[str, int], at: int, pos: int) -> None:
        self.before, self.paid, self.at, self.pos = before, paid, at, pos
        self.after: list[TakenEdge] = []
        self.expected: tuple[str, ...] = ()
        self.last: TakenEdge = self
        """The edge to that of the hypotheses it led to which went on last."""


class Recorder:
    """Stands between a search and its edges."""

    def __init__(self, edges: Edges, window: Window) -> None:
        self._edges, self._window = edges, window
        self._values = {name: int(getattr(window.costs, name)) for name in _ROWS}
        self._known: dict[int, tuple[Hypothesis, TakenEdge]] = {}
        self._gone_on: list[TakenEdge] = []

    def step(self, one: Hypothesis, final: bool) -> bool:
        """As the edges do."""
        return self._edges.step(one, final)

    def expand(self, one: Hypothesis, final: bool) -> Expansion:
        """As the edges do."""
        window, plain, spare, emitted = self._window, self._window.costs, one.spare, one.emitted
        inner = (None, 0) if spare is None else (spare.spare, spare.cost)
        window.costs = _CODED
        coded = self._edges.expand(one, final)
        codes = [other.cost - one.cost for other in coded] if isinstance(coded, list) else []
        window.costs, one.spare, one.emitted = plain, spare, emitted
        if spare is not None:  # it may have been woken
            spare.spare, spare.cost = inner
        found = self._edges.expand(one, final)
        if isinstance(found, list):
            codes = codes if len(codes) == len(found) else [0] * len(found)
            edge = self._edge(one)
            slot = _SLOTS.get(one.mode)
            node = one.node if slot is None else one.node.step(slot).node
            edge.expected = ("the rest of a JSON value",) if one.mode is Mode.JSON else tuple(expectations(node))
            self._gone_on.append(edge)
            for other, code in zip(found, codes, strict=True):
                acts = [*_acts(one, other)]
                after = TakenEdge(
                    edge, _paid(code, other.cost - one.cost, acts, self._values), _at(acts, other.pos), other.pos
                )
                edge.after.append(after)
                self._known[id(other)] = other, after
        return found

    def _edge(self, one: Hypothesis) -> TakenEdge:
        """The edge that led to a hypothesis."""
        return self._known.pop(id(one), (one, TakenEdge(None, {}, one.pos, one.pos)))[1]

    def explain(self, dialect: str, text: str, best: Hypothesis) -> Explanation:
        """Why the hypothesis that won has: the places where its edges paid anything but evidence."""
        for edge in reversed(self._gone_on):  # what came later is before it
            cheapest = min(edge.after, key=_cost, default=edge)
            edge.last = next((after.last for after in edge.after if after.last is not after), cheapest)
        path = [*_between(None, self._edge(best))][::-1]
        flawed = [i for i, edge in enumerate(path) if any(row not in _EVIDENCE for row in edge.paid)]
        places = tuple(_place(path, i, text) for i in flawed[:MAX_PLACES])
        return Explanation(dialect, sum(map(_cost, path)), places, len(flawed) - len(places))


def _cost(edge: TakenEdge) -> int:
    return sum(edge.paid.values())


def _place(path: list[TakenEdge], number: int, text: str) -> Place:
    """The place at which the edge `number` of the path that won was taken."""
    won, before = path[number], path[number].before
    assert before is not None
    others = {_reading([*_between(before, edge.last)], False) for edge in before.after if edge is not won}
    until = max((other.until for other in others), default=0)
    chain = [won, *takewhile(lambda edge: edge.pos <= until, path[number + 1 :])]
    shown = sorted(others, key=lambda other: (other.cost, -other.until, str(other.paid)))[: MAX_READINGS - 1]
    readings = (_reading(chain, True), *shown)
    rest = text[won.at :].lstrip()
    return Place(len(text) - len(rest), before.expected, rest[:_GOT], readings, len(others) - len(shown))


def _between(before: TakenEdge | None, last: TakenEdge) -> Iterator[TakenEdge]:
    """The edges up to `last`, the last one first."""
    edge: TakenEdge | None = last
    while edge is not None and edge is not before:
        yield edge
        edge = edge.before


def _reading(chain: list[TakenEdge], won: bool) -> Reading:
    """All that the edges of a chain paid, each row once."""
    found: dict[str, Paid] = {}
    for edge in sorted(chain, key=lambda edge: edge.pos):
        for name, cost in edge.paid.items():
            words = ROWS[name].edge if name in ROWS else "what no row is for"
            one = found.get(name) or Paid(name, words, edge.at, 0)
            found[name] = Paid(name, words, one.at, one.cost + cost)
    return Reading((*found.values(),), sum(map(_cost, chain)), max(edge.pos for edge in chain), won)


def _acts(one: Hypothesis, other: Hypothesis) -> Iterator[Act]:
    """The actions of `other` beyond those of `one`."""
    action = other.action
    while action is not one.action and action.parent is not None:
        yield from action.acts
        action = action.parent


def _at(acts: list[Act], pos: int) -> int:
    """The character where something is not as it should be: of what is done there, the first; else `pos`."""
    found = [act.start for act in acts if isinstance(act, Shift)]
    found += [act.end for act in acts if isinstance(act, CloseText)]
    found += [act.at for act in acts if isinstance(act, Note | Imply | MendJson | Unexpected | BreakOff)]
    return min(found, default=pos)


def _paid(code: int, cost: int, acts: list[Act], values: dict[str, int]) -> dict[str, int]:
    """The cost of each row, by a coded cost and the `values` of the rows; all together it is `cost`.

    Markers that are missing on a way, which the grammar knows by itself, are shown by the acts.
    """
    paid = {name: count * values[name] for name, count in _counts(code)}
    rest = cost - sum(paid.values())
    for act in acts if rest else ():
        if isinstance(act, Imply) and rest > 0 and (isinstance(act.key, str) or act.key is JSON):
            opens = isinstance(act.key, str) and act.node.first(act.key)
            name = "implied_opener" if opens else "implied_closer" if isinstance(act.key, str) else "no_arguments"
            part = min(rest, values[name])
            paid[name] = paid.get(name, 0) + part
            rest -= part
    if rest:
        name = max((name for name in paid if name not in _EVIDENCE), key=values.__getitem__, default=_REST)
        paid[name] = paid.get(name, 0) + rest
    return paid


@lru_cache(4096)
def _counts(code: int) -> list[tuple[str, int]]:
    """Number of times that each row was paid, by a coded cost, whose digits may be negative; the first is no row's."""
    counts = list[tuple[str, int]]()
    for name in ("", *_ROWS):
        digit = (code + _BASE // 2) % _BASE - _BASE // 2
        code = (code - digit) // _BASE
        counts += [(name, digit)] if digit and name else []
    return counts

"""Recorded edges: every hypothesis that lived, and which rows of the table of costs its edge paid; for explanations.

The search itself reads as ever. Each expansion is made once more with a coded table, where a cost is a digit of its own
in one large number: what a hypothesis costs there tells how often each row was paid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolect._graph.node import Node
from toolect._search import actions
from toolect._search.costs import COSTS, ROWS, Costs
from toolect._search.follow import ESCAPED, JSON, TEXT, expectations
from toolect._search.hypothesis import Act, Edges, Hypothesis, Mode, Onwards, Waits
from toolect._search.window import Window
from toolect.explanation import Explanation, Paid, Place, Reading

MAX_PLACES: Final = 100
"""Places that an explanation has. Beyond it: they are counted."""
MAX_READINGS: Final = 8
"""Readings that a place has. Beyond it: they are counted."""
_GOT: Final = 40
_BASE: Final = 1 << 12
"""More than twice what one row is paid at an edge."""
_EVIDENCE: Final = ("fits", "fits_long", "call_seen")
_REST: Final = "adjustment"
"""What is paid beyond the rows."""


def _value(name: str) -> int:
    return getattr(COSTS, name)  # type: ignore[no-any-return]


_ROWS: Final = sorted(ROWS, key=_value)
"""The dearer a row, the higher its digit: of two coded costs the lower one is nearly always the cheaper."""
_CODED: Final = Costs(**{name: _BASE**digit for digit, name in enumerate(_ROWS, 1)})


class Edge:
    """An edge that a hypothesis took, from that of the hypothesis before: what it paid, and where."""

    __slots__ = ("after", "at", "before", "expected", "last", "paid", "pos")

    def __init__(self, before: Edge | None, paid: dict[str, int], at: int, pos: int) -> None:
        self.before, self.paid, self.at, self.pos = before, paid, at, pos
        self.after: list[Edge] = []
        self.expected: tuple[str, ...] = ()
        self.last: Edge = self
        """The edge to that of the hypotheses it led to which went on last."""

    @property
    def cost(self) -> int:
        """All that was paid."""
        return sum(self.paid.values())


class Recorder:
    """Stands between a search and its edges."""

    def __init__(self, edges: Edges, window: Window) -> None:
        self._edges, self._window = edges, window
        self._first: Edge | None = None
        self._won: Edge | None = None
        self._known: dict[int, tuple[Hypothesis, Edge]] = {}
        self._gone_on: list[Edge] = []

    def step(self, one: Hypothesis, final: bool) -> bool:
        """As the edges do."""
        return self._edges.step(one, final)

    def expand(self, one: Hypothesis, final: bool) -> list[Hypothesis] | Onwards | Waits:
        """As the edges do."""
        window, plain, spare = self._window, self._window.costs, one.spare
        inner = None if spare is None else (spare.spare, spare.cost)
        window.costs = _CODED
        coded = self._edges.expand(one, final)
        costs = [other.cost - one.cost for other in coded] if isinstance(coded, list) else []
        window.costs, one.spare = plain, spare
        if spare is not None and inner is not None:
            spare.spare, spare.cost = inner
        found = self._edges.expand(one, final)
        if isinstance(found, list):
            edge = self._edge(one)
            edge.expected = _expected(one)
            self._gone_on.append(edge)
            for other, code in zip(found, costs, strict=True):
                acts = [*_acts(one, other)]
                after = Edge(edge, _paid(code, other.cost - one.cost, acts), _at(acts, other.pos), other.pos)
                edge.after.append(after)
                self._known[id(other)] = other, after
        return found

    def _edge(self, one: Hypothesis) -> Edge:
        """The edge that led to a hypothesis."""
        known = self._known.pop(id(one), None)
        return Edge(None, {}, one.pos, one.pos) if known is None else known[1]

    def explain(self, dialect: str, text: str, best: Hypothesis) -> Explanation:
        """Why the hypothesis that won has: the places where its edges paid anything but evidence."""
        for edge in reversed(self._gone_on):  # what came later is before it
            cheapest = min(edge.after, key=lambda after: after.cost, default=edge)
            edge.last = next((after.last for after in edge.after if after.last is not after), cheapest)
        path: list[Edge] = []
        one: Edge | None = self._edge(best)
        while one is not None:
            path.append(one)
            one = one.before
        path.reverse()
        flawed = [i for i, edge in enumerate(path) if any(row not in _EVIDENCE for row in edge.paid)]
        places = tuple(_place(path, i, text) for i in flawed[:MAX_PLACES])
        cost = sum(edge.cost for edge in path)
        return Explanation(dialect, cost, places, max(len(flawed) - MAX_PLACES, 0))


def _place(path: list[Edge], number: int, text: str) -> Place:
    """The place at which the edge `number` of the path that won was taken."""
    won, before = path[number], path[number].before
    assert before is not None
    others = [_reading([*_between(before, edge.last)], False) for edge in before.after if edge is not won]
    until = max((other.until for other in others), default=0)
    chain = [won]
    for edge in path[number + 1 :]:
        if edge.pos > until:
            break
        chain.append(edge)
    others = sorted(dict.fromkeys(others), key=lambda other: (other.cost, -other.until))
    readings = (_reading(chain, True), *others[: MAX_READINGS - 1])
    left = max(len(others) + 1 - MAX_READINGS, 0)
    return Place(won.at, before.expected, text[won.at : won.at + _GOT], readings, left)


def _between(before: Edge, last: Edge) -> Iterator[Edge]:
    """The edges up to `last`, the last one first."""
    edge: Edge | None = last
    while edge is not None and edge is not before:
        yield edge
        edge = edge.before


def _reading(chain: list[Edge], won: bool) -> Reading:
    """All that the edges of a chain paid, each row once."""
    found: dict[str, tuple[int, int]] = {}
    for edge in sorted(chain, key=lambda edge: edge.pos):
        for name, cost in edge.paid.items():
            at, sum_ = found.get(name, (edge.at, 0))
            found[name] = at, sum_ + cost
    paid = tuple(Paid(name, ROWS[name].edge if name in ROWS else "", *one) for name, one in found.items())
    return Reading(paid, sum(one.cost for one in paid), max(edge.pos for edge in chain), won)


def _acts(one: Hypothesis, other: Hypothesis) -> Iterator[Act]:
    """What `other` does beyond `one`."""
    action = other.action
    while action is not one.action and action.parent is not None:
        yield from action.acts
        action = action.parent


def _at(acts: list[Act], pos: int) -> int:
    """The character where something is not as it should be: of what is done there, the first; else `pos`."""
    found = list[int]()
    for act in acts:
        if isinstance(act, actions.Shift):
            found.append(act.start)
        elif isinstance(act, actions.CloseText):
            found.append(act.end)
        elif isinstance(act, actions.Note | actions.Imply | actions.MendJson | actions.Lost | actions.BreakOff):
            found.append(act.at)
    return min(found, default=pos)


def _paid(code: int, cost: int, acts: list[Act]) -> dict[str, int]:
    """What each row was paid, by a coded cost; all together it is `cost`.

    Markers that are missing on a way, which the grammar knows by itself, are told by the acts.
    """
    counts: dict[str, int] = {}
    code = _digit(code)[1]
    for name in _ROWS:
        count, code = _digit(code)
        if count:
            counts[name] = count
        if not code:
            break
    paid = {name: count * _value(name) for name, count in counts.items()}
    rest = cost - sum(paid.values())
    for act in acts:
        if isinstance(act, actions.Imply) and rest > 0:
            name = _implied(act)
            part = min(rest, _value(name)) if name else 0
            if part:
                paid[name] = paid.get(name, 0) + part
            rest -= part
    if rest:
        rows = [name for name in paid if name not in _EVIDENCE]
        name = max(rows, key=_value) if rows else _REST
        paid[name] = paid.get(name, 0) + rest
    return paid


def _digit(code: int) -> tuple[int, int]:
    """The last digit of a coded cost, which may be negative, and the others."""
    digit = (code + _BASE // 2) % _BASE - _BASE // 2
    return digit, (code - digit) // _BASE


def _implied(act: actions.Imply) -> str:
    """The row of a symbol that is missing."""
    if isinstance(act.key, str):
        return "implied_opener" if act.node.first(act.key) else "implied_closer"
    return "no_arguments" if act.key is JSON else ""


def _expected(one: Hypothesis) -> tuple[str, ...]:
    """What the grammar has next for a hypothesis, for people."""
    node: Node = one.node
    match one.mode:
        case Mode.TEXT:
            node = node.step(TEXT).node
        case Mode.STRING:
            node = node.step(ESCAPED).node
        case Mode.JSON:
            return ("the rest of a JSON value",)
        case _:
            pass
    return tuple(dict.fromkeys(expectations(node)))

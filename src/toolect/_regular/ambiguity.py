"""Expressions that a backtracking engine reads in time beyond linear, each with a text that shows it.

An automaton with two ways over one text from a state back to itself doubles the work with each repetition of the text
(exponential); one with a loop on each of two states and a way from the first to the second on the same text multiplies
it (polynomial). Without such loops the ways over one text have a bound, which counted repetitions can make large. The
text matters only when the whole then fails to match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache

import msgspec

from toolect._regular.automaton import Alphabet, Automaton, State, led
from toolect._regular.extent import longest_of
from toolect._regular.syntax import Border, Chain, Look, Node, NotRegularError, Repetition, conditional, parts_of, read

MAX_WORK = 100_000
"""States of product automata that are looked at for one expression."""
MAX_WAYS = 1_000
"""Ways to read one text that an expression may have, whatever the length of the text."""
_KEPT = 8
"""Beginnings of a text with many ways that are followed at a time."""


class Growth(StrEnum):
    """Growth of the time with the length of the text."""

    EXPONENTIAL = "exponential"
    POLYNOMIAL = "polynomial"
    BOUNDED = "bounded"
    """It does not grow without end, and is more than anyone waits for."""


class Attack(msgspec.Struct, frozen=True):
    """`before`, then `pump` again and again, then `after`: no match, and `growth` ways to find that out.

    Where these have a bound there is no `pump`.
    """

    growth: Growth
    before: str
    pump: str
    after: str

    def text(self, times: int) -> str:
        """The attack with so many repetitions."""
        return self.before + self.pump * times + self.after


class Undecided(msgspec.Struct, frozen=True):
    """No answer, and why there is none; `large` if that is for its size alone.

    `growth` is what it would be without what cannot be followed, if that is known.
    """

    reason: str
    large: bool = False
    growth: Growth | None = None


@lru_cache(maxsize=1024)
def ambiguity(regex: str, work: int = MAX_WORK) -> Attack | Undecided | None:
    """An attack that makes matching all of a text against `regex` take more than linear time; None when there is none.

    It is undecided where more than `work` states of product automata had to be looked at.
    """
    try:
        node = _unanchored(read(regex))
        if any(
            isinstance(part, Repetition) and part.most is None and _looks_far(part.item) for part in _all_parts(node)
        ):
            return Undecided("it looks ahead or behind without an end inside of a repetition")
        found = _AttackSearch(Automaton(node), work).run()
        for inside in conditions(node):
            found = found or _AttackSearch(Automaton(inside), work).run()
    except NotRegularError as error:
        return Undecided(str(error), error.large)
    left_out = conditional(node)
    if found is not None and left_out:
        reason = f"it has {left_out}, and without it `{found.pump or found.before}` could be read in many ways"
        return Undecided(reason, growth=found.growth)
    return found


def conditions(node: Node) -> Iterable[Node]:
    """The expressions inside the look-aheads and look-behinds in `node`."""
    for inside in parts_of(node):
        if isinstance(inside, Look):
            yield inside.item
        yield from conditions(inside)


def _all_parts(node: Node) -> Iterator[Node]:
    """`node` and all that is in it."""
    yield node
    for part in parts_of(node):
        yield from _all_parts(part)


def _looks_far(node: Node) -> bool:
    """True when a condition in `node` may read any number of characters."""
    return any(longest_of(inside) is None for inside in conditions(Chain((node,))))


def _unanchored(node: Node) -> Node:
    """`node` without the anchors at its ends, which say nothing new about a match of the whole text."""
    if not isinstance(node, Chain):
        return node
    parts = list(node.parts)
    while parts and isinstance(parts[0], Border) and parts[0].kind.startswith("beginning"):
        parts.pop(0)
    while parts and isinstance(parts[-1], Border) and parts[-1].kind.startswith("end"):
        parts.pop()
    return Chain(tuple(parts))


class _AttackSearch:
    """Looks for an attack on one automaton."""

    def __init__(self, of: Automaton, work: int) -> None:
        self.of = of
        alphabet = Alphabet((of,))
        self.letters = alphabet.letters
        self.moves = alphabet.moves(of)
        self.work, self.most = 0, work
        self.next = [{b for b in follow if of.chars[b]} for follow in of.follow]
        self.reach = [_reachable(self.next, state) for state in range(len(self.next))]

    def run(self) -> Attack | None:
        """An exponential attack, else a polynomial one, else one that many counted ways make."""
        return next((attack for attack in self._attacks() if attack), None) or self._counted()

    def _attacks(self) -> Iterator[Attack | None]:
        looping = [p for p in range(len(self.next)) if p in self.reach[p]]
        circles = {p: frozenset(q for q in looping if q in self.reach[p] and p in self.reach[q]) for p in looping}
        for circle in dict.fromkeys(circles.values()):  # two ways at one state of a circle mean two at each
            p = min(circle)
            yield self._attack(Growth.EXPONENTIAL, p, self._two_ways(p, circle))
        for p, start in circles.items():
            for q, end in circles.items():
                if q in self.reach[p] and start != end:
                    yield self._attack(Growth.POLYNOMIAL, p, self._across(p, q, start, end))

    def _counted(self) -> Attack | None:
        """A text that may be read in more than `MAX_WAYS` ways: the most promising beginnings are made longer."""
        most = [(Counter({0: 1}), "")]
        for _ in self.next:
            longer: dict[frozenset[tuple[int, int]], tuple[Counter[int], str]] = {}
            for ways, word in most:
                for letter, char in enumerate(self.letters):
                    found = self._ways(ways, letter)
                    longer.setdefault(frozenset(found.items()), (found, word + char))
            most = sorted(longer.values(), key=lambda one: -one[0].total())[:_KEPT]
            if most and most[0][0].total() > MAX_WAYS:
                return self._failing(Growth.BOUNDED, most[0][1], "", set(most[0][0]))
        return None

    def _ways(self, ways: Counter[int], letter: int) -> Counter[int]:
        """In how many ways each state is reached with one letter more."""
        found: Counter[int] = Counter()
        for state, many in ways.items():
            moves = self.moves[state][letter]
            self._count(len(moves))
            for target, more in moves:
                found[target] += many * more
        return found

    def _count(self, states: int) -> None:
        self.work += states
        if self.work > self.most:
            raise NotRegularError(f"not decided within {self.most} states", large=True)

    def _two_ways(self, p: int, circle: frozenset[int]) -> str | None:
        """A text that leads from `p` to `p` in two ways."""

        def steps(state: tuple[int, int, bool], letter: int) -> Iterable[tuple[int, int, bool]]:
            a, b, apart = state
            for c, ways in self.moves[a][letter]:
                for d, _ in self.moves[b][letter]:
                    if c in circle and d in circle:
                        yield c, d, apart or c != d or a == b and ways > 1

        return self._path((p, p, False), steps, (p, p, True))

    def _across(self, p: int, q: int, start: frozenset[int], end: frozenset[int]) -> str | None:
        """A text that leads from `p` to `p`, from `p` to `q`, and from `q` to `q`."""

        def steps(state: tuple[int, int, int], letter: int) -> Iterable[tuple[int, int, int]]:
            a, b, c = state
            for x, _ in self.moves[a][letter]:
                if x not in start:
                    continue
                for z, _ in self.moves[c][letter]:
                    if z not in end:
                        continue
                    for y, _ in self.moves[b][letter]:
                        if y == q or q in self.reach[y]:
                            yield x, y, z

        return self._path((p, p, q), steps, (p, q, q))

    def _path(self, start: State, steps: Callable[[State, int], Iterable[State]], goal: State) -> str | None:
        """A shortest text from `start` to `goal`, at least one character."""
        for state, word in led(start, self.letters, steps):
            if state == goal:
                return word
            self._count(1)
        return None

    def _attack(self, growth: Growth, p: int, pump: str | None) -> Attack | None:
        """The attack with what must come before and after `pump`; None when nothing makes the match fail."""
        if pump is None:
            return None
        before = "" if p == 0 else self._path(0, lambda state, letter: [b for b, _ in self.moves[state][letter]], p)
        assert before is not None, "every state is reached from the start"
        return self._failing(growth, before, pump, self._states(self._states({0}, before), pump * len(self.next)))

    def _failing(self, growth: Growth, before: str, pump: str, states: set[int]) -> Attack | None:
        """The attack that leads to `states`, with what makes the match fail there."""
        for after in ("", *reversed(self.letters), *(a + b for a in self.letters for b in self.letters)):
            if not self._states(states, after) & self.of.final:
                return Attack(growth, before, pump, after)
        return None

    def _states(self, states: set[int], text: str) -> set[int]:
        """The states that `text` leads to from any of `states`."""
        for char in text:
            letter = self.letters.index(char)
            states = {b for a in states for b, _ in self.moves[a][letter]}
        return states


def _reachable(following: list[set[int]], start: int) -> set[int]:
    """The states that at least one move leads to from `start`."""
    met: set[int] = set()
    todo = [start]
    while todo:
        more = following[todo.pop()] - met
        met |= more
        todo += more
    return met

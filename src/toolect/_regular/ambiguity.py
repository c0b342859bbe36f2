"""Expressions that a backtracking engine reads in time beyond linear, each with a text that shows it.

An automaton with two ways over one text from a state back to itself doubles the work with each repetition of the text
(exponential); one with a loop on each of two states and a way from the first to the second on the same text multiplies
it (polynomial). The text matters only when the whole then fails to match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache

import msgspec

from toolect._regular.automaton import Alphabet, Automaton, State, led
from toolect._regular.syntax import Border, Chain, Look, Node, NotRegular, conditional, parts_of, read

MAX_WORK = 100_000
"""States of product automata that are looked at for one expression."""


class Growth(StrEnum):
    """How the time grows with the length of the text."""

    EXPONENTIAL = "exponential"
    POLYNOMIAL = "polynomial"


class Attack(msgspec.Struct, frozen=True):
    """`before`, then `pump` again and again, then `after`: no match, and `growth` ways to find that out."""

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
def ambiguity(regex: str) -> Attack | Undecided | None:
    """How matching all of a text against `regex` may take more than linear time; None when it may not."""
    try:
        node = _unanchored(read(regex))
        found = _Search(Automaton(node)).run()
        for inside in conditions(node):
            found = found or _Search(Automaton(inside)).run()
    except NotRegular as error:
        return Undecided(str(error), error.large)
    left_out = conditional(node)
    if found is not None and left_out:
        reason = f"it has {left_out}, and without it `{found.pump}` could be read in many ways"
        return Undecided(reason, growth=found.growth)
    return found


def conditions(node: Node) -> Iterable[Node]:
    """What the look-aheads and look-behinds in `node` look for."""
    for inside in parts_of(node):
        if isinstance(inside, Look):
            yield inside.item
        yield from conditions(inside)


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


class _Search:
    """Looks for an attack on one automaton."""

    def __init__(self, of: Automaton) -> None:
        self.of = of
        alphabet = Alphabet((of,))
        self.letters = alphabet.letters
        self.moves = alphabet.moves(of)
        self.work = 0
        self.next = [{b for b in follow if of.chars[b]} for follow in of.follow]
        self.reach = [_reachable(self.next, state) for state in range(len(self.next))]

    def run(self) -> Attack | None:
        """An exponential attack, else a polynomial one."""
        return next((attack for attack in self._attacks() if attack), None)

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
            self.work += 1
            if self.work > MAX_WORK:
                raise NotRegular(f"not decided within {MAX_WORK} states", large=True)
        return None

    def _attack(self, growth: Growth, p: int, pump: str | None) -> Attack | None:
        """The attack with what must come before and after `pump`; None when nothing makes the match fail."""
        if pump is None:
            return None
        before = "" if p == 0 else self._path(0, lambda state, letter: [b for b, _ in self.moves[state][letter]], p)
        assert before is not None, "every state is reached from the start"
        pumped = self._states(self._states({0}, before), pump * len(self.next))
        for after in ("", *reversed(self.letters), *(a + b for a in self.letters for b in self.letters)):
            if not self._states(pumped, after) & self.of.final:
                return Attack(growth, before, pump, after)
        return None

    def _states(self, states: set[int], text: str) -> set[int]:
        """Where `text` leads from any of `states`."""
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

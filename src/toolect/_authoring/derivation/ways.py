"""The way of a text through the network: which rules and options its lexemes were read in.

The walk goes over all readings at once, like the nodes of the graph, but keeps for each place in the network where it
came from. A step is computed once for the same places and lexeme.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from toolect._graph.network import Network, Option
from toolect._graph.symbols import Key, Symbol, key_of
from toolect._graph.trails import Stack
from toolect._search.trace import Lexeme

MAX_STEPS = 20_000
"""Steps kept; then they are forgotten and computed anew."""


Config: TypeAlias = tuple[int, Stack | None]
"""A place in the network, and the rules that are open around it."""
Kernel: TypeAlias = tuple[Config, ...]


class RuleEntry(NamedTuple):
    """A rule begins."""

    rule: str


class Leave(NamedTuple):
    """The innermost rule ends."""


class Take(NamedTuple):
    """A lexeme is read over this symbol of the network."""

    lexeme: Lexeme
    symbol: Symbol


Crossing: TypeAlias = RuleEntry | Leave | Option
"""What happens between two lexemes."""
Trail: TypeAlias = tuple[Crossing, ...]
Place: TypeAlias = tuple[int, Stack | None, int, Trail]
"""A place that one of several leads to without reading: which of them does, and the way there."""


class Arrival(NamedTuple):
    """How a place was reached: from the place with this index before the lexeme, by these crossings."""

    origin: int
    trail: Trail
    symbol: Symbol


class LexemeStep(NamedTuple):
    """The places after a lexeme, and how each was reached."""

    kernel: Kernel
    arrivals: tuple[Arrival, ...] = ()


class NetworkWalk:
    """Walks one network."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.start = LexemeStep(((network.starts["start"], None),))
        self._stacks: dict[tuple[int, Stack | None], Stack] = {}
        self._steps: dict[tuple[Kernel, Key], LexemeStep] = {}
        self._closures: dict[Kernel, list[Place]] = {}

    def ways(self, lexemes: Sequence[Lexeme]) -> list[list[Crossing | Take]]:
        """What happens on the likeliest way through all lexemes: one list for each time that reading began."""
        found: list[list[Crossing | Take]] = []
        steps: list[tuple[LexemeStep, Lexeme]] = []
        last = self.start
        for lexeme in lexemes:
            step = self._over(last.kernel, lexeme.key)
            anew = self._over(self.start.kernel, lexeme.key) if lexeme.fresh or not step.kernel else None
            if not step.kernel and (self.network.spec.code or anew is not None and not anew.kernel):
                step = self._after_statement(last.kernel, lexeme.key)
            if anew is not None and (anew.kernel and lexeme.fresh or not step.kernel):  # what was open is given up
                found.append(self._way(steps, last.kernel))
                steps, step = [], anew
                if not step.kernel:  # a reading that the grammar does not know
                    last = self.start
                    continue
            steps.append((step, lexeme))
            last = step
        found.append(self._way(steps, last.kernel))
        return [way for way in found if way] or found[:1]

    def _way(self, steps: Sequence[tuple[LexemeStep, Lexeme]], last: Kernel) -> list[Crossing | Take]:
        """The way over lexemes that leads to the end of the grammar, else the first one, from its beginning."""
        states = self.network.states
        ends = ((i, trail) for at, stack, i, trail in self._closure(last) if stack is None and states[at].final)
        at, trail = next(ends, (0, ()))
        way: list[Crossing | Take] = [*reversed(trail)]
        for step, lexeme in reversed(steps):
            at, trail, symbol = step.arrivals[at]
            way.append(Take(lexeme, symbol))
            way += reversed(trail)
        way.reverse()
        return way

    def _over(self, kernel: Kernel, key: Key) -> LexemeStep:
        """The step over a lexeme from any of some places."""
        step = self._steps.get((kernel, key))
        if step is None:
            if len(self._steps) >= MAX_STEPS:
                self._steps.clear()
                self._closures.clear()
            found: dict[Config, Arrival] = {}
            for at, stack, origin, trail in self._closure(kernel):
                for edge in self.network.states[at].edges:
                    if key_of(edge.symbol) == key:
                        found.setdefault((edge.target, stack), Arrival(origin, trail, edge.symbol))
            step = self._steps[kernel, key] = LexemeStep(tuple(found), tuple(found.values()))
        return step

    def _after_statement(self, kernel: Kernel, key: Key) -> LexemeStep:
        """The step over the lexeme `key` when rules that are open are given up, the innermost first."""
        ended: list[Config] = []
        origins: list[tuple[int, Trail]] = []
        for i, (_, stack) in enumerate(kernel):
            left: Trail = ()
            while stack is not None:
                left = (*left, Leave())
                ended.append((stack.target, stack.parent))
                origins.append((i, left))
                stack = stack.parent
        step = self._over(tuple(ended), key)
        arrivals = ((origins[a.origin], a) for a in step.arrivals)
        return LexemeStep(step.kernel, tuple(Arrival(i, left + a.trail, a.symbol) for (i, left), a in arrivals))

    def _closure(self, kernel: Kernel) -> list[Place]:
        """Every place that `kernel` leads to without reading, in grammar order, with the way there."""
        found = self._closures.get(kernel)
        if found is None:
            found = self._closures[kernel] = self._closed(kernel)
        return found

    def _closed(self, kernel: Kernel) -> list[Place]:
        states, starts, options = self.network.states, self.network.starts, self.network.options
        todo: list[Place] = [(at, stack, i, ()) for i, (at, stack) in enumerate(kernel)]
        todo.reverse()
        met: set[Config] = set()
        found = []
        while todo:
            at, stack, origin, trail = todo.pop()
            if (at, stack) in met:
                continue
            met.add((at, stack))
            option = options.get(at)
            if option is not None:
                trail = (*trail, option)
            found.append((at, stack, origin, trail))
            state = states[at]
            more: list[Place] = [
                (starts[enter.rule], self._push(enter.target, stack), origin, (*trail, RuleEntry(enter.rule)))
                for enter in state.enters
            ]
            more += [(target, stack, origin, trail) for _, target in state.spaces]
            more += [(target, stack, origin, trail) for target in state.skips]
            if state.final and stack is not None:
                more.append((stack.target, stack.parent, origin, (*trail, Leave())))
            todo.extend(reversed(more))
        return found

    def _push(self, target: int, parent: Stack | None) -> Stack:
        """Where a rule goes on when the one inside of it ends: equal stacks are the same object."""
        return self._stacks.setdefault((target, parent), Stack(target, (), parent))

"""Position automata: one state for every character of an expression, without steps that read nothing."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from toolect._regular.ranges import Ranges, holds, joined
from toolect._regular.syntax import Atomic, Border, Chain, Chars, Either, Look, Node, NotRegularError, Repetition, read

MAX_STATES = 1_000
MAX_MOVES = 100_000
MAX_STEPS = 4_096
"""Steps of subsets that are remembered of an automaton."""


class Automaton:
    """State 0 is the start, every other one has just read a character of `chars[state]`.

    `follow[a][b]` counts the ways from `a` to `b`, 2 standing for more. Conditions that take no characters are left
    out: the automaton accepts what the expression does, and more where `conditional` says so.
    """

    def __init__(self, node: Node) -> None:
        self.chars: list[Ranges] = [()]
        self.follow: list[Counter[int]] = [Counter()]
        self._moves = 0
        part = self._lay(node)
        self._link(Counter({0: 1}), part.first)
        self.final = frozenset(part.last) | ({0} if part.empty else frozenset())
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        """Sets of states that a character led to from others."""

    def after(self, states: frozenset[int], char: str) -> frozenset[int]:
        """The states that a character leads to: subsets are made when they are first met."""
        found = self._steps.get((states, char))
        if found is None:
            met = {state for before in states for state in self.follow[before]}
            found = frozenset(state for state in met if holds(self.chars[state], ord(char)))
            if len(self._steps) < MAX_STEPS:
                self._steps[states, char] = found
        return found

    def _lay(self, node: Node) -> _Part:
        match node:
            case Chars(ranges):
                if not ranges:
                    return _Part(Counter(), Counter(), 0)
                if len(self.chars) > MAX_STATES:
                    raise NotRegularError(f"its automaton has more than {MAX_STATES} states", large=True)
                self.chars.append(ranges)
                self.follow.append(Counter())
                here = Counter({len(self.chars) - 1: 1})
                return _Part(here, here, 0)
            case Chain(parts):
                whole = _Part(Counter(), Counter(), 1)
                for part in parts:
                    whole = self._chained(whole, self._lay(part))
                return whole
            case Either(parts):
                whole = _Part(Counter(), Counter(), 0)
                for laid in map(self._lay, parts):
                    whole = _Part(whole.first + laid.first, whole.last + laid.last, whole.empty + laid.empty)
                return whole
            case Repetition():
                return self._loop(node)
            case Atomic(item):
                return self._lay(item)
            case Look() | Border():
                return _Part(Counter(), Counter(), 1)

    def _chained(self, a: _Part, b: _Part) -> _Part:
        self._link(a.last, b.first)
        first = a.first + _times(b.first, a.empty)
        last = b.last + _times(a.last, b.empty)
        return _Part(first, last, a.empty * b.empty)

    def _loop(self, node: Repetition) -> _Part:
        whole = _Part(Counter(), Counter(), 1)
        for _ in range(node.least if node.most is not None else max(node.least - 1, 0)):
            whole = self._chained(whole, self._lay(node.item))
        if node.most is None:
            part = self._lay(node.item)
            self._link(part.last, part.first)
            return self._chained(whole, _Part(part.first, part.last, part.empty if node.least else 1))
        rest = _Part(Counter(), Counter(), 1)
        for _ in range(node.most - node.least):  # from the last one: each may be followed by those after it
            part = self._chained(self._lay(node.item), rest)
            rest = _Part(part.first, part.last, 1)
        return self._chained(whole, rest)

    def _link(self, last: Counter[int], first: Counter[int]) -> None:
        self._moves += len(last) * len(first)
        if self._moves > MAX_MOVES:
            raise NotRegularError(f"its automaton has more than {MAX_MOVES} moves", large=True)
        for a, ways in last.items():
            for b, more in first.items():
                self.follow[a][b] = min(self.follow[a][b] + ways * more, 2)


class _Part:
    """A piece of an expression: where it begins and ends, and in how many ways it takes nothing."""

    __slots__ = ("empty", "first", "last")

    def __init__(self, first: Counter[int], last: Counter[int], empty: int) -> None:
        self.first, self.last, self.empty = first, last, min(empty, 2)


def _times(states: Counter[int], ways: int) -> Counter[int]:
    return Counter({state: min(count * ways, 2) for state, count in states.items()}) if ways else Counter()


@lru_cache(maxsize=1024)
def automaton(regex: str) -> Automaton:
    """The automaton of `regex`. Raises `NotRegularError`."""
    return Automaton(read(regex))


def first(regex: str) -> list[str]:
    """Expressions for the characters that what `regex` matches may begin with; none where that is not known."""
    try:
        machine = automaton(regex)
    except NotRegularError:
        return []
    ranges = (pair for state in machine.follow[0] for pair in machine.chars[state])
    return [f"[{re.escape(chr(low))}-{re.escape(chr(high))}]" for low, high in joined(ranges)]


@lru_cache(maxsize=1024)
def _found(regex: str) -> Automaton | bool:
    """The automaton of `regex`; where there is none, whether that is for its size alone."""
    try:
        return automaton(regex)
    except NotRegularError as error:
        return error.large


State = TypeVar("State", bound=Hashable)


def led(
    start: State, letters: Sequence[str], steps: Callable[[State, int], Iterable[State]]
) -> Iterator[tuple[State, str]]:
    """The states that texts of `letters` lead to from `start`, each once, with a shortest text, not empty, that does.

    `steps` are those that a letter, given by its number, leads to from a state.
    """
    todo = deque([(start, "")])
    met: set[State] = set()
    while todo:
        state, word = todo.popleft()
        for letter, char in enumerate(letters):
            for target in steps(state, letter):
                if target not in met:
                    met.add(target)
                    todo.append((target, word + char))
                    yield target, word + char


def alive(regex: str, text: str) -> bool:
    """True when `text` is the beginning of something that `regex` matches, as far as an automaton can tell.

    It may be of one that is too large for that.
    """
    machine = _found(regex)
    if isinstance(machine, bool):
        return machine
    states = frozenset((0,))
    for char in text:
        states = machine.after(states, char)
        if not states:
            return False
    return True


class Alphabet:
    """The characters that some automata treat alike, each kind by one of them, the most readable one."""

    def __init__(self, automata: Sequence[Automaton]) -> None:
        sets = list(dict.fromkeys(ranges for each in automata for ranges in each.chars[1:]))
        cuts = sorted({0} | {low for r in sets for low, _ in r} | {high + 1 for r in sets for _, high in r})
        kinds: dict[tuple[bool, ...], str] = {}
        for code in (*_READABLE, *(cut for cut in cuts if cut <= 0x10FFFF)):
            kinds.setdefault(tuple(holds(ranges, code) for ranges in sets), chr(code))
        self.letters = tuple(kinds.values())
        """One character of each kind, of that which no set holds too."""
        self._kinds = [{r for r, held in zip(sets, kind, strict=True) if held} for kind in kinds]

    def moves(self, of: Automaton) -> list[list[list[tuple[int, int]]]]:
        """The moves by each letter from each state, with the number of ways."""
        return [
            [[(b, ways) for b, ways in follow.items() if of.chars[b] in kind] for kind in self._kinds]
            for follow in of.follow
        ]


_READABLE = (*range(0x61, 0x7B), *range(0x41, 0x5B), *range(0x30, 0x3A), *range(0x21, 0x7F), 0x20, 0x0A)

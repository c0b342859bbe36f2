"""Words that two expressions share."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache

from toolect._regular.automaton import Alphabet, automaton
from toolect._regular.syntax import NotRegularError

MAX_PAIRS = 50_000
"""Pairs of states that a search looks at."""
MAX_VISITS = 4
"""Visits to one pair of states: a word may fail a condition that the automata leave out."""


@lru_cache(maxsize=4096)
def common(a: str, b: str) -> str | None:
    """A shortest word that both match whole, not empty; None when there is none. Raises `NotRegularError`."""
    for word in _meetings(a, b):
        if re.fullmatch(a, word) and re.fullmatch(b, word):
            return word
    return None


def _meetings(a: str, b: str) -> Iterator[str]:
    """Words of the automaton of `a`, shortest first, that `b` takes too."""
    one, two = automaton(a), automaton(b)
    alphabet = Alphabet((one, two))
    ones, twos = alphabet.moves(one), alphabet.moves(two)
    todo: deque[tuple[int, int, str]] = deque([(0, 0, "")])
    visits = {(0, 0): 1}
    seen = 0
    while todo:
        p, q, word = todo.popleft()
        seen += 1
        if seen > MAX_PAIRS:
            raise NotRegularError(f"not decided within {MAX_PAIRS} states", large=True)
        if word and p in one.final and q in two.final:
            yield word
        for letter, for_p, for_q in zip(alphabet.letters, ones[p], twos[q], strict=True):
            for next_p, _ in for_p:
                for next_q, _ in for_q:
                    count = visits.get((next_p, next_q), 0)
                    if count < MAX_VISITS:
                        visits[next_p, next_q] = count + 1
                        todo.append((next_p, next_q, word + letter))


def shortest(regex: str) -> str | None:
    """A shortest word of `regex`, not empty; None when there is none. Raises `NotRegularError`."""
    return common(regex, r"(?s:.)+")

"""Random members of regular expressions."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from toolect._regular.ranges import Ranges, shared
from toolect._regular.syntax import Atomic, Border, Chain, Chars, Either, Look, Node, NotRegularError, Repetition, read

TRIES = 200
MORE = 8
"""Repetitions beyond what is needed, at most."""


def sample(regex: str, random: Random) -> str:
    """A member of `regex` that is short and mostly of plain letters. Raises `NotRegularError`.

    An expression may end in a look-ahead: its member is what it takes when that is fulfilled.
    """
    pattern, node = re.compile(regex), read(regex)
    for _ in range(TRIES):
        drawn = _SampleAttempt(random)
        word = drawn.text(node)
        if pattern.fullmatch(word):
            return word
        match = pattern.match(word + drawn.ahead)
        if match and match.end() == len(word):
            return word
    raise NotRegularError(f"no member was found in {TRIES} tries")


class _SampleAttempt:
    """One attempt: conditions are left out, and the caller sees whether they held."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ahead = ""

    def text(self, node: Node) -> str:
        """A random member of `node`."""
        match node:
            case Chars(ranges):
                return self.character(ranges)
            case Chain(parts):
                return "".join(map(self.text, parts))
            case Either(parts):
                return self.text(self.random.choice(parts))
            case Repetition(item, least, most):
                more = MORE if most is None else min(most - least, MORE)
                while more and self.random.random() < 1 / 4:
                    more //= 2
                return "".join(self.text(item) for _ in range(least + self.random.randint(0, more)))
            case Atomic(item):
                return self.text(item)
            case Look(item, ahead=True, wanted=True):
                self.ahead = self.text(item)
                return ""
            case Look() | Border():
                return ""

    def character(self, ranges: Ranges) -> str:
        """A random character of the set."""
        draw = self.random.random()
        kinds = _kinds(ranges)
        if not kinds:
            return ""
        chosen = kinds[0] if draw < 0.8 else kinds[min(1, len(kinds) - 1)] if draw < 0.95 else kinds[-1]
        at = self.random.randrange(sum(high - low + 1 for low, high in chosen))
        for low, high in chosen:
            if at <= high - low:
                return chr(low + at)
            at -= high - low + 1
        raise AssertionError("the index was drawn below the number of characters")


_PLAIN: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A))
_PRINTABLE: Ranges = ((0x20, 0x7E),)
_ENCODABLE: Ranges = ((0, 0xD7FF), (0xE000, 0x10FFFF))


@lru_cache(maxsize=1024)
def _kinds(ranges: Ranges) -> tuple[Ranges, ...]:
    """The letters, the printable ASCII and the encodable characters of a set, those that there are."""
    found = (shared(ranges, part) for part in (_PLAIN, _PRINTABLE, _ENCODABLE))
    return tuple(filter(None, found)) or ((ranges,) if ranges else ())

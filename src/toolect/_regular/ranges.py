"""Sets of characters as sorted, disjoint ranges of code points, both ends included."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]

EVERY: Ranges = ((0, sys.maxunicode),)


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The union of `ranges`, in order and without seams."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def others(ranges: Ranges) -> Ranges:
    """Every character that is not in `ranges`."""
    found = []
    at = 0
    for low, high in ranges:
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    if at <= sys.maxunicode:
        found.append((at, sys.maxunicode))
    return tuple(found)


def shared(a: Ranges, b: Ranges) -> Ranges:
    """The characters in both."""
    return others(joined((*others(a), *others(b))))


def holds(ranges: Ranges, code: int) -> bool:
    """True when the character is in `ranges`."""
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if ranges[middle][1] < code:
            low = middle + 1
        else:
            high = middle
    return low < len(ranges) and ranges[low][0] <= code


def asked(pattern: str, flags: int) -> Ranges:
    """The characters that `pattern`, an expression for one character, matches: `re` itself is asked about each."""
    return _asked(pattern, flags & (re.ASCII | re.IGNORECASE | re.DOTALL))


@lru_cache(maxsize=256)
def _asked(pattern: str, flags: int) -> Ranges:
    return tuple((m.start(), m.end() - 1) for m in re.finditer(f"(?:{pattern})+", _all_characters(), flags))


def any_case(ranges: Ranges, flags: int) -> Ranges:
    """The characters that a class of `ranges` matches when case is ignored."""
    inner = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
    return asked(f"[{inner}]", flags | re.IGNORECASE) if inner else ranges


@lru_cache(maxsize=1)
def _all_characters() -> str:
    return array("I", range(sys.maxunicode + 1)).tobytes().decode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass")

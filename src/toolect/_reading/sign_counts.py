"""Counts the signs that were read, as each is counted once: of what there may be too many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolect.message import Call, Segment


class SignCounts:
    """How many signs the `segments` of one answer have, and what was left out of them."""

    __slots__ = ("strays", "_dividers", "_in_call", "_segments", "_signs")

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.strays = 0  # characters of markers that were left out of the text
        self._segments = segments
        self._signs: dict[str, tuple[int, int]] = {}  # how many were counted, in so many segments
        self._dividers = 0, 0  # how many were counted, in so many segments
        self._in_call = -1, 0, 0  # where the open call begins, up to where they were counted, how many there were

    def signs(self, signs: str) -> int:
        """How often one of `signs` is in the content and the reasoning, and what was left out of it."""
        found, count = self._signs.get(signs, (0, 0))
        for segment in self._segments[count:]:
            if not isinstance(segment, Call):
                found += sum(map(segment.text.count, signs))
        self._signs[signs] = found, len(self._segments)
        return found + self.strays

    def dividers(self, sign: str) -> int:
        """How often `sign` is in the calls that are over."""
        found, count = self._dividers
        for segment in self._segments[count:]:
            if isinstance(segment, Call):
                found += segment.raw.count(sign)
        self._dividers = found, len(self._segments)
        return found

    def in_call(self, sign: str, begin: int, end: int, raw: Callable[[int, int], str]) -> int:
        """How often it is in the open call, which begins at character `begin`, before character `end`."""
        start, counted, inside = self._in_call
        if start != begin:
            start, counted, inside = begin, begin, 0
        if end > counted:
            inside += raw(counted, end).count(sign)
            counted = end
        self._in_call = start, counted, inside
        return inside

"""The same text over and over: where it was looked at in vain once, it need not be looked at again.

A look that the signs around a place decide is decided the same wherever these stand: who reads a stream waits for what
decides. So it is tried, where a text comes for the second time, with nothing but the signs around it.
"""

from __future__ import annotations

from toolect._graph.needle import Needle
from toolect._graph.stops import NameLine
from toolect._reading.course import Course
from toolect._reading.passage import Passage
from toolect._reading.stop_check import ends_at
from toolect._values.escapes import LEAD

BEFORE, AFTER = 64, 96
"""Characters before a place and after it that are the signs around it: more than a marker has."""
_SEEN = 128
"""Texts that are remembered."""
_UNTOLD = 64
"""Texts of which the signs alone do not tell, after which none is tried any more."""


class Vain:
    """What stood around the places of a passage at which no stop was."""

    __slots__ = ("_seen", "_untold")

    def __init__(self) -> None:
        self._seen: dict[str, bool | None] = {}  # do the signs tell that no stop is there? None: they do not
        self._untold = 0

    def knows(self, course: Course, at: int) -> bool:
        """Is it known that no stop is at index `at`?"""
        return _is_told(course, at) and self._seen.get(_signs(course.buf, at)) is True

    def add(self, passage: Passage, course: Course, at: int, needles: list[Needle]) -> None:
        """None of `needles` is a stop at index `at`."""
        if passage.far or self._untold >= _UNTOLD or not (_is_told(course, at) and passage.text_before(course, at)):
            return
        signs, seen = _signs(course.buf, at), self._seen
        if signs not in seen:
            if len(seen) >= _SEEN:
                seen.clear()
            seen[signs] = False
        elif seen[signs] is False:
            told = _tell(passage, course, at, needles)
            seen[signs] = told or None
            self._untold += not told


def _is_told(course: Course, at: int) -> bool:
    """Is there all that may tell, and none of it read?"""
    return course.pos <= at - BEFORE and at + AFTER <= len(course.buf)


def _signs(buf: str, at: int) -> str:
    return buf[at - BEFORE : at + AFTER]


def _tell(passage: Passage, course: Course, at: int, needles: list[Needle]) -> bool:
    """Do the signs around index `at` alone tell that none of `needles` is a stop there?"""
    if passage.plan.longest >= BEFORE or any(needle.stop is None for needle in needles):
        return False  # a bracket of JSON is tried otherwise
    if passage.escapes is not None and not course.buf[at - BEFORE : at].strip(LEAD[passage.escapes]):
        return False

    def look() -> bool:
        places = [BEFORE + isinstance(needle.stop, NameLine) for needle in needles]
        return all(ends_at(passage, course, *one) is None for one in zip(needles, places, strict=True))

    return course.within(at - BEFORE, at + AFTER, look) and not passage.far

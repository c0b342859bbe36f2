"""How much of a text can be passed on: what may be the beginning of a stop, or of a marker misspelled, is held back."""

from __future__ import annotations

from toolect._graph.misspelling import likely, may_be_near
from toolect._graph.needle import ending
from toolect._reading.course import Course
from toolect._reading.passage import Passage


def settled(passage: Passage, course: Course, tail: str) -> int:
    """The index up to which `tail` is surely no part of a stop, or of a misspelled marker before one."""
    pos, plan = course.pos, passage.plan
    known = until = plan.hold_from(tail, pos)
    hinted = not passage.skip and plan.hint.search(tail, pos, until) is not None
    if hinted and plan.doubt.search(tail, pos, until) is not None:
        for opens in (False, True):  # closers may follow each other; of openers, the first one is looked at first
            founds = [until]
            for one in plan.near:
                if one.opens is opens:
                    core, begins = course.builder.spelled(one.core), likely(one.core, opens)
                    founds.append(may_be_near(core, tail, pos, until if opens else founds[-1], begins))
            until = min(founds)
        if until < known:
            until -= max(ending(tail, one.lead, pos, until) for one in plan.near)
    if until == known < len(tail) and not passage.skip:
        until -= _lead_of_near(passage, course, tail, known)
    return until - returned(passage, tail, pos, until)


def _lead_of_near(passage: Passage, course: Course, tail: str, at: int) -> int:
    """How much whitespace before index `at` belongs to the opener that may begin there, misspelled."""
    longest = 0
    for one in passage.plan.near:
        lead = ending(tail, one.lead, course.pos, at) if one.opens else 0
        if lead > longest:
            core = course.builder.spelled(one.core)
            if may_be_near(core, tail, at, len(tail), likely(one.core, True)) == at:
                longest = lead
    return longest


def returned(passage: Passage, text: str, pos: int, at: int) -> int:
    """How much of `text[pos:at]` belongs to the line break at its end: the carriage return, as at its beginning."""
    return int(passage.returns and text.endswith("\r", pos, at))

"""Where in the text a stop stands, how it is spelled there, and where in the grammar it leads."""

from __future__ import annotations

from typing import NamedTuple

from toolect._graph.needle import Needle
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK, cut_off, squeeze
from toolect._graph.stops import Landmark, Stop
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.course import Course
from toolect._reading.open_call import MAX_REPAIRS, note
from toolect._reading.passage import Passage
from toolect._reading.renamed import renamed
from toolect._spec.model import Role
from toolect.message import RepairKind


class End(NamedTuple):
    """A stop at `buf[at:end]`, which ends the text, with the whitespace that is written before it."""

    stop: Stop
    lead: str
    at: int
    end: int
    wrong: bool = False
    """It is spelled otherwise."""


def spelled(passage: Passage, course: Course, needle: Needle, stop: Stop, at: int) -> int | Waiting | None:
    """Where the marker itself ends when all of it is at index `at`."""
    buf, final = course.buf, course.final
    if needle.regex is not None:
        match = needle.regex.match(buf, at)
        if match is None:
            return WAIT if not final and begins_near(stop, buf, at) else None
        return match.end()
    core = course.builder.spelled(stop.core)
    if core != stop.core and not buf.startswith(core, at):
        return WAIT if not final and cut_off(core, buf, at) else renamed(stop.core, core, buf, at, final)
    end = at + len(core)
    if core[-1].isalnum() and (space := space_after(passage, course, stop, at)):
        if end == len(buf) and not final:
            return WAIT
        if not _is_word(core, buf[end : end + 1], space):
            return None
    return end


def begins_near(stop: Stop, buf: str, at: int) -> bool:
    """True when all of `buf` from `at` on may be the beginning of the marker `stop`."""
    return len(buf) - at < len(stop.core) + MAX_BLANK and squeeze(stop.core).startswith(squeeze(buf[at:]))


def _is_word(core: str, after: str, space: str) -> bool:
    """True when `core`, which ends in a letter, is not the beginning of a longer word; a short one needs its space."""
    if len(core) < STRONG:
        return after == space[0]
    return not (after.isalnum() or after == "_")


def space_after(passage: Passage, course: Course, stop: Stop, at: int) -> str:
    """The whitespace that is written after the marker `stop`, which is at index `at`."""
    if passage.skip:
        return ""
    node = before(passage, course, stop, at)
    return node.step(stop.key).trail if stop.key in node.marks else ""


def out_of_place(passage: Passage, course: Course, stop: Stop, at: int) -> None:
    """A marker stays in the text, since nothing that belongs to it is there.

    Content is no part of the call that may be open still: it is not noted with that.
    """
    draft, place = course.builder.draft, course.base + at
    inside = draft.call is not None and passage.field.role is not Role.CONTENT
    repairs = draft.call.repairs if draft.call is not None and inside else draft.repairs
    if not repairs or repairs[-1].at != place:
        note(repairs, RepairKind.STRAY_MARKER, place, stop.core)
    passage.far = passage.far or len(repairs) < MAX_REPAIRS


def before(passage: Passage, course: Course, stop: Stop, at: int) -> Node:
    """The node that has the marker `stop`, which is at index `at`."""
    node = passage.node
    if isinstance(stop, Landmark) and stop.key not in node.marks:
        return node.graph.start
    if not stop.direct or stop.key not in node.marks or passage.text_before(course, at):
        for key in stop.path:
            node = node.step(key).node
    return node


def after(passage: Passage, course: Course, stop: Stop, at: int) -> Node:
    """The node after the marker `stop`, which is at index `at`."""
    return before(passage, course, stop, at).step(stop.key).node

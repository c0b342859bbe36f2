"""Goes over the marker that ends free text, over what is missing before it, and over an opener that comes twice."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK, cut_off
from toolect._graph.stops import EndToken, Instead, LineEnd, Stop, Stray, Unopened
from toolect._graph.symbols import Terminal
from toolect._reading.answer import Answer
from toolect._reading.course import Course
from toolect._reading.probe import past_blank
from toolect._reading.slot import AFTER_END, Next
from toolect._spec.grammar_model import SlotKind
from toolect.message import RepairKind


def cross(course: Course, stop: Stop, node: Node, at: int, end: int, opened: bool, wrong: bool = False) -> Next:
    """Go over the marker at characters `at:end` that ended a text slot of `node`; `opened`: some text was there.

    `wrong`: it is spelled otherwise.
    """
    if isinstance(stop, EndToken):
        return end_answer(course, at, end)
    course.pos = end - course.base
    if isinstance(stop, Stray):
        course.builder.note(RepairKind.STRAY_MARKER, at, stop.core)
        course.builder.draft.counts.strays += end - at if at else 0  # a stride may go over the one that comes first
        if not (opened and _goes_on(node, course.node)):
            course.node = node
        course.spacing.after_stray(course.graph.text_closers.get(stop.core, ""))
        return None
    if not opened:
        missing = stop.path[1:]
        if stop.direct or not missing and stop.key in node.choices and not isinstance(stop.otherwise, Instead):
            course.node = node
            _shift(course, stop, at, end, wrong)
            return None
        if not missing or missing[0] not in node.choices:
            course.step_text(node, at)
    for core in stop.path[1:]:
        course.imply(str(core), at, stop.repair or RepairKind.IMPLIED_CLOSER)
    if not isinstance(stop, Unopened | LineEnd):
        _shift(course, stop, at, end, wrong)
    return None


def _goes_on(node: Node, after: Node) -> bool:
    """True where the text of `node` goes on at the node `after` it: what it ended, such as a call, has ended."""
    ended = node.step(SlotKind.TEXT).tasks
    return bool(ended) and SlotKind.TEXT in after.choices and after.text_field() == node.text_field()


def _shift(course: Course, stop: Stop, at: int, end: int, wrong: bool) -> None:
    course.shift(stop.key, at, end, course.raw(at, end) if isinstance(stop.key, Terminal) else "", wrong=wrong)


def go_on_at(course: Course, core: str, node: Node, at: int, end: int) -> Next:
    """Go on at the marker `core`, characters `at:end`, after text that could not be read at `node`."""
    if core in course.graph.ends:
        return end_answer(course, at, end)
    if core not in node.marks and core not in node.implied:
        course.builder.break_off(at)
        course.restart()
        return None
    if node is course.graph.start and course.builder.call is not None:
        course.builder.break_off(at)  # it was given up, and what comes is no part of it
    for closer in node.implied.get(core, ()) if core not in node.marks else ():
        course.imply(closer, at, RepairKind.IMPLIED_CLOSER)
    course.pos = end - course.base
    course.shift(core, at, end)
    return None


def end_answer(course: Course, at: int, end: int) -> Next:
    """The answer ends with the marker at characters `at:end`."""
    course.settle_end(at)
    course.pos = end - course.base
    return AFTER_END


def opened_again(course: Course, opener: str) -> Answer:
    """Go over `opener` where it stands once more, before the text that it opened."""
    buf, pos = course.buf, course.pos
    at = past_blank(buf, pos)
    if not course.final and at - pos < MAX_BLANK and cut_off(opener, buf, at) and len(buf) - at < len(opener):
        return Answer.WAIT
    core = opener.rstrip()
    if not buf.startswith(core, at):
        return Answer.NO
    course.builder.note(RepairKind.STRAY_MARKER, course.base + at, core)
    course.pos = at + len(opener if buf.startswith(opener, at) else core)
    return Answer.YES

"""Is a marker that was found in free text only spoken of: quoted, named in a sentence, or rehearsed in reasoning?"""

from __future__ import annotations

from toolect._graph.misspelling import near
from toolect._graph.node import STRONG
from toolect._graph.stops import Calls, NameLine, Stop, Stray, Unopened
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.course import Course
from toolect._reading.passage import SPOKEN, Passage
from toolect._reading.quotation import mentioned, said
from toolect._reading.stop_place import End, space_after
from toolect._spec.model import Role
from toolect.message import RepairKind

MAX_REHEARSAL = 1 << 16
"""Characters between a call in reasoning and the end of that, which makes it a rehearsal. Beyond it: it is a call."""

_FENCE = "```"
_NEAR = 16
"""Characters before a marker in broken JSON that are looked at."""
_OPENING = ("(", "=", "+")
"""What code has before a string, and JSON has not."""
_ENDS = frozenset(".!?…。！？")
"""What a sentence ends with, and JSON that is shown in one does not follow without a blank."""


def shown(passage: Passage, course: Course, found: End) -> Answer:
    """Does an opener stand in a quotation, or a closer that closes nothing in one or in the middle of a sentence?"""
    if passage.field.role not in SPOKEN:
        return Answer.NO
    stop = found.stop
    closes = isinstance(stop, Stray) and not stop.direct
    opens = stop.calls is not Calls.NOTHING or stop.core in course.graph.think_openers
    if closes and found.end == len(course.buf) and not course.final:
        return Answer.WAIT
    if (
        closes
        and is_spoken(passage, course, stop, found.at)
        and said(passage.lines_before(course, found.at)[1], course.buf[found.end : found.end + 1])
    ):
        return Answer.YES
    return Answer.YES if (opens or closes) and passage.shows(course, found.at, found.end) else Answer.NO


def is_spoken(passage: Passage, course: Course, stop: Stop, at: int) -> bool:
    """Does a blank stand before `stop` at index `at`, other than what is written there, and text before that?"""
    apart = passage.sign_before(course, at) in (" ", "\t") and not stop.lead.endswith((" ", "\t"))
    return apart and passage.text_before(course, at)


def unless_rehearsed(passage: Passage, course: Course, call: End) -> End | Waiting | None:
    """The call in reasoning, unless that is closed after it, where this matters: without its opener, or by policy."""
    whole = call.stop.repair is not RepairKind.IMPLIED_OPENER and not isinstance(call.stop, NameLine | Unopened)
    if course.graph.policies.reasoning_calls == "parse" and whole:
        return call
    ends = (stop for stop in passage.plan.stops if stop.regular and stop.calls is Calls.NOTHING)
    regular = (stop for stop in ends if stop.core not in course.graph.think_openers)
    found = [course.finder.next(stop.core, call.end) for stop in regular]
    if any(0 <= at - call.end <= MAX_REHEARSAL for at in found):
        return None
    return call if course.final or len(course.buf) - call.end > MAX_REHEARSAL + STRONG else WAIT


def named_in_sentence(passage: Passage, course: Course, stop: Stop, at: int) -> Answer:
    """Does a sentence name the opener of reasoning at index `at`?"""
    if not passage.text_before(course, at):
        return Answer.NO
    end, line = at + len(stop.core), passage.lines_before(course, at)[1]
    if end >= len(course.buf) and not course.final:
        return WAIT
    named = mentioned(stop.core, space_after(passage, course, stop, at), line, course.buf[end : end + 1])
    return Answer.YES if named else Answer.NO


def unquoted(passage: Passage, course: Course, stop: Unopened, at: int) -> bool:
    """True unless bare JSON at index `at` is a quotation, or an example.

    Nothing comes before it on its line, or the last of the missing markers, misspelled; or a sentence ends there.
    """
    line, before = passage.lines_before(course, at)
    if line.lstrip().startswith(_FENCE) or passage.field.role is Role.REASONING and not course.tools:
        return False
    said = before.strip()
    if not said or course.tools and before[-1:] in _ENDS:
        return True
    return any(near(str(core), said, 0, final=True)[1] == len(said) for core in stop.path[1:])


def in_quotes(course: Course, at: int, end: int, kept: int) -> Answer:
    """Does the marker at `buf[at:end]` stand in quotes inside of broken JSON, as code has them that speaks of it?

    A quote after a bracket or an operator opens a string that JSON has not; where a second quote comes right behind the
    marker, any does.
    """
    place = course.base + at
    before = course.raw(max(place - _NEAR, kept), place)
    if not before.endswith('"'):
        return Answer.NO
    if before[:-1].rstrip(" ").endswith(_OPENING):
        return Answer.YES
    if end >= len(course.buf):
        return Answer.NO if course.final else WAIT
    return Answer.YES if course.buf[end] == '"' else Answer.NO

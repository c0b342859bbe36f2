"""A stop that is spelled otherwise: an opener of which a part is there, a closer before what could only follow it."""

from __future__ import annotations

from toolect._graph.misspelling import MORE, around, is_word, near_before
from toolect._graph.needle import Needle, fixed
from toolect._graph.slot_stops import stops_of
from toolect._graph.stops import Misspelt
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.course import Course
from toolect._reading.look_ahead import misspelled_call
from toolect._reading.passage import Passage
from toolect._reading.stop_place import End, after


def misspelled_closer(passage: Passage, course: Course, found: End) -> End | None:
    """The closer that would be missing before the stop that was found, where it is there, misspelled."""
    low, stop = max(course.pos, passage.start - course.base), found.stop
    cores = (str(stop.path[1]),) if stop.path else passage.plan.closers
    for core in () if passage.skip else cores:
        there = near_before(course.builder.spelled(core), course.buf, low, found.at, fixed(core))
        if there is not None:
            closer = stops_of(passage.node)[core]
            return End(closer, closer.lead, *there, wrong=True)
    return None


def misspelled_opener(
    passage: Passage, course: Course, stop: Misspelt, needle: Needle, at: int
) -> End | Waiting | None:
    """The opener of which a part is at index `at`, misspelled, where a call goes on as after it."""
    buf = course.buf
    for pos, end in around(stop.of.core, buf, at, at + len(stop.core), course.final):
        if pos < course.pos or buf.startswith(course.graph.starts, pos):
            continue
        if end == MORE:
            return WAIT
        core, said = stop.of.core, buf[pos:end].rstrip()
        if core in said or core.endswith(said) and passage.before(course, pos, len(core) - len(said)) + said == core:
            continue  # it is there as it is written, and opens nothing
        if buf[pos].isalnum() and is_word(passage.sign_before(course, pos)):
            continue
        if not course.tools and buf[end - 1].isalnum() and is_word(buf[end : end + 1]):
            continue  # a longer word; before the name of a declared tool, a sign may be missing
        answer = misspelled_call(course, stop, after(passage, course, stop.of, pos), end)
        if answer is Answer.YES:
            return End(stop.of, needle.lead, pos, end, wrong=True)
        if answer is Answer.WAIT:
            return WAIT
    return None

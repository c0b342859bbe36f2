"""What may have been left out before text that is not what may come next: values, arguments, openers, closers."""

from __future__ import annotations

import re

from toolect._graph.node import STRONG, Node
from toolect._graph.slot_stops import stops_of
from toolect._graph.spelling import MAX_BLANK, cut_off
from toolect._graph.stops import NameLine, Unopened
from toolect._reading.answer import Answer
from toolect._reading.course import Course
from toolect._reading.probe import begins_json
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole, HoleKind
from toolect.message import RepairKind

MAX_VALUE = 4096
"""Characters in which a value without its opener has to end. Beyond it: the call is malformed."""
MAX_BESIDE = 256
"""Characters between the arguments of a call and its last closer. Beyond it: the closer is missing before them."""
_CLOSERS = 3
"""Closers that may be missing before text."""
_WORD_OR_MARKER = re.compile(r"[^\W_]|<(?:[|｜]|[A-Za-z]{1,16}_)").match
_MAY_BE_MARKER = re.compile(r"<[A-Za-z]{0,16}\Z").match
_BETWEEN = re.compile(rf"[,;]?\s{{0,{MAX_BLANK}}}").match
"""What stands between two calls in JSON."""


def lacks_json(course: Course, node: Node, pos: int) -> bool:
    """Does the marker that follows the arguments stand where they should? Then they are missing."""
    after = node.step(SlotKind.JSON).node
    field = node.json_field()
    if field.shape not in (None, Hole(HoleKind.ARGUMENTS)) or after.text or course.builder.call is None:
        return False
    if field.role is Role.JSON:
        return False
    if not any(course.buf.startswith(course.builder.spelled(core), pos) for core in after.marks):
        return False
    at = course.base + pos
    course.lack_arguments(at)
    course.builder.note(RepairKind.MISSING_ARGUMENTS, at, "none")
    course.enter_slot(SlotKind.JSON, at)
    course.spacing.loose = True
    course.leave_slot(SlotKind.JSON, at)
    return True


def lacks_value(course: Course, node: Node, pos: int) -> bool:
    """Does something that comes after the open argument stand where its value should begin? Then it has none."""
    call, opener = course.builder.call, node.sole
    if call is None or call.key is None or opener is None:
        return False
    value = node.step(opener).node
    if not value.text or value.text_field().role is not Role.VALUE:
        return False
    after = value.step(SlotKind.TEXT).node
    core = max((c for c in after.implied if course.buf.startswith(c, pos)), key=len, default=None)
    if core is None:
        return False
    at = course.base + pos
    names = course.tools.of(call.name).names
    if names and call.key not in names:  # the value may be a part of the key
        call.fail(f"expected a parameter of the tool, got `{call.key}` without a value - at {at}")
    course.imply(opener, at, RepairKind.MISSING_ARGUMENTS)
    course.step_text(value, at)
    for closer in after.implied[core]:
        course.imply(closer, at, RepairKind.IMPLIED_CLOSER)
    course.pos = pos + len(core)
    course.shift(core, at, at + len(core))
    return True


def lacks_opener(course: Course, node: Node, pos: int) -> Answer:
    """Does the value of the open argument stand here, without what opens it, but with what closes it?"""
    call, opener, buf = course.builder.call, node.sole, course.buf
    if call is None or call.key is None or opener is None or not node.step(opener).node.text:
        return Answer.NO
    value = node.step(opener).node
    closer = value.step(SlotKind.TEXT).node.sole
    if closer is None or value.text_field().role is not Role.VALUE:
        return Answer.NO
    until = min(len(buf), pos + MAX_VALUE)
    end, again = (buf.find(course.builder.spelled(core), pos, until) for core in (closer, opener))
    if end < 0 and again < 0 and not course.final and until == len(buf):
        return Answer.WAIT
    if end < 0 or 0 <= again < end:
        return Answer.NO
    all_but_one = course.spelled(opener)[:-1]
    course.imply(opener, course.base + pos, RepairKind.IMPLIED_OPENER)
    course.pos = pos + (len(all_but_one) if buf.startswith(all_but_one, pos) else 0)
    return Answer.YES


def next_value(course: Course, node: Node, pos: int) -> Answer:
    """Does JSON follow the JSON of a call, before its closer? Then that, and the opener of the next, are implied."""
    call, closer, buf = course.builder.call, node.sole, course.buf
    if closer is None or node.json or not course.builder.after_call and (call is None or not call.whole):
        return Answer.NO
    start = _BETWEEN(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
    if start == len(buf):
        return Answer.NO if course.final else Answer.WAIT
    after = node.step(closer).node
    stops = stops_of(after).values() if after.text and buf[start] in "{[" else ()
    stop = next((s for s in stops if isinstance(s, Unopened) and s.core == buf[start]), None)
    follows = Answer.NO if stop is None else begins_json(course, start)
    if stop is None or follows is not Answer.YES:
        return follows
    course.imply(closer, course.base + pos, RepairKind.IMPLIED_CLOSER)
    if stop.path[1] not in course.node.choices:
        course.step_text(course.node, course.base + start)
    for opener in stop.path[1:]:
        course.imply(str(opener), course.base + start, RepairKind.IMPLIED_OPENER)
    course.pos = start
    return Answer.YES


def next_call(course: Course, node: Node, pos: int) -> Answer:
    """Does the next call stand where this one's closer should? Then that is implied."""
    for core in node.echoes:
        after = node.step(core).node
        stops = stops_of(after).values() if after.text else ()
        for stop in (s for s in stops if s.named and not isinstance(s, NameLine)):
            if course.buf.startswith(stop.core, pos):
                opened = after
                for key in (*stop.path, stop.key):
                    opened = opened.step(key).node
                from toolect._reading.proof import proof  # not part of starting up: few dialects need it

                answer = proof(course, opened, pos + len(stop.core))
                if answer is Answer.YES:
                    course.imply(core, course.base + pos, RepairKind.IMPLIED_CLOSER)
                if answer is not Answer.NO:
                    return answer
    return Answer.NO


def lacks_sign(course: Course, node: Node, at: int) -> bool:
    """Was a short sign left out where a line ended, with free text after it?"""
    sole = node.sole
    if sole is None or "\n" not in course.spacing.come or course.builder.call is None:
        return False
    if not node.step(sole).node.text or "\n" not in node.step(sole).trail:
        return False
    course.imply(sole, at, RepairKind.IMPLIED_CLOSER)
    return True


def last_closer(node: Node) -> str | None:
    """The closer that alone may come, where free text comes after it: nothing else of the call is missing."""
    closer = None if node.value else node.sole
    after = None if closer is None else node.step(closer).node
    return closer if after is not None and after.text and after.text_field().role is Role.CONTENT else None


def lacks_rest(course: Course, node: Node, pos: int) -> Answer:
    """Does text come after the arguments that cannot belong to the call? Then all its closers are missing.

    It is a word or another's marker, unless the opener was missing too: another sign may be what is left of a closer,
    or more of what broke, and a tag of one word may open a block that is the call's.
    """
    call, buf = course.builder.call, course.buf
    closer = last_closer(node)
    if call is None or call.error or not (call.whole or closer):
        return Answer.NO
    opened = all(repair.kind is not RepairKind.IMPLIED_OPENER for repair in call.repairs)
    if not call.whole and not opened and course.tools.declared and call.name not in course.tools:
        return Answer.NO  # neither opened nor closed, nor a tool's: it may be markup
    if not call.whole and closer and (comes := _comes_yet(course, closer, pos)) is not Answer.NO:
        return Answer.WAIT if comes is Answer.WAIT else Answer.NO
    path = next((path for path, after in node.closings(_CLOSERS) if after.text and not after.value), ())
    if path and opened:
        if not course.final and _MAY_BE_MARKER(buf, pos) is not None:
            return Answer.WAIT
        path = path if _WORD_OR_MARKER(buf, pos) is not None else ()
    for closer in path:
        course.imply(closer, course.base + pos, RepairKind.IMPLIED_CLOSER)
    return Answer.YES if path else Answer.NO


def _comes_yet(course: Course, closer: str, pos: int) -> Answer:
    """Does the `closer` stand a little further on, before the next call, after what is no part of this one?"""
    buf, until = course.buf, pos + MAX_BESIDE + len(closer)
    calls = [at for core in course.graph.long_openers if (at := buf.find(core, pos, until)) >= 0]
    if buf.find(closer, pos, min(calls, default=until)) >= 0:
        return Answer.YES
    return Answer.WAIT if not calls and not course.final and len(buf) < until else Answer.NO


def lacks_closer(course: Course, node: Node, at: int) -> bool:
    """Was a short closer left out after the last call, with free text after it?"""
    closers = [core for core, wrong in node.marks.items() if not wrong and not node.first(core)]
    if course.builder.call is not None or len(closers) != 1 or len(closers[0]) >= STRONG:
        return False
    if not node.step(closers[0]).node.text:
        return False
    course.imply(closers[0], at, RepairKind.IMPLIED_CLOSER)
    return True


def cut_closer(course: Course, node: Node, pos: int) -> bool:
    """At the end of the input: is `buf[pos:]` the beginning of the one closer that must come?"""
    sole = node.sole
    if sole is None or not cut_off(course.builder.spelled(sole), course.buf, pos):
        return False
    after = node.step(sole).node
    if course.builder.call is not None and not after.over and any(map(after.first, after.choices)):
        return False  # more of the call was to come
    course.pos = len(course.buf)
    at = course.base + course.pos
    course.imply(sole, at, RepairKind.IMPLIED_CLOSER)
    return True

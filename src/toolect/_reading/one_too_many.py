"""A token between strings, a closing bracket or a comma that stands where nothing of the kind may: it is gone over."""

from __future__ import annotations

import re

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK
from toolect._reading.answer import WAIT, Answer
from toolect._reading.course import Course
from toolect._reading.probe import next_lexeme, past_blank
from toolect._reading.value_mend import MAX_MENDS
from toolect._values.doubtful import left_out
from toolect.message import RepairKind

_KEY = re.compile(rf",\s{{0,{MAX_BLANK}}}[\"']?([\w.-]{{1,64}})[\"']?\s{{0,{MAX_BLANK}}}[:=]").match
_KEY_BEGUN = re.compile(rf",\s{{0,{MAX_BLANK}}}[\"']?[\w.-]{{0,64}}[\"']?\s{{0,{MAX_BLANK}}}\Z").match


def twice(course: Course, node: Node, pos: int) -> Answer:
    """Is a token here that strings stand between, one too many, with what follows a string?"""
    token = next((core for core in course.graph.quotes if course.buf.startswith(core, pos)), None)
    call = course.builder.call
    if token is None or not node.value or call is None or len(call.repairs) >= MAX_MENDS:
        return Answer.NO
    end = pos + len(token)
    follows = next_lexeme(course, node, past_blank(course.buf, end))
    if follows is None or follows is WAIT:
        return Answer.NO if follows is None or course.final else Answer.WAIT
    course.builder.note(RepairKind.STRAY_MARKER, course.base + pos, token)
    course.pos = end
    return Answer.YES


def extra_sign(course: Course, node: Node, pos: int) -> Answer:
    """Does a closing bracket too many, or a comma, follow the arguments, or what they are a part of?"""
    call = course.builder.call
    char = course.buf[pos]
    if char not in "}],;" or not (course.builder.after_call if call is None else call.whole):
        return Answer.NO
    after: Node | None = node
    while after is not None and not any(map(after.first, after.choices)):
        if any(core.startswith(char) for core in after.marks):
            return Answer.NO  # it is a marker of the dialect
        after = None if after.sole is None else after.step(after.sole).node
    if char == "," and call is not None and not course.final and _KEY_BEGUN(course.buf, pos) is not None:
        return Answer.WAIT
    if char == "," and call is not None and (key := _next_key(course, pos)):
        call.fail(f"expected `{key}` in the arguments, and not beside them - at {course.base + pos}")
    why = "a closing bracket too many" if char in "}]" else f"`{char}` too many"
    course.builder.note(RepairKind.JSON, course.base + pos, why)
    course.pos = pos + 1
    return Answer.YES


def _next_key(course: Course, pos: int) -> str:
    """The parameter of the open call that it has not, after the comma at `buf[pos]`; none for no such."""
    call, match = course.builder.call, _KEY(course.buf, pos)
    if call is None or match is None or not isinstance(call.arguments, dict):
        return ""
    return left_out(course.tools.of(call.name), call.arguments, (match[1],))

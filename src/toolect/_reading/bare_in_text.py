"""A call in bare JSON in the middle of free text: may it begin here, and does it decide about a marker before it?"""

from __future__ import annotations

import re
import string

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.stops import Calls, NameLine
from toolect._reading.answer import Answer
from toolect._reading.course import Course
from toolect._reading.passage import Passage
from toolect._reading.probe import lexeme_instead
from toolect._reading.stop_place import End, after
from toolect._shapes.loose import QUOTES, Guess, begins_call
from toolect._spec.grammar_model import SlotKind

_BRACKET = re.compile(rf"[\[{{]\s{{0,{MAX_BLANK}}}")
_AFTER_BRACKET = {"{": frozenset(QUOTES + "/#_" + string.ascii_letters), "[": frozenset("{/#")}
"""What a call in JSON, broken perhaps, goes on with; so does the first object of a list."""


def json_node(passage: Passage) -> Node:
    """Where the JSON stands: in place of the text, or after it."""
    return passage.node if passage.node.json else passage.node.step(SlotKind.TEXT).node


def begins_bare(passage: Passage, course: Course, at: int) -> Answer:
    """May a call in JSON begin with the bracket at index `at`?"""
    buf, n, final = course.buf, len(course.buf), course.final
    if passage.plan.direct and passage.text_before(course, at):
        return Answer.NO
    near, char = at, buf[at]
    for bracket in ("[", "{"):
        if char == bracket:
            near = _BRACKET.match(buf, near).end()  # type: ignore[union-attr]  # a bracket is there
            if near == n and not final and n - at <= MAX_BLANK:
                return Answer.WAIT
            char = buf[near : near + 1]
            if char not in _AFTER_BRACKET[bracket]:
                return Answer.NO
    if passage.shows(course, at, at):
        return Answer.NO
    shape = json_node(passage).json_field().shape
    if char != '"' and shape is not None:
        likely = begins_call(buf, at, shape)
        if likely is Guess.NO:
            return Answer.NO
        if likely is Guess.MORE and not final:
            return Answer.WAIT
    return Answer.YES


def decides(passage: Passage, course: Course, found: End) -> bool:
    """True when JSON must follow the marker `found` which is a call, or not, with and without the marker."""
    plan, stop = passage.plan, found.stop
    bare = plan.braces != "" and not plan.direct and stop.calls is not Calls.NOTHING
    return bare and not isinstance(stop, NameLine) and after(passage, course, stop, found.at).json


def other_than_json(course: Course, node: Node, pos: int) -> Answer:
    """Does something else than JSON come at `buf[pos:]`, where `node` takes either?"""
    if pos == len(course.buf):
        return Answer.NO
    if course.buf[pos] not in "{[":
        return Answer.YES
    return lexeme_instead(course, node, pos, course.spelled)

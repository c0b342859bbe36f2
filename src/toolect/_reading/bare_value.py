"""Where text ends that stands in place of a JSON value: before a line or a sign with which the grammar goes on."""

from __future__ import annotations

import re
from itertools import islice

from toolect._graph.misspelling import MORE
from toolect._graph.node import STRONG, Node
from toolect._reading.answer import WAIT, Answer
from toolect._reading.course import Course
from toolect._reading.json_value import JsonValue
from toolect._reading.probe import Probe
from toolect._shapes.meant import CLOSING
from toolect._spec.grammar_model import SlotKind

_MOST = 64
"""Places in one text that are looked at. Beyond it: it goes on to its end."""
_FEW = 3
"""Lexemes that tell that the grammar goes on: a name or a key, and what comes after it."""
_LINE_ENDS = re.compile(r"[ \t]*(?:\r?\n|\Z)").match


def bare_end(value: JsonValue, course: Course, end: int) -> int:
    """The character where the text ends that stands for the broken `value`, which may go on to character `end`.

    That is `end`, if nothing before it goes on as the grammar does; MORE where text that has not come would tell.
    """
    text = course.raw(value.start, end).rstrip() if value.plain else ""
    first = text.lstrip()[:1]
    if not first or first in '{["':
        return end
    here = course.base + course.pos
    course.back_to(value.start)  # all of it is looked at again
    course.back_to(here)
    node = course.node.step(SlotKind.JSON).node
    signs = sorted((core for core in node.marks if len(core) < STRONG), key=len, reverse=True)
    places = re.compile("|".join([r"\n", *map(re.escape, signs)]))
    closed = [text.find(sign, text.index(first) + 1) for sign in CLOSING.get(first, "")]
    quoted = min((at for at in closed if at >= 0), default=0)
    for match in islice(places.finditer(text, quoted), _MOST):
        answer = _goes_on(course, node, value.start + match.start() - course.base)
        if answer is not Answer.NO:
            return MORE if answer is Answer.WAIT else value.start + match.start()
    return end


def _goes_on(course: Course, node: Node, at: int) -> Answer:
    """Does the grammar go on at `node` with `buf[at:]`? Before free text a marker has to end its line."""
    probe = Probe(course, node, at)
    for number in range(_FEW):
        comes = probe.space()
        if comes is not Answer.YES:
            return WAIT if comes is WAIT else Answer.YES if number else Answer.NO
        lexeme = probe.next()
        if lexeme is None or lexeme is WAIT:
            return Answer.NO if lexeme is None else Answer.WAIT
        probe.over(lexeme)
        if probe.node.text or probe.node.json or probe.node.escaped:
            return Answer.YES if number or _LINE_ENDS(course.buf, lexeme.end) is not None else Answer.NO
    return Answer.YES

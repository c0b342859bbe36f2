"""Reads the next marker, terminal or JSON value where the grammar takes no free text."""

from __future__ import annotations

import re

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, MIN_LEXEME, cut_off
from toolect._reading.answer import WAIT, Answer
from toolect._reading.comment_slot import begin_comment
from toolect._reading.could_grow import could_grow
from toolect._reading.course import Course
from toolect._reading.json_slot import begin_json
from toolect._reading.mending import go_over
from toolect._reading.near_marker import departed
from toolect._reading.object_slot import begin_object
from toolect._reading.other_notation import attempted
from toolect._reading.probe import Departed, json_instead, match_blank, next_lexeme
from toolect._reading.recovery import attempt, depart, is_tired, recover
from toolect._reading.slot import Next, Quick
from toolect._reading.value_mend import next_entry
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.events import Event

_VALUE_STARTS = frozenset("{[\"'`")
is_word = re.compile(r"\w+").fullmatch


def _may_begin_json(course: Course, node: Node, char: str) -> bool:
    """True when `char` begins a JSON value, or something broken in its place; bare JSON begins with a bracket.

    Whatever stands where an argument has its value is that, broken: the arguments after it are read.
    """
    if course.graph.start.json and course.builder.call is None:
        return char in "{["
    if course.builder.call is None and course.builder.after_call:
        return char in _VALUE_STARTS  # a word is none: it goes on after the last call
    return char in _VALUE_STARTS or char.isalnum() or char == "-" or node.json_field().role is Role.VALUE


def lex(course: Course, node: Node) -> Next:
    """Read the next marker, terminal or JSON value at a node that takes no free text."""
    buf, n = course.buf, len(course.buf)
    pos = match_blank(buf, course.pos).end()  # type: ignore[union-attr]  # matches the empty string
    if pos > course.pos:
        course.spacing.took(buf[course.pos : pos], course.base + course.pos)
        course.pos = pos
    if pos == n:
        return WAIT
    if course.graph.code is not None and course.builder.call is None and node.coding is not None:
        from toolect._reading.code_slot import begin_code  # not part of starting up: few dialects need it

        coded = begin_code(course, node, pos)
        if coded is not None:
            return coded
    if course.graph.network.spec.comments and not any(pattern.match(buf, pos) for _, pattern in node.patterns):
        comment = begin_comment(course, pos)
        if comment is not None:
            return comment
    lexeme = next_lexeme(course, node, pos)
    if lexeme is not None and lexeme is not WAIT and node.json and buf[pos] in "{[":
        rival = json_instead(course, node, lexeme)
        lexeme = WAIT if rival is Answer.WAIT else None if rival is Answer.YES else lexeme
    if lexeme is None:
        begun = begin_object(course, node, pos)
        if begun is not None:
            return begun
        lexeme = None if is_tired(course) else departed(course, node, pos, course.last)
    if lexeme is WAIT:
        return WAIT
    if lexeme is not None:
        key, end = lexeme.key, lexeme.end
        if lexeme.departed is not None:
            call = course.builder.call
            if lexeme.departed is Departed.STRAY and call is not None and call.name and course.graph.begins_call(key):
                return recover(course, node, pos)  # another call begins
            depart(course, lexeme, pos)
            return None
        if node.value and buf[pos] in "\"'":
            entry = next_entry(course, node, pos)
            if entry is not None:
                return WAIT if entry is WAIT else go_over(course, entry, pos)
        course.pos = end
        text = "" if isinstance(key, str) else buf[pos:end]
        course.shift(key, course.base + pos, course.base + end, text, lexed=True)
        return None
    graph = course.graph
    marked = [c for c in graph.bracketed if c == course.last or c in graph.long_openers]
    if node.json and _may_begin_json(course, node, buf[pos]) and not buf.startswith(tuple(marked), pos):
        if not course.final and any(cut_off(core, buf, pos) for core in marked):
            return WAIT
        call = course.builder.call
        if buf[pos].isalnum() and not node.value and call is not None and not call.name:
            name = attempted(course, pos)
            if name is WAIT:
                return WAIT
            if name:
                return attempt(course, node, course.base + pos, name)
        if not course.spacing.loose and not node.value:
            choice = node.choices[SlotKind.JSON][0]
            course.spacing.check(course.builder, course.base + pos, (choice.expects,), choice.expects)
        return begin_json(course, node)
    waits = n - pos < MIN_LEXEME and node.patterns
    if not course.final and (waits or could_grow(node, buf, pos, course.builder.spelled)):
        return WAIT
    return recover(course, node, pos)


def waiting(course: Course, node: Node) -> Quick | None:
    """Takes in chunks with which there is still no more than the beginning of a marker or terminal; None for none."""
    if node.text or node.escaped:
        return None
    begun = node.made(_begun)
    name = node.patterns[0][1].fullmatch if len(node.patterns) == 1 and not node.marks else is_word

    def wait(chunk: str) -> list[Event] | None:
        text = course.buf + chunk
        size = len(text)
        if size < MAX_BLANK and text.lstrip() in begun or size < MAX_LEXEME and name(text) is not None:
            course.buf = text
            return []
        return None

    return wait


def _begun(node: Node) -> frozenset[str]:
    """The beginnings of the markers at `node`, but for those that repeat a name or key."""
    cores = (core for core in node.marks if core not in node.echoes)
    return frozenset(core[:size] for core in cores for size in range(len(core)))

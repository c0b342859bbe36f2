"""How a stretch of free text ends: before a marker that was found, or with the input."""

from __future__ import annotations

import re

from toolect._graph.misspelling import is_word
from toolect._graph.needle import ending
from toolect._graph.node import STRONG
from toolect._graph.spelling import gapped
from toolect._graph.stops import Calls, Stop
from toolect._graph.symbols import is_echo
from toolect._reading.course import Course
from toolect._reading.crossing import cross, go_on_at
from toolect._reading.held_back import returned
from toolect._reading.passage import Passage
from toolect._reading.slot import Next
from toolect._reading.stop_place import End
from toolect._reading.taken_in import taken_in
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.message import RepairKind

_TAG = 128
"""Characters of a closing tag, and the blanks after it, that an argument without its closer may end with."""
_LAST_TAG = re.compile(r"</([^<>]{0,64})>\s*\Z").search


def end_text(passage: Passage, course: Course, found: End) -> Next:
    """The text ends before the marker that was found."""
    base = course.base
    stop, lead, at, end, wrong = found
    if passage.field.role is Role.STRING and course.builder.call is not None and _torn(passage, course, at):
        return None
    if stop.calls is not Calls.NOTHING:
        passage.give_way(course)
    have = ending(course.buf, lead, course.pos, at)
    if have and course.buf[at - have] == "\n":
        have += returned(passage, course.buf, course.pos, at - have)
    passage.read_to(course, at - have)
    course.pos = at
    role = passage.field.role
    if have < len(stop.lead) and stop.repair is None and role is not Role.CONTENT:
        course.builder.note_space(base + at, stop.lead)
    if role is Role.STRING and not stop.direct and not passage.opened and stop.key not in passage.node.choices:
        passage.open(course)
    opened = passage.opened
    if stop.calls is not Calls.NOTHING and role is Role.ARGUMENTS and (not opened or course.builder.text.idle):
        course.lack_arguments(base + at, other=True)
    passage.close(course, base + at - have)
    if stop.repair is RepairKind.IMPLIED_CLOSER and role is Role.VALUE:
        _lacks_closer(passage, course, stop, at)
    if passage.skip:
        return go_on_at(course, stop.core, passage.node, base + at, base + end)
    return cross(course, stop, passage.node, base + at, base + end, opened, wrong)


def _torn(passage: Passage, course: Course, at: int) -> bool:
    """Does the string before index `at` lack its end, and take a call's beginning in? That is read from there."""
    call, graph = course.builder.call, course.graph
    said = course.raw(passage.start, course.base + at)
    if call is None or not any(core in said for core in graph.long_openers):
        return False
    found = taken_in(said, "", graph.long_openers, graph.starts, lines=True)
    if found < 0:
        return False
    end = passage.start + found
    call.fail(f"a string has no end - at {passage.start}")
    passage.read_to(course, at)  # all of it may have been passed on
    passage.close(course, end)
    course.builder.break_off(end)
    course.back_to(end)
    course.restart()
    return True


def _lacks_closer(passage: Passage, course: Course, stop: Stop, at: int) -> None:
    """The closer of an argument is missing before `stop`: another tag is in its place, or it is where nobody looked.

    It may have blanks in it, if it repeats a name. A tag that closes nothing in the argument is not the argument's.
    """
    call, closer = course.builder.call, course.spelled(str(stop.path[1]))
    if call is None:
        return
    if passage.holds_call:
        call.fail(f"expected `{closer}`, got it in another call - before {course.base + at}")
    text = course.raw(passage.start, course.base + at)
    found = gapped(closer).search(text) if is_echo(str(stop.path[1])) else None
    if found is None and closer.startswith("</"):
        last = _LAST_TAG(text, max(0, len(text) - _TAG))
        opened = last is not None and (f"<{last[1]}" if last[1] else "<>").casefold() in text.casefold()
        found = None if opened else last
    if found is not None:
        call.fail(f"expected `{closer}`, got {found[0].rstrip()!r} - at {passage.start + found.start()}")
    elif part := _part(closer, text.rstrip()):
        call.fail(f"expected `{closer}`, got {part!r} - before {course.base + at}")


def _part(closer: str, text: str) -> str:
    """What of `closer` the `text` ends with, from its beginning on or up to its end; empty where that is little."""
    sizes = range(len(closer) - 1, STRONG - 1, -1)
    parts = (part for size in sizes for part in (closer[:size], closer[-size:]) if not is_word(part[0]))
    return next((part for part in parts if text.endswith(part)), "")


def end_with_input(passage: Passage, course: Course) -> None:
    """The input is over, and no stop was in the text; the marker that would have ended it may have been cut off."""
    n, until = len(course.buf), _cut_closer(passage, course)
    cut = passage.cut_marker(course.buf, course.pos) if until == n else n
    passage.read_to(course, min(until, cut))
    if cut < n:
        course.builder.note(RepairKind.STRAY_MARKER, course.base + cut, course.buf[cut:])
    elif until < n and not passage.opened:
        course.builder.note(RepairKind.IMPLIED_CLOSER, course.base + n, course.buf[until:])
    course.pos = n
    passage.end_with_input(course, course.base + min(until, cut))


def _cut_closer(passage: Passage, course: Course) -> int:
    """Where in `buf` the one marker that can end the text begins, which the end of the input cut off."""
    buf, pos, n = course.buf, course.pos, len(course.buf)
    if passage.skip or passage.field.role not in (Role.CONTENT, Role.REASONING):
        return n
    node = passage.node.step(SlotKind.TEXT).node
    core = node.sole
    if core is None:
        return n
    for at in range(max(pos, n - len(core) + 1), n - STRONG + 1):
        if core.startswith(buf[at:]):
            return at - ending(buf, node.lead(core), pos, at)
    return n

"""The closer of a call that stands where its arguments should begin: it has none."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.node import Node
from toolect._graph.spelling import cut_off
from toolect._graph.symbols import Key, Terminal, is_echo
from toolect._reading.answer import WAIT, Answer
from toolect._reading.course import Course
from toolect._reading.probe import View, past_blank
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.message import RepairKind

_FAR = 5
"""Markers and JSON between a name and the closer of its call, where nothing else comes between them."""


def lacks_arguments(course: Course, node: Node, pos: int) -> Answer:
    """Does the closer of the open call stand where its arguments should begin? Then they are missing, and it ends.

    Where JSON follows it, they are not: they stand in the wrong place, and the call is malformed.
    """
    call = course.builder.call
    if call is None or not call.name or call.entries or call.key is not None or call.whole or call.error:
        return Answer.NO
    if course.builder.values.are_open:
        return Answer.NO  # it breaks off in them
    found = [(end, after) for key, after in _ends_of(node) if (end := _end(course, key, pos)) > pos]
    if not found:
        return Answer.NO
    end, after = max(found, key=lambda one: one[0])
    at, behind = course.base + pos, past_blank(course.buf, end)
    if behind == len(course.buf) and not course.final:
        return Answer.WAIT
    if course.buf[behind : behind + 1] in ("{", "["):
        call.fail(f"expected the arguments, got {course.buf[pos:end]!r} - at {at}")
    course.lack_arguments(at)
    course.builder.note(RepairKind.MISSING_ARGUMENTS, at, "none")
    course.builder.break_off(course.base + end)
    course.pos = end
    course.restart(after)
    course.spacing.clear()
    return Answer.YES


def closed_at(view: View, node: Node, pos: int) -> Answer:
    """Does the closer of a call without arguments stand at `buf[pos:]`, where `node` would have them?"""
    cores = [key for key, _ in _ends_of(node) if isinstance(key, str)]
    if any(view.buf.startswith(core, pos) for core in cores):
        return Answer.YES
    return WAIT if not view.final and any(cut_off(core, view.buf, pos) for core in cores) else Answer.NO


def _end(course: Course, key: Key, pos: int) -> int:
    """Where the marker or terminal `key` ends that stands at `buf[pos:]`; -1 for none."""
    if isinstance(key, Terminal):
        match = course.graph.pattern(key.regex).match(course.buf, pos)
        return -1 if match is None else match.end()
    return pos + len(str(key)) if course.buf.startswith(str(key), pos) else -1


def _ends_of(node: Node) -> tuple[tuple[Key, Node], ...]:
    """The closers that end the open call once it has had arguments that are to come, each with the node after it."""
    return () if node.text or node.escaped else node.made(_ends)


def _ends(node: Node) -> tuple[tuple[Key, Node], ...]:
    found: list[tuple[Key, Node]] = []
    met, level = {node}, [node]
    for far in range(_FAR):
        nearer, level = level, []
        for place in nearer:
            for key in _without_words(place):
                after = place.step(key).node
                if after.over:
                    found += [(key, after)] if far and key is not SlotKind.JSON else []
                elif after not in met:
                    met.add(after)
                    level.append(after)
    return tuple(found)


def _without_words(node: Node) -> Iterator[Key]:
    """What may come next at `node` that says nothing: markers, terminals that are such, and JSON."""
    yield from (core for core, wrong in node.marks.items() if not wrong and not is_echo(core))
    yield from (key for key, _ in node.patterns if node.fills(key) == {Role.MARKUP})
    if node.json:
        yield SlotKind.JSON

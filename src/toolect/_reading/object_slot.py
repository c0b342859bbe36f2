"""A JSON object where elements hold the arguments: its members are the arguments."""

from __future__ import annotations

import re

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import Op, OpCode
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.course import Course
from toolect._reading.slot import Next
from toolect._shapes.json_reader import JsonReader
from toolect._shapes.shape_events import Arguments, ShapeEvent
from toolect._spec.model import Hole, HoleKind
from toolect._values.json_lexemes import Broken
from toolect.message import Json, RepairKind

_OBJECT = re.compile(r'\{\s{0,64}["}]').match
_BEGUN = re.compile(r"\{\s{0,64}\Z").match


class ObjectSlot:
    """The object being read."""

    __slots__ = ("_reader", "_start", "_value")

    field = None

    def __init__(self, course: Course) -> None:
        self._start = course.base + course.pos
        self._value: Json = None
        self._reader = JsonReader(Hole(HoleKind.ARGUMENTS), self._take, plain=True)

    def _take(self, event: ShapeEvent) -> None:
        if type(event) is Arguments:
            self._value = event.value

    def quick(self, course: Course) -> None:
        """There is no short way."""

    def needed(self) -> None:
        """No character of it is asked for again."""

    def pending(self, course: Course) -> str:
        """What the reader has not taken."""
        return course.buf[course.pos :]

    def read(self, course: Course) -> Next:
        """Read on to the end of it."""
        draft, call = course.builder.draft, course.builder.call
        assert call is not None
        try:
            course.pos = self._reader.feed(course.buf, course.pos, course.base, course.final)
        except Broken as broken:
            call.fail(str(broken))
            course.back_to(broken.resume)
            return None
        if not self._reader.done:
            course.pos = len(course.buf) if course.final else course.pos
            return WAIT
        assert isinstance(self._value, dict)
        call.note(RepairKind.WRAPPED, self._start, "an object")
        for key, value in self._value.items():
            draft.open_argument(call, key, self._start)
            draft.argument(call, value)
        call.key = None
        course.goes_on(course.base + course.pos)
        course.spacing.clear()
        course.spacing.loose = True
        return None


def begin_object(course: Course, node: Node, pos: int) -> ObjectSlot | Waiting | None:
    """Begin the object at `buf[pos:]`, where `node` takes an argument; None where there is none."""
    buf, call = course.buf, course.builder.call
    if buf[pos] != "{" or call is None or not call.name or not course.builder.draft.plain or call.key is not None:
        return None
    if not node.made(_takes_elements):
        return None
    if not course.final and _BEGUN(buf, pos) is not None:
        return WAIT
    if _OBJECT(buf, pos) is None:
        return None
    course.pos = pos
    return ObjectSlot(course)


def _takes_elements(node: Node) -> bool:
    """Does an argument begin at `node`, with a marker that no text begins with by chance?"""
    if node.text or node.json or node.escaped or node.value:
        return False
    return any(
        isinstance(task, Op) and task.code is OpCode.BEGIN_ARGUMENT and len(core) >= STRONG
        for core in node.marks
        for task, _ in node.choices[core][0].trail
    )

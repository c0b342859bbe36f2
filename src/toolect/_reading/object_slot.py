"""A JSON object where elements hold the arguments: its members are the arguments."""

from __future__ import annotations

import re

from toolect._graph.node import Node
from toolect._graph.trouble_plans import skip_plan
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.course import Course
from toolect._reading.element import object_instead
from toolect._reading.probe import past_fence
from toolect._reading.slot import Next
from toolect._reading.text_slot import TextSlot
from toolect._shapes.elsewhere import holds_call
from toolect._shapes.json_reader import JsonReader
from toolect._shapes.shape_events import Arguments, ShapeEvent
from toolect._spec.shape_model import Hole, HoleKind
from toolect._values.json_lexemes import Broken
from toolect.message import Json, RepairKind

_FENCE = re.compile(r"\s{0,64}(`{0,3})").match
"""What closes the fence around it."""


class ObjectSlot:
    """The object being read."""

    __slots__ = ("_fenced", "_reader", "_start", "_value")

    field = None

    def __init__(self, course: Course, fenced: bool) -> None:
        self._fenced = fenced
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
            if not self._reader.done:
                course.pos = self._reader.feed(course.buf, course.pos, course.base, course.final)
        except Broken as broken:
            call.fail(str(broken))
            course.back_to(broken.resume)
            return TextSlot.skipping(course, course.node, skip_plan(course.node), False)
        if not self._reader.done:
            course.pos = len(course.buf) if course.final else course.pos
            if course.final and course.node.done is not None:  # where a call may end that has no arguments
                course.builder.truncate(course.base + course.pos)
            return WAIT
        if self._fenced:
            fence = _FENCE(course.buf, course.pos)
            assert fence is not None
            if fence.end() == len(course.buf) and len(fence[1]) < 3 and not course.final:
                return WAIT
            course.pos = fence.end() if len(fence[1]) == 3 else course.pos
        assert isinstance(self._value, dict)
        call.note(RepairKind.WRAPPED, self._start, "an object")
        if holds_call(self._value, call.name, draft.tools):
            call.fail(f"expected an argument, got another call - at {self._start}")
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
    call = course.builder.call
    if call is None or not call.name or not course.builder.draft.plain or call.key is not None:
        return None
    stands = object_instead(node, course.buf, pos, course.final, called=True)
    if stands is not Answer.YES:
        return WAIT if stands is Answer.WAIT else None
    course.pos = past_fence(course.buf, pos)
    return ObjectSlot(course, course.pos > pos)

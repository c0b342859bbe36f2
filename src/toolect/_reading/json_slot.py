"""A JSON value in a JSON slot: read strictly, given back when it is no call."""

from __future__ import annotations

from collections.abc import Callable

from toolect._graph.node import Node
from toolect._graph.symbols import Field
from toolect._reading.answer import WAIT
from toolect._reading.broken_slot import BrokenSlot
from toolect._reading.course import Course
from toolect._reading.json_value import Host, JsonValue, ValueSlot
from toolect._reading.open_call import OpenCall
from toolect._reading.slot import Next, Quick
from toolect._shapes.loose import MAX_GUESSES
from toolect._shapes.open_value import settled
from toolect._spec.grammar_model import SlotKind
from toolect._values.json_lexemes import Broken
from toolect.events import Event

_DEEP = 64
"""Characters of JSON that is nested too deep which weigh as much as a flawed call: all of it may be read once more."""


class JsonSlot(ValueSlot):
    """One JSON value being read, from character `start` on. With a `host` it may turn out to be a part of its text."""

    __slots__ = ("_tripped",)

    def __init__(self, course: Course, field: Field, start: int, host: Host | None = None) -> None:
        super().__init__(JsonValue(course, field, start, host))
        self._tripped: Broken | None = None  # it broke in the short way, and nothing has been made of that

    def read(self, course: Course) -> Next:
        """Read on."""
        value, base, final = self.value, course.base, course.final
        if self._tripped is not None:
            tripped, self._tripped = self._tripped, None
            return self._trip(course, tripped)
        try:
            course.pos = value.reader.feed(course.buf, course.pos, base, final)
        except Broken as broken:
            return self._trip(course, broken)
        value.maybe_commit(course)
        value.kept = max(value.kept, course.builder.draft.last_end)
        if value.reader.done:
            end = course.base + course.pos
            if value.host is not None and not value.calls(course):
                return value.reject(course, end)
            value.commit(course)
            value.close(course, end)
            return None
        if final:
            course.pos = len(course.buf)
            if value.host is None:
                value.cut(course)
            elif not value.broken_off(course):
                return value.reject(course, course.base + course.pos)
        return WAIT

    def _trip(self, course: Course, broken: Broken) -> Next:
        """The text is not JSON from here on."""
        value, draft = self.value, course.builder.draft
        course.back_to(broken.resume)
        value.maybe_commit(course)
        if broken.limit:
            draft.flawed += (broken.at - value.start) // _DEEP
        if value.host is not None and (broken.limit or draft.guesses >= MAX_GUESSES):
            return value.reject(course, max(broken.resume, value.start + 1))
        value.kept = max(value.kept, draft.last_end)
        return BrokenSlot(course, value, broken, self)

    def quick(self, course: Course) -> Quick | None:
        """Takes in chunks that do not decide what becomes of the value."""
        value, draft, keep = self.value, course.builder.draft, course.keeping()
        reader, plain = value.reader, value.plain
        inside, passes, feed, waiting = reader.inside, reader.passes, reader.feed, reader.waiting
        call: OpenCall | None = None
        emit: Callable[[str], list[Event]] | None = None  # more of its arguments

        def take(chunk: str) -> list[Event]:
            nonlocal call, emit
            if not course.buf:
                if passes(chunk):
                    if emit is None or draft.call is not call:
                        call, emit = draft.call, None if value.host is not None or plain else draft.passing()
                    if emit is not None or plain:
                        keep(chunk)
                        course.base += len(chunk)
                        if waiting or "," in chunk:
                            chunk = settled(waiting, chunk)
                            if not chunk:
                                return []
                        reader.passed(chunk)
                        return [] if emit is None else emit(chunk)
                elif inside(chunk) and reader.keeps(chunk, course.base):
                    keep(chunk)
                    course.base += len(chunk)
                    return []
            events = draft.events = []
            text = course.buf = course.buf + chunk if course.buf else chunk
            try:
                pos = feed(text, 0, course.base, False)
            except Broken as broken:
                self._tripped, course.due = broken, True
                return events
            if reader.done or value.host is not None and reader.called:
                course.pos, course.due = pos, True
                return events
            if pos == len(text):
                keep(text)
                course.buf = ""
            else:
                keep(text[:pos])
                course.buf = text[pos:]
            course.base += pos
            return events

        return take


def begin_json(course: Course, node: Node) -> JsonSlot:
    """Begin the JSON slot of `node` here."""
    at = course.base + course.pos
    course.enter_slot(SlotKind.JSON, at)
    course.spacing.clear()
    course.spacing.loose = False
    return JsonSlot(course, node.json_field(), at)

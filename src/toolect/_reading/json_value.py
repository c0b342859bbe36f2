"""A JSON value that is being read: what it holds so far, and whether it is a call, or just text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from toolect._graph.symbols import Field
from toolect._reading.course import Course
from toolect._reading.json_sink import ArgumentSink, CallSink
from toolect._reading.slot import Next, Quick, Slot
from toolect._shapes.elsewhere import calls_elsewhere
from toolect._shapes.mend import Mender
from toolect._shapes.mendable import Mendable
from toolect._shapes.shape_events import Arguments, CallBegins, Emit, Filled, Repaired, ShapeEvent
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole, HoleKind, Shape
from toolect._values.json_lexemes import Broken
from toolect.message import RepairKind


class Host(Slot, Protocol):
    """The slot in whose text the value is: it may be a part of that."""

    def commit(self, course: Course, start: int) -> None:
        """The value at character `start` is a call: the text before it is over, and the JSON slot begins."""

    def take_back(self, course: Course, end: int) -> Next:
        """The value is just text, up to character `end`."""


class JsonValue:
    """A value from character `start` on. With a `host` it may turn out to be a part of its text."""

    __slots__ = ("_attempts", "_own", "emit", "host", "kept", "plain", "reader", "recorded", "shape", "sink", "start")

    def __init__(self, course: Course, field: Field, start: int, host: Host | None = None) -> None:
        self._own = field
        self.host = host  # until it is known that the value is a call
        self.start = self.kept = start
        """Where it begins, and the first character that may be asked for again."""
        self.recorded: list[ShapeEvent] = []  # what it holds, if it is a call
        self._attempts = course.builder.draft.attempts
        self.shape: Shape = field.shape or Hole(HoleKind.ARGUMENTS)
        self.plain = field.role in (Role.VALUE, Role.JSON)
        """True for the value of an argument: it holds no calls."""
        draft = course.builder.draft
        self.sink = CallSink(draft)
        if self.plain:
            sink = ArgumentSink(draft, course.builder.leaf if field.role is Role.JSON else None)
            self.emit: Emit = sink.take
            self.reader = Mendable(Hole(HoleKind.ARGUMENTS), sink.take, plain=True)
        else:
            self.emit = self.sink.take if host is None else self.recorded.append
            self.reader = Mendable(self.shape, self.emit, tools=draft.tools)

    @property
    def field(self) -> Field:
        """What the text fills that is open here."""
        return self._own if self.host is None else self.host.field or self._own

    def needed(self) -> int | None:
        """The first character that may be asked for again."""
        return self.kept if self.host is None else self.host.needed()

    def pending(self, course: Course) -> str:
        """Argument text that is not safe to pass on; all of the value while it may be just text."""
        return self.reader.held + course.buf[course.pos :] if self.host is None else self.host.pending(course)

    def maybe_commit(self, course: Course) -> None:
        """Once a name and arguments are there, what looked like a call is one."""
        if self.reader.called:
            self.commit(course)

    def commit(self, course: Course) -> None:
        """What looked like a call is one."""
        host = self.host
        if host is not None:
            self.host = None
            host.commit(course, self.start)
            for event in self.recorded:
                self.sink.take(event)
            self.emit = self.sink.take
            self.reader.listen(self.emit)

    def reject(self, course: Course, end: int) -> Next:
        """It was no call: give the text back."""
        assert self.host is not None
        course.pos = end - course.base
        return self.host.take_back(course, end)

    def calls(self, course: Course) -> bool:
        """Is what was mended a call, if only one with a text for the only argument there is?"""
        named = next((e for e in self.recorded if isinstance(e, Filled) and e.kind is HoleKind.NAME), None)
        given = next((e for e in self.recorded if isinstance(e, Arguments)), None)
        if self.reader.called or named is None or given is None or not isinstance(named.value, str):
            return self.reader.called
        return course.builder.draft.places(named.value, given.value)

    def broken_off(self, course: Course) -> bool:
        """Does the text end in what was to be a call? Then it is one, which is cut off."""
        draft = course.builder.draft
        if not self.reader.called and not self.reader.broken_off(draft.tools):
            return False
        self.commit(course)
        course.pos = len(course.buf)
        if draft.call is None:
            self.cut(course)
        else:
            self._cut_call(course)
        return True

    def close(self, course: Course, end: int, broken: bool = False) -> None:
        """It ends at character `end`; it was mended where it is `broken`."""
        draft = course.builder.draft
        nothing = draft.attempts == self._attempts and (draft.call is None or not draft.call.name)
        if not self.plain and nothing and (broken or not self._elsewhere(course, end)) and draft.call is None:
            start = max(self.kept, draft.told)  # it may hold content
            raw = course.raw(start, end).strip()
            if raw != "[]" and raw.strip("]} \t\r\n"):
                draft.attempt(start, end, "expected a call in the shape of the dialect")
        if broken:
            self.leave(course, end)
        else:
            self._over(course, end)

    def _elsewhere(self, course: Course, end: int) -> bool:
        """Is there a call in the value in the shape of some other format? Then it is read so."""
        draft = course.builder.draft
        if isinstance(self.shape, Hole) or draft.told > self.start:
            return False
        events = calls_elsewhere(course.raw(self.start, end), self.start, draft.tools)
        for event in events:
            self.sink.take(event)
            if type(event) is CallBegins:
                draft.note(RepairKind.SHAPE, event.at, "that of another format")
        return bool(events)

    def cut(self, course: Course) -> None:
        """The input ended inside the value."""
        draft, end = course.builder.draft, course.base + course.pos
        call, reader = draft.call, self.reader
        reader.pass_quote()
        if call is not None and call.whole and not self.plain and not reader.passing:
            try:
                Mender(reader, "", end, self.note).close(end)
            except Broken:
                pass
            else:
                self.leave(course, end)
                return
        if draft.call is None and not self.plain:
            if draft.attempts == self._attempts:
                draft.begin_call(self.start)
                draft.truncate(end)
            else:
                draft.note(RepairKind.IMPLIED_CLOSER, end, "the end of the JSON value")
            course.leave_slot(SlotKind.JSON, end)
        else:
            self._cut_call(course)

    def _cut_call(self, course: Course) -> None:
        """The call that is open is cut off, also where the answer might have been over before the value."""
        if course.node.done is not None:
            course.builder.draft.truncate(course.base + course.pos)

    def note(self, at: int, why: str) -> None:
        """Something was mended at character `at`."""
        self.emit(Repaired(RepairKind.JSON, at, why))

    def leave(self, course: Course, end: int) -> None:
        """Go on after it, at character `end`."""
        if not self.plain:
            self.sink.settle()
        course.spacing.loose = True
        self._over(course, end)

    def _over(self, course: Course, end: int) -> None:
        """Leave the slot: what may have held calls is as a call to what comes next."""
        if not self.plain:
            course.builder.draft.after_call = True
        course.leave_slot(SlotKind.JSON, end)


class ValueSlot(ABC):
    """The slot of a value: what is the same however it is read."""

    __slots__ = ("value",)

    def __init__(self, value: JsonValue) -> None:
        self.value = value

    @property
    def field(self) -> Field:
        """What the text fills that is open here."""
        return self.value.field

    def needed(self) -> int | None:
        """The first character that may be asked for again."""
        return self.value.needed()

    def pending(self, course: Course) -> str:
        """Argument text that is not safe to pass on; all of the value while it may be just text."""
        return self.value.pending(course)

    @abstractmethod
    def read(self, course: Course) -> Next:
        """Read on."""

    @abstractmethod
    def quick(self, course: Course) -> Quick | None:
        """The short way to take in the next chunks; None when there is none."""

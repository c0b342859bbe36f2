"""What is open while its text is read, and what reading it comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from toolect._graph.symbols import Field
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.course import Course
from toolect.events import Event
from toolect.message import RepairKind

Quick: TypeAlias = Callable[[str], "list[Event] | None"]
"""The short way to take in a chunk that is nothing but text of the open slot: what that makes happen.

None, and nothing is taken in, where the chunk is more than that. What is left in the buffer has to be read where the
course says that it is `due`.
"""


class Slot(Protocol):
    """A stretch of the text that is read in one way."""

    @property
    def field(self) -> Field | None:
        """What its text fills."""

    def read(self, course: Course) -> Next:
        """Read on."""

    def quick(self, course: Course) -> Quick | None:
        """The short way to take in the next chunks; None when there is none."""

    def needed(self) -> int | None:
        """The first character that it may ask for again."""

    def pending(self, course: Course) -> str:
        """Text that has come and has not been passed on: it may still turn out to be something else."""


Next: TypeAlias = "Slot | Waiting | None"
"""What a step of reading comes to: the slot that is open now, None when none is, or WAIT for more text."""


class AfterEnd:
    """What follows the end of the answer: nothing should."""

    field = None

    def read(self, course: Course) -> Next:
        """Go over it."""
        rest = course.buf[course.pos :]
        if rest.strip() and not any(r.kind is RepairKind.AFTER_END for r in course.builder.repairs):
            at = course.base + course.pos + len(rest) - len(rest.lstrip())
            course.builder.note(RepairKind.AFTER_END, at, "text after the end of the answer")
        course.pos = len(course.buf)
        return WAIT

    def quick(self, course: Course) -> None:
        """There is no short way."""

    def needed(self) -> None:
        """Nothing of it is asked for."""

    def pending(self, course: Course) -> str:
        """What came after the end, and was not read."""
        return course.buf[course.pos :]


AFTER_END = AfterEnd()

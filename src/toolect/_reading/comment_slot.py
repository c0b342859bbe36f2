"""A comment of a dialect that is code: it says nothing."""

from __future__ import annotations

from toolect._graph.spelling import cut_off
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.course import Course
from toolect._reading.slot import Next


class CommentSlot:
    """A comment being gone over, up to `closer`."""

    __slots__ = ("_closer",)

    field = None

    def __init__(self, closer: str) -> None:
        self._closer = closer

    def read(self, course: Course) -> Next:
        """Read on to the end of it."""
        buf, closer = course.buf, self._closer
        at = buf.find(closer, course.pos)
        if at >= 0:
            course.pos = at + len(closer)
            return None
        course.pos = len(buf) if course.final else max(course.pos, len(buf) - len(closer) + 1)
        return WAIT

    def quick(self, course: Course) -> None:
        """There is no short way."""

    def needed(self) -> None:
        """No character of it is asked for again."""

    def pending(self, course: Course) -> str:
        """What may be the beginning of its end."""
        return course.buf[course.pos :]


def begin_comment(course: Course, pos: int) -> CommentSlot | Waiting | None:
    """Begin the comment at `buf[pos:]`; None where there is none."""
    for opener, closer in course.graph.network.spec.comments.items():
        if course.buf.startswith(opener, pos):
            course.pos = pos + len(opener)
            course.spacing.loose = True
            return CommentSlot(closer)
        if not course.final and cut_off(opener, course.buf, pos):
            return WAIT
    return None

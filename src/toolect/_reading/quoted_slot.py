"""Text in which a backslash hides the next character from the closer: the inside of a quoted string."""

from __future__ import annotations

import re

from toolect._graph.node import Node
from toolect._graph.trouble_plans import broken_plan
from toolect._reading.answer import WAIT, Answer
from toolect._reading.closing import (
    begins_again,
    begins_line,
    calls_in,
    ends_string,
    is_doubled,
    is_torn,
    still_open,
    torn_call,
)
from toolect._reading.course import Course
from toolect._reading.passing import passing
from toolect._reading.probe import next_lexeme, past_blank
from toolect._reading.quoted_form import form_of, region, special
from toolect._reading.slot import Next, Quick
from toolect._reading.value_places import last_closers
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.escapes import run_before, unescape, whole_escapes
from toolect.message import RepairKind

MAX_DOUBTS = 64
"""Quotes in a string that were not escaped. Beyond it: none ends it after which something is missing."""
MAX_QUOTES = 1 << 14
"""Quotes in a string that were not escaped. Beyond it: the call is malformed, and no quote ends the string."""
_BEFORE = 64
"""Characters before a doubtful quote that tell whether it opens a string, and of a string with a sign in it twice."""


class EscapedSlot:
    """The inside of a string being read; escapes are resolved as soon as they are whole."""

    __slots__ = (
        "_after", "_broken", "_called", "_closer", "_closers", "_doubtful", "_doubts", "_held", "_lined", "_looked",
        "_region", "_sign", "_slot", "field", "start",
    )  # fmt: skip

    def __init__(self, course: Course, node: Node, closers: str = "") -> None:
        """`closers`: one of these signs is where its own closer should be."""
        self._slot = slot = node.escaped_slot()
        self.field = slot.field
        self.start = course.base + course.pos
        form = node.made(form_of)
        self._closer, self._after, self._sign, self._region, self._held, self._lined = form
        self._closers = closers or self._closer[0]
        if closers:
            self._region, self._held = re.compile(region(closers, sign=self._sign, either=True)), None
        self._doubtful = bool(closers)  # a quote inside was not escaped, or may not have been
        self._doubts = 0
        self._called = 0  # brackets that the string itself has opened, since a quote in it stood in a call of its own
        self._looked = 0  # the character up to which the beginnings of lines have been looked at
        self._broken = not self._lined  # one is no news
        course.enter_slot(SlotKind.ESCAPED, self.start)
        course.builder.text.begin(self.field, self.start)

    def needed(self) -> None:
        """No character of it is asked for again."""

    def pending(self, course: Course) -> str:
        """Text that may be the beginning of its end, or of an escape."""
        return course.buf[course.pos :]

    def quick(self, course: Course) -> Quick | None:
        """Takes in chunks in which nothing is escaped and nothing ends."""
        if self._doubtful or course.buf:
            return None
        return passing(course.builder, self.field, course, special(self._closer[0] + self._sign[:1]))

    def read(self, course: Course) -> Next:
        """Read on."""
        buf, pos, n, final = course.buf, course.pos, len(course.buf), course.final
        end = self._region.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if self._doubtful or self._lined:
            over = self._over_before(course, pos, end)
            if over is not self:
                return over
        closed = end < n and (buf[end] in self._closers if self._held is None else buf.startswith(self._closer, end))
        answer = Answer.YES
        if closed and self._held is None:
            answer = ends_string(course, self._after, end + 1, self._slot.operator, self._doubts < MAX_DOUBTS)
        safe = end
        if not closed and not final:
            safe = whole_escapes(buf, pos, end, self._slot.escapes)
            if end == n and self._held is not None:
                safe = min(safe, self._held.match(buf, pos).end())  # type: ignore[union-attr]  # as above
        if self._sign:
            if buf.startswith(self._sign, end):
                self._substitutes(course, end)
                return self
            if not final and len(self._sign) > 1 and buf.endswith(self._sign[0], pos, safe):
                safe -= run_before(buf, pos, safe - 1, "\\") % 2 == 0  # it may be the beginning of the sign
        self._take(course, safe)
        if closed and answer is Answer.NO:
            return self._doubt(course, end)
        if closed and answer is Answer.YES:
            self._end(course, end)
            if not buf.startswith(self._closer, end):
                course.pos = end + 1
                course.shift(self._closer, course.base + end, course.base + end + 1, wrong=True)
            return None
        if final:
            course.pos = n
            if self.field.role in (Role.CONTENT, Role.REASONING):
                self._end(course, n)
                return None
            course.builder.text.cut(self.field)
        return WAIT

    def _take(self, course: Course, until: int) -> None:
        """Pass on the text before index `until`."""
        buf, pos = course.buf, course.pos
        if until <= pos:
            return
        if not self._broken and (line := _LINE(buf, pos, until)) is not None:
            self._broken = True
            course.builder.note(RepairKind.UNESCAPED, course.base + line.end() - 1, "a line break")
        if self._called > 0:
            self._called = still_open(self._called, buf, pos, until)
        course.builder.text.more(self.field, unescape(buf[pos:until], self._slot.escapes))
        course.pos = until

    def _end(self, course: Course, at: int) -> None:
        """The string ends at index `at`."""
        call, end = course.builder.call, course.base + at
        short = self._doubts and call is not None and end - self.start < _BEFORE
        if short and call is not None and is_doubled(course.raw(self.start, end), course.buf[at : at + 1]):
            call.fail(f"a sign stands there twice - at {self.start}")
        if self._called > 0 and call is not None:
            call.fail(f"a string lacks its last quote - at {self.start}")
        course.builder.text.end(self.field, self.start, course.base + at)
        course.leave_slot(SlotKind.ESCAPED, course.base + at)

    def _doubt(self, course: Course, at: int) -> Next:
        """The quote at index `at` belongs to the string, or to another call, which begins in it."""
        quote, call, end = course.buf[at], course.builder.call, course.base + at
        self._doubts += 1
        if not self._doubtful:
            self._doubtful = True
            course.builder.note(RepairKind.UNESCAPED, end, quote)
        before = "" if call is None else course.raw(max(self.start, end - _BEFORE), end)
        begun = -1 if call is None or self._doubts > 1 else torn_call(before, course.tools)
        if call is not None and begun >= 0:
            call.fail(f"a string lacks its last quote - at {self.start}")
            self._begin_again(course, end - len(before) + begun)
            if before[begun : begun + 1].isalnum():
                _lead_to_name(course, course.base + course.pos)
            return None
        if call is not None and is_torn(self._after, quote, before):
            self._called = max(self._called, calls_in(before))
            if not self._called:
                call.fail(f"a string lacks its last quote - at {self.start}")
        if call is not None and (again := begins_again(course, call.start, end)) >= 0:
            call.fail(f"it is written again in a string - at {self.start}")
            self._begin_again(course, again)
            _lead_to_name(course, again)
            return None
        if self._doubts > MAX_QUOTES:
            if call is not None:
                call.fail(f"too many quotes in a string - at {self.start}")
            self._closers, self._region = "", re.compile(region("", sign=self._sign, either=True))
        course.builder.text.more(self.field, quote)
        course.pos = at + 1
        return self

    def _substitutes(self, course: Course, at: int) -> None:
        """At index `at` the string has a place for a value, which nobody computes."""
        call = course.builder.call
        if call is not None:
            call.fail(f"a string with `{self._sign}` in it would have to be computed - at {course.base + at}")
        self._take(course, at + len(self._sign))

    def _over_before(self, course: Course, pos: int, end: int) -> Next:
        """Where the string and its call end before `end`, at a marker, or a line break after which a call begins."""
        while True:
            start = max(pos, self._looked - course.base)
            line = _LINE(course.buf, start, end) if self._lined and course.builder.call is not None else None
            wall = self._wall(course, pos, end if line is None else line.end() - 1) if self._doubtful else self
            if wall is not self or line is None:
                return wall
            begun = self._next_line(course, line.end())
            if begun is not self:
                return begun

    def _next_line(self, course: Course, at: int) -> Next:
        """The line that begins at index `at` ends the string and the call if another one begins with it."""
        buf, call = course.buf, course.builder.call
        assert call is not None
        begins = begins_line(course, at, call.name)
        if begins is Answer.NO:
            self._looked = course.base + at
            return self
        self._take(course, at - 1)
        if begins is Answer.WAIT:
            return WAIT
        call.fail(f"a string has no end - at {self.start}")
        self._break_off(course, at - 1)
        if buf[past_blank(buf, at)] == "[":
            course.builder.break_off(course.base + at - 1)  # what closes it may not be all that it needs
            course.restart()
        else:
            _lead_to_name(course, course.base + at - 1)
        return None

    def _break_off(self, course: Course, at: int) -> None:
        """The call ended at index `at`, in the string, and what may come after a call is there."""
        self._end(course, at)
        for core in (self._closer, *last_closers(self._after)):
            course.imply(core, course.base + at, RepairKind.IMPLIED_CLOSER)

    def _begin_again(self, course: Course, at: int) -> None:
        """The next call begins at character `at`, in the string."""
        course.back_to(at)
        self._break_off(course, course.pos)

    def _wall(self, course: Course, pos: int, end: int) -> Next:
        """After a doubtful quote, a marker that could end the call does so; this slot where none is up to `end`."""
        plan = broken_plan(self._after)
        buf, call = course.buf, course.builder.call
        at, _ = plan.next(course.finder, pos, end)
        longer = not course.final and at >= 0 and plan.held(buf, pos, at) < at  # which may begin before it
        if at >= 0 and not longer:
            self._take(course, at)
            if call is not None:
                call.fail(f"a string has no end - at {self.start}")
            self._end(course, at)
            course.imply(self._closer, course.base + at, RepairKind.IMPLIED_CLOSER)
            return None
        held = end if course.final else plan.hold_from(buf, pos)
        if longer or not course.final and (held < end or end == len(buf)):
            self._take(course, whole_escapes(buf, pos, held, self._slot.escapes))
            return WAIT
        return self


def _lead_to_name(course: Course, at: int) -> None:
    """Imply the sign at character `at` after which the next call comes with its name, where it cannot come itself."""
    node, pos = course.node, past_blank(course.buf, at - course.base)
    if node.text or node.escaped or next_lexeme(course, node, pos) is not None:
        return
    core = next((core for core in node.marks if len(core) == 1 and _naming(node.step(core).node)), "")
    if core:
        course.imply(core, at, RepairKind.IMPLIED_CLOSER)


def _naming(node: Node) -> bool:
    """True where a call may begin with its name."""
    return any(node.naming(key) for key, _ in node.patterns)


_LINE = re.compile(r"(?:[^\\\n]++|\\(?s:.))*+\n").match

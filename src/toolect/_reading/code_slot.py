"""Code between the calls of a dialect whose calls are statements: content, or the rest of a call that failed."""

from __future__ import annotations

import re

from toolect._graph.expectations import expectations, in_words
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK, canonical, cut_off
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.code_lines import Found, Lines
from toolect._reading.course import Course
from toolect._reading.passage import CONTENT
from toolect._reading.slot import Next, Slot
from toolect._reading.statement import statement_calls
from toolect.message import RepairKind

_SHOWN = 40
"""Characters of code that are shown when it cannot be read."""
_GOT = re.compile(r"[\w$.]+(?: [\w$.]+)?[(\[{]?|(?s:.)\S?").match


class CodeSlot:
    """A stretch of code being read. Whitespace at its end is layout, and so is what the answer begins with."""

    __slots__ = ("_dropped", "_lines", "_opened", "blank", "failed", "field", "node", "start")

    def __init__(self, course: Course, node: Node, within: bool = False) -> None:
        builder, come = course.builder, course.spacing.right_before(course.base + course.pos)
        self.node = node  # where statements begin
        self.field = CONTENT
        self.failed = builder.call is not None
        """The rest of a statement is read, which belongs to the open call."""
        column = len(come) - come.rindex("\n") - 1 if "\n" in come else None
        self._lines = Lines(course, node, column, course.depth if within else 0, within)
        self._opened = False
        self._dropped = course.graph.policies.after_calls == "drop" and builder.count > 0
        self.blank = come if builder.segments and len(come) <= MAX_BLANK else ""
        """Whitespace that is content only if something follows."""
        self.start = course.base + course.pos - len(self.blank)

    def quick(self, course: Course) -> None:
        """There is no short way: what code says has to be looked at."""

    def needed(self) -> None:
        """No character of it is asked for again."""

    def pending(self, course: Course) -> str:
        """Whitespace that may be layout, and a line that has not been looked at."""
        return self.blank + course.buf[course.pos :]

    def read(self, course: Course) -> Next:
        """Read on."""
        while True:
            found, end = self._lines.go_on(course, course.pos)
            if found is WAIT:
                return WAIT
            if found is not Found.CODE:
                break
            if self._lines.unknown is not None:
                name, at = self._lines.unknown
                course.builder.note(RepairKind.UNKNOWN_TOOL, course.base + at, name)
                self._lines.unknown = None
            self._add(course, course.buf[course.pos : end])
            course.pos = end
            if self.failed and not self._lines.open:
                break
        if self.failed and not self._lines.open:
            course.pos = end = course.pos - len(self.blank)  # it ended with this line
            self.blank = ""
        self._close(course)
        course.pos = end
        course.node = self.node
        course.spacing.clear()
        course.spacing.loose = True
        return None

    def _add(self, course: Course, text: str) -> None:
        """More code; whitespace waits for what follows it."""
        text = self.blank + text
        kept = text.rstrip()
        self.blank = text[len(kept) :]
        if not kept or self.failed or self._dropped:
            return
        if not self._opened:
            self._opened = True
            course.builder.text.begin(self.field, self.start)
        course.builder.text.more(self.field, kept)

    def _close(self, course: Course) -> None:
        end = course.base + course.pos - len(self.blank)
        if self.failed:
            course.builder.give_up_call(end)
        elif self._opened:
            course.builder.text.end(self.field, self.start, end)


def begin_code(course: Course, node: Node, pos: int) -> Slot | Waiting | None:
    """Begin the statement at `buf[pos:]`; None when it is a call."""
    buf, final, code, home = course.buf, course.final, course.graph.code, node.coding
    assert code is not None and home is not None
    if any(buf.startswith(mark, pos) for mark in (*code.closers, *code.ends)):
        return None
    match = node.struct.match(buf, pos)
    if match is not None and not node.first(canonical(match[0], node.marks)):
        return None
    if not final and any(cut_off(sign, buf, pos) for sign in code.signs):
        return WAIT
    answer = Answer.NO
    if not buf.startswith(tuple(code.comments), pos):
        answer, _ = statement_calls(course, home, pos)
    if answer is Answer.WAIT:
        return WAIT
    if answer is Answer.YES:
        course.begin_statement(home)
        return None
    return CodeSlot(course, home)


def skip_statement(course: Course, node: Node) -> Next:
    """What comes does not belong into the open statement, at `node`: it is code up to the end of that."""
    buf, pos, home = course.buf, course.pos, course.home
    assert home is not None
    got = _GOT(buf, pos, pos + _SHOWN)
    assert got is not None
    if not course.final and got.end() - pos < _SHOWN and buf[got.end() : got.end() + 2] in ("", " "):
        return WAIT  # a word may follow
    call = course.builder.call
    if call is not None:
        call.fail(f"expected {in_words(node)}, got `{got[0]}`, and code is not run - at {course.base + pos}")
        course.lost(*expectations(node))
    return CodeSlot(course, home, within=True)

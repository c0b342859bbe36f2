"""The text of a slot on its way to the builder: begun only when there is some."""

from __future__ import annotations

import re
import sys

from toolect._graph.node import Node
from toolect._graph.stop_plan import StopPlan, plain_plan
from toolect._graph.stops import Stop
from toolect._graph.symbols import Field
from toolect._graph.trails import layout
from toolect._reading.course import Boundary, Course
from toolect._reading.element import in_element
from toolect._reading.quotation import MAX_LINE, Shown, is_glued
from toolect._reading.striding import MAX_SIGNS
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.escapes import LEAD, hides, run_before
from toolect.message import Reasoning

MAX_MISSPELT = 1 << 14
"""Characters after the reasoning that an answer begins with in which a misspelled opener counts. Beyond it: text."""
NEVER = sys.maxsize
"""A character that no text has."""
_NEAR = 256
"""Characters of text that are looked back at."""
_PARTS = 16
"""Parts of text that are put together when they are looked back at, lest it be done over and over."""
CONTENT = Field(Role.CONTENT)
SPOKEN = frozenset((Role.CONTENT, Role.REASONING))
"""What is said, and not a part of a call."""
_SOLID = re.compile(r"\S").search


def _thought(course: Course) -> int:
    """The character where the reasoning ends that the answer begins with."""
    segments = course.builder.segments
    span = segments[0].span if segments and isinstance(segments[0], Reasoning) else None
    return 0 if span is None else span[1]


class Passage:
    """Free text from character `start` on, which fills `field` at `node`, and ends at a stop of `plan`."""

    __slots__ = (
        "_blank", "_blank_to", "_counted", "_dropped", "_gone", "_lined", "_optional", "returns", "_run", "_said",
        "_shown", "_solid", "_spare", "escapes", "far", "field", "holds_call", "lobby", "lost", "plan_to", "node",
        "opened", "plan", "skip", "start", "tires",
    )  # fmt: skip

    def __init__(self, course: Course, node: Node, field: Field, plan: StopPlan, skip: bool) -> None:
        role = field.role
        self.node, self.field, self.plan = node, field, plan
        self.skip = skip  # the grammar knows nothing of this text
        self.start = self._blank_to = course.base + course.pos  # nothing but whitespace stands before `_blank_to`
        self._solid = NEVER  # the first character of text, once that is known
        self.returns = not skip and course.spacing.returns  # so may the line break after it
        self.plan_to = MAX_MISSPELT + _thought(course) if plan.openers else NEVER
        """The character from which on a stop is one of another plan."""
        self.opened = False
        self.holds_call = False  # a call of a tool that is not declared begins in an argument
        self.lost = False  # text was dropped
        self.far = False
        """More was asked for than the signs around a place tell, since this was set."""
        self._gone = ""  # the last of it, where it is not kept
        self._shown = Shown()
        self._blank: list[str] = []
        self._optional = role is Role.CONTENT or role is Role.STRING and bool(node.marks)
        spoken = role in SPOKEN and not course.builder.draft.after_call
        self.escapes = None if field.codec is None or skip else field.codec.escapes
        self._said = ""  # the last of it as it stands, where it has escapes
        self._run = 0  # how often what escapes begin with is the last that was read
        self._lined = spoken or course.spacing.written.endswith("\n")  # a line begins with it
        self.lobby = self._dropped = False
        if role is Role.CONTENT:
            self.lobby = course.bound is not None and not skip and node.first(SlotKind.TEXT)
            """Content is not read here: what is not blank ends all reading."""
            drops = course.graph.policies.after_calls == "drop" and course.builder.count > 0
            self._dropped = drops and not self.lobby
        self._counted, self._spare = self.start, MAX_SIGNS  # signs are counted up to this character
        self.tires = MAX_SIGNS if role in SPOKEN and not self._dropped else NEVER
        """The first character before which there may be too many signs."""
        if not self._optional and role is not None and not skip:
            self.open(course)

    @property
    def unread(self) -> bool:
        """True for content that the grammar has no place for."""
        return self.skip and self.field.role is Role.CONTENT

    @property
    def blank(self) -> str:
        """Whitespace that is content only if something follows."""
        return "".join(self._blank)

    def plan_at(self, char: int) -> StopPlan:
        """The plan of the stops from character `char` on."""
        if char >= self.plan_to:
            self.plan, self.plan_to = plain_plan(self.node), NEVER
        return self.plan

    def tired(self, course: Course, at: int) -> bool:
        """Are there too many signs before index `at`? From there on, fewer things are stops."""
        char, signs = course.base + at, self.plan.signs
        if self._counted == self.start:
            self._spare = MAX_SIGNS - course.builder.draft.counts.signs(signs)
        self._spare -= sum(map(self._since(course, self._counted, at).count, signs))
        self._counted, self.tires = char, char + self._spare
        if self._spare > 0:
            return False
        self.plan = self.plan.late(course.graph.code is not None)
        self.plan_to = self.tires = NEVER
        return True

    def _since(self, course: Course, start: int, at: int) -> str:
        """The text from character `start` to index `at`."""
        read = course.base + course.pos - start
        if read <= 0:
            return course.buf[start - course.base : at]
        parts = course.builder.text.parts if self.opened else self._blank
        first = len(parts)
        while first and read > 0:
            first -= 1
            read -= len(parts[first])
        return "".join(parts[first:])[max(-read, 0) :] + course.buf[course.pos : at]

    def text_before(self, course: Course, at: int) -> bool:
        """True when there is more than whitespace between the beginning and index `at`."""
        if self.opened or self.lost:
            return True
        if self._solid == NEVER:
            solid = _SOLID(course.buf, max(course.pos, self._blank_to - course.base), at)
            if solid is None:
                self._blank_to = course.base + at
            else:
                self._solid = course.base + solid.start()
        return course.base + at > self._solid

    def lines_before(self, course: Course, at: int) -> tuple[str, str]:
        """The last line that is not blank before index `at`, and what of the line of `at` comes before it."""
        before, line, rest = self.before(course, at, _NEAR).rpartition("\n")
        return before.rstrip().rpartition("\n")[2] if line else "", rest

    def hidden(self, course: Course, at: int) -> bool | None:
        """True when the sign at index `at` is a part of an escape; None when more text is needed."""
        if self.escapes is None:
            return False
        return hides(self.escapes, course.buf, course.pos, at, self._run, course.final)

    def begins_line(self, course: Course, stop: Stop, at: int) -> bool:
        """True when a line begins before index `at`, or before the blanks there with which `stop` is written."""
        buf, indent = course.buf, stop.lead.rpartition("\n")[2]
        if indent and buf.endswith(indent, course.pos, at):
            at -= len(indent)
        return self._lined if course.base + at == self.start else buf[at - 1 : at] == "\n"

    def shows(self, course: Course, at: int, end: int) -> bool:
        """True when the marker at `buf[at:end]` is quoted."""
        return self._shown.holds(self.before(course, at, MAX_LINE), course.base + at, course.base + end)

    def sign_before(self, course: Course, at: int) -> str:
        """The character right before index `at`."""
        return self.before(course, at, 1)

    def glued(self, course: Course, at: int) -> bool:
        """True when a word, or a closing bracket, stands right before index `at`."""
        return is_glued(self.sign_before(course, at))

    def before(self, course: Course, at: int, far: int) -> str:
        """The last `far` characters before index `at`."""
        self.far = self.far or far > 1
        if self.escapes is not None:
            parts = [self._said]
        else:
            kept = course.builder.text.parts if self.opened else self._blank
            parts = [self._gone] if self._dropped or self.field.role is None else kept
        found, size = course.buf[max(course.pos, at - far) : at], at - course.pos
        first = len(parts)
        while first and size < far:
            first -= 1
            size += len(parts[first])
        if len(parts) - first > _PARTS:
            parts[first + 1 :] = ["".join(parts[first + 1 :])]
        return ("".join(parts[first:]) + found)[-far:]

    def add(self, course: Course, text: str) -> None:
        """More of it."""
        if not text:
            return
        if self._dropped:
            self.lost = self.lost or not text.isspace()
            self._gone = (self._gone + text)[-MAX_LINE:]
            return
        if not self.opened:
            if self._optional and text.isspace():
                self._blank.append(text)
                return
            self.open(course)
        if self.field.role is not None:
            course.builder.text.more(self.field, text)
        else:
            self._gone = (self._gone + text)[-MAX_LINE:]

    def read_to(self, course: Course, until: int) -> None:
        """The text before index `until` is more of it."""
        if until > course.pos:
            if self.escapes is not None:
                run = run_before(course.buf, course.pos, until, LEAD[self.escapes])
                self._run = run + self._run if run == until - course.pos else run
                self._said = (self._said + course.buf[course.pos : until])[-MAX_LINE:]
            self.add(course, course.buf[course.pos : until])
            course.pos = until

    def cut_marker(self, buf: str, pos: int) -> int:
        """Where in `buf` a marker begins that the end of the input cut off; its end for none."""
        return len(buf) if self.skip or self.field.role is not Role.CONTENT else self.plan.cut_from(buf, pos)

    def open(self, course: Course) -> None:
        """Begin it."""
        self.opened = True
        if not self.skip:
            course.node = self.node
            course.enter_slot(SlotKind.TEXT, self.start)
            if self.lobby:
                raise Boundary(self.start)
        course.builder.text.begin(self.field, self.start, not self.skip and in_element(self.node))
        if self._blank:
            course.builder.text.more(self.field, self.blank)
            self._blank.clear()

    def give_way(self, course: Course) -> None:
        """A call begins: who reads a part of a text and has read only reasoning leaves it to others."""
        if self.lobby and not course.builder.draft.attempts and self.start > (course.bound or 0):
            self.open(course)

    def close(self, course: Course, end: int) -> None:
        """It ends at character `end`."""
        if self.opened:
            if self.field.role is not None:
                course.builder.text.end(self.field, self.start, end)
            if not self.skip:
                course.leave_slot(SlotKind.TEXT, end)

    def end_with_input(self, course: Course, end: int) -> None:
        """The input is over, the text at character `end`."""
        role, builder = self.field.role, course.builder
        if not self.opened and (role is Role.STRING or self._blank and role is Role.CONTENT and not builder.segments):
            self.open(course)
        unfinished = role not in (Role.CONTENT, Role.REASONING, None)
        lacks = role is Role.ARGUMENTS and builder.text.idle and builder.draft.takes_some
        if self.opened and unfinished and (lacks or not _may_end(self.node.step(SlotKind.TEXT).node)):
            builder.text.cut(self.field)
        else:
            self.close(course, end)


def _may_end(node: Node) -> bool:
    """True when the call is over at `node`, or may be and nothing else can tell: no line break has to come."""
    return node.over or node.done is not None and not layout(node.done)

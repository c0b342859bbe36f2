"""Walks the graph of nodes over the wire text, whole or in pieces.

One machine reads both: `run(final=True)` on the whole text is `parse`; `run(final=False)` after each chunk is `stream`.
Every decision depends on the text alone, never on where a chunk ended: where more text could change it, the machine
waits.
"""

from __future__ import annotations

import sys

from toolect._graph.graph import Graph, TooDeep
from toolect._graph.misspelling import TWICE
from toolect._graph.node import Node
from toolect._graph.spelling import canonical
from toolect._reading.adoption import adopt
from toolect._reading.answer import WAIT, Answer
from toolect._reading.builder import Builder
from toolect._reading.course import Boundary, Course
from toolect._reading.crossing import opened_again
from toolect._reading.draft import MAX_FLAWED
from toolect._reading.finished import finished
from toolect._reading.inner_calls import without_inner
from toolect._reading.json_slot import begin_json
from toolect._reading.lexing import lex, waiting
from toolect._reading.look_ahead import headed
from toolect._reading.probe import bracket_in_fence, match_blank
from toolect._reading.quoted_slot import EscapedSlot
from toolect._reading.recovery import give_up, read_rest
from toolect._reading.run_draft import settled
from toolect._reading.slot import AFTER_END, Next, Quick, Slot
from toolect._reading.spacing import or_json
from toolect._reading.stride import begin, go
from toolect._reading.striding import LAST_SEGMENTS, MAX_SEGMENTS, Striding, most_dividers
from toolect._reading.text_slot import TextSlot
from toolect._reading.watcher import Watcher
from toolect._spec.model import Role
from toolect.message import Message

MIN_STRIDE = 24
"""Characters that must be there for a stride in a stream to be worth a try."""
_OPENED = frozenset((Role.VALUE, Role.ARGUMENTS, Role.REASONING))
"""What text that a marker opens may be, and that marker a doubled one."""
NEVER = sys.maxsize
"""An index that no text has."""


class Machine:
    """Reads one answer. It alone says which slot is open, and whether the answer has ended."""

    __slots__ = ("_next_stride", "_wears", "course", "left", "quick", "slot")

    def __init__(
        self, graph: Graph, builder: Builder, watcher: Watcher | None = None, bound: int | None = None
    ) -> None:
        """`watcher` is told of every step. With a `bound`, the text begins at that character, and reading ends where
        content does that the dialect does not read as its own.
        """
        self.course = Course(graph, builder, watcher, bound)
        self.course.base = bound or 0
        strides = graph.strides and (watcher is None or bound is not None)  # of a part, only what is no call is told
        self._next_stride = 0 if strides else NEVER  # the first index where large steps may be tried
        self._wears = most_dividers(graph) if graph.divider else NEVER
        """The first character before which there may be too many dividers."""
        self.left: int | None = None
        """Where reading that has a bound ended: all that follows is left to others."""
        self.slot: Slot | None = None
        self.quick: Quick | None = None
        """Takes in chunks that decide nothing."""

    @property
    def node(self) -> Node:
        """Where reading has come to."""
        return self.course.node

    def feed(self, chunk: str) -> None:
        """Take in `chunk` and read as far as it decides."""
        course = self.course
        course.buf, course.due = course.buf + chunk if course.buf else chunk, False
        self.run(False)
        self._get_ready()

    def read(self, text: str) -> Message:
        """The message of `text`, the whole of the answer."""
        self.course.buf = text
        self.run(True)
        return self.message()

    def adopt(self, to: Striding, node: Node | None) -> None:
        """Go on where a stride stopped, at `node`; None where it took no step."""
        course = self.course
        if node is not None:
            adopt(course.builder.draft, to, node)
            course.node = node
            if course.graph.code is not None and node.coding is not None:
                course.begin_statement(node.coding)  # or the last one goes on
            course.pos = to.size if to.finished else to.before
            course.last = to.last
            course.goes_on(course.base + course.pos)
            course.spacing.after(to.trails[0], to.trails)
            if to.finished:
                self.slot = AFTER_END
        self._next_stride = max(self._next_stride, to.pos + 1, to.reach)

    def go_on(self, at: int, to: Striding, node: Node) -> None:
        """Go on where a stride from character `at` on stopped, with what it has read as all that has been fed."""
        course = self.course
        course.base, course.buf = at, to.buf[at - to.base : to.size if to.finished else to.before]
        self.adopt(to, node)
        course.pos = len(course.buf)

    def prefill(self, opening: str) -> None:
        """Begin after `opening`, which the prompt ends with: its characters have negative offsets."""
        course, builder = self.course, self.course.builder
        course.base = -len(opening)
        course.buf = opening
        opener = ""
        while (match := course.node.struct.match(opening, course.pos)) is not None:
            at, course.pos = course.base + course.pos, match.end()
            core = canonical(match[0], course.node.marks)
            opener = opening[match.start() :]
            course.shift(core, at, course.base + course.pos)
        self.run(False)
        course.buf, course.pos, course.base = "", 0, 0
        builder.segments.clear()
        builder.repairs.clear()
        builder.text.parts.clear()
        if isinstance(self.slot, TextSlot):
            self.slot.restart(opener)

    def run(self, final: bool) -> None:
        """Read until the end of what is there, or until more text is needed."""
        course = self.course
        course.final = final
        deep = False
        while self.left is None:
            try:
                if deep:
                    self.slot, deep = give_up(course, "nested too deep"), False
                while self._advance(course):
                    pass
                break
            except TooDeep:
                deep = True
            except Boundary as boundary:
                self.left, self.slot = boundary.at, None
        if final and self.left is None and self.slot is not AFTER_END:
            course.pos = len(course.buf)
            course.settle_end(course.base + course.pos)
            self.slot = AFTER_END

    def _advance(self, course: Course) -> bool:
        """The careful step: read on in the open slot, or read one lexeme; False when more text is needed."""
        slot, node, draft = self.slot, course.node, course.builder.draft
        if slot is not None:
            step = slot.read(course)
        elif draft.flawed > MAX_FLAWED or len(draft.segments) > MAX_SEGMENTS or self._worn(course):
            step = read_rest(course)
        elif (
            course.pos >= self._next_stride
            and (course.final or len(course.buf) - course.pos >= MIN_STRIDE)
            and self._stride(course)
        ):
            return True
        elif node.text:
            step = _enter_text(course, node)
        elif node.escaped:
            step = EscapedSlot(course, node) if course.spacing.before_string(course) else WAIT
        else:
            step = lex(course, node)
        if step is WAIT:
            return False
        self.slot = step
        return True

    def _worn(self, course: Course) -> bool:
        """Were there too many dividers in calls?"""
        at = course.base + course.pos
        if at < self._wears:
            return False
        spare = most_dividers(course.graph) - self._dividers()
        self._wears = at + max(spare, 0) + 1
        return spare < 0

    def _dividers(self) -> int:
        """How many there are so far."""
        course = self.course
        draft, sign = course.builder.draft, course.graph.divider
        inside = 0
        if draft.call is not None:
            inside = draft.counts.in_call(sign, draft.call.start, course.base + course.pos, course.raw)
        return draft.counts.dividers(sign) + inside

    def _stride(self, course: Course) -> bool:
        """Take large steps from here; False when not even one can be taken."""
        if not course.node.made(settled):
            return False
        at = course.spacing.over_trail(course.buf, course.pos)
        if at < 0 or not course.final and len(course.buf) - at < MIN_STRIDE:
            return False
        builder = course.builder
        call, blank, bound = builder.call, not builder.segments, -1
        if call is not None and (not builder.draft.plain or call.name and course.node.json):
            return False  # the JSON may say the name again
        if course.bound is not None:
            bound = at if builder.draft.attempts else max(course.bound - course.base, 0)
        buf, finder = course.buf, course.finder
        to = begin(course.graph, buf, at, course.base, builder.tools, course.final, blank)
        to.room -= len(builder.segments)
        if to.room <= LAST_SEGMENTS:
            return False
        to.said, to.dividers = builder.draft.counts.signs, self._dividers
        to.finder, to.bound, to.after_call, to.last = finder, bound, builder.after_call, course.last
        if call is not None:
            to.resume(call.start - course.base, call.name, call.id, call.key, call.keys)
        node = go(to, course.node)
        self.adopt(to, node)
        return node is not None

    def _get_ready(self) -> None:
        """Drop what has been read, and see whether the next chunk can be read the short way."""
        course, slot = self.course, self.slot
        if course.pos:
            course.forget(self._needed())
            self._next_stride = 0 if self._next_stride < NEVER else NEVER
        if self.left is not None:
            self.quick = None
        else:
            self.quick = waiting(course, course.node) if slot is None else slot.quick(course)

    def _needed(self) -> int | None:
        """The first character that may still be asked for."""
        first = self.course.first_needed() if self.left is None else self.left
        needed = None if self.slot is None else self.slot.needed()
        if first is None or needed is None:
            return first if needed is None else needed
        return min(first, needed)

    def pending(self) -> str:
        """Text that has come and has not been passed on: it may still turn out to be something else."""
        course = self.course
        return course.buf[course.pos :] if self.slot is None else self.slot.pending(course)

    def message(self) -> Message:
        """What has been read; in the middle of an answer, what is open comes last."""
        course, builder, slot = self.course, self.course.builder, self.slot
        segments = list(builder.segments)
        if slot is AFTER_END and self.left is None:
            return finished(segments, tuple(builder.repairs), course.graph, builder.tools, builder.draft.torn[0])
        if slot is not AFTER_END:
            field = None if slot is None else slot.field
            segments += builder.open_segment(field, course.base + course.pos)
        segments = [*without_inner(segments, builder.repairs, builder.draft.torn[0], None, False)]
        return Message(tuple(segments), tuple(builder.repairs))


def _enter_text(course: Course, node: Node) -> Next:
    """At a node that takes free text: settle the whitespace before it, then open the slot."""
    if course.final and course.pos == len(course.buf) and node.text_field().role is Role.CONTENT:
        return WAIT  # there is none
    spacing = course.spacing
    if not spacing.before_text(course, course.builder, node):
        return WAIT
    buf, pos, final = course.buf, course.pos, course.final
    course.home = None
    field = node.text_field()
    answer = Answer.NO
    if node.patterns:
        answer = headed(course, node, pos)
    if answer is Answer.NO and or_json(node):
        at = match_blank(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if at == len(buf) and not final:
            return WAIT
        fenced = bracket_in_fence(buf, at, final) if buf[at : at + 1] == "`" else Answer.NO
        if fenced is Answer.WAIT:
            return WAIT
        if fenced is Answer.YES or buf[at : at + 1] in ("{", "["):
            course.pos = at
            spacing.settled()
            return begin_json(course, node)
    if answer is Answer.NO and type(course.last) is str and len(course.last) >= TWICE and field.role in _OPENED:
        again = opened_again(course, course.last + spacing.written)
        if again is Answer.YES:
            return None
        answer = again
    if answer is Answer.WAIT:
        return WAIT
    spacing.settled()
    if answer is Answer.NO:
        return TextSlot.free(course, node)
    spacing.instead(course.base + course.pos)
    return lex(course, node)

"""Free text: found up to the first marker that may follow, passed on as soon as no marker can begin in it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from toolect._graph.needle import ending
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.stop_plan import StopPlan, plan_of
from toolect._graph.stops import NameLine, Stop
from toolect._graph.symbols import Field
from toolect._graph.text_signs import text_signs
from toolect._reading.answer import WAIT, Answer
from toolect._reading.bare_in_text import begins_bare, decides, json_node, other_than_json
from toolect._reading.course import Course
from toolect._reading.crossing import cross, opened_again
from toolect._reading.held_back import settled
from toolect._reading.json_slot import JsonSlot
from toolect._reading.passage import CONTENT, Passage
from toolect._reading.passing import passing
from toolect._reading.probe import past_blank
from toolect._reading.sign_runs import past_run
from toolect._reading.slot import Next, Quick
from toolect._reading.stop_check import ends_at
from toolect._reading.stop_place import End, after
from toolect._reading.text_end import end_text, end_with_input
from toolect._reading.vain import Vain
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.json_lexemes import match_space


class Phase(Enum):
    """What may come next besides text and its stops."""

    PROMPTED = 0
    """The opener that the prompt wrote, which the model may write once more."""
    HEAD = 1
    """A terminal with which a call begins, where the text would."""
    TEXT = 2
    """Nothing."""


class Attempt(NamedTuple):
    """What may be a call, from character `start` on: JSON, perhaps after a marker."""

    start: int
    opener: tuple[Stop, int, int, bool] | None
    """A marker at these characters, spelled otherwise perhaps, which counts only if the JSON is a call."""


class TextSlot:
    """A stretch of free text being read."""

    __slots__ = ("_attempt", "_held", "_opener", "_phase", "_searched", "_then", "_until", "_vain", "passage")

    def __init__(
        self,
        course: Course,
        node: Node,
        field: Field,
        plan: StopPlan,
        skip: bool = False,
        until: int = -1,
        then: Node | None = None,
    ) -> None:
        self.passage = Passage(course, node, field, plan, skip)
        self._until = until  # the character where it ends without a stop, or -1
        self._then = then  # where to go on after that, if not at the start
        self._phase = Phase.TEXT if plan.head is None else Phase.HEAD
        self._opener = ""  # in the phase PROMPTED: what the prompt wrote
        self._searched = self.passage.start  # stops before this character have been ruled out
        self._held = -1  # the character up to which all that can be passed on has been
        self._attempt: Attempt | None = None  # open while a JSON slot reads
        self._vain = Vain()

    @property
    def field(self) -> Field:
        """What it fills."""
        return self.passage.field

    @classmethod
    def free(cls, course: Course, node: Node) -> TextSlot:
        """A TEXT slot."""
        return cls(course, node, node.text_field(), plan_of(node))

    @classmethod
    def skipping(
        cls, course: Course, node: Node, plan: StopPlan, content: bool, until: int = -1, then: Node | None = None
    ) -> TextSlot:
        """Text that could not be read, up to a marker where reading can go on, or to character `until`.

        It is `then` that is gone on with after that, or the start.
        """
        return cls(course, node, CONTENT if content else Field(None), plan, True, until, then)

    def restart(self, opener: str) -> None:
        """Begin at character 0: what came before was the prompt's, and ended with `opener`."""
        self.passage.start = self._searched = 0
        if self.field.role is Role.REASONING and len(opener) >= STRONG:
            self._phase, self._opener = Phase.PROMPTED, opener

    def quick(self, course: Course) -> Quick | None:
        """Takes in chunks in which no stop is, nor anything likely to become one but at their end."""
        passage = self.passage
        if not passage.opened or passage.skip or passage.returns or self._phase is not Phase.TEXT:
            return None
        signs = text_signs(passage.node)
        return passing(course.builder, passage.field, course, signs.search, signs.leads)

    def needed(self) -> int | None:
        """Where the text begins that may be a call, or may not be for who reads here."""
        if self.passage.lobby:
            return self.passage.start
        return None if self._attempt is None else self._attempt.start

    def pending(self, course: Course) -> str:
        """What may be the beginning of a stop, or a call, and whitespace before that."""
        start = course.base + course.pos if self._attempt is None else self._attempt.start
        return self.passage.blank + course.raw(start, course.base + len(course.buf))

    # Reading

    def read(self, course: Course) -> Next:
        """Read on."""
        if self._phase is Phase.PROMPTED:
            again = opened_again(course, self._opener)
            if again is Answer.WAIT:
                return WAIT
            if again is Answer.YES:
                self.passage.start = self._searched = course.base + course.pos
            self._phase = Phase.TEXT if self.passage.plan.head is None else Phase.HEAD
        if self._phase is Phase.HEAD and (step := self._at_head(course)) is not self:
            return step
        passage, buf, n = self.passage, course.buf, len(course.buf)
        plan = passage.plan_at(course.base + course.pos)
        limit = n + 1 if self._until < 0 else self._until - course.base
        if limit > n and not self.passage.returns and plan.hint.search(buf, course.pos) is None:
            self.passage.read_to(course, n)
            if course.final:
                self.passage.end_with_input(course, course.base + n)
            return WAIT
        finder, vain = course.finder, self._vain
        while True:
            start = max(self._searched - course.base, 0)
            at = plan.find(finder, start)
            if at < 0 or at >= limit:
                break
            if course.base + at >= passage.plan_to:
                plan = passage.plan_at(course.base + at)
                continue
            if course.base + at >= passage.tires and passage.tired(course, at):
                plan = passage.plan
                continue
            if vain.knows(course, at):
                self._searched = course.base + at + 1
                continue
            held = n if course.final else plan.held(buf, start, at)
            if held < at:  # a longer one may begin before it
                self._hold(course, at)
                return WAIT
            if not self.passage.skip and (past := past_run(self.passage.node, buf, at)) > at:
                self._searched = course.base + past
                continue
            grows = held == at
            passage.far, needles = False, plan.there(buf, at)
            for needle in needles:
                if needle.stop is None:
                    if grows:
                        break
                    step = self._at_bracket(course, at)
                    if step is self:
                        continue
                    return step
                end = ends_at(self.passage, course, needle, at + isinstance(needle.stop, NameLine))
                if end is WAIT:
                    self._hold(course, at)
                    return WAIT
                if end is not None and not self._was_refused(course, end):
                    through = decides(passage, course, end)
                    return self._look_through(course, end) if through else end_text(passage, course, end)
            if grows:
                self._hold(course, at)
                return WAIT
            vain.add(passage, course, at, needles)
            self._searched = course.base + at + 1
        if limit <= n:
            return self._give_up(course, limit)
        if course.final:
            end_with_input(self.passage, course)
        else:
            self._hold(course, n)
        return WAIT

    def _was_refused(self, course: Course, found: End) -> bool:
        """Is the marker where skipping began, and leads to where it could not be read?"""
        node, core = self.passage.node, found.stop.core
        if not self.passage.skip or course.base + found.at != self.passage.start or node is not course.graph.start:
            return False
        return core not in node.marks and core not in node.implied and core not in course.graph.ends

    def _give_up(self, course: Course, until: int) -> Next:
        """What could not be read ends at index `until`, and so does the call that it belongs to."""
        self.passage.read_to(course, until)
        course.builder.truncate(course.base + until)
        course.restart(self._then)
        course.spacing.clear()
        course.spacing.loose = True
        return None

    def _at_head(self, course: Course) -> Next:
        """A call may begin where the text would; this slot when none does."""
        buf, pos, head = course.buf, course.pos, self.passage.plan.head
        assert head is not None
        at = past_blank(buf, pos)
        if at == len(buf) and not course.final and at - pos < MAX_BLANK:
            return WAIT
        end = ends_at(self.passage, course, head, at)
        if end is WAIT:
            return WAIT
        self._phase = Phase.TEXT
        return self if end is None else end_text(self.passage, course, end)

    def _hold(self, course: Course, until: int) -> None:
        """Pass on what cannot be part of a stop at or after index `until`."""
        if course.base + until == self._held:
            return
        self._held, buf = course.base + until, course.buf
        tail = buf if until == len(buf) else buf[:until]
        self.passage.read_to(course, settled(self.passage, course, tail))
        self._searched = max(self._searched, course.base + course.pos)

    # JSON in the text

    def _at_bracket(self, course: Course, at: int) -> Next:
        """Bare JSON may begin at index `at`; this slot when it does not."""
        passage = self.passage
        begins = begins_bare(passage, course, at)
        if begins is Answer.NO:
            return self
        if begins is Answer.WAIT:
            self._hold(course, at)
            return WAIT
        passage.read_to(course, at)
        return self._try(course, json_node(passage), Attempt(course.base + at, None))

    def _look_through(self, course: Course, found: End) -> Next:
        """Bare JSON is a call here without the marker that was found too: whether it is one decides about both."""
        stop, lead, at, end, wrong = found
        start = match_space(course.buf, end).end()  # type: ignore[union-attr]  # matches the empty string
        if start == len(course.buf) and not course.final:
            self._hold(course, at)
            return WAIT
        node = after(self.passage, course, stop, at)
        other = other_than_json(course, node, start)
        if other is Answer.WAIT:
            self._hold(course, at)
            return WAIT
        if other is Answer.YES:
            return end_text(self.passage, course, found)
        until = at - ending(course.buf, lead, course.pos, at)
        self.passage.read_to(course, until)
        base = course.base
        course.pos = start
        return self._try(course, node, Attempt(base + until, (stop, base + at, base + end, wrong)))

    def _try(self, course: Course, node: Node, attempt: Attempt) -> Next:
        """Read the JSON value here, which may be that of `node`, or just text."""
        self._attempt = attempt
        self.passage.give_way(course)
        return JsonSlot(course, node.json_field(), course.base + course.pos, self)

    def take_back(self, course: Course, end: int) -> Next:
        """What was read as JSON is free text after all, up to character `end`."""
        assert self._attempt is not None
        start, self._attempt, self._searched = self._attempt.start, None, end
        if course.watcher is not None:
            course.watcher.gave_back(start, end)
        self.passage.add(course, course.raw(start, end))
        return self

    def commit(self, course: Course, start: int) -> None:
        """The JSON value at character `start` is a call: the text before it is over."""
        assert self._attempt is not None
        passage, opened, opener = self.passage, self.passage.opened, self._attempt.opener
        passage.close(course, self._attempt.start)
        if opener is not None:
            pos, spacing, (stop, at, end, wrong) = course.pos, course.spacing, opener
            cross(course, stop, passage.node, at, end, opened, wrong)
            course.pos = pos
            spacing.come = course.raw(end, start)
            expects = course.node.choices[SlotKind.JSON][0].expects
            spacing.check(course.builder, start, (expects,), expects)
            spacing.clear()
        elif not opened and SlotKind.JSON not in passage.node.choices:
            course.step_text(passage.node, start)
        course.enter_slot(SlotKind.JSON, start)

"""Reads a transcript back: total, in linear time, each deviation from what the chat writes a repair."""

from __future__ import annotations

from typing import NamedTuple

from toolect._chats.control_tokens import tokens_of
from toolect._chats.prompt_tools import Definitions, in_json
from toolect._chats.slot_ends import Ends
from toolect._chats.slot_runs import RuleStep, Runs
from toolect._segments import Repair, RepairKind
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec


class Held(NamedTuple):
    """Content of a slot of a rule: characters `start:end`."""

    slot: ChatSlot
    rule: str
    start: int
    end: int


class Course(NamedTuple):
    """A transcript, read: the steps into and out of rules and what slots hold, in order, and the repairs."""

    parts: list[RuleStep | Held]
    repairs: list[Repair]


class TranscriptReader:
    """Reads transcripts of one chat."""

    def __init__(self, spec: ChatSpec) -> None:
        self.spec = spec
        self.runs = Runs(spec)
        self.tokens = tokens_of(spec)
        self._ends: dict[int, Ends] = {}
        results = {rule for rule, role in spec.roles.items() if role is ChatRole.RESULT}
        self.listed = {
            state
            for state, (slot, rule) in self.runs.slots.items()
            if slot is ChatSlot.TEXT and rule in results and any(run.text[:1] == "," for run in self.runs.after(state))
        }
        """Outputs in a list, where a comma in one that is JSON is its own."""

    def read(self, text: str) -> Course:
        """The course of `text` through the chat's grammar. Never raises."""
        course = Course([], [])
        definitions = Definitions(self.spec.tools, text)
        stack: list[str] = []
        at, state = self._begin(text, course, stack)
        while state in self.runs.slots:
            slot, rule = self.runs.slots[state]
            known = definitions.end(at) if slot is ChatSlot.TOOL else -1
            if state in self.listed:
                end = definitions.end_of_value(at)
                known = end if any(text.startswith(run.text, end) for run in self.runs.after(state)) else -1
            found = self._ends_at(state).leave(text, at, max(at, known), definitions)
            course.parts.append(Held(slot, rule, at, found.end))
            course.repairs.extend(found.repairs)
            at = found.after
            if found.run is not None:
                self._step(found.run.steps, course, stack)
                state = found.run.state
            else:
                at, state = self._turn(text, at, course, stack)
        if at < len(text):
            course.repairs.append(Repair(RepairKind.AFTER_END, at, text[at:]))
        self._leave(course, stack)
        return course

    def ends_of(self, rule: str, slot: ChatSlot) -> tuple[Ends, ...]:
        """The ends of a slot of a rule; inside of an answer those of the slot that all of it is in."""
        own = [state for state, one in self.runs.slots.items() if one == (slot, rule)]
        within = [state for state, (kind, _) in self.runs.slots.items() if kind is ChatSlot.ANSWER]
        return tuple(self._ends_at(state) for state in own or within)

    def begins_of(self, rule: str, slot: ChatSlot) -> tuple[str, ...]:
        """Texts that a slot of a rule may not begin with: with the text before it, each would lead elsewhere."""
        states = {state for state, one in self.runs.slots.items() if one == (slot, rule)}
        found: dict[str, None] = {}
        for start in (self.runs.first, self.runs.turning, *self.runs.slots):
            runs = self.runs.after(start)
            for here in (run for run in runs if run.state in states and run.text):
                longer = (run for run in runs if run.text.startswith(here.text))
                found |= dict.fromkeys(rest for run in longer if (rest := run.text[len(here.text) :]).strip())
        return tuple(found)

    def _begin(self, text: str, course: Course, stack: list[str]) -> tuple[int, int]:
        """Read the text before the first slot."""
        found = self._ends_at(self.runs.first).match(text, 0)
        if found is None:
            return self._turn(text, 0, course, stack)
        course.repairs.extend(found.repairs)
        assert found.run is not None
        self._step(found.run.steps, course, stack)
        return found.after, found.run.state

    def _turn(self, text: str, at: int, course: Course, stack: list[str]) -> tuple[int, int]:
        """Go on at the next turn: the text before it is left out."""
        self._leave(course, stack)
        opened = self._ends_at(self.runs.turning).next(text, at)
        skipped = text[at : opened.end if opened else len(text)]
        if skipped.strip():
            course.repairs.append(Repair(RepairKind.STRAY_MARKER, at, skipped))
        elif skipped:
            course.repairs.append(Repair(RepairKind.WHITESPACE, at, skipped[:40]))
        if opened is None or opened.run is None:
            return len(text), self.runs.last
        course.repairs.extend(opened.repairs)
        self._step(opened.run.steps, course, stack)
        return opened.after, opened.run.state

    def _step(self, steps: tuple[RuleStep, ...], course: Course, stack: list[str]) -> None:
        for step in steps:
            course.parts.append(step)
            if step.enters:
                stack.append(step.rule)
            elif stack:
                stack.pop()

    def _leave(self, course: Course, stack: list[str]) -> None:
        """Leave every rule that is open."""
        while stack:
            course.parts.append(RuleStep(stack.pop(), False))

    def _ends_at(self, state: int) -> Ends:
        stops = self._ends.get(state)
        if stops is None:
            openers = () if state == self.runs.turning else self.runs.after(self.runs.turning)
            tools = {
                s for s, (slot, _) in self.runs.slots.items() if slot is ChatSlot.TOOL and in_json(self.spec.tools)
            }
            runs, last = self.runs.after(state), self.runs.last
            inner = self.runs.inner if self.runs.slots.get(state, (None,))[0] is ChatSlot.ANSWER else ()
            tokens = tuple(token for token in self.tokens if not any(token in text for text in inner))
            after = tuple(one for one in self.spec.end if any(text.endswith(one) for text in inner))
            stops = Ends(runs, openers, tokens, last, frozenset(tools), inner, after)
            self._ends[state] = stops
        return stops

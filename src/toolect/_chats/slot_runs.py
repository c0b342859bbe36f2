"""The grammar of a transcript as slots and the runs of text between them.

A transcript is read slot by slot. After each slot some runs may follow: texts between it and the next slot, or the end,
each with the rules that it leaves and enters. An answer is one slot here: what is in it is the dialect's to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolect._chats.chat_grammar import TURNS, frame_of
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq
from toolect._spec.leaves import leaves

MAX_RUNS = 2_000
"""Runs after one slot of a chat. Beyond it: the others are not read."""


class RuleStep(NamedTuple):
    """Going into a rule, or out of it."""

    rule: str
    enters: bool


class SlotRun(NamedTuple):
    """A text, the steps on the way, and the state that it leads to: at a slot, or the last one."""

    text: str
    steps: tuple[RuleStep, ...]
    state: int


class _Edge(NamedTuple):
    text: str
    step: RuleStep | None
    state: int


class Runs:
    """The states of a transcript's grammar."""

    def __init__(self, spec: ChatSpec) -> None:
        self.spec = spec
        self._edges: list[list[_Edge]] = []
        self.slots: dict[int, tuple[ChatSlot, str]] = {}
        """State → the slot that is read there, and the rule that it is in."""
        self._after: dict[int, int] = {}
        self._answers: dict[str, tuple[int, int]] = {}
        self.inner = inner_texts(spec)
        """The texts inside of answers."""
        self.turning = self._state()
        """The state between two turns."""
        self.first = self._state()
        self.last = self._build(spec.rules["start"].expr, "start", self.first)
        self._found: dict[int, tuple[SlotRun, ...]] = {}

    def after(self, state: int) -> tuple[SlotRun, ...]:
        """The runs that may follow the slot at `state`, or the first state, longest first.

        Of equal texts the one comes first that leaves fewer rules, then that whose rule comes first in the grammar,
        then the one that enters fewer.
        """
        found = self._found.get(state)
        if found is None:
            runs: dict[tuple[str, int], SlotRun] = {}
            for run in self._runs(self._after.get(state, state)):
                if run.text and not run.text.strip() and self.turns(run):
                    continue  # blanks alone do not part turns: texts are full of them
                known = runs.get((run.text, run.state))
                if known is None or len(run.steps) < len(known.steps):
                    runs[run.text, run.state] = run
                if len(runs) >= MAX_RUNS:
                    break
            order: dict[str, int] = {}
            for run in runs.values():
                order.setdefault(_entered(run), len(order))
            found = tuple(sorted(runs.values(), key=lambda run: _rank(run, order)))
            self._found[state] = found
        return found

    def turns(self, run: SlotRun) -> bool:
        """True when a run leads from one turn to another."""
        turned = [step.enters for step in run.steps if self.spec.roles.get(step.rule) in TURNS]
        return turned[:1] == [False] and True in turned

    def _runs(self, state: int) -> Iterator[SlotRun]:
        todo: list[tuple[int, str, tuple[RuleStep, ...], frozenset[tuple[int, int]]]] = [(state, "", (), frozenset())]
        while todo:
            state, text, steps, met = todo.pop()
            if state in self.slots or state == self.last:
                yield SlotRun(text, steps, state)
            if state in self.slots:
                continue
            mark = (state, 0)
            if mark in met:  # a loop that reads no slot goes on for ever
                continue
            for edge in reversed(self._edges[state]):
                further = steps if edge.step is None else (*steps, edge.step)
                todo.append((edge.state, text + edge.text, further, met | {mark}))

    # Building

    def _state(self) -> int:
        self._edges.append([])
        return len(self._edges) - 1

    def _edge(self, start: int, end: int, text: str = "", step: RuleStep | None = None) -> None:
        self._edges[start].append(_Edge(text, step, end))

    def _build(self, expr: Expr, inside: str, start: int) -> int:
        """Lay out `expr` of rule `inside` from `start`; the state after it."""
        match expr:
            case Literal(text):
                end = self._state()
                self._edge(start, end, text)
                return end
            case Seq(items):
                for item in items:
                    start = self._build(item, inside, start)
                return start
            case Alt(items):
                end = self._state()
                for item in items:
                    self._edge(self._build(item, inside, start), end)
                return end
            case Repeat(item, least, once):
                if once:
                    end = self._state()
                    self._edge(self._build(item, inside, start), end)
                    self._edge(start, end)
                    return end
                loop = self.turning if inside == "start" else self._state()
                self._edge(start, loop)
                done = self._build(item, inside, loop)
                self._edge(done, loop)
                return done if least else loop
            case Ref(rule):
                inner = self._state()
                self._edge(start, inner, step=RuleStep(rule, True))
                if self.spec.roles.get(rule) is ChatRole.ANSWER:
                    done = self._answer(rule, inner)
                else:
                    done = self._build(self.spec.rules[rule].expr, rule, inner)
                end = self._state()
                self._edge(done, end, step=RuleStep(rule, False))
                return end
            case Pattern(_, ChatSlot.SAID):
                return start
            case Pattern(_, name) if name in {*ChatSlot}:
                # Slots get a state of their own, which is left by what follows them.
                slot, end = self._state(), self._state()
                self._edge(start, slot)
                self.slots[slot] = ChatSlot(name), inside
                self._after[slot] = end
                return end
            case _:
                return start

    def _answer(self, rule: str, start: int) -> int:
        """Lay out an answer: one slot between the two ends of its rule, which those that begin alike share."""
        opener, closer = frame_of(self.spec.rules[rule].expr)
        if opener not in self._answers:
            self._answers[opener] = slot, end = self._state(), self._state()
            self.slots[slot] = ChatSlot.ANSWER, rule
            self._after[slot] = end
        slot, end = self._answers[opener]
        self._edge(start, slot, opener)
        done = self._state()
        self._edge(end, done, closer)
        return done


def inner_texts(spec: ChatSpec) -> tuple[str, ...]:
    """The texts inside of answers, all but the first and the last one."""
    found: list[str] = []
    for name, role in spec.roles.items():
        if role is not ChatRole.ANSWER:
            continue
        expr = spec.rules[name].expr
        frame = frame_of(expr)
        items: list[Expr] = [*expr.items] if isinstance(expr, Seq) else [expr]
        todo = items[bool(frame[0]) : len(items) - bool(frame[1])]
        while todo:
            for part in leaves(todo.pop()):
                if isinstance(part, Literal):
                    found.append(part.text)
                elif isinstance(part, Ref):
                    todo.append(spec.rules[part.rule].expr)
    return tuple(dict.fromkeys(found))


def _entered(run: SlotRun) -> str:
    return next((step.rule for step in run.steps if step.enters), "")


def _rank(run: SlotRun, order: dict[str, int]) -> tuple[int, int, int, int]:
    left = sum(not step.enters for step in run.steps)
    return -len(run.text), left, order[_entered(run)], len(run.steps)

"""Outlines: the text of conversations of one shape, worked out once as ready pieces, and the places between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from toolect._chats.filling import SlotAnswer
from toolect._chats.plan import AnswerPlan, Plans
from toolect._chats.plan_ops import Each, Fill, Fixed, Plan
from toolect._chats.turn_facts import ROLES, answer_facts, following, turn_facts
from toolect._spec.chat_model import ChatRole, Fact
from toolect._transcript import Origin
from toolect._turns import Results, System, Turn, User

Piece: TypeAlias = tuple[str, Origin, int]
MAX_OUTLINES = 256
"""Shapes of conversations that a chat has outlines of at one time. Beyond it: all are worked out anew."""
MAX_TURNS = 200
"""Turns of a conversation whose outline is kept. Beyond it: it is worked out each time."""
_CONTENT, _EMPTY, _DEVELOPER = int(Fact.CONTENT), int(Fact.EMPTY), int(Fact.DEVELOPER)
_NOTICED = int(Fact.NOTICED)


class SampledPlace(NamedTuple):
    """The place of an answer that is written as it was sampled."""

    plan: AnswerPlan


class PlanStep(NamedTuple):
    """Pieces that are ready, and the place after them, for the turn at `place` (-1 for none) with number `number`."""

    ready: tuple[Piece, ...]
    op: Fill | Each | SampledPlace | None
    place: int
    number: int
    facts: int


class Outline(NamedTuple):
    """The steps, and the answers that are written from their messages."""

    steps: tuple[PlanStep, ...]
    written: frozenset[int]


class Body(NamedTuple):
    """The turns after the system text at the head."""

    turns: Sequence[Turn]
    data: Sequence[Turn | SlotAnswer | None]
    """The turns, of answers their texts and calls, and None behind the last, for places outside of turns."""
    shape: tuple[int, ...]
    """All that decides how the turns are written, in numbers: their kinds, and the parts that each has."""
    system_turn: int

    @property
    def first(self) -> int:
        """The number of the first of the turns."""
        return self.system_turn + 1

    def sampled(self, index: int) -> bool:
        """True when a turn is an answer whose text is at hand, in the chat's dialect."""
        return bool(self.shape[index] & SAMPLED)


SAMPLED = 4
"""In the number of an answer: its text is at hand."""


def answer_shape(said: SlotAnswer, sampled: bool) -> int:
    """The number of an answer in a shape."""
    calls, content, reasoning = len(said.calls), said.content, said.reasoning
    code = 8 | (SAMPLED if sampled else 0) | (2 if calls > 1 else calls)
    if content:
        code |= 16 if content.isspace() else 32
        code |= 512 if content.endswith("\n") else 0
    if reasoning:
        code |= 64 if reasoning.isspace() else 128
    if sampled and said.message.reasoning:  # what the chat takes for reasoning is not all that may have been sampled
        code |= 256
    return code


def turn_shape(turn: User | System | Results, asked: str) -> int:
    """The number of any other turn; `asked` is the user's last text."""
    if isinstance(turn, User):
        return 256 | (turn.text == asked) | (0 if turn.text else 2)
    if isinstance(turn, Results):
        return 512 | len(turn.results) & 1
    return 1024 | turn.developer | (0 if turn.text else 2)


class Outlines:
    """The outlines of a chat, each made when it is first asked for."""

    def __init__(self, plans: Plans) -> None:
        self.plans = plans
        self._known: dict[tuple[int, int, tuple[int, ...]], Outline] = {}

    def outline(self, body: Body, shared: int) -> Outline:
        """The outline of `body`; `shared` are the facts of all turns. Raises RenderError for turns without a place."""
        key = shared, body.system_turn, body.shape
        found = self._known.get(key)
        if found is None:
            found = Outliner(self.plans, body).outline(shared)
            if len(body.turns) <= MAX_TURNS:
                if len(self._known) >= MAX_OUTLINES:
                    self._known = {}
                self._known[key] = found
        return found


class Outliner:
    """Works out one outline, or the steps of some turns."""

    def __init__(self, plans: Plans, body: Body) -> None:
        self.plans, self.body = plans, body
        self.steps: list[PlanStep] = []
        self.ready: list[Piece] = []
        self.written: set[int] = set()

    def outline(self, shared: int) -> Outline:
        """All of it."""
        turns = self.body.turns
        shared |= _NOTICED if any(isinstance(turn, System) for turn in turns) else 0
        self.plan(self.plans.head(shared), -1, shared)
        said = [one if isinstance(one, SlotAnswer) else None for one in self.body.data[:-1]]
        facts = turn_facts(turns, said, shared & ~_DEVELOPER)
        for index, own in enumerate(facts):
            self.turn(index, own)
        return self.end(shared | (following(turns[-1], facts[-1]) if turns else _EMPTY), shared)

    def end(self, facts: int, shared: int) -> Outline:
        """The outline until the end, whose tail has the facts `facts`."""
        self.plan(self.plans.tail(facts), -1, shared)
        return self.so_far(shared)

    def so_far(self, shared: int) -> Outline:
        """The steps until here."""
        self.step(None, -1, -1, shared)
        return Outline(tuple(self.steps), frozenset(self.written))

    def turn(self, index: int, facts: int) -> None:
        """A turn with these facts."""
        turn, one = self.body.turns[index], self.body.data[index]
        if isinstance(one, SlotAnswer):
            self.answer(index, one, facts | answer_facts(one.content, one.reasoning))
            return
        role = ROLES[type(turn)]
        if str(role) in self.plans.spec.lost and not self.plans.has(role, facts):
            self.plans.check(role, facts)
            return
        own = facts | _CONTENT if isinstance(turn, User | System) and turn.text else facts
        self.plan(self.plans.turn(role, own), index, own)

    def answer(self, index: int, said: SlotAnswer, facts: int) -> None:
        """An answer: as it was sampled where the chat keeps all of it, else part by part."""
        plan, number = self.plans.answer(facts), self.body.first + index
        if self.body.sampled(index) and (plan.keeps_reasoning or not said.message.reasoning):
            self.step(SampledPlace(plan), index, number, facts)
        else:
            self.written.add(index)
            self.ready.append((plan.opener, Origin.SCAFFOLD, number))
            self.plan(plan.parts, index, facts)
        self.ready += [(one.text, one.origin, number) for one in plan.closers]

    def plan(self, plan: Plan, index: int, facts: int) -> None:
        """The ready pieces of a plan, and its places."""
        number = self.body.first + index if index >= 0 else -1
        system = index >= 0 and isinstance(self.body.turns[index], System)
        for at, op in enumerate(plan):
            if isinstance(op, Fixed):
                end = "" if at or index < 1 else self.end_before(index, op.text)
                self.ready += [(end, Origin.ANSWER, number - 1)] if end else ()
                self.ready.append((op.text[len(end) :], op.origin, number))
            elif isinstance(op, Fill) and op.role is ChatRole.SYSTEM and not system:
                self.step(op._replace(take=None, trim=None), index, self.body.system_turn, facts)
            else:
                self.step(op, index, number, facts)

    def end_before(self, index: int, text: str) -> str:
        """The part of a turn's beginning that ends the answer before it: there the model stops."""
        if isinstance(self.body.data[index], SlotAnswer) or not isinstance(self.body.data[index - 1], SlotAnswer):
            return ""
        return self.plans.end_of(text)

    def step(self, op: Fill | Each | SampledPlace | None, index: int, number: int, facts: int) -> None:
        self.steps.append(PlanStep(tuple(self.ready), op, index, number, facts))
        self.ready.clear()

"""Writes a conversation: the plan of each turn, filled with its texts, each of which stays in its slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812
from typing import Any, Literal, TypeAlias

from toolect._chats.answers import Answers
from toolect._chats.filler import Filler
from toolect._chats.filling import Data, Said
from toolect._chats.guarding import Guardian
from toolect._chats.plan import AnswerPlan, Fill, Plans, literal_facts
from toolect._chats.turn_facts import ROLES, answer_facts, following, turn_facts
from toolect._spec.chat_model import ChatRole, ChatSlot, Fact, Systems
from toolect.rendered import Part, PartSpan, Rendered, Unrepresentable
from toolect.transcript import Author, Defused, Origin, Transcript
from toolect.turns import Assistant, System, Turn, User

Unsafe: TypeAlias = Literal["refuse", "neutralise", "keep"]
"""What to do with a text that would break out of its slot."""
SAMPLED = Fill(ChatSlot.ANSWER, ChatRole.ANSWER, "answer", Origin.ANSWER)
"""The place of an answer that is written as it was sampled."""
_TOOLS, _GIVEN, _SYSTEM, _SYSTEM_TEXT = int(Fact.TOOLS), int(Fact.GIVEN), int(Fact.SYSTEM), int(Fact.SYSTEM_TEXT)
_DEVELOPER, _EMPTY, _CONTENT = int(Fact.DEVELOPER), int(Fact.EMPTY), int(Fact.CONTENT)
_UNASKED = _EMPTY | int(Fact.UNASKED)
_PARTS: dict[ChatRole | None, Part] = {ChatRole.CONTENT: Part.CONTENT, ChatRole.REASONING: Part.REASONING}


class Writer(Filler):
    """Writes one conversation."""

    def __init__(
        self, plans: Plans, answers: Answers, guardian: Guardian, unsafe: Unsafe, day: Date | str | None
    ) -> None:
        super().__init__(plans, day=day)
        self.answers, self.guardian, self.unsafe = answers, guardian, unsafe
        self.keep = unsafe == "keep"
        self.defused: list[Defused] = []

    def write(
        self, turns: Sequence[Turn], tools: Sequence[Mapping[str, Any]], generate: bool, thinking: bool | None
    ) -> Transcript:
        """The conversation's text. Raises Unrepresentable for what the chat cannot carry."""
        shared = literal_facts(thinking, generate) | (_TOOLS if tools else 0)
        self.tools = tools
        at = 0
        if self.spec.systems is not Systems.HEAD:
            turns = self.gathered(turns)
        if self.plans.hoists:
            if turns and isinstance(turns[0], System):
                trim = self.plans.system_trim
                self.system, self.system_turn, at = trim(turns[0].text) if trim else turns[0].text, 0, 1
                shared |= _GIVEN | (_DEVELOPER if turns[0].developer else 0)
            elif self.spec.system is not None:
                self.system = self.spec.system
            if at or self.spec.system is not None:
                shared |= _SYSTEM | (_SYSTEM_TEXT if self.system else 0)
        body = turns[at:]
        if not body:
            self.plans.check(None, shared | _UNASKED)
        self.fill(self.plans.head(shared), None, -1, shared)
        said = [self.answers.said(turn.message, self.plans) if isinstance(turn, Assistant) else None for turn in body]
        facts = number = 0
        for number, (turn, answer, facts) in enumerate(
            zip(body, said, turn_facts(body, said, shared & ~_DEVELOPER), strict=True), at
        ):
            if answer is not None:
                assert isinstance(turn, Assistant)
                self.answer(turn, answer, number, facts)
                continue
            role = ROLES[type(turn)]
            if str(role) not in self.spec.lost or self.plans.has(role, facts):
                if isinstance(turn, User | System) and turn.text:
                    facts |= _CONTENT
                self.fill(self.plans.turn(role, facts), turn, number, facts)
            else:
                self.plans.check(role, facts)
        self.fill(self.plans.tail(shared | (following(body[-1], facts) if body else _EMPTY)), None, -1, shared)
        return Transcript(self.pieces, self.defused, Author(self.answers.dialect, self.plans.texts))

    def gathered(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The turns with all that the system says at the head."""
        said = [turn.text for turn in turns if isinstance(turn, System)]
        if not said:
            return turns
        between = "" if self.spec.systems is Systems.GLUED else "\n\n"
        text = said[-1] if self.spec.systems is Systems.LAST else between.join(said)
        return [System(text), *(turn for turn in turns if not isinstance(turn, System))]

    # Turns

    def answer(self, turn: Assistant, said: Said, number: int, facts: int) -> None:
        """Write an answer: as it was sampled where the chat keeps all of it, else part by part."""
        if said.calls:
            self.called = said.calls[0].name
        facts |= answer_facts(said.content, said.reasoning)
        plan = self.plans.answer(facts)
        if turn.text is not None and self.answers.replays(turn, plan):
            self.sampled(turn.text, turn.opened, plan, number, facts)
            return
        self.pieces.append((plan.opener, Origin.SCAFFOLD, number))
        if not self.keep:
            self.answers.check(said, self.tools)
        self.fill(plan.parts, said, number, facts)
        for text, origin in plan.closers:
            self.pieces.append((text, origin, number))

    def sampled(self, text: str, opened: str | None, plan: AnswerPlan, number: int, facts: int) -> None:
        """Write an answer as it was sampled, after the opening that asked for it."""
        opening = self.plans.opening(facts)
        opener = self.plans.opener(opening) or plan.opener
        if opened is not None:
            opening = opener + opened
        elif not opening or text.startswith(opening.removeprefix(opener)):
            opening = opener  # some servers give what the prompt opened as a part of the answer
        self.pieces.append((opening, Origin.SCAFFOLD, number))
        self.put(text, SAMPLED, number)
        self.pieces += [(one.text, one.origin, number) for one in plan.closers]

    # Texts

    def value(self, op: Fill, data: Data) -> str:
        """The text of a place that more than the data tells."""
        if isinstance(data, Said) and op.slot is ChatSlot.CALLS:
            return self.answers.calls(data.calls, self.tools)
        if isinstance(data, Said) and op.slot is ChatSlot.ANSWER:
            return self.answers.whole(data.message, self.tools)
        return super().value(op, data)

    def put(self, text: str, op: Fill, number: int) -> None:
        """Write a text into its slot, unless it would break out of it."""
        if not self.keep and (marker := self.guardian.breaks(text, op)):
            if self.unsafe == "refuse":
                what = f"{op.role} text" if op.role else op.rule
                raise Unrepresentable(what, f"it holds `{marker}`, which is markup of `{self.spec.name}`", text)
            self.defused.append(Defused(number, marker))
            text = self.guardian.harmless(text, op)
        if op.origin is Origin.ANSWER:
            text = as_said(text, op)
        super().put(text, op, number)


def as_said(text: str, op: Fill) -> Rendered:
    """A text of the model, which knows that it is no markup; of whole answers it knows what the dialect told."""
    if isinstance(text, Rendered):
        return text
    if op.slot is ChatSlot.CALLS or op.slot is ChatSlot.ANSWER:
        return Rendered(text)
    return Rendered(text, (PartSpan(0, len(text), _PARTS.get(op.role, Part.VALUE), -1),))

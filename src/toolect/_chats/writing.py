"""Writes a conversation: the plan of each turn, filled with its texts, each of which stays in its slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812
from typing import Any, Literal, TypeAlias

from toolect._chats.answers import Answers
from toolect._chats.guarding import Guardian
from toolect._chats.plan import AnswerPlan, Each, Fill, Fixed, Plan, Plans, literal_facts
from toolect._chats.trimming import trimmed
from toolect._chats.turn_facts import ROLES, answer_facts, following, turn_facts
from toolect._prompting.results import written
from toolect._prompting.tools import write_tools
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec, Fact
from toolect._spec.prompts import ToolText
from toolect.rendered import Unrepresentable
from toolect.transcript import Defused, Origin, Transcript
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

Unsafe: TypeAlias = Literal["refuse", "neutralise", "keep"]
"""What to do with a text that would break out of its slot."""
AS_GIVEN = ToolText(tool="$tool")
"""How tools are told where an entry does not say: as the objects that they are."""
SAMPLED = Fill(ChatSlot.ANSWER, ChatRole.ANSWER, "answer", Origin.ANSWER)
"""The place of an answer that is written as it was sampled."""
PieceOf: TypeAlias = tuple[str, Origin, int]


class Writer:
    """Writes one conversation."""

    def __init__(
        self, plans: Plans, answers: Answers, guardian: Guardian, unsafe: Unsafe, day: Date | str | None
    ) -> None:
        self.plans, self.answers, self.guardian, self.unsafe = plans, answers, guardian, unsafe
        self.spec: ChatSpec = plans.spec
        self.day = day
        self.pieces: list[PieceOf] = []
        self.defused: list[Defused] = []
        self.tools: Sequence[Mapping[str, Any]] = ()
        self.system: str = ""
        self.system_turn = -1

    def write(
        self, turns: Sequence[Turn], tools: Sequence[Mapping[str, Any]], generate: bool, thinking: bool | None
    ) -> Transcript:
        """The conversation's text. Raises Unrepresentable for what the chat cannot carry."""
        shared = literal_facts(thinking, generate) | (Fact.TOOLS if tools else 0)
        self.tools = tools
        at = 0
        if self.plans.hoists:
            if turns and isinstance(turns[0], System):
                self.system, self.system_turn, at = self.trimmed(turns[0].text, "", ChatRole.SYSTEM), 0, 1
                shared |= Fact.GIVEN | (Fact.DEVELOPER if turns[0].developer else 0)
            elif self.spec.system is not None:
                self.system = self.spec.system
            if at or self.spec.system is not None:
                shared |= Fact.SYSTEM | (Fact.SYSTEM_TEXT if self.system else 0)
        body = turns[at:]
        shared = int(shared)
        self.fill(self.plans.head(shared), None, -1, shared)
        facts = 0
        for number, (turn, facts) in enumerate(
            zip(body, turn_facts(body, shared & ~int(Fact.DEVELOPER)), strict=True), at
        ):
            if isinstance(turn, Assistant):
                self.answer(turn, number, facts)
            else:
                if isinstance(turn, User | System) and turn.text:
                    facts |= int(Fact.CONTENT)
                self.fill(self.plans.turn(ROLES[type(turn)], facts), turn, number, facts)
        self.fill(self.plans.tail(shared | (following(body[-1], facts) if body else 0)), None, -1, shared)
        return Transcript(self.pieces, self.defused)

    # Turns

    def answer(self, turn: Assistant, number: int, facts: int) -> None:
        """Write an answer: as it was sampled where the chat keeps all of it, else part by part."""
        message = turn.message
        content = self.trimmed(message.content, "", ChatRole.CONTENT)
        reasoning = self.trimmed(message.reasoning, "", ChatRole.REASONING)
        facts |= answer_facts(content, reasoning)
        plan = self.plans.answer(facts)
        if turn.text is not None and self.answers.replays(turn, plan):
            self.sampled(turn.text, plan, number, facts)
            return
        self.pieces.append((plan.opener, Origin.SCAFFOLD, number))
        if self.unsafe != "keep":
            self.answers.check(message, self.tools)
        for op in plan.parts:
            if isinstance(op, Fixed):
                self.pieces.append((op.text, op.origin, number))
            elif isinstance(op, Fill):
                match op.slot, op.role:
                    case ChatSlot.CALLS, _:
                        text = self.answers.calls(message, self.tools)
                    case ChatSlot.ANSWER, _:
                        text = self.answers.whole(message, self.tools)
                    case ChatSlot.TEXT, ChatRole.REASONING:
                        text = reasoning
                    case ChatSlot.TEXT, ChatRole.CONTENT:
                        text = content
                    case _:
                        text = self.value(op, None, number)
                self.put(text, op, number)
        self.pieces += [(one.text, one.origin, number) for one in plan.closers]

    def sampled(self, text: str, plan: AnswerPlan, number: int, facts: int) -> None:
        """Write an answer as it was sampled, after the opening that asked for it."""
        opening = self.plans.opening(facts)
        if not opening or text.startswith(opening.removeprefix(plan.opener)):
            opening = plan.opener  # some servers give what the prompt opened as a part of the answer
        self.pieces.append((opening, Origin.SCAFFOLD, number))
        self.put(text, SAMPLED, number)
        self.pieces += [(one.text, one.origin, number) for one in plan.closers]

    def fill(self, plan: Plan, turn: Turn | ToolResult | None, number: int, facts: int, index: int = 0) -> None:
        """Write a plan with the data of a turn, or of a result."""
        for op in plan:
            if isinstance(op, Fixed):
                self.pieces.append((op.text, op.origin, number))
            elif isinstance(op, Fill):
                if op.slot is ChatSlot.TOOLS:
                    self.put(write_tools(self.spec.tools or AS_GIVEN, self.tools), op, -1)
                else:
                    self.put(
                        self.value(op, turn, index),
                        op,
                        self.system_turn if op.role is ChatRole.SYSTEM and not isinstance(turn, System) else number,
                    )
            else:
                self.each(op, turn, number, facts)

    def each(self, op: Each, turn: Turn | ToolResult | None, number: int, facts: int) -> None:
        """Write the tools, or the results of a turn, one by one."""
        items: Sequence[Any] = (
            self.tools if op.role is ChatRole.TOOL else turn.results if isinstance(turn, Results) else ()
        )
        last = len(items) - 1
        for index, item in enumerate(items):
            own = facts | (int(Fact.FIRST_ITEM) if index == 0 else 0) | (int(Fact.LAST_ITEM) if index == last else 0)
            if isinstance(item, ToolResult):
                own |= (int(Fact.NAMED) if item.name else 0) | (int(Fact.HAS_ID) if item.call_id else 0)
                self.fill(self.plans.rule(op.rule, own), item, number, own, index)
            else:
                for part in self.plans.rule(op.rule, own):
                    if isinstance(part, Fixed):
                        self.pieces.append((part.text, part.origin, -1))
                    elif isinstance(part, Fill):
                        self.put(write_tools(self.spec.tools or AS_GIVEN, [item]), part, -1)

    # Texts

    def value(self, op: Fill, turn: Turn | ToolResult | None, index: int) -> str:
        """The text that belongs into a place."""
        match op.slot, turn:
            case ChatSlot.DATE, _:
                day = self.day if self.day is not None else Date.today()
                return day if isinstance(day, str) else day.strftime(self.spec.date)
            case ChatSlot.TEXT, ToolResult(output=output):
                return written(self.spec.output, self.trimmed(output, op.rule, op.role))
            case ChatSlot.NAME, ToolResult(name=name):
                return name
            case ChatSlot.ID, ToolResult(call_id=call_id):
                return call_id
            case ChatSlot.NUMBER, ToolResult():
                return str(index)
            case ChatSlot.TEXT, User(text=text) if op.role is ChatRole.USER:
                return self.trimmed(text, op.rule, op.role)
            case ChatSlot.TEXT, System(text=text):
                return self.trimmed(text, op.rule, op.role)
            case ChatSlot.TEXT, _ if op.role is ChatRole.SYSTEM:
                return self.system
        raise Unrepresentable(f"{op.rule}/{op.slot}", "nothing in the turn fills this slot")

    def trimmed(self, text: str, rule: str, role: ChatRole | None) -> str:
        """A text without the whitespace at its ends that the chat cuts off."""
        trim = self.spec.trim.get(rule) or (self.spec.trim.get(role) if role else None)
        return text if trim is None else trimmed(text, trim)

    def put(self, text: str, op: Fill, number: int) -> None:
        """Write a text into its slot, unless it would break out of it."""
        if self.unsafe != "keep" and (marker := self.guardian.breaks(text, op)):
            if self.unsafe == "refuse":
                what = f"{op.role} text" if op.role else op.rule
                raise Unrepresentable(what, f"it holds `{marker}`, which is markup of `{self.spec.name}`", text)
            self.defused.append(Defused(number, marker))
            text = self.guardian.harmless(text, op)
        self.pieces.append((text, op.origin, number))

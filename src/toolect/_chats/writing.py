"""Writes a conversation: the plan of each turn, filled with its texts, each of which stays in its slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812
from typing import Any, Literal, NamedTuple, TypeAlias

from toolect._chats.answers import Answers
from toolect._chats.guarding import Guardian
from toolect._chats.plan import AnswerPlan, Each, Fill, Fixed, Plan, Plans, literal_facts
from toolect._chats.told_tools import TEXT, in_json
from toolect._chats.trimming import trimmed
from toolect._chats.turn_facts import ROLES, answer_facts, following, turn_facts
from toolect._prompting.notation import spell
from toolect._prompting.results import written
from toolect._prompting.tools import write_tools
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec, Fact, Systems, Thoughts
from toolect._spec.prompts import Syntax, ToolText
from toolect._values.schema import type_of
from toolect.message import Call, Json, Message
from toolect.rendered import Part, PartSpan, Rendered, Unrepresentable
from toolect.transcript import Author, Defused, Origin, Transcript
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

Unsafe: TypeAlias = Literal["refuse", "neutralise", "keep"]
"""What to do with a text that would break out of its slot."""
AS_GIVEN = ToolText(tool="$tool")
"""How tools are told where an entry does not say: as the objects that they are."""
SAMPLED = Fill(ChatSlot.ANSWER, ChatRole.ANSWER, "answer", Origin.ANSWER)
"""The place of an answer that is written as it was sampled."""
_FIRST_ITEM, _LAST_ITEM, _NAMED = int(Fact.FIRST_ITEM), int(Fact.LAST_ITEM), int(Fact.NAMED)
_HAS_ID, _ARGUMENTS, _IS_TEXT = int(Fact.HAS_ID), int(Fact.ARGUMENTS), int(Fact.IS_TEXT)
_NO_ITEM = ~(_FIRST_ITEM | _LAST_ITEM | _NAMED | _HAS_ID | _ARGUMENTS | _IS_TEXT)


class Said(NamedTuple):
    """An answer, and its texts as the chat has them."""

    message: Message
    content: str
    reasoning: str


class Pair(NamedTuple):
    """One argument of a call."""

    key: str
    value: Json


Data: TypeAlias = Turn | ToolResult | Said | Call | Pair | Mapping[str, Any] | None
"""What a plan is filled with."""
PieceOf: TypeAlias = tuple[str, Origin, int]
_PARTS: dict[ChatRole | None, Part] = {ChatRole.CONTENT: Part.CONTENT, ChatRole.REASONING: Part.REASONING}


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
        self.called = ""
        self.counts: dict[type, int] = {}

    def write(
        self, turns: Sequence[Turn], tools: Sequence[Mapping[str, Any]], generate: bool, thinking: bool | None
    ) -> Transcript:
        """The conversation's text. Raises Unrepresentable for what the chat cannot carry."""
        shared = literal_facts(thinking, generate) | (Fact.TOOLS if tools else 0)
        self.tools = tools
        at = 0
        if self.spec.systems is not Systems.HEAD:
            turns = self.gathered(turns)
        if self.plans.hoists:
            if turns and isinstance(turns[0], System):
                self.system, self.system_turn, at = self.trimmed(turns[0].text, "", ChatRole.SYSTEM), 0, 1
                shared |= Fact.GIVEN | (Fact.DEVELOPER if turns[0].developer else 0)
            elif self.spec.system is not None:
                self.system = self.spec.system
            if at or self.spec.system is not None:
                shared |= Fact.SYSTEM | (Fact.SYSTEM_TEXT if self.system else 0)
        body = turns[at:]
        if not body:
            self.plans.check(None, shared | Fact.EMPTY | Fact.UNASKED)
        shared = int(shared)
        self.fill(self.plans.head(shared), None, -1, shared)
        facts = 0
        for number, (turn, facts) in enumerate(
            zip(body, turn_facts(body, shared & ~int(Fact.DEVELOPER)), strict=True), at
        ):
            if isinstance(turn, Assistant):
                self.answer(turn, number, facts)
            elif ROLES[type(turn)] not in self.spec.lost or self.plans.has(ROLES[type(turn)], facts):
                if isinstance(turn, User | System) and turn.text:
                    facts |= int(Fact.CONTENT)
                self.fill(self.plans.turn(ROLES[type(turn)], facts), turn, number, facts)
            else:
                self.plans.check(ROLES[type(turn)], facts)
        self.fill(self.plans.tail(shared | (following(body[-1], facts) if body else int(Fact.EMPTY))), None, -1, shared)
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

    def answer(self, turn: Assistant, number: int, facts: int) -> None:
        """Write an answer: as it was sampled where the chat keeps all of it, else part by part."""
        said = self.said(turn.message)
        self.called = next((call.name for call in turn.message.calls), self.called)
        facts |= answer_facts(said.content, said.reasoning)
        plan = self.plans.answer(facts)
        if turn.text is not None and self.answers.replays(turn, plan):
            self.sampled(turn.text, turn.opened, plan, number, facts)
            return
        self.pieces.append((plan.opener, Origin.SCAFFOLD, number))
        if self.unsafe != "keep":
            self.answers.check(turn.message, self.tools)
        self.fill(plan.parts, said, number, facts)
        self.pieces += [(one.text, one.origin, number) for one in plan.closers]

    def said(self, message: Message) -> Said:
        """The texts of an answer as the chat has them."""
        content, reasoning = message.content, message.reasoning
        closer = self.plans.thought_closer
        if closer and self.spec.thoughts is not Thoughts.KEPT and closer in content:
            before, _, content = content.rpartition(closer)
            if self.spec.thoughts is Thoughts.TAKEN:
                content = content.lstrip("\n")
            if self.spec.thoughts is Thoughts.TAKEN and not reasoning:
                opener = self.plans.thought_opener
                reasoning = before.partition(closer)[0].rstrip("\n").rpartition(opener)[2].lstrip("\n")
        return Said(message, self.trimmed(content, "", ChatRole.CONTENT), reasoning)

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

    def fill(self, plan: Plan, data: Data, number: int, facts: int, index: int = 0) -> None:
        """Write a plan with its data."""
        for op in plan:
            if isinstance(op, Fixed):
                self.pieces.append((op.text, op.origin, number))
            elif isinstance(op, Each):
                self.each(op, data, number, facts)
            elif op.role is ChatRole.SYSTEM and not isinstance(data, System):
                self.put(self.system, op, self.system_turn)
            else:
                self.put(self.value(op, data, index), op, number)

    def each(self, op: Each, data: Data, number: int, facts: int) -> None:
        """Write one by one the tools, the results or calls of a turn, or the arguments of a call."""
        items = self.items(op, data)
        last = len(items) - 1
        for index, item in enumerate(items):
            own = facts & _NO_ITEM | (_FIRST_ITEM if index == 0 else 0) | (_LAST_ITEM if index == last else 0)
            match item:
                case ToolResult(call_id=call_id, name=name):
                    own |= (_NAMED if name else 0) | (_HAS_ID if call_id else 0)
                case Call(id=call_id, arguments=given):
                    own |= (_HAS_ID if call_id else 0) | (_ARGUMENTS if given else 0)
                case Pair(value=str()):
                    own |= _IS_TEXT
            if self.plans.holds(op.rule, own):
                self.fill(self.plans.rule(op.rule, own), item, number, own, index)

    def items(self, op: Each, data: Data) -> Sequence[Any]:
        """What is written one by one."""
        match op.role, data:
            case ChatRole.TOOL, _:
                return self.tools
            case ChatRole.RESULT, Results(results):
                return results
            case ChatRole.CALL, Said(message):
                return message.calls
            case ChatRole.ARGUMENT, Call(arguments=dict() as given):
                return [Pair(key, value) for key, value in given.items()]
        return ()

    # Texts

    def value(self, op: Fill, data: Data, index: int) -> str:
        """The text that belongs into a place."""
        match op.slot, data:
            case ChatSlot.TEXT, User(text) | System(text):
                return self.trimmed(text, op.rule, op.role)
            case ChatSlot.TEXT, Said(_, content, reasoning):
                if op.role is ChatRole.REASONING:
                    return self.trimmed(reasoning, op.rule, op.role)
                return self.trimmed(content, op.rule, None)
            case ChatSlot.TEXT, ToolResult(output=output):
                return written(self.spec.output, self.trimmed(output, op.rule, op.role))
            case ChatSlot.NAME, ToolResult(name=name) | Call(name=name):
                return name
            case ChatSlot.ID, ToolResult(call_id=call_id) | Call(id=call_id):
                return call_id or ""
            case ChatSlot.NUMBER, _:
                return str(index)
            case ChatSlot.INDEX, _:
                return str(index + 1)
            case ChatSlot.CALLED, _:
                return self.called
            case ChatSlot.TYPE, Pair(_, value):
                return "number" if type_of(value) == "integer" else type_of(value)
            case ChatSlot.COUNT, ToolResult() | Call():
                self.counts[type(data)] = count = self.counts.get(type(data), -1) + 1
                return str(count)
            case ChatSlot.ARGUMENTS, Call(arguments=given):
                return spell(given, self.spec.arguments)
            case ChatSlot.KEY, Pair(key):
                return key
            case ChatSlot.VALUE, Pair(_, value):
                return self.scalar(value)
            case ChatSlot.CALLS, Said(message):
                return self.answers.calls(message, self.tools)
            case ChatSlot.ANSWER, Said(message):
                return self.answers.whole(message, self.tools)
            case ChatSlot.TOOL, _:
                return self.told([data])  # type: ignore[list-item]
            case ChatSlot.TOOLS, _:
                return self.told(self.tools)
            case ChatSlot.DATE, _:
                day = self.day if self.day is not None else Date.today()
                return day if isinstance(day, str) else day.strftime(self.spec.date)
        raise Unrepresentable(f"{op.rule}/{op.slot}", "nothing in the turn fills this slot")

    def told(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """The definitions of `tools`."""
        how = self.spec.tools or AS_GIVEN
        texts = [str(tool.get("text", "")) for tool in tools if tool.get("type") == TEXT]
        if not texts:
            return write_tools(how, tools)
        if in_json(how) or len(texts) < len(tools):
            raise Unrepresentable("tools", "expected definitions, got the text of another chat", texts[0])
        return "".join(texts)

    def scalar(self, value: Json) -> str:
        """The value of an argument: a text as it is."""
        if isinstance(value, str):
            text = value
            for sign, other in self.spec.escapes.items():
                text = text.replace(sign, other)
            return text
        kind = self.spec.lists if isinstance(value, list) else self.spec.scalars
        if kind is Syntax.PYTHON and not isinstance(value, dict):
            return str(value)
        return spell(value, self.spec.arguments)

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
        if op.origin is Origin.ANSWER:
            text = as_said(text, op)
        self.pieces.append((text, op.origin, number))


def as_said(text: str, op: Fill) -> Rendered:
    """A text of the model, which knows that it is no markup; of whole answers it knows what the dialect told."""
    if isinstance(text, Rendered):
        return text
    if op.slot in (ChatSlot.CALLS, ChatSlot.ANSWER):
        return Rendered(text)
    return Rendered(text, (PartSpan(0, len(text), _PARTS.get(op.role, Part.VALUE), -1),))

"""Plans of a chat for each kind of turn, worked out once per set of facts: texts, and places for data."""

from __future__ import annotations

from typing import NamedTuple

from toolect._chats.chat_grammar import TURNS, frame_of, start_of, texts_of
from toolect._chats.plan_ops import TRIMS, Fill, Fixed, Op, Plan, RulePlans, joined
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec, Fact, Trim
from toolect._spec.grammar_model import Literal, Ref
from toolect._spec.guards import read_guard
from toolect._spec.leaves import leaves
from toolect._transcript import Origin


class AnswerPlan(NamedTuple):
    """Plan of an answer: the text before what the model wrote, its parts, and the text that ends it."""

    opener: str
    parts: Plan
    lead: str
    """Constant text of the model before the end token of its answer; the last of the parts has it."""
    closers: tuple[Fixed, ...]
    keeps_reasoning: bool
    silent: bool
    """All of it is the chat's own: it is how an answer of nothing is written."""


_ASKING = int(
    Fact.TOOLS | Fact.SYSTEM | Fact.SYSTEM_TEXT | Fact.GIVEN | Fact.THINKING | Fact.NO_THINKING
    | Fact.AFTER_USER | Fact.AFTER_ANSWER
    | Fact.AFTER_RESULTS | Fact.AFTER_CALLS | Fact.ROUND | Fact.TOLD
)  # fmt: skip
"""The facts that decide how an answer is asked for."""


class Plans(RulePlans):
    """The plans of a chat, made when they are first asked for."""

    def __init__(self, spec: ChatSpec) -> None:
        super().__init__(spec)
        self.start = start_of(spec)
        self.refusals = [(reason, read_guard(text)) for reason, text in spec.refuse.items()]
        self.hoists = any(role is ChatRole.SYSTEM and rule not in self.start.turns for rule, role in spec.roles.items())
        """True when a system text at the beginning stands elsewhere than in a turn of its own."""
        self.system_trim, self.content_trim = (
            TRIMS.get(spec.trim.get(role, Trim.NONE)) for role in (ChatRole.SYSTEM, ChatRole.CONTENT)
        )
        self.thought_opener, self.thought_closer = self._thoughts()
        """The markers of reasoning, without blanks; empty where the chat has no reasoning, or does not open it."""
        self.texts = tuple(dict.fromkeys([*spec.end, *spec.special, *texts_of(spec)]))
        """All that the chat writes by itself, and its model's tokens."""
        self._rules = {role: tuple(rule for rule in self.start.turns if spec.roles.get(rule) is role) for role in TURNS}
        self._answers: dict[int, AnswerPlan] = {}
        self._openings: dict[int, str] = {}
        self._chosen: dict[tuple[ChatRole, int], Plan] = {}

    def check(self, role: ChatRole | None, facts: int) -> None:
        """Raise RenderError for a turn that the chat refuses, or for a conversation without any."""
        for reason, guard in self.refusals:
            if guard(facts):
                raise RenderError(f"{role} turn" if role else "conversation", reason)

    def has(self, role: ChatRole, facts: int) -> bool:
        """True when a turn of this role is written."""
        return any(self.holds(rule, facts) for rule in self._rules[role])

    def _thoughts(self) -> tuple[str, str]:
        rule = next((rule for rule, role in self.spec.roles.items() if role is ChatRole.REASONING), None)
        parts = leaves(self.spec.rules[rule].expr) if rule else ()
        texts = [part.text for part in parts if isinstance(part, Literal)]
        opener = texts[0].strip() if len(texts) > 1 else ""
        return opener, texts[-1].strip() if texts else ""

    def turn(self, role: ChatRole, facts: int) -> Plan:
        """The plan of a turn. Raises RenderError when the chat has no place for it."""
        plan = self._chosen.get((role, facts))
        if plan is None:
            plan = self._chosen[role, facts] = self.rule(self._turn_rule(role, facts), facts)
        return plan

    def _turn_rule(self, role: ChatRole, facts: int) -> str:
        """The rule that a turn is written by."""
        self.check(role, facts)
        rule = next((rule for rule in self._rules[role] if self.holds(rule, facts)), None)
        if rule is None:
            raise RenderError(f"{role} turn", f"`{self.spec.name}` has no place for it here")
        return rule

    def answer(self, facts: int) -> AnswerPlan:
        """The plan of an answer. Raises RenderError when the chat has no place for it."""
        plan = self._answers.get(facts)
        if plan is None:
            rule = self._turn_rule(ChatRole.ANSWER, facts)
            opener, closer = frame_of(self.spec.rules[rule].expr)
            ops = [*self.rule(rule, facts)]
            inner = [op._replace(origin=Origin.ANSWER) if isinstance(op, Fixed) else op for op in ops]
            if opener:
                inner[0] = Fixed(_text(ops[0]).removeprefix(opener), Origin.ANSWER)
            last = _text(inner[-1]) if inner else ""
            at, end = max(((last.rfind(end), end) for end in self.spec.end if end), default=(-1, ""))
            if at < 0:
                at, end = len(last) - len(closer), ""
            if last:
                inner[-1] = Fixed(last[:at], Origin.ANSWER)
            closers = Fixed(end, Origin.ANSWER), Fixed(last[at + len(end) :], Origin.SCAFFOLD)
            lead = closer.partition(end)[0] if end else ""
            kept = any(
                isinstance(op, Fill) and (op.role is ChatRole.REASONING or op.slot is ChatSlot.ANSWER) for op in ops
            )
            silent = all(isinstance(leaf, Literal) for leaf in leaves(self.spec.rules[rule].expr))
            plan = AnswerPlan(opener, tuple(joined(inner)), lead, tuple(op for op in closers if op.text), kept, silent)
            self._answers[facts] = plan
        return plan

    def end_after(self, calls: bool) -> str:
        """The token that ends an answer: the one that the next turn begins with, else the first."""
        texts = (self._begins(rule) for rule in self._rules[ChatRole.RESULTS if calls else ChatRole.USER])
        return next(filter(None, map(self.end_of, texts)), next(iter(self.spec.end), ""))

    def _begins(self, rule: str, depth: int = 4) -> str:
        """The text that a rule begins with, itself or in a rule of so many levels below it."""
        texts = (
            leaf.text
            if isinstance(leaf, Literal)
            else self._begins(leaf.rule, depth - 1)
            if isinstance(leaf, Ref) and depth
            else ""
            for leaf in leaves(self.spec.rules[rule].expr)
        )
        return next(filter(None, texts), "")

    def end_of(self, text: str) -> str:
        """The token at the beginning of a turn that ends the answer before it."""
        return next((end for end in self.spec.end if end and text.startswith(end)), "")

    def opening(self, facts: int) -> str:
        """The text that asks for an answer after a turn with these facts."""
        text = self._openings.get(facts)
        if text is None:
            tail = self.tail(facts & _ASKING | int(Fact.GENERATE))
            text = self._openings[facts] = "".join(op.text for op in tail if isinstance(op, Fixed))
        return text

    def opener(self, opening: str) -> str:
        """The part of an opening before the answer: all that an answer's rule begins with."""
        texts = (frame_of(self.spec.rules[rule].expr)[0] for rule in self._rules[ChatRole.ANSWER])
        return max((text for text in texts if opening.startswith(text)), key=len, default="")

    def slot(self, answer: str) -> str:
        """The part of an answer in a transcript that is between the two ends of its rule."""
        frames = (frame_of(self.spec.rules[rule].expr) for rule in self._rules[ChatRole.ANSWER])
        around = (one for one in frames if answer.startswith(one[0]) and answer.endswith(one[1]))
        opener, closer = max(around, key=lambda one: [*map(len, one)], default=("", ""))
        return answer[len(opener) : len(answer) - len(closer)]

    def head(self, facts: int) -> Plan:
        """The plan of the text before the turns."""
        return self.part("head", self.start.head, facts)

    def tail(self, facts: int) -> Plan:
        """The plan of the text after the turns."""
        return self.part("tail", self.start.tail, facts)


def _text(op: Op) -> str:
    return op.text if isinstance(op, Fixed) else ""

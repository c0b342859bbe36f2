"""What a chat writes for each kind of turn, worked out once per set of facts: texts, and places for data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from toolect._chats.filling import Take, taker
from toolect._chats.trimming import TRIMS
from toolect._spec.chat_model import OWN_GUARDS, ChatRole, ChatSlot, ChatSpec, Fact, Trim
from toolect._spec.guards import Guard, read_guard
from toolect._spec.leaves import leaves
from toolect._spec.model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq
from toolect.rendered import Part, Unrepresentable
from toolect.transcript import Origin


class Fixed(NamedTuple):
    """A text that is always the same."""

    text: str
    origin: Origin


class Fill(NamedTuple):
    """A place for data: `slot` of `rule`, which has this role."""

    slot: ChatSlot
    role: ChatRole | None
    rule: str
    origin: Origin
    take: Take | None = None
    """What fills it, where the data alone tells that."""
    trim: Callable[[str], str] | None = None
    part: Part | None = None
    """What the text is of an answer, where it is no markup."""


class Each(NamedTuple):
    """A place for one of several things, as `rule` writes each."""

    role: ChatRole
    rule: str


Op: TypeAlias = Fixed | Fill | Each
Plan: TypeAlias = tuple[Op, ...]


class AnswerPlan(NamedTuple):
    """What is written for an answer: the text before what the model wrote, its parts, what ends it."""

    opener: str
    parts: Plan
    closers: tuple[Fixed, ...]
    keeps_reasoning: bool


TURNS = (ChatRole.SYSTEM, ChatRole.USER, ChatRole.ANSWER, ChatRole.RESULTS)
"""The roles of what may stand in the loop of turns."""
_SEVERAL = (ChatRole.TOOL, ChatRole.RESULT, ChatRole.CALL, ChatRole.ARGUMENT)
"""The roles of what comes several times."""
_ORIGINS = {
    ChatRole.SYSTEM: Origin.SYSTEM,
    ChatRole.USER: Origin.USER,
    ChatRole.ANSWER: Origin.ANSWER,
    ChatRole.CONTENT: Origin.ANSWER,
    ChatRole.REASONING: Origin.ANSWER,
    ChatRole.CALLS: Origin.ANSWER,
    ChatRole.CALL: Origin.ANSWER,
    ChatRole.ARGUMENT: Origin.ANSWER,
    ChatRole.RESULT: Origin.RESULT,
    ChatRole.TOOLS: Origin.TOOLS,
    ChatRole.TOOL: Origin.TOOLS,
}


_PARTS: dict[ChatRole | None, Part] = {ChatRole.CONTENT: Part.CONTENT, ChatRole.REASONING: Part.REASONING}


_ASKING = int(
    Fact.TOOLS | Fact.SYSTEM | Fact.SYSTEM_TEXT | Fact.GIVEN | Fact.THINKING | Fact.NO_THINKING
    | Fact.AFTER_USER | Fact.AFTER_ANSWER
    | Fact.AFTER_RESULTS | Fact.AFTER_CALLS | Fact.ROUND | Fact.TOLD
)  # fmt: skip
"""The facts that decide how an answer is asked for."""


_GENERATE, _THINKING, _NO_THINKING = int(Fact.GENERATE), int(Fact.THINKING), int(Fact.NO_THINKING)


class Start(NamedTuple):
    """The start rule in three: what comes before the turns, the rules of turns, what comes after them."""

    head: tuple[Expr, ...]
    turns: tuple[str, ...]
    tail: tuple[Expr, ...]


def start_of(spec: ChatSpec) -> Start:
    """How the start rule of a chat is made: `head… (turn | turn | …)* tail…`."""
    expr = spec.rules["start"].expr
    items = expr.items if isinstance(expr, Seq) else (expr,)
    for at, item in enumerate(items):
        if isinstance(item, Repeat) and not item.once:
            turns = tuple(part.rule for part in leaves(item.item) if isinstance(part, Ref))
            return Start(tuple(items[:at]), turns, tuple(items[at + 1 :]))
    return Start(tuple(items), (), ())


def texts_of(spec: ChatSpec) -> Iterator[str]:
    """The texts in the rules of a chat."""
    parts = (part for rule in spec.rules.values() for part in leaves(rule.expr))
    return (part.text for part in parts if isinstance(part, Literal) and part.text)


class Plans:
    """The plans of a chat, made when they are first asked for."""

    def __init__(self, spec: ChatSpec) -> None:
        self.spec = spec
        self.start = start_of(spec)
        self.guards: dict[str, Guard] = {rule: read_guard(text) for rule, text in spec.when.items()}
        self.refusals = [(reason, read_guard(text)) for reason, text in spec.refuse.items()]
        self.hoists = any(role is ChatRole.SYSTEM and rule not in self.start.turns for rule, role in spec.roles.items())
        """True when a system text at the beginning stands elsewhere than in a turn of its own."""
        self.system_trim, self.content_trim = (
            TRIMS.get(spec.trim.get(role, Trim.NONE)) for role in (ChatRole.SYSTEM, ChatRole.CONTENT)
        )
        self.thought_opener, self.thought_closer = self._thoughts()
        """The markers of reasoning, without blanks; empty where the chat has no reasoning."""
        self.texts = tuple(dict.fromkeys([*spec.end, *texts_of(spec)]))
        """All that the chat writes by itself."""
        self._rules = {role: tuple(rule for rule in self.start.turns if spec.roles.get(rule) is role) for role in TURNS}
        self._answers: dict[int, AnswerPlan] = {}
        self._items: dict[tuple[str, int], tuple[Plan | None]] = {}
        self._openings: dict[int, str] = {}
        self._made: dict[tuple[str, int], Plan] = {}
        self._chosen: dict[tuple[ChatRole, int], Plan] = {}

    def check(self, role: ChatRole | None, facts: int) -> None:
        """Raise Unrepresentable for a turn that the chat refuses, or for a conversation without any."""
        for reason, guard in self.refusals:
            if guard(facts):
                raise Unrepresentable(f"{role} turn" if role else "conversation", reason)

    def has(self, role: ChatRole, facts: int) -> bool:
        """True when a turn of this role is written."""
        return any(self.holds(rule, facts) for rule in self._rules[role])

    def _thoughts(self) -> tuple[str, str]:
        rule = next((rule for rule, role in self.spec.roles.items() if role is ChatRole.REASONING), None)
        texts = (
            []
            if rule is None
            else [part.text for part in leaves(self.spec.rules[rule].expr) if isinstance(part, Literal)]
        )
        return (texts[0].strip(), texts[-1].strip()) if len(texts) > 1 else ("", "")

    def turn(self, role: ChatRole, facts: int) -> Plan:
        """What is written for a turn. Raises Unrepresentable when the chat has no place for it."""
        plan = self._chosen.get((role, facts))
        if plan is None:
            plan = self._chosen[role, facts] = self.rule(self._turn_rule(role, facts), facts)
        return plan

    def _turn_rule(self, role: ChatRole, facts: int) -> str:
        """The rule that a turn is written by."""
        self.check(role, facts)
        rule = next((rule for rule in self._rules[role] if self.holds(rule, facts)), None)
        if rule is None:
            raise Unrepresentable(f"{role} turn", f"`{self.spec.name}` has no place for it here")
        return rule

    def answer(self, facts: int) -> AnswerPlan:
        """What is written for an answer. Raises Unrepresentable when the chat has no place for it."""
        plan = self._answers.get(facts)
        if plan is None:
            rule = self._turn_rule(ChatRole.ANSWER, facts)
            opener, closer = frame_of(self.spec.rules[rule].expr)
            ops = [*self.rule(rule, facts)]
            inner = [op._replace(origin=Origin.ANSWER) if isinstance(op, Fixed) else op for op in ops]
            if opener:
                inner[0] = Fixed(_text(ops[0]).removeprefix(opener), Origin.ANSWER)
            if closer:
                inner[-1] = Fixed(_text(inner[-1])[: -len(closer)], Origin.ANSWER)
            end = next((end for end in self.spec.end if closer.startswith(end)), "")
            closers = Fixed(end, Origin.ANSWER), Fixed(closer[len(end) :], Origin.SCAFFOLD)
            kept = any(
                isinstance(op, Fill) and (op.role is ChatRole.REASONING or op.slot is ChatSlot.ANSWER) for op in ops
            )
            plan = AnswerPlan(opener, tuple(_joined(inner)), tuple(op for op in closers if op.text), kept)
            self._answers[facts] = plan
        return plan

    def opening(self, facts: int) -> str:
        """What asks for an answer after a turn with these facts."""
        text = self._openings.get(facts)
        if text is None:
            tail = self.tail(facts & _ASKING | int(Fact.GENERATE))
            text = self._openings[facts] = "".join(op.text for op in tail if isinstance(op, Fixed))
        return text

    def opener(self, opening: str) -> str:
        """What of an opening is before the answer: all that an answer's rule begins with."""
        texts = (frame_of(self.spec.rules[rule].expr)[0] for rule in self._rules[ChatRole.ANSWER])
        return max((text for text in texts if opening.startswith(text)), key=len, default="")

    def item(self, rule: str, facts: int) -> Plan | None:
        """What a rule writes of one of several things; None where it writes nothing."""
        known = self._items.get((rule, facts))
        if known is None:
            plan = self.rule(rule, facts) if self.holds(rule, facts) else None
            if plan is not None and self.spec.roles.get(rule) in (ChatRole.CALL, ChatRole.ARGUMENT):
                plan = tuple(op._replace(origin=Origin.ANSWER) if isinstance(op, Fixed) else op for op in plan)
            known = self._items[rule, facts] = (plan,)
        return known[0]

    def rule(self, rule: str, facts: int) -> Plan:
        """What a rule writes."""
        plan = self._made.get((rule, facts))
        if plan is None:
            ops = self.ops(self.spec.rules[rule].expr, rule, facts)
            plan = self._made[rule, facts] = tuple(_joined(ops))
        return plan

    def head(self, facts: int) -> Plan:
        """What is written before the turns."""
        return self._part("head", self.start.head, facts)

    def tail(self, facts: int) -> Plan:
        """What is written after the turns."""
        return self._part("tail", self.start.tail, facts)

    def _part(self, name: str, items: Sequence[Expr], facts: int) -> Plan:
        plan = self._made.get((f"start {name}", facts))
        if plan is None:
            ops = [op for item in items for op in self.ops(item, "start", facts)]
            plan = self._made[f"start {name}", facts] = tuple(_joined(ops))
        return plan

    def holds(self, rule: str, facts: int, optional: bool = False) -> bool:
        """True when `rule` is written; one that may be left out needs what it is of."""
        if (guard := self.guards.get(rule)) is not None:
            return guard(facts)
        own = OWN_GUARDS.get(self.spec.roles[rule]) if optional and rule in self.spec.roles else None
        return own is None or bool(facts & own)

    def ops(self, expr: Expr, inside: str, facts: int) -> Sequence[Op]:
        """What `expr` of rule `inside` writes."""
        match expr:
            case Literal(text):
                return [Fixed(text, Origin.SCAFFOLD)]
            case Seq(items):
                return [op for item in items for op in self.ops(item, inside, facts)]
            case Alt(items):
                chosen = next((item for item in items if self._wanted(item, facts, True)), None)
                return () if chosen is None else self.ops(chosen, inside, facts)
            case Repeat(Ref(rule), once=False) if self.spec.roles.get(rule) in _SEVERAL:
                return [Each(self.spec.roles[rule], rule)]
            case Repeat(item):
                return self.ops(item, inside, facts) if self._wanted(item, facts, True) else ()
            case Ref(rule):
                return self.rule(rule, facts) if self.holds(rule, facts) else ()
            case Pattern(_, name) if name in {*ChatSlot}:
                role = self.spec.roles.get(inside)
                origin = _ORIGINS.get(role, Origin.SCAFFOLD) if role else Origin.SCAFFOLD
                slot = ChatSlot(name)
                trim = TRIMS.get(self.spec.trim.get(inside) or (role and self.spec.trim.get(role)) or Trim.NONE)
                if slot is ChatSlot.DATE:
                    origin = Origin.SCAFFOLD
                whole = origin is not Origin.ANSWER or slot in (ChatSlot.CALLS, ChatSlot.ANSWER)
                part = None if whole else _PARTS.get(role, Part.VALUE)
                take = taker(self.spec, slot, role)
                return [Fill(slot, role, inside, origin, take, trim if slot is ChatSlot.TEXT else None, part)]
            case _:
                raise Unrepresentable(inside, "a terminal that is no text cannot be written")

    def _wanted(self, expr: Expr, facts: int, optional: bool) -> bool:
        """True when what may be left out is written: all that it is made of holds."""
        match expr:
            case Ref(rule):
                return self.holds(rule, facts, optional)
            case Seq(items):
                return all(self._wanted(item, facts, optional) for item in items)
            case Alt(items):
                return any(self._wanted(item, facts, optional) for item in items)
            case _:
                return True


def frame_of(expr: Expr) -> tuple[str, str]:
    """The text that begins an answer's rule, and the one that ends it."""
    items = expr.items if isinstance(expr, Seq) else (expr,)
    first = items[0].text if isinstance(items[0], Literal) else ""
    last = items[-1].text if len(items) > 1 and isinstance(items[-1], Literal) else ""
    return first, last


def _joined(ops: Sequence[Op]) -> Iterator[Op]:
    """The same with neighbouring texts of one origin as one, and without empty ones."""
    held: Fixed | None = None
    for op in ops:
        if isinstance(op, Fixed):
            if held is not None and held.origin is op.origin:
                held = Fixed(held.text + op.text, op.origin)
                continue
            if not op.text:
                continue
        if held is not None:
            yield held
        held = op if isinstance(op, Fixed) else None
        if held is None:
            yield op
    if held is not None:
        yield held


def _text(op: Op) -> str:
    return op.text if isinstance(op, Fixed) else ""


def literal_facts(thinking: bool | None, generate: bool) -> int:
    """The facts that a caller's wishes are."""
    facts = _GENERATE if generate else 0
    return facts if thinking is None else facts | (_THINKING if thinking else _NO_THINKING)

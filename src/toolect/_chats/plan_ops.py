"""Operations of the plan of a rule under given facts: texts, places for data, and the trimming of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from toolect._chats.filling import Take, taker
from toolect._rendered import Part, RenderError
from toolect._spec.chat_model import OWN_GUARDS, TRIMMED, ChatRole, ChatSlot, ChatSpec, Trim
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq
from toolect._spec.guards import Guard, read_guard
from toolect._transcript import Origin

TRIMS: dict[Trim, Callable[[str], str]] = {
    Trim.BOTH: str.strip,
    Trim.LEFT: str.lstrip,
    Trim.RIGHT: str.rstrip,
    Trim.RIGHT_BLANKS: lambda text: text.rstrip(" "),
    Trim.NEWLINES: lambda text: text.strip("\n"),
    Trim.LEFT_NEWLINES: lambda text: text.lstrip("\n"),
    Trim.RIGHT_NEWLINES: lambda text: text.rstrip("\n"),
    Trim.OUTER_NEWLINES: lambda text: text.removeprefix("\n").removesuffix("\n"),
}
"""Trimming functions by their words; none for `Trim.NONE`."""


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
    """Function from the data to the text; None where more than the data is needed."""
    trim: Callable[[str], str] | None = None
    part: Part | None = None
    """Part of an answer that the text is, where it is no markup."""


class Each(NamedTuple):
    """A place for one of several things, as `rule` writes each."""

    role: ChatRole
    rule: str


Op: TypeAlias = Fixed | Fill | Each
Plan: TypeAlias = tuple[Op, ...]


_SEVERAL = (ChatRole.TOOL, ChatRole.RESULT, ChatRole.CALL, ChatRole.ARGUMENT)
"""The roles of items that come several times."""
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


class RulePlans:
    """Plans of the rules of a chat, worked out once for each set of facts."""

    def __init__(self, spec: ChatSpec) -> None:
        self.spec = spec
        self.guards: dict[str, Guard] = {rule: read_guard(text) for rule, text in spec.when.items()}
        self._made: dict[tuple[str, int], Plan] = {}
        self._items: dict[tuple[str, int], tuple[Plan | None]] = {}

    def item(self, rule: str, facts: int) -> Plan | None:
        """The plan of a rule for one of several items; None where it writes nothing."""
        known = self._items.get((rule, facts))
        if known is None:
            plan = self.rule(rule, facts) if self.holds(rule, facts) else None
            if plan is not None and self.spec.roles.get(rule) in (ChatRole.CALL, ChatRole.ARGUMENT):
                plan = tuple(op._replace(origin=Origin.ANSWER) if isinstance(op, Fixed) else op for op in plan)
            known = self._items[rule, facts] = (plan,)
        return known[0]

    def rule(self, rule: str, facts: int) -> Plan:
        """The plan of a rule."""
        plan = self._made.get((rule, facts))
        if plan is None:
            ops = self.ops(self.spec.rules[rule].expr, rule, facts)
            plan = self._made[rule, facts] = tuple(joined(ops))
        return plan

    def part(self, name: str, items: Sequence[Expr], facts: int) -> Plan:
        """The plan of a part of the start rule."""
        plan = self._made.get((f"start {name}", facts))
        if plan is None:
            ops = [op for item in items for op in self.ops(item, "start", facts)]
            plan = self._made[f"start {name}", facts] = tuple(joined(ops))
        return plan

    def holds(self, rule: str, facts: int, optional: bool = False) -> bool:
        """True when `rule` is written; one that may be left out needs what it is of."""
        if (guard := self.guards.get(rule)) is not None:
            return guard(facts)
        own = OWN_GUARDS.get(self.spec.roles[rule]) if optional and rule in self.spec.roles else None
        return own is None or bool(facts & own)

    def ops(self, expr: Expr, inside: str, facts: int) -> Sequence[Op]:
        """The operations of `expr` in rule `inside`."""
        match expr:
            case Literal(text):
                return [Fixed(text, Origin.SCAFFOLD)]
            case Seq(items):
                return [op for item in items for op in self.ops(item, inside, facts)]
            case Alt(items):
                chosen = next((item for item in items if self._wanted(item, facts)), None)
                return () if chosen is None else self.ops(chosen, inside, facts)
            case Repeat(Ref(rule), once=False) if self.spec.roles.get(rule) in _SEVERAL:
                return [Each(self.spec.roles[rule], rule)]
            case Repeat(item):
                return self.ops(item, inside, facts) if self._wanted(item, facts) else ()
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
                return [Fill(slot, role, inside, origin, take, trim if slot in TRIMMED else None, part)]
            case _:
                raise RenderError(inside, "a terminal that is no text cannot be written")

    def _wanted(self, expr: Expr, facts: int) -> bool:
        """True when what may be left out is written: all that it is made of holds."""
        match expr:
            case Ref(rule):
                return self.holds(rule, facts, True)
            case Seq(items):
                return all(self._wanted(item, facts) for item in items)
            case Alt(items):
                return any(self._wanted(item, facts) for item in items)
            case _:
                return True


def joined(ops: Sequence[Op]) -> Iterator[Op]:
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

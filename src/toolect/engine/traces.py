"""Runs of markers between two slots as one regular expression each, and what matching it does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from toolect.compile.node import Choice, Node, Trail
from toolect.compile.symbols import Field, Hollow, Op, OpCode
from toolect.engine.json_plan import JsonPlan, json_plan
from toolect.engine.scalars import Scalars, scalars
from toolect.engine.stop_plan import StopPlan, plan_of
from toolect.spec.model import Codec, CodecKind, Role, SlotKind, Spelling

# What matching a trace does. Plain integers: an enum's members cost a look-up each in the loop below.
KEY, BEGIN_CALL, END_CALL, NAME, REF, ID = range(6)
# What follows a trace.
CONTENT, TEXT, JSON, SCALAR, HUB, NOTHING = range(6)


class Action(NamedTuple):
    """An act and its place: the group it takes, or `offset` characters after the end of `group` (0: the start)."""

    act: int
    group: int
    offset: int


class Trace(NamedTuple):
    """A run of markers with one regular expression, and where it leads."""

    actions: tuple[Action, ...]
    node: Node
    json: JsonPlan | None
    name_group: int
    key_group: int
    """The group of the argument's key, when taking it is all there is to do."""
    coded: bool
    """True when a name or key has a codec; those of its texts that are not just themselves are not read here."""


class Hub:
    """All traces that may be taken at a place: `regex.lastindex` tells which one was."""

    __slots__ = ("match", "traces")

    def __init__(self, regex: re.Pattern[str], traces: dict[int, Trace]) -> None:
        self.match = regex.match
        self.traces = traces


class Route:
    """How to go on at a node."""

    __slots__ = (
        "codec", "common", "direct", "hub", "kind", "lead", "lead_size", "needle", "node", "open", "others", "plan",
        "role", "scalars", "sniffs", "space",
    )  # fmt: skip

    def __init__(self, node: Node) -> None:
        self.node = node
        self.hub: Hub | None = None
        self.direct: Hub | None = None
        self.open = False  # the answer may end here
        self.plan: StopPlan | None = None
        self.role: Role | None = None
        self.codec: Codec | None = None
        self.common = ""
        self.needle = ""
        self.lead = ""
        self.lead_size = 0
        self.space = node.choices[SlotKind.TEXT][0].expects if node.text else ""  # what stands before the text
        self.sniffs = False  # values of undeclared parameters are what they look like
        self.others: tuple[tuple[str, tuple[str, ...]], ...] = ()
        self.scalars: Scalars | None = None
        self.kind = NOTHING
        if node.text and node.text_field().role in (Role.CONTENT, None):
            self.kind = CONTENT
            self._content()
        elif node.json and not node.text and len(node.choices) == 1:
            self.kind = JSON
            self.role = json_field(node).role
        elif node.text:
            self.kind = TEXT
            self._text()
        elif (plain := scalars(node)) is not None:
            self.kind = SCALAR
            self.scalars = plain
        elif not node.escaped:
            self.kind = HUB
            self.hub = build(node, dict.fromkeys(node.marks))

    def _content(self) -> None:
        node = self.node
        self.plan = plan_of(node)
        stops = [s for s in node.stops.values() if s.repair is None and not s.end]
        self.hub = build(
            node,
            {s.core: 0 for s in stops if not s.direct},
            after_text=True,
            bare=bool(self.plan.braces) and not self.plan.direct,
        )
        direct = {s.core: 0 for s in node.stops.values() if s.direct}
        bare = bool(self.plan.braces) and self.plan.direct
        self.direct = build(node, direct, bare=bare) if direct or bare or node.patterns else None
        self.open = node.step(SlotKind.TEXT).node.done is not None
        needles = [n for n, _, _, _ in self.plan.needles]
        first = {n[:1] for n in needles}
        self.common = _common(needles) if len(first) == 1 else ""

    def _text(self) -> None:
        node = self.node
        field = node.text_field()
        self.role, self.codec = field.role, field.codec
        after = node.step(SlotKind.TEXT).node
        plan = plan_of(node)
        proper = [s for s in plan.stops if s.repair is None and not s.end and not after.marks.get(s.core)]
        if len(proper) != 1 or " " in proper[0].core or field.role not in (Role.VALUE, Role.REASONING):
            self.kind = NOTHING
            return
        self.needle, self.lead = proper[0].core, proper[0].lead
        self.lead_size = len(self.lead)
        kinds = (CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
        self.sniffs = (
            self.codec is not None and self.codec.kind in kinds and self.codec.untyped in kinds
            and self.codec.containers is Spelling.JSON
        )  # fmt: skip
        self.others = _grouped([n for n, _, s, _ in plan.needles if s is not proper[0]])
        self.common = _common([n for n, _ in self.others])
        self.hub = build(after, dict.fromkeys(after.marks))


def _common(words: list[str]) -> str:
    """The longest common beginning of `words`."""
    if not words:
        return ""
    low, high = min(words), max(words)
    at = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:at]


def _grouped(words: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`words` by their first two characters, each group with its longest common beginning."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[:2], []).append(word)
    return tuple((_common(group), tuple(group)) for group in groups.values())


def route(node: Node) -> Route:
    """The route at `node`, made once."""
    if node.express is None:
        node.express = Route(node)
    found: Route = node.express
    return found


def build(node: Node, keys: Mapping[str, object], after_text: bool = False, bare: bool = False) -> Hub | None:
    """The hub of the traces that begin with `keys` at `node` (or after its text slot), `bare` JSON among them."""
    start = node.step(SlotKind.TEXT).node if after_text else node
    made: list[Draft] = []
    for key in sorted(keys, key=len, reverse=True):
        if key in start.choices and not start.marks.get(key):
            made.extend(Draft(start).over(key, skip_lead=after_text))
    if not after_text:
        for regex, _ in node.patterns:
            made.extend(Draft(start).over(regex))
    if bare:
        made.extend(Draft(start if start.json else node).end())
    parts: list[str] = []
    traces: dict[int, Trace] = {}
    groups = 0
    for draft in made:
        parts.append("".join(draft.regex) + "()")
        actions = tuple(Action(a.act, a.group and a.group + groups, a.offset) for a in draft.actions)
        name_group = draft.name_group and draft.name_group + groups
        groups += draft.groups + 1
        key_group = actions[0].group if len(actions) == 1 and actions[0].act == KEY else 0
        traces[groups] = Trace(actions, draft.node, draft.plan, name_group, key_group, draft.coded)
    return Hub(re.compile("|".join(parts)), traces) if parts else None


class Draft:
    """A trace in the making: the expression so far, and what it does."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.regex: list[str] = []
        self.actions: list[Action] = []
        self.groups = 0
        self.at = (0, 0)  # `at[1]` characters after the end of group `at[0]`
        self.lexemes: list[tuple[tuple[int, int], tuple[int, int], int]] = []  # begin, end and group of each
        self.plan: JsonPlan | None = None
        self.name_group = 0
        self.coded = False

    def copy(self) -> Draft:
        """A draft that goes on as this one, independently."""
        twin = Draft(self.node)
        twin.regex, twin.actions, twin.lexemes = list(self.regex), list(self.actions), list(self.lexemes)
        twin.groups, twin.at, twin.coded = self.groups, self.at, self.coded
        return twin

    def literal(self, text: str) -> None:
        """`text` comes next."""
        self.regex.append(re.escape(text))
        self.at = (self.at[0], self.at[1] + len(text))

    def tasks(self, tasks: Trail) -> bool:
        """Take over the tasks of a step; False when they are not for this reader."""
        for task, back in tasks:
            if back > len(self.lexemes) + 1:
                return False
            begin, end, group = self.lexemes[-back] if back <= len(self.lexemes) else ((0, 0), (0, 0), 0)
            if isinstance(task, Field):
                if task.role in (Role.INDEX, Role.MARKUP, Role.TYPE):
                    continue
                if task.codec is not None:
                    self.coded = True
                act = None if task.role is None else _ACTS.get(task.role)
                if act is None or not group:
                    return False
                self.actions.append(Action(act, group, 0))
            elif task.code is OpCode.BEGIN_CALL:
                if back > len(self.lexemes) or task.role is not None or task.name:
                    return False
                self.actions.append(Action(BEGIN_CALL, *begin))
            elif task.code is OpCode.END_CALL:
                self.actions.append(Action(END_CALL, *end))
            elif task.code is OpCode.BEGIN_VALUE and task.role not in _AROUND:
                return False
        return True

    def over(self, key: str, skip_lead: bool = False) -> list[Draft]:
        """The drafts that go over `key` and on as long as nothing has to be decided."""
        if any(map(_is_nested, self.node.choices[key])):
            return []
        step = self.node.step(key)
        if not skip_lead:
            self.literal(step.expects)
        begin, group = self.at, 0
        if key in self.node.marks:
            self.literal(key)
            longer = [core for core, wrong in self.node.marks.items() if wrong and core.startswith(key) and core != key]
            self.regex += [f"(?!{re.escape(core.removeprefix(key))})" for core in longer]  # the longest marker counts
        else:
            self.groups += 1
            group = self.groups
            self.regex.append(f"((?>{key}))")
            self.at = (group, 0)
        self.lexemes.append((begin, self.at, group))
        if not self.tasks(step.tasks):
            return []
        self.literal(step.trail)
        self.node = node = step.node
        if not self.tasks(node.arrival):
            return []
        if node.json and (not node.text or node.text_field().role is Role.ARGUMENTS):
            drafts = self.copy().end() if json_field(node).role is not Role.VALUE else [self.copy()]
            if len(node.choices) == 1 or node.text:
                return drafts
        elif node.text or node.escaped or node.done is not None:
            return [self]
        else:
            drafts = []
        undecided = any(back > 0 and not _ends(task) for c in node.choices.values() for task, back in c[0].trail)
        if len(node.choices) > 1 and not undecided:
            return [self]
        for key in sorted(node.choices, key=len, reverse=True):
            if key != SlotKind.JSON and not node.marks.get(key):
                drafts += self.copy().over(key)
        return drafts

    def end(self) -> list[Draft]:
        """The draft ends in the JSON slot of its node."""
        node = self.node
        plan = json_plan(json_field(node))
        if plan is None:
            return []
        step = node.step(SlotKind.JSON)
        if plan.head and any(action.act == NAME for action in self.actions):
            return []  # the name comes again in the value
        self.literal(node.choices[SlotKind.JSON][0].expects)
        self.lexemes.append((self.at, self.at, 0))
        if not self.tasks(step.tasks):
            return []
        self.lexemes.pop()
        self.plan = plan
        if plan.head:
            self.name_group = self.groups + plan.name_group
            self.groups += plan.head_groups
            self.regex.append(plan.head)
        self.node = step.node
        return [self]


_AROUND = (Role.OBJECT, Role.PAIR_KEY)
"""The values that the arguments themselves are made of; others are read as plain scalars, or not here."""
_ACTS = {Role.PAIR_KEY: KEY, Role.NAME: NAME, Role.REF: REF, Role.KEY: KEY, Role.ID: ID}


def _ends(task: Op | Field) -> bool:
    return isinstance(task, Op) and task.code in (OpCode.END_CALL, OpCode.END_ARGUMENT, OpCode.END_VALUE)


def _is_nested(choice: Choice) -> bool:
    """True when an object begins that is inside of another value: only the outermost one is the arguments."""
    crossed = [task for task, _ in choice.trail if isinstance(task, Op)]
    if not any(task.code is OpCode.BEGIN_VALUE and task.role is Role.OBJECT for task in crossed):
        return False
    ends, stack = sum(task.code is OpCode.END_VALUE for task in crossed), choice.stack
    while stack is not None:
        ends += sum(task.code is OpCode.END_VALUE for task in stack.after)
        stack = stack.parent
    return ends > 1


def json_field(node: Node) -> Field:
    """What the JSON slot of `node` fills."""
    symbol = node.choices[SlotKind.JSON][0].edge.symbol
    assert isinstance(symbol, Hollow)
    return symbol.field

"""The tree of a text: its rules with what each read, from its way through the grammar.

The way is walked on the graph of a traced network, in which entering and leaving rules, and taking options, are
operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

import msgspec

from toolect._authoring.derivation.grammar_options import name_of
from toolect._graph.graph import Graph
from toolect._graph.network import Network, RuleState
from toolect._graph.node import Node
from toolect._graph.symbols import Field, Key, Mark, Op, OpCode, Terminal
from toolect._graph.trails import Config, Trail
from toolect._message import Span
from toolect._search.trace import Lexeme
from toolect._spec.grammar_model import Pattern, SlotKind
from toolect._spec.holes import holes
from toolect._spec.leaves import leaves
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Spec
from toolect._spec.policies import Policies
from toolect._spec.shape_model import HoleKind


class Take(NamedTuple):
    """A lexeme is read, and fills this field if it is no marker."""

    lexeme: Lexeme
    field: Field | None


Crossing: TypeAlias = Op | Take
"""One event on a path through the grammar: a rule begins or ends, an option is taken, or a lexeme is read."""
_END = Op(OpCode.END_RULE)


def traced(network: Network) -> Network:
    """The network with what is crossed as its operations, instead of what that does to a message."""
    made = Network(network.spec)
    made.states = [_traced(state) for state in network.states]
    for begin, option in network.options.items():
        made.states.append(made.states[begin])
        made.states[begin] = RuleState()
        made.states[begin].ops.append((Op(OpCode.OPTION, name=name_of(option)), len(made.states) - 1))
    return made


def _traced(state: RuleState) -> RuleState:
    made = RuleState()
    made.skips, made.final = [*(target for _, target in state.ops), *state.skips], state.final
    for edge in state.edges:  # a misspelled marker is as good as any: which one is meant is known only later
        symbol = edge.symbol
        made.edges.append(edge._replace(symbol=symbol._replace(wrong=False)) if isinstance(symbol, Mark) else edge)
    made.enters = [one._replace(before=(Op(OpCode.BEGIN_RULE, name=one.rule),), after=(_END,)) for one in state.enters]
    return made


class NetworkWalk:
    """Walks one network."""

    def __init__(self, network: Network) -> None:
        self.graph = Graph(traced(network), Policies())

    def ways(self, lexemes: Sequence[Lexeme]) -> list[list[Crossing]]:
        """The crossings on the likeliest path through all lexemes: one list for each time that reading began."""
        start = self.graph.start
        way, found = _WayBuilder(start), list[list[Crossing]]()
        for lexeme in lexemes:
            begins = lexeme.key in start.choices
            node: Node | None = way.node
            if lexeme.key not in way.node.choices:
                node = None if begins and not self.graph.code else self._given_up(way.node, lexeme)
            if begins and lexeme.fresh or node is None:  # what was open is given up
                found.append(way.end())
                way, node = _WayBuilder(start), start
            if node is not start or begins:  # else the grammar does not know the reading
                way.take(node, lexeme)
        found.append(way.end())
        return [one for one in found if one] or found[:1]

    def _given_up(self, node: Node, lexeme: Lexeme) -> Node | None:
        """The node before the lexeme when rules that are open are given up, the innermost first."""
        ended: list[Config] = []
        for _, stack, trail in node.kernel:
            while stack is not None:
                trail = (*trail, (_END, 1))
                ended.append((stack.target, stack.parent, trail))
                stack = stack.parent
        after = self.graph.node(tuple(ended))
        return after if lexeme.key in after.choices else None


class _WayBuilder:
    """Builder of one path through the grammar, from where reading began."""

    def __init__(self, start: Node) -> None:
        self.node = start
        self.takes: list[Take] = []
        self.before: list[list[Op]] = [[]]
        """Operations crossed before each lexeme, and after the last one."""

    def take(self, node: Node, lexeme: Lexeme) -> None:
        """Go over a lexeme from `node`."""
        step = node.step(lexeme.key)
        self.takes.append(Take(lexeme, step.field))
        self.before.append([])
        self.node = step.node
        self._tell(step.tasks)

    def end(self) -> list[Crossing]:
        """All of it, to the end of the grammar if that may be here."""
        self._tell(self.node.kernel[0][2] if self.node.done is None else self.node.done)
        crossed: list[Crossing] = [*self.before[0]]
        for take, after in zip(self.takes, self.before[1:], strict=True):
            crossed += (take, *after)
        return crossed

    def _tell(self, trail: Trail) -> None:
        """Note what is decided by now."""
        for task, back in trail:
            at = len(self.takes) - back
            if isinstance(task, Op):
                self.before[at + (task is _END)].append(task)
            else:
                self.takes[at] = self.takes[at]._replace(field=task)


FILLS = {
    HoleKind.NAME: Role.NAME,
    HoleKind.ARGUMENTS: Role.ARGUMENTS,
    HoleKind.ARGUMENTS_TEXT: Role.ARGUMENTS,
    HoleKind.ID: Role.ID,
    HoleKind.CONTENT: Role.CONTENT,
    HoleKind.REASONING: Role.REASONING,
}
"""The role that each hole of a shape stands for."""
_ROLES = {role.value: role for role in Role}


class LeafKind(StrEnum):
    """Kind of a lexeme in the grammar."""

    MARKER = "marker"
    TERMINAL = "terminal"
    SLOT = "slot"
    END = "end"
    """An end token, and what came after it."""
    COMMENT = "comment"
    UNREAD = "unread"
    """Text that no rule read: a stray marker, or what could not be read."""


class Leaf(msgspec.Struct, frozen=True):
    """A lexeme, or what is between two of them: characters `span` of the text, none for a missing, `implied` marker.

    `name` is the marker as the grammar spells it, or the name of the terminal or slot; `fills` are the fields of the
    message that it fills. What the prompt wrote has negative offsets. Leaves tile the text but for whitespace.
    """

    kind: LeafKind
    name: str
    span: Span
    fills: tuple[Role, ...] = ()
    implied: bool = False


class Branch(msgspec.Struct, frozen=True):
    """A rule, the part of the text that it read, and its role if it has one.

    `taken` names the options of the rule that were taken, in order.
    """

    rule: str
    role: Role | None
    span: Span
    taken: tuple[str, ...]
    children: tuple[Tree, ...]

    def walk(self) -> Iterator[tuple[int, Tree]]:
        """The branch and all below it in the order of the text, each with its depth."""
        todo: list[tuple[int, Tree]] = [(0, self)]
        while todo:
            depth, node = todo.pop()
            yield depth, node
            if isinstance(node, Branch):
                todo.extend((depth + 1, child) for child in reversed(node.children))


Tree: TypeAlias = Branch | Leaf


class _OpenRule:
    """A rule whose end has not come."""

    def __init__(self, rule: str, role: Role | None) -> None:
        self.rule, self.role = rule, role
        self.taken: list[str] = []
        self.children: list[Tree] = []


class TreeBuilder:
    """Builds the tree of one text, and counts the parts of the grammar that it takes."""

    def __init__(self, spec: Spec, text: str) -> None:
        self.spec, self.text = spec, text
        self.counts: Counter[str] = Counter()
        self._open: list[_OpenRule] = []
        self._at = 0
        self._ends = tuple(end.strip() for end in spec.end)
        self._names = {
            (rule.name, part.regex): part.name
            for rule in spec.rules.values()
            for part in leaves(rule.expr)
            if isinstance(part, Pattern)
        }

    def build(self, ways: Sequence[Sequence[Crossing]]) -> Branch:
        """The tree of a text that is read on these ways; where reading began again, it is one more child."""
        roots = [self._build(way, last=i + 1 == len(ways)) for i, way in enumerate(ways)]
        first = roots[0]
        if len(roots) == 1:
            return first
        span = (first.span[0], roots[-1].span[1])
        return msgspec.structs.replace(first, span=span, children=(*first.children, *roots[1:]))

    def _build(self, way: Sequence[Crossing], last: bool) -> Branch:
        self._enter("start")
        starts = [one.lexeme.start for one in reversed(way) if isinstance(one, Take)]
        for one in way:
            if isinstance(one, Take):
                self._pass_by(starts.pop())
                self._take(one)
            elif one.code is OpCode.END_RULE:
                self._leave()
            else:
                if starts:  # what was left out belongs to the innermost rule still open
                    self._pass_by(starts[-1])
                if one.code is OpCode.BEGIN_RULE:
                    self._enter(one.name)
                else:
                    self.counts[one.name] += 1
                    self._open[-1].taken.append(one.name)
        if last:
            self._pass_by(len(self.text))
        while True:
            branch = self._leave()
            if not self._open:
                return branch

    def _enter(self, rule: str) -> None:
        self.counts[rule] += 1
        self._open.append(_OpenRule(rule, self._role(rule)))

    def _role(self, rule: str) -> Role | None:
        above = self._open[-1].rule if self._open else ""
        role = said_of(self.spec.roles, above, rule)
        return _ROLES.get(rule) if role is None and self.spec.rules[rule].value else role

    def _leave(self) -> Branch:
        done = self._open.pop()
        if done.children:
            span = done.children[0].span[0], done.children[-1].span[1]
        else:
            span = self._at, self._at
        branch = Branch(done.rule, done.role, span, tuple(done.taken), tuple(done.children))
        if self._open:
            self._open[-1].children.append(branch)
        return branch

    def _take(self, take: Take) -> None:
        lexeme = take.lexeme
        end = len(self.text) if lexeme.end < 0 and lexeme.start >= 0 else lexeme.end
        kind, name = self._describe(lexeme.key, self.text[lexeme.start : end] if lexeme.start >= 0 else "")
        fills = () if take.field is None else _fills(take.field)
        self._open[-1].children.append(Leaf(kind, name, (lexeme.start, end), fills, lexeme.implied))
        self._at = end

    def _pass_by(self, until: int) -> None:
        """Keep what stands before character `until` and was read as no lexeme, unless it is whitespace."""
        at = max(self._at, 0)  # what the prompt wrote ends before the text
        text = self.text[at:until] if until > at else ""
        found = text.strip()
        if found:
            start = at + text.index(found)
            kind = LeafKind.UNREAD
            if found.startswith(self._ends):
                kind = LeafKind.END
            elif found.startswith(tuple(self.spec.comments)):
                kind = LeafKind.COMMENT
            self._open[-1].children.append(Leaf(kind, "", (start, start + len(found))))
            self._at = until

    def _describe(self, key: Key, text: str) -> tuple[LeafKind, str]:
        if isinstance(key, Terminal):
            return LeafKind.TERMINAL, self._names[self._open[-1].rule, key.regex]
        if isinstance(key, SlotKind):
            return LeafKind.SLOT, key.value
        return LeafKind.MARKER, key if key.isprintable() else text


def _fills(field: Field) -> tuple[Role, ...]:
    """The fields of the message that a terminal or slot fills."""
    if field.shape is not None and field.role in (None, Role.CALL):
        kinds = holes(field.shape)
        return tuple(dict.fromkeys(role for kind, role in FILLS.items() if kind in kinds))
    return () if field.role is None else (field.role,)

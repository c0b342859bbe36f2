"""The tree of a text: its rules with what each read, from the way through the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from toolect._authoring.derivation.ways import Crossing, Take
from toolect._graph.symbols import Field, Key, OpCode, Terminal
from toolect._message import Span
from toolect._spec.grammar_model import Pattern, SlotKind
from toolect._spec.holes import holes
from toolect._spec.leaves import leaves
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Spec
from toolect._spec.shape_model import HoleKind

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
    """What a lexeme is to the grammar."""

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

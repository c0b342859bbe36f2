"""Texts that a grammar allows, written by walking it: every alternative, spelling and optional part may be taken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import and_
from random import Random
from typing import NamedTuple, TypeAlias

from toolect._authoring.generate.fill import TextFiller, several
from toolect._authoring.generate.reach import Alternative, Path, counts
from toolect._graph.network import rules_with_calls
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.leaves import leaves, reached
from toolect._spec.model import Role, Rule, Spec

DEEP = 8
"""Rules open at a time from which on the shallowest alternative is taken."""
FAR = 1 << 30
Atom: TypeAlias = Literal | Pattern | Slot


class SampledPiece(NamedTuple):
    """A stretch of a text; `atom` is the grammar's part that it stands for, None for a gap between segments."""

    text: str
    atom: Atom | None
    value: bool = False
    """True for a part of a value language."""


class Walked(NamedTuple):
    """A text in pieces, the alternatives that it takes, and the names that it calls."""

    pieces: list[SampledPiece]
    taken: frozenset[Alternative]
    names: tuple[str, ...]
    calls: int
    """How many calls there are."""

    @property
    def text(self) -> str:
        """The text as a whole."""
        return "".join(piece.text for piece in self.pieces)


class Walker:
    """Walks the grammar of one spec, as often as it is asked."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.calling = spec, rules_with_calls(spec)
        self._reached: dict[str, set[str]] = {}

    def walk(self, random: Random, aim: Alternative | None = None) -> Walked | None:
        """One text, which takes the alternative `aim`; nothing when two texts in it would be read as one."""
        return _Walk(self, random, aim).answer()

    def leads(self, expr: Expr, target: str) -> bool:
        """True when a way leads from an expression to the rule `target`."""
        for part in leaves(expr):
            if isinstance(part, Ref):
                if part.rule not in self._reached:
                    self._reached[part.rule] = reached(self.spec.rules, part.rule)
                if target in self._reached[part.rule]:
                    return True
        return False

    @cached_property
    def _heights(self) -> dict[str, int]:
        heights, before = dict.fromkeys(self.spec.rules, FAR), dict[str, int]()
        while heights != before:
            before = heights
            heights = {rule.name: 1 + self.height(rule.expr, before) for rule in self.spec.rules.values()}
        return heights

    def height(self, expr: Expr, heights: dict[str, int] | None = None) -> int:
        """How many rules the shallowest text of `expr` has inside one another."""
        heights = self._heights if heights is None else heights
        match expr:
            case Seq(items):
                return max((self.height(item, heights) for item in items), default=0)
            case Alt(items):
                return min(self.height(item, heights) for item in items)
            case Repeat(item, least):
                return self.height(item, heights) if least else 0
            case Ref(name):
                return heights[name]
        return 0


class _Walk:
    """One walk. What it decides is drawn, except that it goes towards its aim until that is reached."""

    def __init__(self, walker: Walker, random: Random, aim: Alternative | None) -> None:
        self.walker, self.spec, self.random, self.aim = walker, walker.spec, random, aim
        self.fill = TextFiller(self.spec, random, self.choose)
        self.pieces: list[SampledPiece] = []
        self.taken: set[Alternative] = set()
        self.again = 0
        """How many calls go without a name, which is that of the call before."""
        self.before: Rule | None = None
        """The rule just before, where it is one of the answer's own."""
        self.touching = False

    def answer(self) -> Walked | None:
        """The text of a whole answer; nothing when texts touch in it."""
        start = self.spec.rules["start"]
        self.expr(start.expr, start, (), 0, {})
        atoms = [piece.atom for piece in self.pieces if piece.atom]
        free = [isinstance(atom, Slot) and atom.kind is SlotKind.TEXT for atom in atoms]
        if self.touching or any(map(and_, free, free[1:])):
            return None
        names = self.fill.names
        return Walked(self.pieces, frozenset(self.taken), tuple(names), len(names) + self.again)

    # Choices

    def choose(self, options: Sequence[int], where: str, path: Path) -> int:
        """One of the options of a choice; the one that is aimed at, or that the aim lies behind, when there is one."""
        option = self.random.choice(options)
        if self.aim is not None and self.aim.where == where and self.aim.path[: len(path)] == path:
            if self.aim.path == path:
                option, self.aim = self.aim.option, None
            elif self.aim.path[len(path)] in options:
                option = self.aim.path[len(path)]
        self.taken.add(Alternative(where, path, option))
        return option

    def ahead(self, expr: Expr, rule: Rule, path: Path) -> bool:
        """True when the aim lies in `expr`, the part of `rule` at `path`, or behind it."""
        if self.aim is None:
            return False
        target, _, slot = self.aim.where.partition("/")
        if target != rule.name:
            return self.walker.leads(expr, target)
        if slot:
            return any(isinstance(leaf, Slot) and leaf.kind.value == slot for leaf in leaves(expr))
        return self.aim.path[: len(path)] == path

    def count(self, expr: Repeat, rule: Rule, path: Path, depth: int) -> int:
        """How often the part at `path` comes."""
        options: Sequence[int] = counts(expr)
        if self.ahead(expr.item, rule, (*path, 0)):
            options = [count for count in options if count]
        elif depth > DEEP:
            options = options[:1]
        return several(self.random, self.choose(options, rule.name, path))

    def pick(self, items: Sequence[Expr], rule: Rule, path: Path, depth: int) -> int:
        """Which of the alternatives at `path` is taken."""
        options: Sequence[int] = [i for i, item in enumerate(items) if self.ahead(item, rule, (*path, i))]
        if not options and depth > DEEP:
            options = [min(range(len(items)), key=lambda i: self.walker.height(items[i]))]
        return self.choose(options or range(len(items)), rule.name, path)

    # Writing

    def write(self, text: str, atom: Atom | None, rule: Rule) -> None:
        """Append a piece."""
        self.pieces.append(SampledPiece(text, atom, rule.value))

    def expr(self, expr: Expr, rule: Rule, path: Path, depth: int, said: dict[Role, str]) -> None:
        """Write `expr`, the part of `rule` at `path`; the rule has `said` this name, or this key, already."""
        match expr:
            case Seq(items):
                self.sequence(items, rule, path, depth, said)
            case Alt(items):
                option = self.pick(items, rule, path, depth)
                self.expr(items[option], rule, (*path, option), depth, said)
            case Repeat(item):
                for _ in range(self.count(expr, rule, path, depth)):
                    self.expr(item, rule, (*path, 0), depth, said)
            case Ref(name):
                self.rule(self.spec.rules[name], rule, depth)
            case Literal(text, others):
                option = self.choose(range(1 + len(others)), rule.name, path) if others else 0
                self.write((text, *others)[option], expr, rule)
                if rule.name == "start":
                    self.before = None
            case Pattern():
                self.write(self.fill.terminal(expr, rule, said), expr, rule)
            case Slot(kind):
                self.write(self.fill.slot(kind, rule), expr, rule)

    def sequence(self, items: Sequence[Expr], rule: Rule, path: Path, depth: int, said: dict[Role, str]) -> None:
        """Write one after the other; a key that comes again is the same text again."""
        keys: dict[str, list[SampledPiece]] = {}
        for i, item in enumerate(items):
            if isinstance(item, Ref) and item.again:
                self.pieces += keys[item.rule]
                continue
            at = len(self.pieces)
            self.expr(item, rule, (*path, i), depth, said)
            if isinstance(item, Ref):
                keys[item.rule] = self.pieces[at:]

    def rule(self, rule: Rule, outer: Rule, depth: int) -> None:
        """Write `rule`, which stands in rule `outer`. An aim in that is out of reach for the rules inside of it."""
        role = self.spec.roles.get(rule.name)
        if outer.name == "start":
            self.segment(rule, role)
        if rule.name in self.spec.fixed_names:
            self.fill.called(self.spec.fixed_names[rule.name])
        if role is Role.AGAIN:
            self.again += 1
        aim = self.aim
        inside = aim is not None and aim.where.partition("/")[0] == outer.name
        if inside:
            self.aim = None
        self.expr(rule.expr, rule, (), depth + 1, {})
        if inside:
            self.aim = aim

    def segment(self, rule: Rule, role: Role | None) -> None:
        """Write the gap before `rule`, which is one of the answer's own."""
        before, self.before = self.before, rule
        if before is None:
            return
        if before is rule and role is not Role.CALL:
            self.touching = True
        if rule.name in self.walker.calling:
            gaps = self.spec.gaps
            after_text = self.spec.roles.get(before.name) is Role.CONTENT
            gap = gaps.before_call if after_text else gaps.between_calls if before.name in self.walker.calling else ""
            if gap:
                self.write(gap, None, rule)

"""The alternatives of a grammar, and and the way to each of them from the beginning of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

import msgspec

from toolect._spec.grammar_model import Alt, Expr, Literal, Ref, Repeat, Seq, Slot
from toolect._spec.leaves import leaves, reached
from toolect._spec.model import Spec
from toolect._spec.shape_model import Keyed, Many, Obj, OneOf, Shape

Path: TypeAlias = tuple[int, ...]
"""Which part of a rule's expression: an index for each step down."""
FAR = 1 << 30


class Alternative(msgspec.Struct, frozen=True, order=True):
    """One way through a choice of the grammar, or of a JSON slot's shape.

    The choice is the part at `path` of the expression of `where`, a rule, or of the shape of a slot: `call/JSON`. Of
    alternatives and of the spellings of a marker or key, `option` is the number; of a repeated or optional part it is
    how often the part comes: 0, 1, or 2 for more.
    """

    where: str
    path: Path
    option: int

    def __str__(self) -> str:
        return f"{self.where}:{'.'.join(map(str, self.path))}={self.option}"


def alternatives(spec: Spec) -> tuple[Alternative, ...]:
    """Every alternative of the rules that an answer can hold."""
    found: list[Alternative] = []
    for rule in spec.rules.values():
        if rule.name in reached(spec.rules):
            found += _choices(rule.name, rule.expr, ())
            for slot in dict.fromkeys(
                f"{rule.name}/{leaf.kind}" for leaf in leaves(rule.expr) if isinstance(leaf, Slot)
            ):
                found += _shape_choices(slot, spec.shapes[slot], ()) if slot in spec.shapes else ()
    return tuple(found)


def _choices(rule: str, expr: Expr, path: Path) -> Iterator[Alternative]:
    """The alternatives within the part of a rule at `path`."""
    match expr:
        case Seq(items):
            for i, item in enumerate(items):
                yield from _choices(rule, item, (*path, i))
        case Alt(items):
            for i, item in enumerate(items):
                yield Alternative(rule, path, i)
                yield from _choices(rule, item, (*path, i))
        case Repeat(item):
            yield from (Alternative(rule, path, count) for count in counts(expr))
            yield from _choices(rule, item, (*path, 0))
        case Literal(_, others) if others:
            yield from (Alternative(rule, path, i) for i in range(1 + len(others)))


def _shape_choices(slot: str, shape: Shape, path: Path) -> Iterator[Alternative]:
    """The alternatives within the part of a slot's shape at `path`."""
    match shape:
        case Keyed(inner):
            yield from _shape_choices(slot, inner, (*path, 0))
        case Many(item):
            yield from (Alternative(slot, path, count) for count in (1, 2))
            yield from _shape_choices(slot, item, (*path, 1))
        case OneOf(shapes):
            for i, inner in enumerate(shapes):
                yield Alternative(slot, path, i)
                yield from _shape_choices(slot, inner, (*path, i))
        case Obj(fields):
            for i, field in enumerate(fields):
                if field.optional:
                    yield from (Alternative(slot, (*path, i), count) for count in (0, 1))
                if len(field.keys) > 1:
                    yield from (Alternative(slot, (*path, i, 1), k) for k in range(len(field.keys)))
                yield from _shape_choices(slot, field.shape, (*path, i, 1, 0))


def counts(expr: Repeat) -> range:
    """How often a repeated part may come, where 2 stands for more than once."""
    return range(expr.least, 2 if expr.once else 3)


class Reach:
    """How far it is from rule to rule, and how deep the shallowest text of a rule or an expression goes."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._distances: dict[str, dict[str, int]] = {}

    def distance(self, rule: str, target: str) -> int:
        """How many rules lie between `rule` and `target`; FAR when there is no way."""
        return self.distances(target).get(rule, FAR)

    def distances(self, target: str) -> dict[str, int]:
        """The distance to `target` from every rule that leads to it."""
        if target not in self._distances:
            found, edge = {target: 0}, {target}
            while edge:
                edge = {user for name in edge for user in self._users.get(name, ()) if user not in found}
                found |= dict.fromkeys(edge, max(found.values()) + 1)
            self._distances[target] = found
        return self._distances[target]

    @cached_property
    def _users(self) -> dict[str, set[str]]:
        """Rule → the rules that refer to it."""
        users: dict[str, set[str]] = {}
        for rule in self.spec.rules.values():
            for part in leaves(rule.expr):
                if isinstance(part, Ref):
                    users.setdefault(part.rule, set()).add(rule.name)
        return users

    def leads(self, expr: Expr, rule: str, target: str) -> bool:
        """True when something in `expr` of `rule` is nearer to `target` than `rule` is."""
        here = self.distance(rule, target)
        return any(isinstance(part, Ref) and self.distance(part.rule, target) < here for part in leaves(expr))

    @cached_property
    def _heights(self) -> dict[str, int]:
        heights = dict.fromkeys(self.spec.rules, FAR)
        changed = True
        while changed:
            changed = False
            for rule in self.spec.rules.values():
                height = 1 + self._height(rule.expr, heights)
                if height < heights[rule.name]:
                    heights[rule.name], changed = height, True
        return heights

    def height(self, expr: Expr) -> int:
        """How many rules the shallowest text of `expr` has inside one another."""
        return self._height(expr, self._heights)

    def _height(self, expr: Expr, heights: dict[str, int]) -> int:
        match expr:
            case Seq(items):
                return max((self._height(item, heights) for item in items), default=0)
            case Alt(items):
                return min(self._height(item, heights) for item in items)
            case Repeat(item, least):
                return self._height(item, heights) if least else 0
            case Ref(name):
                return heights[name]
        return 0

"""The alternatives of a grammar: what a text may take of a rule, or of the shape of a JSON slot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from toolect._spec.grammar_model import Alt, Expr, Literal, Repeat, Seq, Slot
from toolect._spec.leaves import leaves, reached
from toolect._spec.model import Spec
from toolect._spec.shape_model import Keyed, Many, Obj, OneOf, Shape

Path: TypeAlias = tuple[int, ...]
"""Which part of a rule's expression: an index for each step down."""


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

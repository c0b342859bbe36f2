"""Walking through an expression to the parts that have no parts themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot
from toolect._spec.model import Rule


def alternatives(expr: Expr) -> tuple[Expr, ...]:
    """The alternatives of an expression, or the expression itself if it has none."""
    return expr.items if isinstance(expr, Alt) else (expr,)


def leaves(expr: Expr) -> Iterator[Literal | Pattern | Slot | Ref]:
    """The parts of an expression that have no parts themselves, in order."""
    match expr:
        case Seq(items) | Alt(items):
            for item in items:
                yield from leaves(item)
        case Repeat(item):
            yield from leaves(item)
        case _:
            yield expr


def reached(rules: Mapping[str, Rule], start: str = "start") -> set[str]:
    """The rules that a way leads to from one of them, itself among them."""
    found, todo = {start}, [start]
    while todo:
        parts = leaves(rules[todo.pop()].expr)
        new = {part.rule for part in parts if isinstance(part, Ref) and part.rule in rules} - found
        found |= new
        todo += new
    return found

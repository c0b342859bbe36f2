"""Expressions as a grammar has them."""

from __future__ import annotations

from toolect._spec.model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot
from toolect.message import dumps


def spelled(expr: Expr, inside: bool = False) -> str:
    """An expression as a grammar has it; in brackets where it stands `inside` of another, if it needs them."""
    match expr:
        case Literal(text, _, name):
            return name or dumps(text)
        case Pattern(_, name):
            return name
        case Slot():
            return expr.name
        case Ref(name):
            return name
        case Repeat(item, least, once):
            return spelled(item, True) + ("?" if once else "+" if least else "*")
        case Seq(items):
            text = " ".join(spelled(item, isinstance(item, Alt)) for item in items)
        case Alt(items):
            text = " | ".join(map(spelled, items))
    return f"({text})" if inside else text

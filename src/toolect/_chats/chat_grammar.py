"""Structure of a chat's grammar: the start rule, the rules of turns, the frame of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.grammar_model import Expr, Literal, Ref, Repeat, Seq
from toolect._spec.leaves import leaves

TURNS = (ChatRole.SYSTEM, ChatRole.USER, ChatRole.ANSWER, ChatRole.RESULTS)
"""The roles of rules that may stand in the loop of turns."""


class Start(NamedTuple):
    """The start rule in three: the parts before the turns, the rules of turns, the parts after them."""

    head: tuple[Expr, ...]
    turns: tuple[str, ...]
    tail: tuple[Expr, ...]


def start_of(spec: ChatSpec) -> Start:
    """Split the start rule of a chat: `head… (turn | turn | …)* tail…`."""
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


def frame_of(expr: Expr) -> tuple[str, str]:
    """The text that begins an answer's rule, and the one that ends it."""
    items = expr.items if isinstance(expr, Seq) else (expr,)
    first = items[0].text if isinstance(items[0], Literal) else ""
    last = items[-1].text if len(items) > 1 and isinstance(items[-1], Literal) else ""
    return first, last

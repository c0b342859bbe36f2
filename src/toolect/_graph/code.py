"""Lexical signs of code in a dialect whose calls are statements: strings, comments, brackets and terminators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._spec.grammar_model import Alt, Expr, Literal, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.model import Rule, Spec


class Code:
    """Lexical signs for reading over code without calls: the grammar's strings, the entry's comments."""

    __slots__ = (
        "closers",
        "comments",
        "ends",
        "inside",
        "outside",
        "quotes",
        "signs",
        "stops",
        "token",
        "width",
        "within",
    )

    def __init__(self, spec: Spec) -> None:
        self.comments = spec.comments
        self.ends = tuple(end.strip() for end in spec.end)
        rules = [rule.expr for rule in spec.rules.values()]
        self.closers = tuple({closer for expr in rules for closer in _closers(expr, spec.code)})
        """Closing markers of the rule with the statements in it, which end all code where a line begins."""
        quotes = {quote: refused for expr in rules for quote, refused in _quotes(expr)}
        self.stops = frozenset(stop for expr in rules for stop in _stops(expr, spec.rules[spec.code]))
        """Terminators of a statement outside of brackets: markers after it, and one that may come last in it."""
        self.signs = (*self.closers, *self.ends, *self.comments)
        signs = sorted({*quotes, *self.comments, *self.stops}, key=len, reverse=True)
        self.token = re.compile("|".join(map(re.escape, signs)) + r"|[(){}\[\]]|\\(?s:.)")
        """Matches what a statement has to be watched for outside of strings and comments."""
        line = {quote: r"|\n" if "\n" in refused else "" for quote, refused in quotes.items()}
        self.inside = {quote: re.compile(rf"\\(?s:.)|{re.escape(quote)}{line[quote]}") for quote in quotes}
        """The quote of a string → what to watch for inside of it."""
        words = sorted({*signs, *self.ends, "\n"}, key=len, reverse=True)
        self.outside = re.compile("|".join(map(re.escape, words)) + r"|[(){}\[\]]|\\(?s:.)")
        """Matches what a statement has to be watched for outside of strings and comments; also where lines end."""
        over = "|".join(map(re.escape, ("\n", *self.ends)))
        self.within = {sign: re.compile(rf"{re.escape(sign)}|{over}") for sign in self.comments.values()}
        self.within |= {quote: re.compile(rf"\\(?s:.)|{re.escape(quote)}|{over}") for quote in quotes}
        """Closing sign of a string or comment → pattern of what to watch for inside of it; also where lines end."""
        self.quotes = {quote: "\n" in refused for quote, refused in quotes.items()}
        """The quote of a string → whether that ends with its line in any case."""
        self.width = max(map(len, (*words, *self.closers, "\\n")))
        """Characters that show any of these signs."""


def _parts(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything in it."""
    yield expr
    match expr:
        case Seq(items) | Alt(items):
            for item in items:
                yield from _parts(item)
        case Repeat(item):
            yield from _parts(item)


def _quotes(expr: Expr) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Quotes of strings, each with the texts that cannot stand in one."""
    for part in _parts(expr):
        if isinstance(part, Seq):
            for slot, closer in zip(part.items, part.items[1:], strict=False):
                if isinstance(slot, Slot) and slot.kind is SlotKind.ESCAPED and isinstance(closer, Literal):
                    yield closer.text, slot.refused


def _stops(expr: Expr, statement: Rule) -> Iterator[str]:
    """The markers that end a `statement` in `expr`: those after it, and one that may come last in it."""
    for part in _parts(expr):
        if isinstance(part, Seq):
            for item, stop in zip(part.items, part.items[1:], strict=False):
                if item == Ref(statement.name) and isinstance(stop, Literal):
                    yield stop.text
            if part is statement.expr and isinstance(last := part.items[-1], Repeat) and isinstance(last.item, Literal):
                yield last.item.text


def _closers(expr: Expr, rule: str) -> Iterator[str]:
    """The markers after which `rule` cannot go on being repeated, at the end of a sequence with it."""
    for part in _parts(expr):
        if not isinstance(part, Seq) or not isinstance(last := part.items[-1], Literal) or not last.text.strip():
            continue
        if any(isinstance(inner, Ref) and inner.rule == rule for inner in _parts(part)):
            yield last.text.strip()

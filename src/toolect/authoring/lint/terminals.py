"""The terminals of a dialect that are regular expressions, with the rules they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._regular.shared_words import begins, common
from toolect._regular.syntax import NotRegular
from toolect._spec.grammar_model import Pattern
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule, Spec


def patterns(spec: Spec) -> Iterator[tuple[Rule, Pattern]]:
    """Every use of such a terminal, in the order of the grammar."""
    for rule in spec.rules.values():
        for part in leaves(rule.expr):
            if isinstance(part, Pattern):
                yield rule, part


def expressions(spec: Spec) -> dict[str, Pattern]:
    """Each such terminal once, by its name."""
    return {pattern.name: pattern for _, pattern in patterns(spec)}


def beginning(regex: str, text: str, end: str = "") -> str | None:
    """A word of a terminal that begins with `text`, and goes on as the expression `end` has it.

    None where there is none, or where it cannot be followed: `backtracking-regex` and `too-large` say why.
    """
    try:
        return common(regex, f"{re.escape(text)}{end}(?s:.)*") if begins(regex, text) else None
    except NotRegular:
        return None


def name_of(spec: Spec, rule: str, regex: str) -> str:
    """The name of the terminal that is written as `regex` in a rule."""
    return next((p.name for r, p in patterns(spec) if r.name == rule and p.regex == regex), regex)

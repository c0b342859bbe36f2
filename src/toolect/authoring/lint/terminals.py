"""The terminals of a dialect that are regular expressions, with the rules they stand in."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.leaves import leaves
from toolect._spec.model import Pattern, Rule, Spec


def patterns(spec: Spec) -> Iterator[tuple[Rule, Pattern]]:
    """Every use of such a terminal, in the order of the grammar."""
    for rule in spec.rules.values():
        for part in leaves(rule.expr):
            if isinstance(part, Pattern):
                yield rule, part


def expressions(spec: Spec) -> dict[str, Pattern]:
    """Each such terminal once, by its name."""
    return {pattern.name: pattern for _, pattern in patterns(spec)}


def name_of(spec: Spec, rule: str, regex: str) -> str:
    """The name of the terminal that is written as `regex` in a rule."""
    return next((p.name for r, p in patterns(spec) if r.name == rule and p.regex == regex), regex)

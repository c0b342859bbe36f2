"""Finds rules that no way from `start` leads to."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.leaves import leaves
from toolect._spec.model import Ref
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each rule that is not reached."""
    rules = subject.spec.rules
    reached: set[str] = set()
    todo = ["start"]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += [part.rule for part in leaves(rules[name].expr) if isinstance(part, Ref)]
    for name, rule in rules.items():
        if name not in reached:
            message = f"no way from `start` leads to the rule `{name}`"
            hint = f"refer to `{name}` where its text may stand, or delete it"
            yield warning("unreachable-rule", message, rule.place, help=hint)

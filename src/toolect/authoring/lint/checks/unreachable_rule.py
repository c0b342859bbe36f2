"""Finds rules that no way from `start` leads to."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.generate.reach import FAR, Reach
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each rule that is not reached."""
    reach = Reach(subject.spec)
    for name, rule in subject.spec.rules.items():
        if reach.distance("start", name) == FAR:
            message = f"no way from `start` leads to the rule `{name}`"
            hint = f"refer to `{name}` where its text may stand, or delete it"
            yield warning("unreachable-rule", message, rule.place, help=hint)

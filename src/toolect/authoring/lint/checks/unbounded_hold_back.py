"""Finds terminals that hold long text: content or reasoning written as a regular expression."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.spelling import MAX_LEXEME
from toolect._regular.extent import longest
from toolect._regular.syntax import NotRegular
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Rule
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.terminals import patterns
from toolect.diagnostic import Diagnostic, warning

_LONG = {Role.CONTENT, Role.REASONING}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each terminal that may be longer than what is read of it."""
    for rule, pattern in patterns(subject.spec):
        role = _role(subject, rule, pattern.name)
        if role not in _LONG:
            continue
        try:
            most = longest(pattern.regex)
        except NotRegular:
            continue  # `backtracking-regex` says why
        if most is None or most > MAX_LEXEME:
            message = f"the terminal `{pattern.name}` holds {role} of any length"
            yield warning(
                "unbounded-hold-back",
                message,
                subject.places.part(rule.name, pattern.name),
                label=f"a stream waits for its end, at most {MAX_LEXEME} characters",
                help="write `TEXT`, which ends where the marker behind it begins, and `%declare TEXT`",
            )


def _role(subject: Subject, rule: Rule, name: str) -> Role | None:
    roles = subject.spec.roles
    return said_of(roles, rule.name, name) or roles.get(rule.name)

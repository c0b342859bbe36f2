"""Finds names and keys that are narrower than what tools and their parameters are called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._spec.map_keys import said_of
from toolect._spec.model import Role
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.terminals import patterns
from toolect.diagnostic import Diagnostic, warning

NAMES = {
    Role.NAME: ("get_weather", "getWeather", "search2", "f"),
    Role.KEY: ("start_date", "startDate", "line2", "x"),
}
"""Names that tools and parameters have everywhere, by the role of what reads them."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each terminal that no way of writing such a name fits."""
    met: set[str] = set()
    spec = subject.spec
    read = {role: [p for rule, p in patterns(spec) if said_of(spec.roles, rule.name, p.name) is role] for role in NAMES}
    for role, found in read.items():
        for pattern in found:
            refused = [n for n in NAMES[role] if not any(re.fullmatch(p.regex, n, re.DOTALL) for p in found)]
            if not refused or pattern.name in met:
                continue
            met.add(pattern.name)
            what = "tools are" if role is Role.NAME else "parameters are"
            yield warning(
                "narrow-terminal",
                f"`{pattern.name}` does not match `{refused[0]}`, and {what} called so",
                subject.places.terminal(pattern.name),
                label=f"`{pattern.regex}`",
                witness=refused[0],
                help=r"write what ends it instead of what it is made of, `/[^\s<>]+/`, or `/\w+/`",
            )

"""Finds end tokens that are markers of the grammar: the answer would end there."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.leaves import leaves
from toolect._spec.model import Literal
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such token."""
    markers: dict[str, tuple[str, str]] = {}
    for rule in subject.spec.rules.values():
        for part in leaves(rule.expr):
            for text in (part.text, *part.others) if isinstance(part, Literal) else ():
                markers.setdefault(text.strip(), (rule.name, text))
    for end in subject.spec.end:
        if end.strip() in markers:
            name, text = markers[end.strip()]
            yield warning(
                "marker-as-end",
                f"the end token `{end}` is a marker of `{name}`",
                subject.places.entry("end", end),
                label="nothing is read after it",
                related=((subject.places.marker(text, name), "read here"),),
                help="leave out of `end` what the grammar reads",
            )

"""Finds end tokens that are markers of the grammar: the answer would end there."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such token; a longer marker may begin with one, and is tried first."""
    for end in subject.spec.end:
        found = next(_inside(subject, end.strip()), None)
        if found is not None:
            rule, text = found
            part = "" if text.strip() == end.strip() else "part of "
            yield warning(
                "marker-as-end",
                f"the end token `{end}` is {part}a marker of `{rule}`",
                subject.places.entry("end", end),
                label="nothing is read after it",
                related=((subject.places.within(text, end.strip(), rule), "read here"),),
                help="leave out of `end` what the grammar reads",
            )


def _inside(subject: Subject, end: str) -> Iterator[tuple[str, str]]:
    """The markers that are the token or have it inside, each with its rule."""
    for rule in subject.spec.rules.values():
        for part in leaves(rule.expr):
            for text in part.texts if isinstance(part, Literal) else ():
                if text.strip() == end or text.strip().find(end) > 0:
                    yield rule.name, text

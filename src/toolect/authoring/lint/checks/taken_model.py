"""Finds patterns that take models of a family of another dialect: all they say more is a size or a date."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._model_ids import Pattern, best
from toolect._names import Names
from toolect.authoring.lint.subject import Group, Subject
from toolect.diagnostic import Diagnostic, warning


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each pattern that is a model, or a part, of a family that another dialect has a pattern for."""
    names = group.names | {name: Names(models=other.spec.models) for name, other in group.others.items()}
    families = [Pattern(pattern.rstrip("*-"), name) for name, known in names.items() for pattern in known.models]
    for name, subject in group.subjects.items():
        yield from _taken(group, subject, [family for family in families if family.dialect != name])


def _taken(group: Group, subject: Subject, families: list[Pattern]) -> Iterator[Diagnostic]:
    for pattern in subject.spec.models:
        found = best(pattern.rstrip("*-"), families) if "/" in pattern else None
        if found is None or found.pattern.owner != Pattern(pattern, "").owner:
            continue
        other = found.pattern.dialect
        if other not in group.specs:  # it could not be read
            continue
        if any(own.casefold() == found.pattern.written.casefold() for own in subject.spec.models):
            continue  # which is one pattern for both, and found by another check
        there = group.subjects.get(other)
        family = next(p for p in group.specs[other].models if p.rstrip("*-") == found.pattern.written)
        place = there.places.entry("models", family) if there else group.specs[other].place
        yield warning(
            "taken-model",
            f"the pattern `{pattern}` takes a model of the family `{family}` from `{other}`",
            subject.places.entry("models", pattern),
            related=((place, "the family is here"),),
            help="say what tells these models from the others of the family, or leave the pattern out",
        )

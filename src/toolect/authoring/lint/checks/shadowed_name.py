"""Finds aliases in a file that hide names of dialects which come with toolect, or that are hidden by them."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._names import Names, explain, fold
from toolect.authoring.lint.subject import Group
from toolect.diagnostic import Diagnostic, warning


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each alias that leads to a dialect of toolect, or that would without the file."""
    beside = {n: Names(d.spec.aliases, d.spec.models) for n, d in group.others.items() if n not in group.names}
    for name, subject in group.subjects.items():
        for alias in subject.spec.aliases:
            now, before = (explain(alias, shelves) for shelves in ([beside, group.names], [beside]))
            if now is not None and now.dialect in beside:
                message = f"the alias `{alias}` of `{name}` leads to `{now.dialect}`, which has that name"
                advice = "choose another one"
            elif before is not None and fold(before.pattern) == fold(alias):
                message = f"the alias `{alias}` of `{name}` hides the dialect `{before.dialect}`"
                advice = f"choose another one, or name the entry `{before.dialect}` if it is to stand in for it"
            else:
                continue
            yield warning("shadowed-name", message, subject.places.entry("aliases", alias), help=advice)

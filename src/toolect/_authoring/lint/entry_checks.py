"""What only reading entries can say: end tokens that are markers, names that hide others."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._authoring.lint.subject import Group, Subject
from toolect._diagnostic import Diagnostic, warning
from toolect._names import Names, explain, fold
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves


def marker_as_end(subject: Subject) -> Iterator[Diagnostic]:
    """The end tokens that are markers, or inside of one; a longer marker may begin with one, and is tried first."""
    for end in subject.spec.end:
        token = end.strip()
        markers = [
            (rule.name, text)
            for rule in subject.spec.rules.values()
            for part in leaves(rule.expr)
            for text in (part.texts if isinstance(part, Literal) else ())
        ]
        for rule, text in (one for one in markers if one[1].strip() == token or one[1].strip().find(token) > 0):
            yield warning(
                "marker-as-end",
                f"the end token `{end}` is {'' if text.strip() == token else 'part of '}a marker of `{rule}`",
                subject.places.entry("end", end),
                label="nothing is read after it",
                related=((subject.places.marker(text, rule), "read here"),),
                help="leave out of `end` what the grammar reads",
            )
            break


def shadowed_name(group: Group) -> Iterator[Diagnostic]:
    """The aliases that lead to a dialect of toolect, or that would without the file."""
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


CHECKS = {"marker-as-end": marker_as_end}
COMPARED = {"shadowed-name": shadowed_name}

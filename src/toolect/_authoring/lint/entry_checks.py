"""Checks of entries: end tokens that are markers, names that hide others, patterns of model ids."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._authoring.lint.subject import Group, Subject
from toolect._diagnostic import Diagnostic, warning
from toolect._model_ids import SPECIFIC, IdPattern, best, weight
from toolect._names import Names, explain, fold
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect._spec.problems import Problems


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


_FOREIGN = re.compile(r"://|\.\*|[\s^$|()\[\]{}\\+#,;]")
"""Strings that no id of a model holds."""


def unmatchable_model(subject: Subject) -> Iterator[Diagnostic]:
    """The patterns of the entry that match no id."""
    for text in subject.loaded.entry.texts("models", Problems()):
        if why := _why(text.text):
            yield warning(
                "unmatchable-model",
                f"no model id matches the pattern `{text.text}`",
                text.place,
                label=why,
                help="write ids as `organisation/name`, with `*` for any text and `?` for one character",
            )


def _why(pattern: str) -> str:
    """Why no id is like this; empty when some may be."""
    if match := _FOREIGN.search(pattern):
        return f"no id holds `{match[0]}`"
    if not re.search(r"[^\W\d]", pattern):
        return "a number is not the name of a model" if re.search(r"\d", pattern) else ""
    shelf = {"": Names(models=(pattern,))}
    models = (pattern.replace("?", "1").replace("*", some) for some in ("", "x"))
    return "" if any(explain(m, [shelf]) for m in models) else "ids are compared by words, and none has these"


def vague_model(subject: Subject) -> Iterator[Diagnostic]:
    """The patterns that fix too few characters."""
    for pattern in subject.spec.models:
        if weight(pattern) < SPECIFIC:
            place = subject.places.entry("models", pattern)
            message = f"the pattern `{pattern}` matches almost any model id"
            yield warning("vague-model", message, place, help="write what the ids of the models have in common")


def taken_model(group: Group) -> Iterator[Diagnostic]:
    """The patterns that are a model, or a part, of a family that a dialect of another file has a pattern for."""
    families = [
        IdPattern(pattern.rstrip("*-"), name)
        for name, other in group.others.items()
        if name not in group.names  # in one file, a part of a family is taken out of it on purpose
        for pattern in other.spec.models
    ]
    for name, subject in group.subjects.items():
        for pattern in subject.spec.models:
            found = best(pattern.rstrip("*-"), families) if "/" in pattern else None
            if found is None or found.pattern.owner != IdPattern(pattern, "").owner:
                continue
            other = found.pattern.dialect
            if other != group.names[name].extends:
                family = next(p for p in group.specs[other].models if p.rstrip("*-") == found.pattern.written)
                yield warning(
                    "taken-model",
                    f"the pattern `{pattern}` takes a model of the family `{family}` from `{other}`",
                    subject.places.entry("models", pattern),
                    help="say what tells these models from the others of the family, or leave the pattern out",
                )


CHECKS = {"marker-as-end": marker_as_end, "unmatchable-model": unmatchable_model, "vague-model": vague_model}
COMPARED = {"shadowed-name": shadowed_name, "taken-model": taken_model}

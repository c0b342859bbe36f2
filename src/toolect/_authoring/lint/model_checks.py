"""What only reading the patterns of model ids can say: which match nothing, anything, or what another one matches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._authoring.lint.subject import Group, Subject
from toolect._diagnostic import Diagnostic, warning
from toolect._model_ids import SPECIFIC, IdPattern, best, weight
from toolect._names import Names, explain
from toolect._spec.problems import Problems

_FOREIGN = re.compile(r"://|\.\*|[\s^$|()\[\]{}\\+#,;]")
"""What no id of a model holds."""


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


CHECKS = {"unmatchable-model": unmatchable_model, "vague-model": vague_model}
COMPARED = {"taken-model": taken_model}

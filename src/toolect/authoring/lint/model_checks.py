"""What only reading the patterns of model ids can say: which match nothing, anything, or what another one matches."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import combinations

from toolect._model_ids import SPECIFIC, Pattern, best, specificity, weight
from toolect._names import Names, explain
from toolect._spec.problems import Problems
from toolect.authoring.lint.subject import Group, Subject
from toolect.diagnostic import Diagnostic, Place, shown, warning

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


def overlapping_models(group: Group) -> Iterator[Diagnostic]:
    """The pairs of patterns of two dialects that match the same id and say equally much, at the one that wins."""
    equals: dict[tuple[int, bool], list[tuple[str, str]]] = {}
    for name, names in group.names.items():
        for pattern in names.models:
            equals.setdefault(specificity(pattern), []).append((pattern, name))
    for (one, first), (two, second) in (pair for same in equals.values() for pair in combinations(same, 2)):
        folded = one.casefold(), two.casefold()
        if first == second or folded[0] == folded[1] or not _begin_alike(*folded):
            continue
        model = common(*folded)
        found = explain(model, [group.names]) if model else None
        if not model or found is None or found.pattern not in (one, two):
            continue
        patterns = {first: one, second: two}
        winner, loser = (first, second) if found.dialect == first else (second, first)
        if winner not in group.subjects:
            winner, loser = loser, winner
        if winner in group.subjects and loser in group.specs:
            yield warning(
                "overlapping-models",
                f"the patterns `{one}` and `{two}` of `{first}` and `{second}` say equally much",
                group.subjects[winner].places.entry("models", patterns[winner]),
                label="the one further down wins",
                related=((_place(group, loser, patterns[loser]), f"matches `{model}` too"),),
                texts=shown(model),
                help="let the patterns match different ids, or add one that says more",
            )


def _place(group: Group, name: str, pattern: str) -> Place:
    """Where the pattern of a dialect is, as far as lint looks at it."""
    subject = group.subjects.get(name)
    return subject.places.entry("models", pattern) if subject else group.specs[name].place


def _begin_alike(one: str, two: str) -> bool:
    """A quick test: true when the patterns may have something in common, going by what they begin with."""
    size = min(len(pattern.partition("*")[0].partition("?")[0]) for pattern in (one, two))
    return one[:size] == two[:size]


def common(one: str, two: str) -> str | None:
    """A text that both patterns match, as short as can be; nothing when there is none."""
    todo = deque([(0, 0, "")])
    met = set()
    while todo:
        i, j, text = todo.popleft()
        if (i, j) in met:
            continue
        met.add((i, j))
        a, b = one[i : i + 1], two[j : j + 1]
        if not a and not b:
            return text
        if a == "*":  # it ends here: that takes no character, so it comes first
            todo.appendleft((i + 1, j, text))
        if b == "*":
            todo.appendleft((i, j + 1, text))
        if a and b and not a == b == "*" and (a in "*?" or b in "*?" or a == b):
            sign = next((sign for sign in (a, b) if sign not in "*?"), "x")
            todo.append((i + (a != "*"), j + (b != "*"), text + sign))
    return None


def taken_model(group: Group) -> Iterator[Diagnostic]:
    """The patterns that are a model, or a part, of a family that a dialect of another file has a pattern for."""
    families = [
        Pattern(pattern.rstrip("*-"), name)
        for name, other in group.others.items()
        if name not in group.names  # in one file, a part of a family is taken out of it on purpose
        for pattern in other.spec.models
    ]
    for name, subject in group.subjects.items():
        for pattern in subject.spec.models:
            found = best(pattern.rstrip("*-"), families) if "/" in pattern else None
            if found is None or found.pattern.owner != Pattern(pattern, "").owner:
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
COMPARED = {"overlapping-models": overlapping_models, "taken-model": taken_model}

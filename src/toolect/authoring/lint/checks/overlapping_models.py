"""Finds model patterns of two dialects that match the same model id, with neither saying more than the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import combinations

from toolect._model_ids import specificity
from toolect._names import explain
from toolect.authoring.lint.subject import Group
from toolect.diagnostic import Diagnostic, warning


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each pair of patterns in the file, at the one that the winner has."""
    equals: dict[tuple[int, bool], list[tuple[str, str]]] = {}
    for name, names in group.names.items():
        for pattern in names.models:
            equals.setdefault(specificity(pattern), []).append((pattern, name))
    for same in equals.values():
        for (one, first), (two, second) in combinations(same, 2):
            if first == second or not _alike(one.casefold(), two.casefold()) or one.casefold() == two.casefold():
                continue
            model = common(one.casefold(), two.casefold())
            found = explain(model, [group.names]) if model else None
            if model and found is not None and found.pattern in (one, two):
                yield from _told(group, model, {first: one, second: two}, found.dialect)


def _alike(one: str, two: str) -> bool:
    """A quick test: true when the patterns may have something in common, going by what they begin with."""
    size = min(len(pattern.partition("*")[0].partition("?")[0]) for pattern in (one, two))
    return one[:size] == two[:size]


def _told(group: Group, model: str, patterns: dict[str, str], winner: str) -> Iterator[Diagnostic]:
    (loser,) = (name for name in patterns if name != winner)
    if winner not in group.subjects:
        winner, loser = loser, winner
    if winner in group.subjects and loser in group.specs:
        there = group.subjects.get(loser)
        place = there.places.entry("models", patterns[loser]) if there else group.specs[loser].place
        yield warning(
            "overlapping-models",
            f"the patterns `{patterns[winner]}` and `{patterns[loser]}` of `{winner}` and `{loser}` say equally much",
            group.subjects[winner].places.entry("models", patterns[winner]),
            label="the one further down wins",
            related=((place, f"matches `{model}` too"),),
            witness=model,
            help="let the patterns match different ids, or add one that says more",
        )


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

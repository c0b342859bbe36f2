"""What follows from what: each cause once, with the findings that it explains folded under it.

One mistake shows in many places: a marker that is misspelled in every case of the corpus, in what is written and not
read back, in settings that no case needs any more. Findings are ranked by how near they are to a mistake. Among those
of one grammar the nearest is the cause, and what is further from a mistake is taken to follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, auto

from msgspec import structs

from toolect._spec.problems import in_order
from toolect.authoring.lint import catalogue
from toolect.diagnostic import Diagnostic, Place, Severity


class Rank(IntEnum):
    """How near to a mistake a finding is."""

    READING = auto()
    """The spec cannot be read: no other check has looked at it."""
    SPEC = auto()
    """A part of the spec is wrong, and it is the part that is told."""
    CASE = auto()
    """The corpus shows that something is wrong."""
    EFFECT = auto()
    """Messages that were made up, or the other dialects, show that something may be wrong."""
    ADVICE = auto()
    """Something is missing, or could be left out."""


_RANKS = {
    "failing-case": Rank.CASE,
    **dict.fromkeys((
        "bordered-closer", "broken-round-trip", "chunk-variance", "detection-collision", "identical-dialects",
        "indistinct-value", "injection", "overlapping-models", "unbounded-hold-back", "unreadable-gap",
        "unread-conversation", "unwritable-message", "unwritable-value", "wrong-attribute",
    ), Rank.EFFECT),
    **dict.fromkeys((
        "allowed-without-reason", "anonymous-marker", "failed-check", "idle-field", "missing-case", "missing-corpus",
        "stray-corpus", "stray-grammar", "untested-setting", "unused-allow",
        "unused-setting",
    ), Rank.ADVICE),
}  # fmt: skip
_APART = ("failed-check", "missing-corpus", "stray-corpus", "stray-grammar", "allowed-without-reason")
"""Advice that a warning does not explain."""


def rank(diagnostic: Diagnostic) -> Rank:
    """How near to a mistake a diagnostic is. An error is no advice."""
    found = _RANKS.get(diagnostic.check) or (Rank.SPEC if catalogue.runs(diagnostic.check) else Rank.READING)
    wrong = found is Rank.ADVICE and diagnostic.severity is Severity.ERROR and diagnostic.check not in _APART
    return Rank.SPEC if wrong else found


def folded(found: Iterable[tuple[Diagnostic, str]]) -> list[Diagnostic]:
    """The causes, the nearest to a mistake first, each with what follows from it.

    Each diagnostic comes with the grammar of its dialect, empty for one that is about no dialect.
    """
    groups: dict[str, dict[Diagnostic, None]] = {}
    for diagnostic, grammar in found:
        groups.setdefault(grammar, {})[diagnostic] = None
    stray = groups.pop("", {})
    causes = [cause for group in groups.values() for cause in _folded(in_order(group))]
    causes = _ranked(causes)
    if causes and rank(causes[0]) is Rank.READING:  # a name that is wrong leaves files without their entry
        causes[0] = _with(causes[0], [d for d in stray if rank(d) is Rank.ADVICE])
        stray = {d: None for d in stray if rank(d) is not Rank.ADVICE}
    return _ranked([*_folded(in_order(stray)), *causes])


def _ranked(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    return sorted(in_order(found), key=rank)


def _folded(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The causes among the diagnostics of one grammar, and what they do not explain."""
    best = min(map(rank, found), default=Rank.ADVICE)
    if best is Rank.ADVICE:
        return [*found]
    below: dict[Diagnostic, list[Diagnostic]] = {}
    apart: list[Diagnostic] = []
    for diagnostic in sorted((d for d in found if rank(d) is best), key=lambda d: d.severity is not Severity.ERROR):
        above = next((cause for cause in below if _alike(cause, diagnostic)), None)
        below.setdefault(above or diagnostic, []).extend([diagnostic] if above else [])
    for diagnostic in sorted((d for d in found if rank(d) is not best), key=rank):
        cause = max(below, key=lambda cause: (_are_beside(cause, diagnostic), cause.severity is Severity.ERROR))
        explained = cause.severity is Severity.ERROR or diagnostic.check not in _APART
        (below[cause] if explained else apart).append(diagnostic)
    return [*(_with(cause, follows) for cause, follows in below.items()), *apart]


def _alike(cause: Diagnostic, other: Diagnostic) -> bool:
    """True when two findings of one rank come from one mistake: they say the same, or are about the same place."""
    if rank(cause) in (Rank.CASE, Rank.EFFECT):
        return True
    if cause.message == other.message:
        return cause.check == other.check
    return rank(cause) is Rank.SPEC and _are_beside(cause, other)


def _are_beside(one: Diagnostic, two: Diagnostic) -> bool:
    """True when what one of them is about is a place of the other."""
    return any(_overlap(one.place, b) for b in _places(two)) or any(_overlap(a, two.place) for a in _places(one))


def _places(diagnostic: Diagnostic) -> list[Place]:
    return [diagnostic.place, *(place for place, _ in diagnostic.related)]


def _overlap(a: Place, b: Place) -> bool:
    return (a.path, a.line) == (b.path, b.line) and a.column < b.column + b.length and b.column < a.column + a.length


def _with(cause: Diagnostic, follows: Sequence[Diagnostic]) -> Diagnostic:
    return structs.replace(cause, follows=(*cause.follows, *follows)) if follows else cause

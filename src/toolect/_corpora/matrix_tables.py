"""The matrix in short, and its tables: what each dialect can carry, by feature and by dialect."""

from __future__ import annotations

import msgspec

from toolect._corpora.features import FEATURES, Feature
from toolect._corpora.fidelity import FeatureVerdict
from toolect._corpora.matrix import Matrix
from toolect._corpora.table import Cell, Kind, Share, Table, columns

SIGN = {
    FeatureVerdict.CARRIED: "●",
    FeatureVerdict.WITH_SCHEMA: "◐",
    FeatureVerdict.CHANGED: "○",
    FeatureVerdict.REFUSED: "·",
}
MEANING = {
    FeatureVerdict.CARRIED: "comes back as it was, whoever reads it",
    FeatureVerdict.WITH_SCHEMA: "comes back where tools are declared",
    FeatureVerdict.CHANGED: "something else comes back",
    FeatureVerdict.REFUSED: "is not written",
}


class Found(msgspec.Struct, frozen=True):
    """What is found about a dialect: a sign for each feature, and the features lost on average by a conversion."""

    signs: str
    into: float
    out: float


class Findings(msgspec.Struct, frozen=True):
    """What is found about all: the names of the features, the dialects, and how many conversions lose nothing."""

    features: list[str]
    messages: int
    lossless: int
    dialects: dict[str, Found]


def losses(matrix: Matrix) -> dict[tuple[str, str], int]:
    """How many features each conversion loses, from every dialect to every other."""
    names = list(matrix.standings)
    return {(a, b): len(matrix.loss(a, b).lost) for a in names for b in names if a != b}


def findings(matrix: Matrix) -> Findings:
    """What the matrix says, in short."""
    names, lost = list(matrix.standings), losses(matrix)
    others = max(len(names) - 1, 1)
    dialects = {
        name: Found(
            signs(matrix, name),
            round(sum(lost[other, name] for other in names if other != name) / others, 1),
            round(sum(lost[name, other] for other in names if other != name) / others, 1),
        )
        for name in names
    }
    features = [feature.name for feature in matrix.features]
    return Findings(features, len(matrix.probes), sum(not count for count in lost.values()), dialects)


def signs(matrix: Matrix, name: str) -> str:
    """The sign of each feature for a dialect."""
    return "".join(SIGN[finding.verdict] for finding in matrix.standings[name].findings)


def by_feature(found: Findings, features: tuple[Feature, ...] = FEATURES) -> Table:
    """A row for each feature: how many dialects carry it, and which do not."""
    rows: list[tuple[Cell, ...]] = []
    for number, feature in enumerate(features):
        having = {
            verdict: tuple(name for name, dialect in found.dialects.items() if dialect.signs[number] == sign)
            for verdict, sign in SIGN.items()
        }
        bar = tuple(Share(verdict, len(names), verdict) for verdict, names in having.items())
        carried = len(having.pop(FeatureVerdict.CARRIED))
        rows.append((feature.group, feature.name, bar, carried, *having.values(), feature.meaning))
    first, *others = SIGN.values()
    head = (*columns(Kind.TEXT, "group"), *columns(Kind.NAME, "feature"), *columns(Kind.BAR, "dialects"))
    figures = (*columns(Kind.FIGURE, first), *columns(Kind.NAMES, *others))
    return Table((*head, *figures, *columns(Kind.TEXT, "what it is")), rows)


def by_dialect(found: Findings, features: tuple[Feature, ...] = FEATURES) -> Table:
    """A row for each dialect: the signs of its features by group, and what conversions lose."""
    groups: dict[str, list[int]] = {}
    for number, feature in enumerate(features):
        groups.setdefault(feature.group, []).append(number)
    rows = [
        (
            name,
            *("".join(dialect.signs[number] for number in numbers) for numbers in groups.values()),
            str(dialect.into),
            str(dialect.out),
        )
        for name, dialect in found.dialects.items()
    ]
    head = (*columns(Kind.NAME, "dialect"), *columns(Kind.TEXT, *groups))
    return Table((*head, *columns(Kind.FIGURE, "into", "from")), rows)

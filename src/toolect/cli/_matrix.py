"""`toolect coverage --matrix`: what each dialect can carry, and what is lost between them, drawn and as data."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from toolect import registry
from toolect.cli._draw import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Pen, Piece, block
from toolect.cli._io import emit_json, one_line
from toolect.compiled import Dialect
from toolect.coverage.features import Feature
from toolect.coverage.matrix import Matrix, measure
from toolect.coverage.pair import Example, examples
from toolect.coverage.run import cores
from toolect.coverage.verdict import Finding, Verdict
from toolect.ir import Json

SIGN: dict[Verdict, Piece] = {
    Verdict.CARRIED: (STATUS["ok"], "●"),
    Verdict.WITH_SCHEMA: (STATUS["repaired"], "◐"),
    Verdict.CHANGED: (STATUS["malformed"], "○"),
    Verdict.REFUSED: (STATUS["malformed"], "·"),
}
WORDS = {
    Verdict.CARRIED: "comes back as it was",
    Verdict.WITH_SCHEMA: "comes back where tools are declared",
    Verdict.CHANGED: "something else comes back",
    Verdict.REFUSED: "is not written",
}
_SHOWN = 100


def write_matrix(named: Sequence[Dialect], html: str | None, as_json: bool, jobs: int) -> None:
    """Write the matrix of the dialects that are `named`, or of all, by `jobs` processes (0: one for each core)."""
    specs = [d.spec for d in named] or [registry.spec(name) for name in registry.dialects()]
    with _status(f"Trying every feature on {_count(len(specs), 'dialect')}"):
        matrix = measure({spec.name: spec for spec in specs}.values(), jobs=jobs or cores())
    if html is not None:
        from toolect.coverage.matrix_page import matrix_page

        Path(html).write_text(matrix_page(matrix), encoding="utf-8")
    if as_json:
        found = _examples(matrix, *named) if len(named) == 2 else []
        emit_json(_as_json(matrix) | ({"examples": found} if found else {}), indent=True)
        return
    match named:
        case [dialect]:
            Pen().write(_dialect(matrix, dialect.name))
        case [source, target]:
            Pen().write([*_pair(matrix, source, target), (PLAIN, "\n"), *_pair(matrix, target, source)])
        case _:
            Pen().write(_overview(matrix))


@contextmanager
def _status(text: str) -> Iterator[None]:
    """Says on standard error what goes on, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def _as_json(matrix: Matrix) -> dict[str, Json]:
    """The matrix as plain data: a finding per dialect and feature, and the names of what is lost per pair."""
    names = [feature.name for feature in matrix.features]
    features = [
        {"name": f.name, "group": f.group, "meaning": f.meaning, "sense": str(f.sense)} for f in matrix.features
    ]
    dialects = {
        name: dict(zip(names, msgspec.to_builtins(standing.findings), strict=True))
        for name, standing in matrix.standings.items()
    }
    losses: dict[str, Json] = {}
    for source in matrix.standings:
        losses[source] = {}
        for target in matrix.standings:
            loss = matrix.loss(source, target)
            losses[source][target] = {
                "lost": [names[number] for number in loss.lost],
                "untyped": [names[number] for number in loss.untyped],
            }
    return {"features": features, "dialects": dialects, "losses": losses}


def _examples(matrix: Matrix, source: Dialect, target: Dialect) -> list[Json]:
    pairs = ((source, target), (target, source))
    return [{"from": a.name, "to": b.name, **msgspec.to_builtins(e)} for a, b in pairs for e in examples(matrix, a, b)]


# All dialects


def _overview(matrix: Matrix) -> Iterator[Piece]:
    """A sign for each dialect and feature, then what the columns are."""
    groups = list(dict.fromkeys(feature.group for feature in matrix.features))
    columns = {group: [n for n, f in enumerate(matrix.features) if f.group == group] for group in groups}
    width = max(map(len, matrix.standings), default=0)
    yield LABEL, f"{'':{width}}  " + "  ".join(f"{g:{len(columns[g])}}" for g in groups) + "  into  from\n"
    for name, standing in matrix.standings.items():
        yield NAME, f"{name:{width}}  "
        for group, numbers in columns.items():
            yield from (SIGN[standing.findings[number].verdict] for number in numbers)
            yield PLAIN, " " * (max(len(group) - len(numbers), 0) + 2)
        yield QUIET, f"{_mean(matrix, name, into=True):4.1f}  {_mean(matrix, name, into=False):4.1f}\n"
    yield PLAIN, "\n"
    yield from _legend()
    yield QUIET, "into, from: how many features a conversion into or from the dialect loses, on average\n"
    for group, numbers in columns.items():
        yield LABEL, f"\n{group}\n"
        for number in numbers:
            yield from _column(matrix, number)


def _mean(matrix: Matrix, name: str, into: bool) -> float:
    others = [other for other in matrix.standings if other != name]
    pairs = [(other, name) if into else (name, other) for other in others]
    return sum(len(matrix.loss(*pair).lost) for pair in pairs) / max(len(pairs), 1)


def _legend() -> Iterator[Piece]:
    for verdict, sign in SIGN.items():
        yield sign
        yield QUIET, f" {verdict}: {WORDS[verdict]}   "
    yield PLAIN, "\n"


def _column(matrix: Matrix, number: int) -> Iterator[Piece]:
    feature = matrix.features[number]
    counts = Counter(standing.findings[number].verdict for standing in matrix.standings.values())
    yield KEY, f"  {feature.name:26}"
    for verdict, (style, sign) in SIGN.items():
        yield style, f"{sign}{counts[verdict]:<4}" if counts[verdict] else f"{'':5}"
    yield QUIET, f"{feature.meaning}\n"


# One dialect


def _dialect(matrix: Matrix, name: str) -> Iterator[Piece]:
    """Every feature of a dialect, with what stands in the way."""
    group = ""
    for feature, finding in zip(matrix.features, matrix.standings[name].findings, strict=True):
        if feature.group != group:
            group = feature.group
            yield LABEL, f"{group}\n"
        yield from _finding(feature, finding)
    yield PLAIN, "\n"
    yield from _legend()


def _finding(feature: Feature, finding: Finding) -> Iterator[Piece]:
    style, sign = SIGN[finding.verdict]
    yield style, f"  {sign} "
    yield KEY, f"{feature.name:26}"
    yield QUIET, f"{feature.meaning}\n"
    if finding.verdict is not Verdict.CARRIED:
        yield style, f"{'':6}{finding.verdict}"
        yield PLAIN, f" ({finding.tried - finding.carried} of {finding.tried}): {_short(finding.reason)}\n"
        if finding.witness:
            yield QUIET, f"{'':6}{_short(finding.witness)}\n"


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


# Two


def _pair(matrix: Matrix, source: Dialect, target: Dialect) -> Iterator[Piece]:
    """What is lost in one direction, each with an example."""
    loss = matrix.loss(source.name, target.name)
    yield NAME, f"{source.name} → {target.name}\n"
    yield (
        QUIET,
        f"  {_count(len(loss.lost), 'feature')} lost"
        + ("\n" if loss.lost or loss.untyped else ": all comes through\n"),
    )
    for example in examples(matrix, source, target):
        yield from _example(example)
    if loss.untyped:
        names = ", ".join(matrix.features[number].name for number in loss.untyped)
        yield KEY, "  only where tools are declared: "
        yield PLAIN, f"{names}\n"


def _example(example: Example) -> Iterator[Piece]:
    yield KEY, f"\n  {example.feature}"
    witness = f": {_short(example.witness)}" if example.witness else ""
    yield PLAIN, f" ({example.lost} of {example.tried}): {_short(example.reason)}{witness}\n"
    yield QUIET, "    from\n"
    yield PLAIN, block(_short_block(example.source), "      ")
    yield QUIET, "    to\n" if example.target else "    to nothing\n"
    yield PLAIN, block(_short_block(example.target), "      ") if example.target else ""


def _short_block(text: str) -> str:
    return text if len(text) <= 4 * _SHOWN else text[: 4 * _SHOWN] + "…"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'s' * (number != 1)}"

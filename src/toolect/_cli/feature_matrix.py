"""`toolect spec features`: what each dialect can carry, and what is lost between them, drawn and as data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from toolect import registry
from toolect._cli.options import Form, dialect_names, find, format_option, options, write_page
from toolect._cli.terminal import STATUS, Pen, Styled, TerminalStyle, block, emit_json
from toolect._compiled import Dialect
from toolect._corpora.features import Feature
from toolect._corpora.fidelity import FeatureVerdict, Finding
from toolect._corpora.matrix import Matrix, measure
from toolect._corpora.matrix_tables import MEANING, SIGN, by_dialect, by_feature, findings
from toolect._corpora.pair import LostFeature, examples
from toolect._message import Json
from toolect._processes import cores
from toolect._shown import counted, cut, one_line

if TYPE_CHECKING:
    from rich.text import Text

STYLE = {
    FeatureVerdict.CARRIED: STATUS["ok"],
    FeatureVerdict.WITH_SCHEMA: STATUS["repaired"],
    FeatureVerdict.CHANGED: STATUS["malformed"],
    FeatureVerdict.REFUSED: STATUS["malformed"],
}
_SHOWN = 100


@click.command()
@click.argument("dialects", nargs=-1, metavar="[DIALECT…]", shell_complete=dialect_names)
@format_option("the table", Form.TEXT, Form.JSON, default=Form.TEXT)
@options("html", "jobs", "spec")
def command(dialects: tuple[str, ...], form: str, html: str | None, jobs: int | None) -> int:
    """Compare dialects: the features that each can carry, and what a conversion between any two loses.

    Of one DIALECT, each feature with the reason where it cannot be carried; of two, what is lost between them, with
    examples; of more, or all of them, a table.
    """
    named = [find(name) for name in dialects]
    specs = [d.spec for d in named] or [registry.spec(name) for name in registry.dialects()]
    with _status(f"Trying every feature on {counted(len(specs), 'dialect')}"):
        matrix = measure({spec.name: spec for spec in specs}.values(), jobs=jobs or cores())
    write_page(html, partial(_page, matrix))
    if form == Form.JSON:
        found = _examples(matrix, *named) if len(named) == 2 else []
        emit_json(_as_json(matrix) | ({"examples": found} if found else {}), indent=True)
        return 0
    match named:
        case [dialect]:
            Pen().write(_dialect(matrix, dialect.name))
        case [source, target]:
            Pen().write([*_pair(matrix, source, target), (TerminalStyle.PLAIN, "\n"), *_pair(matrix, target, source)])
        case _:
            _overview(matrix)
    return 0


def _page(matrix: Matrix, command: str) -> str:
    from toolect._corpora.matrix_page import matrix_page  # needs the extra `report`

    return matrix_page(matrix, command)


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


def _overview(matrix: Matrix) -> None:
    """A sign for each dialect and feature, then what the features are."""
    pen, found = Pen(), findings(matrix)
    pen.table(by_dialect(found), _coloured)
    pen.write([(TerminalStyle.PLAIN, "\n"), *_legend()])
    average = "into, from: how many features a conversion into or from the dialect loses, on average\n\n"
    pen.write([(TerminalStyle.QUIET, average)])
    pen.table(by_feature(found))


def _coloured(cell: str) -> Text:
    """The text of a cell, its signs in the colours of their verdicts."""
    from rich.text import Text

    text = Text(cell)
    for verdict, sign in SIGN.items():
        text.highlight_words([sign], STYLE[verdict])
    return text


def _legend() -> Iterator[Styled]:
    for verdict, sign in SIGN.items():
        yield STYLE[verdict], sign
        yield TerminalStyle.QUIET, f" {verdict}: {MEANING[verdict]}\n"


# One dialect


def _dialect(matrix: Matrix, name: str) -> Iterator[Styled]:
    """Every feature of a dialect, with what stands in the way."""
    group = ""
    for feature, finding in zip(matrix.features, matrix.standings[name].findings, strict=True):
        if feature.group != group:
            group = feature.group
            yield TerminalStyle.LABEL, f"{group}\n"
        yield from _finding(feature, finding)
    yield TerminalStyle.PLAIN, "\n"
    yield from _legend()


def _finding(feature: Feature, finding: Finding) -> Iterator[Styled]:
    style, sign = STYLE[finding.verdict], SIGN[finding.verdict]
    yield style, f"  {sign} "
    yield TerminalStyle.KEY, f"{feature.name:26}"
    yield TerminalStyle.QUIET, f"{feature.meaning}\n"
    if finding.verdict is not FeatureVerdict.CARRIED:
        yield style, f"{'':6}{finding.verdict}"
        yield (
            TerminalStyle.PLAIN,
            f" ({finding.tried - finding.carried} of {finding.tried}): {_short(finding.reason)}\n",
        )
        if finding.witness:
            yield TerminalStyle.QUIET, f"{'':6}{_short(finding.witness)}\n"


def _short(text: str) -> str:
    return cut(one_line(text), _SHOWN)


# Two


def _pair(matrix: Matrix, source: Dialect, target: Dialect) -> Iterator[Styled]:
    """What is lost in one direction, each with an example."""
    loss = matrix.loss(source.name, target.name)
    yield TerminalStyle.NAME, f"{source.name} → {target.name}\n"
    yield TerminalStyle.QUIET, f"  {counted(len(loss.lost), 'feature') if loss.lost else 'no features'} lost"
    yield TerminalStyle.QUIET, "\n" if loss.lost or loss.untyped else ": all comes through\n"
    for example in examples(matrix, source, target):
        yield from _example(example)
    if loss.untyped:
        names = ", ".join(matrix.features[number].name for number in loss.untyped)
        yield TerminalStyle.KEY, "  only where tools are declared: "
        yield TerminalStyle.PLAIN, f"{names}\n"


def _example(example: LostFeature) -> Iterator[Styled]:
    yield TerminalStyle.KEY, f"\n  {example.feature}"
    witness = f": {_short(example.witness)}" if example.witness else ""
    yield TerminalStyle.PLAIN, f" ({example.lost} of {example.tried}): {_short(example.reason)}{witness}\n"
    yield TerminalStyle.QUIET, "    from\n"
    yield TerminalStyle.PLAIN, block(cut(example.source, 4 * _SHOWN), "      ")
    yield TerminalStyle.QUIET, "    to\n" if example.target else "    to nothing\n"
    yield TerminalStyle.PLAIN, block(cut(example.target, 4 * _SHOWN), "      ") if example.target else ""

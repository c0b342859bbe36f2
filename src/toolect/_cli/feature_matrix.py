"""`toolect spec features`: what each dialect can carry, and what is lost between two, drawn and as data."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

import click
import msgspec

from toolect import registry
from toolect._cli.options import Form, dialect_names, find, format_option, options
from toolect._cli.terminal import STATUS, Pen, Styled, TerminalStyle, emit_json
from toolect._corpora.features import FEATURES
from toolect._corpora.fidelity import (
    FeatureVerdict,
    LostFeature,
    Outcomes,
    find_worst,
    losses,
    markers,
    outcomes,
    untyped,
)
from toolect._corpora.table import Cell, Kind, Table, columns
from toolect._message import Json
from toolect._processes import cores, in_order
from toolect._shown import counted, cut, one_line

if TYPE_CHECKING:
    from rich.text import Text

SIGN = dict(zip(FeatureVerdict, "●◐○·", strict=True))
STYLE = dict(zip(FeatureVerdict, (STATUS[one] for one in ("ok", "repaired", "malformed", "malformed")), strict=True))
MEANING = {
    FeatureVerdict.CARRIED: "comes back as it was, whoever reads it",
    FeatureVerdict.WITH_SCHEMA: "comes back where tools are declared",
    FeatureVerdict.CHANGED: "something else comes back",
    FeatureVerdict.REFUSED: "is not written",
}
_SHOWN = 100


@click.command()
@click.argument("dialects", nargs=-1, metavar="[DIALECT…]", shell_complete=dialect_names)
@format_option("the table", Form.TEXT, Form.JSON, default=Form.TEXT)
@options("jobs", "spec")
def command(dialects: tuple[str, ...], form: str, jobs: int | None) -> int:
    """Compare dialects: the features that each can carry, and what a conversion between two loses.

    Of one DIALECT, each feature with the reason where it cannot be carried; of two, what is lost between them; of more,
    or all of them, a table.
    """
    named = [find(name) for name in dialects]
    specs = {one.name: one.spec for one in named} or {name: registry.spec(name) for name in registry.dialects()}
    held = sorted({marker for one in named for marker in markers(one)}) if len(specs) == 2 else []
    with _status(f"Trying every feature on {counted(len(specs), 'dialect')}"):
        at_once = min(jobs or cores(), len(specs))
        tried = in_order(specs.values(), at_once, partial(outcomes, FEATURES, held), registry.restore, registry.state())
        found = {spec.name: one for spec, one in tried}
    if form == Form.JSON:
        emit_json(_as_json(found), indent=True)
    elif len(found) == 1:
        Pen().write(_dialect(*found.values()))
    elif len(found) == 2:
        for source, target in permutations(found):
            Pen().write(_pair(source, target, found))
    else:
        _overview(found)
    return 0


@contextmanager
def _status(text: str) -> Iterator[None]:
    """Says on standard error what goes on, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def _as_json(found: dict[str, Outcomes]) -> dict[str, Json]:
    """Plain data: a finding per dialect and feature, and of two dialects what is lost in each direction."""
    features = [{"name": f.name, "group": f.group, "meaning": f.meaning, "sense": str(f.sense)} for f in FEATURES]
    dialects = {
        name: {f.name: msgspec.to_builtins(find_worst(of)) for f, of in zip(FEATURES, tried, strict=True)}
        for name, tried in found.items()
    }
    lost: list[Json] = []
    for a, b in permutations(found) if len(found) == 2 else ():
        ends = FEATURES, found[a], found[b]
        lost.append({"from": a, "to": b, "lost": msgspec.to_builtins([*losses(*ends)]), "untyped": [*untyped(*ends)]})
    return {"features": features, "dialects": dialects, **({"losses": lost} if lost else {})}


# All dialects


def _overview(found: dict[str, Outcomes]) -> None:
    """A sign for each dialect and feature, then what the features are."""
    pen = Pen()
    signs = {name: [SIGN[find_worst(of).verdict] for of in tried] for name, tried in found.items()}
    groups: dict[str, list[int]] = {}
    for number, feature in enumerate(FEATURES):
        groups.setdefault(feature.group, []).append(number)
    head = (*columns(Kind.NAME, "dialect"), *columns(Kind.TEXT, *groups))
    rows = [(name, *("".join(own[n] for n in numbers) for numbers in groups.values())) for name, own in signs.items()]
    pen.table(Table(head, rows), _coloured)
    pen.write([(TerminalStyle.PLAIN, "\n"), *_legend(), (TerminalStyle.PLAIN, "\n")])
    pen.table(_by_feature([*signs.values()]))


def _by_feature(signs: Sequence[Sequence[str]]) -> Table:
    """A row for each feature: how many dialects do how with it, and what it is."""
    head = (*columns(Kind.TEXT, "group"), *columns(Kind.NAME, "feature"), *columns(Kind.FIGURE, *SIGN.values()))
    rows: list[tuple[Cell, ...]] = []
    for feature, having in zip(FEATURES, zip(*signs, strict=True), strict=True):
        rows.append((feature.group, feature.name, *map(having.count, SIGN.values()), feature.meaning))
    return Table((*head, *columns(Kind.TEXT, "what it is")), rows)


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


def _dialect(tried: Outcomes) -> Iterator[Styled]:
    """Every feature of a dialect, with what stands in the way."""
    group = ""
    for feature, of in zip(FEATURES, tried, strict=True):
        if feature.group != group:
            group = feature.group
            yield TerminalStyle.LABEL, f"{group}\n"
        finding = find_worst(of)
        style, sign = STYLE[finding.verdict], SIGN[finding.verdict]
        yield style, f"  {sign} "
        yield TerminalStyle.KEY, f"{feature.name:26}"
        yield TerminalStyle.QUIET, f"{feature.meaning}\n"
        if finding.verdict is not FeatureVerdict.CARRIED:
            yield style, f"{'':6}{finding.verdict}"
            missed = finding.tried - finding.carried
            yield TerminalStyle.PLAIN, f" ({missed} of {finding.tried}): {_short(finding.reason)}\n"
            yield TerminalStyle.QUIET, f"{'':6}{_short(finding.witness)}\n" if finding.witness else ""
    yield TerminalStyle.PLAIN, "\n"
    yield from _legend()


def _short(text: str) -> str:
    return cut(one_line(text), _SHOWN)


# Two


def _pair(source: str, target: str, found: dict[str, Outcomes]) -> Iterator[Styled]:
    """Draw the losses in one direction."""
    lost = [*losses(FEATURES, found[source], found[target])]
    declared = [*untyped(FEATURES, found[source], found[target])]
    yield TerminalStyle.NAME, f"{source} → {target}\n"
    whole = "" if lost or declared else ": all comes through"
    yield TerminalStyle.QUIET, f"  {counted(len(lost), 'feature') if lost else 'no features'} lost{whole}\n"
    for one in lost:
        yield from _lost(one)
    if declared:
        yield TerminalStyle.KEY, "  only where tools are declared: "
        yield TerminalStyle.PLAIN, f"{', '.join(declared)}\n"
    yield TerminalStyle.PLAIN, "\n"


def _lost(one: LostFeature) -> Iterator[Styled]:
    yield TerminalStyle.KEY, f"  {one.feature}"
    yield TerminalStyle.PLAIN, f" ({one.lost} of {one.tried}): {_short(one.reason)}\n"
    yield TerminalStyle.QUIET, f"{'':6}{_short(one.witness)}\n" if one.witness else ""

"""The report on a data set that was converted, as plain data: every row is in one of its counts."""

from __future__ import annotations

import msgspec

from toolect._corpora.table import Cell, Kind, Share, Table, columns
from toolect._corpora.tally import Shown
from toolect._data.job import Job, JobProgress
from toolect._data.tallies import RemarkTally
from toolect._rows.account import Fate
from toolect._version import __version__

VERSION = 1
"""The version of this shape: it goes up when something is no longer where it was."""


class RemarkCount(msgspec.Struct, frozen=True):
    """A remark on `rows` rows, each of which became `fate`."""

    fate: str
    what: str
    rows: int
    examples: tuple[Shown, ...]


class Fates(msgspec.Struct, frozen=True):
    """Fates of the rows that have a tool, or a feature."""

    name: str
    fates: dict[str, int]


class RowReport(msgspec.Struct, frozen=True):
    """All that is reported of a data set. `fates` add up to `rows`: the answers of a log are a row each."""

    version: int
    toolect: str
    target: str
    check: str
    """The rows that were read back: a `sample`, `all` or `none`."""
    sources: dict[str, list[str]]
    lines: int
    rows: int
    fates: dict[str, int]
    written: int
    reasons: tuple[RemarkCount, ...]
    changes: tuple[RemarkCount, ...]
    """Differences of the rows that are written."""
    notes: tuple[RemarkCount, ...]
    tools: tuple[Fates, ...]
    features: tuple[Fates, ...]
    turns: dict[str, int]
    ids: int
    """Ids of the new rows, where these are ids."""
    ids_once: int
    """Ids of the longest new row of each row: more are written where a chat makes several rows of a conversation."""


def report_of(done: JobProgress, job: Job) -> RowReport:
    """The report on a job that is done."""
    tallies = done.tallies
    return RowReport(
        version=VERSION,
        toolect=__version__,
        target=str(job.settings.target),
        check=job.settings.target.checked,
        sources=done.sources,
        lines=done.read,
        rows=sum(done.fates.values()),
        fates=done.fates,
        written=done.written,
        reasons=_said(tallies.reasons),
        changes=_said(tallies.changes),
        notes=_said(tallies.notes),
        tools=_by_name(tallies.tools),
        features=_by_name(tallies.features),
        turns=dict(sorted(tallies.turns.items(), key=lambda item: int(item[0].partition("–")[0]))),
        ids=tallies.ids,
        ids_once=tallies.once,
    )


def _said(tally: RemarkTally) -> tuple[RemarkCount, ...]:
    return tuple(RemarkCount(*key, count, tally.shown(key)) for key, count in tally.top())


def _by_name(tally: RemarkTally) -> tuple[Fates, ...]:
    found: dict[str, dict[str, int]] = {}
    for (name, fate), count in tally.top():
        found.setdefault(name, {})[fate] = count
    ranked = sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return tuple(Fates(name, fates) for name, fates in ranked)


def sentence(report: RowReport) -> str:
    """The report in one sentence."""
    fates = ", ".join(f"{count:,} {fate}" for fate, count in report.fates.items() if count)
    what = "row" if report.rows == 1 else "rows"
    ids = f"; ids: {report.ids / report.ids_once:.2g} ×" if report.ids > report.ids_once else ""
    return f"{report.rows:,} {what}: {fates or 'none'}; {report.written:,} written as {report.target}{ids}"


COLOURS = {
    Fate.CONVERTED: "ok", Fate.CHANGED: "repaired", Fate.REFUSED: "malformed", Fate.FILTERED: "empty",
    Fate.DUPLICATE: "truncated",
}  # fmt: skip
"""The classes that colour the fates of rows."""


def by_name(found: tuple[Fates, ...], title: str) -> Table:
    """Table of the fates of rows with each tool, or feature."""
    there = [fate for fate in Fate if any(fate.value in one.fates for one in found)]
    head = (*columns(Kind.NAME, title), *columns(Kind.FIGURE, "rows"), *columns(Kind.BAR, ""))
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            sum(one.fates.values()),
            tuple(Share(fate.value, one.fates.get(fate.value, 0), COLOURS[fate]) for fate in there),
            *(one.fates.get(fate.value, 0) for fate in there),
        )
        for one in found
    ]
    return Table((*head, *columns(Kind.FIGURE, *(fate.value for fate in there))), rows)


def is_clean(report: RowReport) -> bool:
    """True when every row was written, or left out because that was asked for."""
    return not report.fates[Fate.REFUSED.value]

"""The figures of a report on a corpus as tables."""

from __future__ import annotations

from collections import Counter

from toolect._corpora.report import Figures, Report
from toolect._corpora.table import Cell, Kind, Share, Table, columns
from toolect._shown import percent

NO_DIALECT = "(none)"
"""What stands for a dialect where none has left a mark."""
NOTHING = "no call or reasoning of any dialect: plain answers, or a format that is not known here"
"""What such messages are."""
STATUSES = ("ok", "repaired", "truncated", "malformed")
_FIGURES = (
    *columns(Kind.FIGURE, "messages", "calls"),
    *columns(Kind.BAR, ""),
    *columns(Kind.FIGURE, *STATUSES, "runnable"),
)


def by_dialect(report: Report) -> Table:
    """The figures of each dialect; where several read the same messages, for how many each is the best."""
    compared = any(dialect.best for dialect in report.dialects)
    best = columns(Kind.FIGURE, "best") if compared else ()
    rows = [(d.name or NO_DIALECT, *_figures(d.figures), *((d.best,) if compared else ())) for d in report.dialects]
    return Table((*columns(Kind.NAME, "dialect"), *_FIGURES, *best), rows)


def by_source(report: Report) -> Table:
    """The figures of each source and each dialect in it; no rows where all is of one source."""
    rows = [(s.source, s.dialect or NO_DIALECT, *_figures(s.figures)) for s in report.sources]
    several = len({source.source for source in report.sources}) > 1
    return Table((*columns(Kind.TEXT, "source"), *columns(Kind.NAME, "dialect"), *_FIGURES), rows if several else [])


def _figures(figures: Figures) -> tuple[Cell, ...]:
    counts = [getattr(figures, status) for status in STATUSES]
    bar = tuple(Share(status, count, status) for status, count in zip(STATUSES, counts, strict=True))
    runnable = percent(figures.ok + figures.repaired, figures.calls) if figures.calls else "–"
    return figures.messages, figures.calls, bar, *counts, runnable


def repairs(report: Report) -> Counter[str]:
    """How often each kind of repair was made."""
    total: Counter[str] = Counter()
    for dialect in report.dialects:
        total.update(dialect.figures.repairs)
    return total


def repairs_by_dialect(report: Report) -> Table:
    """The kinds of repairs in each dialect that has any, the commonest first."""
    kinds = [kind for kind, _ in repairs(report).most_common()]
    found = {d.name or NO_DIALECT: d.figures.repairs for d in report.dialects if d.figures.repairs}
    rows: list[tuple[Cell, ...]] = [(name, *(made.get(kind, 0) for kind in kinds)) for name, made in found.items()]
    return Table((*columns(Kind.NAME, "dialect"), *columns(Kind.FIGURE, *kinds)), rows)

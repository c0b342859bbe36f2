"""The report on a corpus: plain data, which `coverage --format json` writes, and its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from toolect import detect, registry
from toolect._authoring.derivation import parts
from toolect._corpora.reading import NONE
from toolect._corpora.stats import FAILED, Counts, Details, Stats
from toolect._corpora.table import Cell, Kind, Share, Table, columns
from toolect._corpora.tally import Shown, Tally
from toolect._detection.leaks import owners
from toolect._shown import percent

VERSION = 2
"""The version of this shape: it goes up when something is no longer where it was."""


class Figures(msgspec.Struct, frozen=True):
    """Messages, the characters of their texts, calls, and the calls by status; `repairs` by kind, most often first."""

    messages: int
    characters: int
    calls: int
    ok: int
    repaired: int
    truncated: int
    malformed: int
    repairs: dict[str, int]


class Never(msgspec.Struct, frozen=True):
    """A part of the grammar that no message took: a rule or a piece of one, with the place of the rule."""

    name: str
    kind: str
    text: str
    place: str


class Took(msgspec.Struct, frozen=True):
    """A part of the grammar, with the number of messages that took it."""

    name: str
    kind: str
    text: str
    messages: int


class GrammarCoverage(msgspec.Struct, frozen=True):
    """Number of parts of the grammar, and of those taken; `never` are the parts not taken, `took` the others."""

    parts: int
    taken: int
    never: tuple[Never, ...]
    took: tuple[Took, ...] = ()


class Leaked(msgspec.Struct, frozen=True):
    """A marker that was left in content, reasoning or arguments, and the dialects that have it."""

    marker: str
    within: str
    count: int
    dialects: tuple[str, ...]
    examples: tuple[Shown, ...]


class Unparsed(msgspec.Struct, frozen=True):
    """Attempts that failed for one cause: their status, the error without its data, how many, and examples."""

    status: str
    cause: str
    count: int
    examples: tuple[Shown, ...]


class ToolUse(msgspec.Struct, frozen=True):
    """A tool, how often it was called, and how often each argument had a value of each JSON type."""

    name: str
    calls: int
    arguments: dict[str, dict[str, int]]


class Others(msgspec.Struct, frozen=True):
    """Messages with failed attempts, or with markers and no call, that were `tried` in all dialects they have a mark of
    (the first ones were), and for each other dialect how many of them it reads with all calls whole.
    """

    tried: int
    read_by: dict[str, int]


class More(msgspec.Struct, frozen=True):
    """Counts of what the lists leave out."""

    leaks: int
    unparsed: int
    calls: int


class DialectReport(msgspec.Struct, frozen=True):
    """One dialect. `name` is null for messages in which no dialect has left a mark; `best` counts the messages
    with calls that none of the other dialects given reads better.
    """

    name: str | None
    figures: Figures
    best: int
    grammar: GrammarCoverage | None
    leaks: tuple[Leaked, ...]
    unparsed: tuple[Unparsed, ...]
    tools: tuple[ToolUse, ...]
    others: Others
    more: More


class SourceFigures(msgspec.Struct, frozen=True):
    """Figures of one dialect in one source."""

    source: str
    dialect: str | None
    figures: Figures


class BadCounts(msgspec.Struct, frozen=True):
    """Count of the parts of the corpus that could not be used for one fault."""

    trouble: str
    count: int
    examples: tuple[Shown, ...]


class Report(msgspec.Struct, frozen=True):
    """All that is reported of a corpus. `structured` messages have calls given as such: there is nothing to read."""

    version: int
    files: int
    lines: int
    messages: int
    structured: int
    structured_calls: int
    problems: int
    dialects: tuple[DialectReport, ...]
    sources: tuple[SourceFigures, ...]
    troubles: tuple[BadCounts, ...]


def report(stats: Stats, files: int) -> Report:
    """The report on the counts, the dialects with most calls first, or messages without a dialect if they are most."""
    names = {dialect for _, dialect in stats.counts}
    totals = {name: stats.dialect(name) for name in names}
    ranked = sorted(names, key=lambda name: (-totals[name].calls, -totals[name].messages, name))
    if NONE in names and totals[NONE].messages * 2 > stats.messages:
        ranked.sort(key=bool)  # what is most of the corpus comes first
    sources = sorted(stats.counts.items(), key=lambda item: (item[0][0], -item[1].messages, item[0][1]))
    return Report(
        version=VERSION,
        files=files,
        lines=stats.lines,
        messages=stats.messages,
        structured=stats.structured,
        structured_calls=stats.structured_calls,
        problems=stats.problems,
        dialects=tuple(_dialect(name, totals[name], stats.detail(name)) for name in ranked),
        sources=tuple(SourceFigures(source, name or None, _figures(counts)) for (source, name), counts in sources),
        troubles=tuple(BadCounts(key, count, stats.troubles.shown(key)) for key, count in stats.troubles.top()),
    )


def _dialect(name: str, counts: Counts, details: Details) -> DialectReport:
    leaks, unparsed = details.leaks.top(), details.unparsed.top()
    tools = details.tools.top()
    return DialectReport(
        name=name or None,
        figures=_figures(counts),
        best=counts.best,
        grammar=None if name == NONE else _grammar(name, details.taken),
        leaks=tuple(
            Leaked(marker, within, count, tuple(owners(marker)), details.leaks.shown((marker, within)))
            for (marker, within), count in leaks
        ),
        unparsed=tuple(Unparsed(*key, count, details.unparsed.shown(key)) for key, count in unparsed),
        tools=_tools(tools, details.arguments),
        others=_others(name, details),
        more=More(details.leaks.more(len(leaks)), details.unparsed.more(len(unparsed)), details.tools.more(len(tools))),
    )


def _figures(counts: Counts) -> Figures:
    repairs = dict(sorted(counts.repairs.items(), key=lambda item: (-item[1], item[0])))
    return Figures(counts.messages, counts.characters, counts.calls, **counts.statuses, repairs=repairs)


def _grammar(name: str, taken: Mapping[str, int]) -> GrammarCoverage:
    found = parts(registry.dialect(name), written=True)
    never = tuple(
        Never(part.name, part.kind, part.text, f"{part.place.path}:{part.place.line}")
        for part in found
        if part.name not in taken
    )
    took = tuple(Took(part.name, part.kind, part.text, taken[part.name]) for part in found if part.name in taken)
    return GrammarCoverage(len(found), len(took), never, took)


def _others(name: str, details: Details) -> Others:
    """Try the first messages that were not read well in every dialect that they have a mark of."""
    tried, read_by = 0, Counter[str]()
    for outcome in FAILED:
        for sample in details.samples.get(outcome, ()):
            tried += 1
            for found in detect(sample.example.text, list(sample.tools) or None):
                if found.calls + found.repaired and not found.broken:
                    read_by.update(other for other in found.dialects if other != name)
    return Others(tried, dict(sorted(read_by.items(), key=lambda item: (-item[1], item[0]))))


def _tools(tools: Iterable[tuple[str, int]], arguments: Tally[tuple[str, str, str]]) -> tuple[ToolUse, ...]:
    types: dict[str, dict[str, dict[str, int]]] = {}
    for (tool, argument, kind), count in arguments.top():
        types.setdefault(tool, {}).setdefault(argument, {})[kind] = count
    return tuple(ToolUse(name, count, types.get(name, {})) for name, count in tools)


# Tables


NO_DIALECT = "(none)"
"""Name in tables for no dialect: none has left a mark."""
NOTHING = "no call or reasoning of any dialect: plain answers, or a format that is not known here"
"""Description of messages without a dialect."""
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
    rows = [
        (d.name or NO_DIALECT, *_figure_cells(d.figures), *((d.best,) if compared else ())) for d in report.dialects
    ]
    return Table((*columns(Kind.NAME, "dialect"), *_FIGURES, *best), rows)


def by_source(report: Report) -> Table:
    """The figures of each source and each dialect in it; no rows where all is of one source."""
    rows = [(s.source, s.dialect or NO_DIALECT, *_figure_cells(s.figures)) for s in report.sources]
    several = len({source.source for source in report.sources}) > 1
    return Table((*columns(Kind.TEXT, "source"), *columns(Kind.NAME, "dialect"), *_FIGURES), rows if several else [])


def _figure_cells(figures: Figures) -> tuple[Cell, ...]:
    counts = [getattr(figures, status) for status in STATUSES]
    bar = tuple(Share(status, count, status) for status, count in zip(STATUSES, counts, strict=True))
    runnable = percent(figures.ok + figures.repaired, figures.calls) if figures.calls else "–"
    return figures.messages, figures.calls, bar, *counts, runnable


def repairs(report: Report) -> Counter[str]:
    """Number of repairs of each kind."""
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

"""The report on a corpus as a page."""

from __future__ import annotations

from typing import TypeAlias

from toolect import registry
from toolect._authoring.derivation import derive
from toolect._corpora.any_json import encoded
from toolect._corpora.drawn import KINDS, Spot, spots
from toolect._corpora.page import draw_page
from toolect._corpora.report import (
    NO_DIALECT,
    NOTHING,
    STATUSES,
    GrammarCoverage,
    Report,
    by_dialect,
    by_source,
    repairs,
    repairs_by_dialect,
)
from toolect._corpora.stats import MISSED, SAMPLES, Stats
from toolect._corpora.table import Share
from toolect._shown import counted, cut, percent

SHOWN_TOOLS = 40
LONGEST_PART = 60

Drawn: TypeAlias = tuple[str, str, list[Spot]]
"""A sample: where it is, how it ended, and its text in colour."""


def coverage_page(report: Report, stats: Stats, what: str, command: str = "") -> str:
    """The page: everything in the report on `what`, and samples with their parse in colour."""
    return draw_page(
        "coverage.html",
        command,
        encoded(report),
        what=what,
        report=report,
        lead=_lead(report),
        facts=_facts(report),
        by_dialect=by_dialect(report),
        by_source=by_source(report),
        statuses=[(status, status) for status in STATUSES],
        repaired=repairs(report).most_common(),
        repairs_by_dialect=repairs_by_dialect(report),
        leaked=any(dialect.leaks for dialect in report.dialects),
        none_left=NO_DIALECT,
        nothing=NOTHING,
        share=Share,
        shown_tools=SHOWN_TOOLS,
        took=_took,
        samples=_samples(stats),
        kinds=KINDS,
    )


def _total(report: Report) -> dict[str, int]:
    """Calls in all dialects, and how they ended."""
    return {name: sum(getattr(one.figures, name) for one in report.dialects) for name in ("calls", *STATUSES)}


def _lead(report: Report) -> str:
    names = [dialect.name for dialect in report.dialects if dialect.name]
    total = _total(report)
    runnable = total["ok"] + total["repaired"]
    lead = (
        f"Of {counted(total['calls'], 'call')} in {counted(report.messages, 'message')}, {runnable:,} may be run"
        f" ({percent(runnable, total['calls'])}), {total['repaired']:,} of them after repairs."
        if total["calls"]
        else f"No calls in {counted(report.messages, 'message')}."
    )
    lead += (
        f" {counted(report.lines, 'line')} in {counted(report.files, 'file')}, {counted(len(names), 'dialect')} found."
    )
    if report.structured:
        lead += f" Calls that are given as such: {report.structured_calls:,}, in {report.structured:,} of the messages."
    return lead


def _facts(report: Report) -> list[tuple[str, str | int, str]]:
    """The figures at the top: what, how much, and the kind of news that it is."""
    total = _total(report)
    runnable, failed = total["ok"] + total["repaired"], total["truncated"] + total["malformed"]
    leaks = sum(leak.count for d in report.dialects for leak in d.leaks) + sum(d.more.leaks for d in report.dialects)
    bad = sum(trouble.count for trouble in report.troubles)
    return [
        ("messages", report.messages, ""),
        ("calls", total["calls"], ""),
        ("runnable", percent(runnable, total["calls"]) if total["calls"] else "–", "good" if runnable else ""),
        ("repaired", total["repaired"], "warn" * bool(total["repaired"])),
        ("failed", failed, "bad" * bool(failed)),
        ("leaked markers", leaks, "warn" * bool(leaks)),
        ("not read", bad, "bad" * bool(bad)),
    ]


def _took(grammar: GrammarCoverage) -> list[tuple[str, int]]:
    """The parts of a grammar that were taken, each as it is written, and the messages that took it."""
    return [(cut(f"{one.name}: {one.text}", LONGEST_PART), one.messages) for one in grammar.took]


def _samples(stats: Stats) -> dict[str, list[Drawn]]:
    """The first messages of each outcome, by dialect; those with most calls first."""
    found: dict[str, list[Drawn]] = {}
    for name in sorted(filter(None, stats.details), key=lambda name: (-stats.dialect(name).calls, name)):
        samples = stats.details[name].samples
        kept = [(status, sample) for status in (*STATUSES, MISSED) for sample in samples.get(status, ())[:SAMPLES]]
        if kept:
            dialect = registry.dialect(name)
            found[name] = [
                (one.example.where, status, spots(derive(dialect, one.example.text, one.tools or None)))
                for status, one in kept
            ]
    return found

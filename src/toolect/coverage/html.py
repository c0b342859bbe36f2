"""The report on a corpus as a page."""

from __future__ import annotations

from toolect.coverage.page import page
from toolect.coverage.report import Report
from toolect.coverage.stats import Stats


def html_report(report: Report, stats: Stats) -> str:
    """The page."""
    return page("Coverage", "", [], [])

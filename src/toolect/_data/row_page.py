"""The report on a data set as a page."""

from __future__ import annotations

from toolect._corpora.any_json import encoded
from toolect._corpora.page import draw_page
from toolect._corpora.table import Share
from toolect._data.row_report import COLOURS, RowReport, by_name, sentence
from toolect._rows.account import Fate

_NEWS = {Fate.CONVERTED: "good", Fate.CHANGED: "warn", Fate.REFUSED: "bad"}


def row_page(report: RowReport, what: str, command: str = "") -> str:
    """The page: all that is in the report on `what`."""
    shares = [Share(fate.value, report.fates[fate.value], COLOURS[fate]) for fate in Fate]
    return draw_page(
        "dataset.html",
        command,
        encoded(report),
        what=what,
        report=report,
        lead=sentence(report) + ".",
        facts=[
            ("rows", report.rows, ""),
            *((fate, count, _NEWS.get(Fate(fate), "") * bool(count)) for fate, count in report.fates.items()),
            ("written", report.written, ""),
        ],
        shares=shares,
        kinds=[(share.what, share.kind) for share in shares if share.size],
        tools=by_name(report.tools, "tool"),
        features=by_name(report.features, "feature"),
        turns=[*report.turns.items()],
    )  # fmt: skip

"""The report on a data set, for a reader at a screen."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._cli._shared.drawing import KEY, LABEL, PLAIN, QUIET, Pen, Styled
from toolect._data.row_report import RemarkCount, RowReport, by_name, sentence
from toolect._shown import counted, cut, one_line

SHOWN = 8
"""Lines of a list."""
WIDE = 140
"""Characters of an example."""


def write_rows(report: RowReport) -> None:
    """Writes the report: what became of the rows, why, and what they had."""
    pen = Pen()
    pen.write(_head(report))
    for title, found in (("Left out", report.reasons), ("Changed", report.changes), ("Seen", report.notes)):
        pen.write(_said(title, found))
    for title, named in (("Features", report.features), ("Tools", report.tools)):
        if named:
            pen.write([(LABEL, f"\n{title}\n")])
            pen.table(by_name(named[:SHOWN], title.lower()[:-1]))


def _head(report: RowReport) -> Iterator[Styled]:
    yield LABEL, f"{sentence(report)}\n"
    for source, files in report.sources.items():
        yield QUIET, f"read {counted(len(files), 'file')} as {source}\n"


def _said(title: str, found: tuple[RemarkCount, ...]) -> Iterator[Styled]:
    if found:
        yield LABEL, f"\n{title}\n"
    for one in found[:SHOWN]:
        yield KEY, f"  {one.rows:>7,} {one.fate:10}"
        yield PLAIN, one_line(one.what) + "\n"
        for example in one.examples[:1]:
            place = f"{one_line(example.where)}{f' {example.text}' if example.text else ''}"
            yield QUIET, f"          {cut(f'{place}: {one_line(example.detail)}' if example.detail else place, WIDE)}\n"
    if len(found) > SHOWN:
        yield QUIET, f"          and {sum(one.rows for one in found[SHOWN:]):,} rows for other reasons\n"

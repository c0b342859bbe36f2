"""`toolect eval`: answers of a model held against the calls that are expected of them."""

from __future__ import annotations

from collections.abc import Iterator

import click
import msgspec

from toolect._cli.options import Form, files, form_for, format_option, options, write_page
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, emit_json, heading, progress, rest
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._message import Json
from toolect._processes import cores
from toolect._scoring.score_files import ExpectationFiles
from toolect._scoring.score_report import ScoreReport, score_report, score_tables
from toolect._shown import counted, one_line, percent

ANSWERS = 20
"""Answers that are not right to show, if no limit is named."""
MISSES, LINES = 4, 10
"""Differences of one answer, and lines of a list, that are shown."""


@click.command()
@click.argument("expected", shell_complete=files)
@click.argument("answers", nargs=-1, shell_complete=files)
@options("dialect", "schemas")
@format_option("the report", Form.JSON, Form.TEXT)
@options("limit", "html", "jobs", "spec")
def command(
    expected: str, answers: tuple[str, ...], dialect: Dialect | Auto, tools: list[Json] | None, form: str | None,
    limit: int | None, html: str | None, jobs: int | None,
) -> int:  # fmt: skip
    """Tell how many answers of a model make the calls that are expected, and why the others do not.

    EXPECTED is a file or a folder of rows: `{"text": answer, "expected": calls}`, conversations with the answers that
    are right, or the data of BFCL. ANSWERS are files of rows with the same `id`, or in the same order, and an answer:
    text in any dialect, or calls as an API has them. Without ANSWERS, those are scored that the rows of EXPECTED have.
    """
    with progress(unit="answers") as advance:
        joined = ExpectationFiles(expected, tools or ())
        shown = ANSWERS if limit is None else limit
        report = score_report(joined, answers, dialect.name, shown, jobs or cores(), advance)
    if not report.total.cases and not report.troubles:
        raise Misuse(f"expected answers to score, got none for `{expected}`: name the file that has them")
    write_page(html, lambda typed: _page(report, ", ".join(answers) or expected, typed))
    if form_for(form) == Form.JSON:
        emit_json(msgspec.to_builtins(report), indent=True)
    else:
        _write(report)
    return int(report.total.right < report.total.cases or bool(report.troubles))


def _page(report: ScoreReport, what: str, typed: str) -> str:
    from toolect._scoring.score_page import score_page  # needs the extra `report`

    return score_page(report, what, typed)


def _write(report: ScoreReport) -> None:
    """Writes the report for a reader at a screen."""
    pen, total = Pen(), report.total
    pen.write([(TerminalStyle.LABEL, f"{total.right:,} of {counted(total.cases, 'answer')} right")])
    pen.write([(TerminalStyle.PLAIN, f", {percent(total.right, total.cases)}\n")])
    pen.tables(score_tables(report, LINES))
    pen.write(rest(len(report.tools) - LINES))
    pen.write(_wrong(report))
    for title, listed in (("Not scored", [*report.skipped.items()]), ("Not used", report.troubles)):
        if listed:
            pen.write([heading(title)])
            pen.write((TerminalStyle.PLAIN, f"  {one_line(f'{one}: {two}')}\n") for one, two in listed[:LINES])
            pen.write(rest(len(listed) - LINES))


def _wrong(report: ScoreReport) -> Iterator[Styled]:
    if report.wrong:
        yield heading("Not right")
    for wrong in report.wrong:
        yield STATUS.get(wrong.grade, TerminalStyle.KEY), f"  {wrong.grade} "
        yield TerminalStyle.PLAIN, one_line(wrong.id)
        yield TerminalStyle.QUIET, f"  {one_line(wrong.where)}\n"
        for miss in wrong.misses[:MISSES]:
            yield TerminalStyle.PLAIN, f"    {one_line(str(miss))}\n"
        yield from rest(len(wrong.misses) - MISSES, indent=4)
    yield from rest(report.total.cases - report.total.right - len(report.wrong))

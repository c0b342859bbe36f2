"""`toolect coverage`: what a corpus of model output holds, and how much of it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from toolect._cli.options import Form, dialect_names, files, find, format_option, options, write_page
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, emit_json, heading, progress, rest
from toolect._shown import counted, cut, one_line
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._corpora.examine import Options
    from toolect._corpora.report import DialectReport, Report
    from toolect._corpora.stats import Stats
    from toolect._corpora.tally import Shown


SHOWN = 8
"""Lines of a list."""
WIDE = 100
"""Characters of an example."""


@click.command()
@click.argument("corpus", nargs=-1, shell_complete=files)
@click.option(
    "--dialect", "dialects", multiple=True, metavar="DIALECT", shell_complete=dialect_names,
    help="Read every message in this dialect; more than once, in each of them.  [default: the one that fits]",
)  # fmt: skip
@options("matrix", "limit", "field")
@click.option("--separator", default="", metavar="TEXT", help="What stands between the records of a text file.")
@format_option("the report", Form.TEXT, Form.JSON, default=Form.TEXT)
@options("html", "jobs", "spec", "max-bytes")
def command(
    corpus: tuple[str, ...], dialects: tuple[str, ...], matrix: bool, limit: int | None, field: str, separator: str,
    form: str, html: str | None, jobs: int | None, max_bytes: int,
) -> int:  # fmt: skip
    """Tell what a corpus of model output holds: calls by status, repairs, leaks, what was never seen.

    CORPUS is JSON lines (.jsonl, also .gz and .zst), Parquet, text, a folder of them, or "-" for JSON lines on standard
    input. The text is looked for in the fields `text`, `completion`, `output`, `response`, `content`, `messages` and
    `conversations`; a record may name its `source`, its `dialect` and its `tools`.
    """
    if not corpus and matrix:
        raise Misuse("expected a corpus with --matrix, got none: what dialects can carry is `toolect spec features`")
    if not corpus:
        raise Misuse('expected a corpus, got none: name a file or a folder, or "-" for standard input')
    from toolect._corpora.examine import Options
    from toolect._corpora.report import report

    named = tuple(find(name).name for name in dialects if name != AUTO)
    options = Options(named, field, _unescaped(separator), max_bytes)
    if matrix:
        from toolect._cli.text_matrix import TEXTS, write_matrix

        if html:
            raise Misuse("expected --matrix or --html, got both: a page has the whole report")
        return write_matrix(corpus, named, options, limit or TEXTS, form, jobs or 0)
    if limit is not None:
        raise Misuse("expected --matrix with --limit, got a report on all texts: leave one out")
    stats, files = _counted(corpus, options, jobs or 0)
    found = report(stats, files)
    write_page(html, lambda command: _page(found, stats, ", ".join(corpus), command))
    if form == Form.JSON:
        emit_json(msgspec.to_builtins(found), indent=True)
    else:
        _draw(found)
    return int(found.problems > 0)


def _page(found: Report, stats: Stats, what: str, command: str) -> str:
    from toolect._corpora.coverage_page import coverage_page  # needs the extra `report`

    return coverage_page(found, stats, what, command)


def _unescaped(text: str) -> str:
    """A separator as it is typed: `\\n`, `\\t` and `\\0` stand for the characters."""
    for typed, meant in {r"\n": "\n", r"\t": "\t", r"\0": "\0"}.items():
        text = text.replace(typed, meant)
    return text


def _counted(corpus: Sequence[str], options: Options, jobs: int) -> tuple[Stats, int]:
    """Statistics of the corpus, and its number of files."""
    from toolect._corpora.examine import coverage
    from toolect._corpora.sources import files
    from toolect._processes import collect_less

    collect_less()
    found = files(corpus)
    with progress() as advance:
        return coverage(found, options, jobs, advance), len(found)


# Drawing


def _draw(report: Report) -> None:
    """Draws the report: figures of all dialects and sources, then the remarks on each dialect."""
    from toolect._corpora.report import NO_DIALECT, by_dialect, by_source

    pen = Pen()
    pen.write(_summary(report))
    pen.tables({"Dialects": by_dialect(report), "Sources": by_source(report)})
    for dialect in report.dialects:
        if pieces := list(_about(dialect)):
            pen.write(
                [
                    (TerminalStyle.PLAIN, "\n"),
                    (TerminalStyle.NAME, dialect.name or NO_DIALECT),
                    (TerminalStyle.PLAIN, "\n"),
                    *pieces,
                ]
            )
    pen.write(_troubles(report))


def _summary(report: Report) -> Iterator[Styled]:
    yield TerminalStyle.LABEL, counted(report.messages, "message")
    calls = sum(dialect.figures.calls for dialect in report.dialects)
    yield TerminalStyle.PLAIN, f" in {counted(report.files, 'file')}, {counted(calls, 'call')}"
    if report.structured:
        yield (
            TerminalStyle.PLAIN,
            f"; {counted(report.structured_calls, 'more call')} given as such in {report.structured:,}",
        )
    yield TerminalStyle.PLAIN, "\n"


def _about(dialect: DialectReport) -> Iterator[Styled]:
    if dialect.name is None:
        from toolect._corpora.report import NOTHING

        yield from _line("", NOTHING, TerminalStyle.QUIET)
    if dialect.figures.repairs:
        found = ", ".join(f"{kind} {count:,}" for kind, count in dialect.figures.repairs.items())
        yield from _line("repairs", found)
    if dialect.tools:
        found = ", ".join(f"{tool.name} {tool.calls:,}" for tool in dialect.tools[:SHOWN])
        others = sum(tool.calls for tool in dialect.tools[SHOWN:]) + dialect.more.calls
        yield from _line("tools", found + (f" and {others:,} calls of others" if others else ""))
    grammar = dialect.grammar
    if grammar is not None:
        yield from _line("grammar", f"{grammar.taken} of {grammar.parts} parts taken")
        for never in grammar.never[:SHOWN]:
            yield from _item(f"never {never.kind}", f"{never.name}: {never.text}")
        yield from rest(len(grammar.never) - SHOWN, indent=12)
    for leak in dialect.leaks[:SHOWN]:
        yield from _line("leak", f"{leak.count:,} × {leak.marker} in {leak.within}", STATUS["repaired"])
        yield from _examples(leak.examples[:1])
    yield from rest(sum(leak.count for leak in dialect.leaks[SHOWN:]) + dialect.more.leaks, indent=12)
    for failed in dialect.unparsed[:SHOWN]:
        yield from _line(failed.status, f"{failed.count:,} × {failed.cause}", STATUS[failed.status])
        yield from _examples(failed.examples[:1])
    yield from rest(sum(failed.count for failed in dialect.unparsed[SHOWN:]) + dialect.more.unparsed, indent=12)
    if dialect.others.tried:
        names = ", ".join(f"{name} {count}" for name, count in list(dialect.others.read_by.items())[:SHOWN])
        yield from _line(
            "others", f"tried {dialect.others.tried} that failed or were missed, read well by: {names or 'none'}"
        )


def _troubles(report: Report) -> Iterator[Styled]:
    if report.troubles:
        yield heading("Not read")
    for bad in report.troubles:
        yield from _line(bad.trouble, f"{bad.count:,} ×", STATUS["malformed"])
        yield from _examples(bad.examples[:3])


def _line(key: str, text: str, style: str = TerminalStyle.KEY) -> Iterator[Styled]:
    yield style, f"  {key:9} "
    yield TerminalStyle.PLAIN, one_line(text) + "\n"


def _item(key: str, text: str) -> Iterator[Styled]:
    yield TerminalStyle.QUIET, f"            {key} "
    yield TerminalStyle.PLAIN, one_line(text) + "\n"


def _examples(examples: Iterable[Shown]) -> Iterator[Styled]:
    for example in examples:
        yield TerminalStyle.QUIET, f"            {one_line(example.where)}: {cut(one_line(example.text), WIDE)}\n"
        if example.detail:
            yield TerminalStyle.QUIET, f"            {one_line(example.detail)}\n"

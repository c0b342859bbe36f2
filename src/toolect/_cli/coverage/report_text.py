"""The report on a corpus, for a reader at a screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolect._cli._shared.drawing import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Pen, Styled
from toolect._corpora.report import DialectReport, Report
from toolect._corpora.report_tables import NO_DIALECT, NOTHING, by_dialect, by_source
from toolect._corpora.tally import Shown
from toolect._shown import counted, cut, one_line

SHOWN = 8
"""Lines of a list."""
WIDE = 100
"""Characters of an example."""


def write_report(report: Report) -> None:
    """Writes the report: figures of all dialects and sources, then what is to say about each dialect."""
    pen = Pen()
    pen.write(_summary(report))
    for title, table in (("Dialects", by_dialect(report)), ("Sources", by_source(report))):
        if table.rows:
            pen.write([(LABEL, f"\n{title}\n")])
            pen.table(table)
    for dialect in report.dialects:
        if pieces := list(_about(dialect)):
            pen.write([(PLAIN, "\n"), (NAME, dialect.name or NO_DIALECT), (PLAIN, "\n"), *pieces])
    pen.write(_troubles(report))


def _summary(report: Report) -> Iterator[Styled]:
    yield LABEL, f"{report.messages:,} messages"
    calls = sum(dialect.figures.calls for dialect in report.dialects)
    yield PLAIN, f" in {counted(report.files, 'file')}, {counted(calls, 'call')}"
    if report.structured:
        yield PLAIN, f"; {counted(report.structured_calls, 'more call')} given as such in {report.structured:,}"
    yield PLAIN, "\n"


def _about(dialect: DialectReport) -> Iterator[Styled]:
    if dialect.name is None:
        yield from _line("", NOTHING, QUIET)
    if dialect.figures.repairs:
        found = ", ".join(f"{kind} {count:,}" for kind, count in dialect.figures.repairs.items())
        yield from _line("repairs", found)
    if dialect.tools:
        found = ", ".join(f"{tool.name} {tool.calls:,}" for tool in dialect.tools[:SHOWN])
        rest = sum(tool.calls for tool in dialect.tools[SHOWN:]) + dialect.more.calls
        yield from _line("tools", found + (f" and {rest:,} calls of others" if rest else ""))
    grammar = dialect.grammar
    if grammar is not None:
        yield from _line("grammar", f"{grammar.taken} of {grammar.parts} parts taken")
        for never in grammar.never[:SHOWN]:
            yield from _item(f"never {never.kind}", f"{never.name}: {never.text}")
        yield from _rest(len(grammar.never) - SHOWN)
    for leak in dialect.leaks[:SHOWN]:
        yield from _line("leak", f"{leak.count:,} × {leak.marker} in {leak.within}", STATUS["repaired"])
        yield from _examples(leak.examples[:1])
    yield from _rest(sum(leak.count for leak in dialect.leaks[SHOWN:]) + dialect.more.leaks)
    for failed in dialect.unparsed[:SHOWN]:
        yield from _line(failed.status, f"{failed.count:,} × {failed.cause}", STATUS[failed.status])
        yield from _examples(failed.examples[:1])
    yield from _rest(sum(failed.count for failed in dialect.unparsed[SHOWN:]) + dialect.more.unparsed)
    if dialect.others.tried:
        names = ", ".join(f"{name} {count}" for name, count in list(dialect.others.read_by.items())[:SHOWN])
        yield from _line(
            "others", f"tried {dialect.others.tried} that failed or were missed, read well by: {names or 'none'}"
        )


def _troubles(report: Report) -> Iterator[Styled]:
    if report.troubles:
        yield LABEL, "\nNot read\n"
    for bad in report.troubles:
        yield from _line(bad.trouble, f"{bad.count:,} ×", STATUS["malformed"])
        yield from _examples(bad.examples[:3])


def _line(key: str, text: str, style: str = KEY) -> Iterator[Styled]:
    yield style, f"  {key:9} "
    yield PLAIN, one_line(text) + "\n"


def _item(key: str, text: str) -> Iterator[Styled]:
    yield QUIET, f"            {key} "
    yield PLAIN, one_line(text) + "\n"


def _examples(examples: Iterable[Shown]) -> Iterator[Styled]:
    for example in examples:
        yield QUIET, f"            {one_line(example.where)}: {cut(one_line(example.text), WIDE)}\n"
        if example.detail:
            yield QUIET, f"            {one_line(example.detail)}\n"


def _rest(count: int) -> Iterator[Styled]:
    if count > 0:
        yield QUIET, f"            and {count:,} more\n"

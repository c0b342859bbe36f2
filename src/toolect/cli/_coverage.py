"""The report on a corpus, for a reader at a screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolect.cli._draw import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Pen, Piece
from toolect.cli._grid import write_table
from toolect.cli._io import one_line
from toolect.coverage.report import DialectReport, Figures, Report, Shown

SHOWN = 8
"""Lines of a list."""
WIDE = 100
"""Characters of an example."""
NO_DIALECT = "(none)"
HEAD = ("messages", "calls", "ok", "repaired", "truncated", "malformed")


def write_report(report: Report) -> None:
    """Writes the report: figures of all dialects and sources, then what is to say about each dialect."""
    pen = Pen()
    pen.write(_summary(report))
    if report.dialects:
        pen.write([(LABEL, "\nDialects\n")])
        best = any(dialect.best for dialect in report.dialects)
        rows = [(d.name or NO_DIALECT, *_cells(d.figures), *([_n(d.best)] if best else [])) for d in report.dialects]
        write_table(("dialect", *HEAD, *(["best"] if best else [])), rows)
    if len({s.source for s in report.sources}) > 1:
        pen.write([(LABEL, "\nSources\n")])
        found = [(s.source, s.dialect or NO_DIALECT, *_cells(s.figures)) for s in report.sources]
        write_table(("source", "dialect", *HEAD), found, left=2)
    for dialect in report.dialects:
        if pieces := list(_about(dialect)):
            pen.write([(PLAIN, "\n"), (NAME, dialect.name or NO_DIALECT), (PLAIN, "\n"), *pieces])
    pen.write(_troubles(report))


def _cells(figures: Figures) -> tuple[str, ...]:
    return tuple(_n(getattr(figures, name)) for name in HEAD)


def _n(count: int) -> str:
    return f"{count:,}"


def _summary(report: Report) -> Iterator[Piece]:
    calls = sum(d.figures.calls for d in report.dialects)
    yield LABEL, f"{_n(report.messages)} messages"
    yield PLAIN, f" in {_n(report.files)} {_plural('file', report.files)}, {_n(calls)} {_plural('call', calls)}"
    if report.structured:
        calls = report.structured_calls
        yield PLAIN, f"; {_n(calls)} more {_plural('call', calls)} given as such in {_n(report.structured)}"
    yield PLAIN, "\n"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"


def _about(dialect: DialectReport) -> Iterator[Piece]:
    if dialect.figures.repairs:
        found = ", ".join(f"{kind} {_n(count)}" for kind, count in dialect.figures.repairs.items())
        yield from _line("repairs", found)
    if dialect.tools:
        found = ", ".join(f"{tool.name} {_n(tool.calls)}" for tool in dialect.tools[:SHOWN])
        rest = sum(tool.calls for tool in dialect.tools[SHOWN:]) + dialect.more.calls
        yield from _line("tools", found + (f" and {_n(rest)} calls of others" if rest else ""))
    grammar = dialect.grammar
    if grammar is not None:
        yield from _line("grammar", f"{grammar.taken} of {grammar.parts} parts taken")
        for never in grammar.never[:SHOWN]:
            yield from _item(f"never {never.kind}", f"{never.name}: {never.text}")
        yield from _rest(len(grammar.never) - SHOWN)
    for leak in dialect.leaks[:SHOWN]:
        yield from _line("leak", f"{_n(leak.count)} × {leak.marker} in {leak.within}", STATUS["repaired"])
        yield from _examples(leak.examples[:1])
    yield from _rest(sum(leak.count for leak in dialect.leaks[SHOWN:]) + dialect.more.leaks)
    for failed in dialect.unparsed[:SHOWN]:
        yield from _line(failed.status, f"{_n(failed.count)} × {failed.skeleton}", STATUS[failed.status])
        yield from _examples(failed.examples[:1])
    yield from _rest(sum(failed.count for failed in dialect.unparsed[SHOWN:]) + dialect.more.unparsed)
    if dialect.others.tried:
        names = ", ".join(f"{name} {count}" for name, count in list(dialect.others.read_by.items())[:SHOWN])
        yield from _line(
            "others", f"tried {dialect.others.tried} that failed or were missed, read well by: {names or 'none'}"
        )


def _troubles(report: Report) -> Iterator[Piece]:
    if report.troubles:
        yield LABEL, "\nNot read\n"
    for bad in report.troubles:
        yield from _line(bad.trouble, f"{_n(bad.count)} ×", STATUS["malformed"])
        yield from _examples(bad.examples[:3])


def _line(key: str, text: str, style: str = KEY) -> Iterator[Piece]:
    yield style, f"  {key:9} "
    yield PLAIN, one_line(text) + "\n"


def _item(key: str, text: str) -> Iterator[Piece]:
    yield QUIET, f"            {key} "
    yield PLAIN, one_line(text) + "\n"


def _examples(examples: Iterable[Shown]) -> Iterator[Piece]:
    for example in examples:
        text = one_line(example.text)
        yield QUIET, f"            {one_line(example.where)}: {text[:WIDE]}{'…' * (len(text) > WIDE)}\n"
        if example.detail:
            yield QUIET, f"            {one_line(example.detail)}\n"


def _rest(count: int) -> Iterator[Piece]:
    if count > 0:
        yield QUIET, f"            and {_n(count)} more\n"

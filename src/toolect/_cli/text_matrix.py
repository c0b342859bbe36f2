"""Matrix of texts and dialects: what each dialect reads in each text, or how well it fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import toolect
from toolect import registry
from toolect._cli.options import Form
from toolect._cli.terminal import STATUS, Pen, TerminalStyle, emit_json, note, progress
from toolect._compiled import Dialect
from toolect._corpora.examine import Options
from toolect._corpora.records import Bad, Record, records
from toolect._corpora.sources import files, units
from toolect._corpora.table import Cell, Column, Kind, Table, columns
from toolect._corpora.value_kinds import Cursor, values
from toolect._detection.leaks import leaks
from toolect._message import Status
from toolect._processes import cores, in_order
from toolect._shown import counted, cut, one_line

if TYPE_CHECKING:
    from rich.text import Text as RichText

Found = TypeVar("Found")
TEXTS = 100
"""Texts of a table for which no limit is named."""
MOST = 8
"""Dialects of a table for which none is named: those that fit most texts best."""
ALONE = 400
"""Texts that are not worth a second process."""
SHOWN = 40
"""Characters of a text that are shown."""
_ORDER = [Status.OK, Status.REPAIRED, Status.TRUNCATED, Status.MALFORMED]


class PlacedText(NamedTuple):
    """A text of a corpus, and where it is."""

    where: str
    record: Record


class MatrixReading(NamedTuple):
    """Result of a dialect on a text: number of calls, the worst of their statuses, and number of markers left over."""

    calls: int
    status: str
    leaks: int

    def __str__(self) -> str:
        calls = f"{self.calls} {self.status}" if self.calls else ""
        return " + ".join(filter(None, [calls, counted(self.leaks, "leak") if self.leaks else ""])) or "·"

    @property
    def clean(self) -> bool:
        """True when all that looks like a call may run."""
        return not self.leaks and self.status in ("", Status.OK, Status.REPAIRED)


Row: TypeAlias = dict[str, MatrixReading] | dict[str, float]
"""Results for a text, or scores, by dialect."""


def write_matrix(
    corpus: Sequence[str], dialects: Sequence[str], options: Options, limit: int, form: str, jobs: int,
    fits: bool = False,
) -> int:  # fmt: skip
    """Writes what `dialects` read in the first texts of a corpus, or with `fits` how well they fit each of them.

    Without dialects they are those that fit best. The exit status is 1 if a text is read well by none of them.
    """
    texts = [*islice(_texts(corpus, options), limit + 1)]
    if len(texts) > limit == TEXTS:
        note(f"these are the first {limit} texts: --limit N takes more")
    del texts[limit:]
    jobs = jobs or (1 if len(texts) <= ALONE else cores())
    with progress(unit="texts") as advance:
        scores = [*_each(_scores, texts, jobs, advance)] if fits or not dialects else []
        best = Counter(next(iter(one)) for one in scores if one)
        dialects = dialects or sorted(name for name, _ in best.most_common(MOST))
        readings = [] if fits else [*_each(partial(_readings, dialects), texts, jobs, advance)]
    if not dialects:
        note("no dialect has left a mark in these texts")
        return 1
    rows: list[Row] = [{name: one.get(name, 0.0) for name in dialects} for one in scores] if fits else [*readings]
    if form == Form.JSON:
        for text, row in zip(texts, rows, strict=True):
            cells = {name: one._asdict() if isinstance(one, MatrixReading) else one for name, one in row.items()}
            emit_json({"where": text.where, "text": text.record.text, "dialects": cells})
    else:
        _draw(dialects, texts, rows)
    return int(not all(any(_good(one) for one in row.values()) for row in rows))


def _texts(corpus: Sequence[str], options: Options) -> Iterator[PlacedText]:
    """The texts of a corpus; what is none is said and left out."""
    for path in files(corpus):
        before = 0
        for unit in units(path, options.max_bytes):
            cursor = Cursor()
            for value in values(unit, cursor, options.field, options.separator, options.max_bytes):
                for record in [value] if isinstance(value, Bad) else records(value, options.field):
                    where = f"{path}:{before + cursor.number}"
                    if isinstance(record, Bad):
                        note(f"{where} is left out: {record.why}")
                    elif record.text is not None:
                        yield PlacedText(where, record)
            before += cursor.number


def _each(
    look: Callable[[Record], Found], texts: Sequence[PlacedText], jobs: int, advance: Callable[[int, int], None]
) -> Iterator[Found]:
    """Results of `look` for the texts, in `jobs` processes."""
    work = (text.record for text in texts)
    found = in_order(work, jobs, look, registry.restore, registry.state())
    for done, (_, one) in enumerate(found, 1):
        advance(done, len(texts))
        yield one


def _scores(record: Record) -> dict[str, float]:
    """Scores of the dialects, the best first."""
    found = toolect.detect(record.text or "", [*record.tools] or None, limit=1000)
    return {name: one.score for one in found for name in one.dialects}


def _readings(dialects: Sequence[str], record: Record) -> dict[str, MatrixReading]:
    """Results of reading the text in each dialect."""
    return {name: _reading(toolect.dialect(name), record) for name in dialects}


def _reading(dialect: Dialect, record: Record) -> MatrixReading:
    message = dialect.parse(record.text or "", [*record.tools] or None)
    worst = max((call.status for call in message.calls), key=_ORDER.index, default="")
    return MatrixReading(len(message.calls), worst, len(leaks(message.segments)))


# Drawing


def _good(cell: MatrixReading | float) -> bool:
    return cell.clean if isinstance(cell, MatrixReading) else cell > 0


def _has_calls(cell: MatrixReading | float) -> bool:
    return _good(cell) and (not isinstance(cell, MatrixReading) or cell.calls > 0)


def _draw(dialects: Sequence[str], texts: Sequence[PlacedText], rows: Sequence[Row]) -> None:
    titles = (Column("text", Kind.NAME), Column("", Kind.TEXT), *columns(Kind.TEXT, *dialects))
    lines: list[tuple[Cell, ...]] = []
    for text, row in zip(texts, rows, strict=True):
        cells = [str(one) if isinstance(one, MatrixReading) else f"{one:.0%}" for one in row.values()]
        lines.append((text.where, cut(one_line(text.record.text or ""), SHOWN), *cells))
    sums = [sum(_has_calls(row[name]) for row in rows) for name in dialects]
    lines.append(("calls read well", "", *(f"{number} of {len(rows)}" for number in sums)))
    Pen().table(Table(titles, lines), _coloured)


def _coloured(cell: str) -> RichText:
    """The text of a cell: the status in its colour, what is nothing or bad quiet."""
    from rich.text import Text

    words = cell.split()
    style = STATUS.get(words[1], TerminalStyle.PLAIN) if len(words) == 2 and words[0].isdigit() else TerminalStyle.PLAIN
    return Text(cell, TerminalStyle.QUIET if cell in ("·", "0%") else style)

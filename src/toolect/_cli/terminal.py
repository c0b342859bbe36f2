"""Terminal: results on standard output, sentences on standard error, drawings by rich.

All that goes to a terminal goes through here, its control signs as escapes: none is obeyed.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO, TypeAlias

import click

from toolect._corpora.table import Cell, Kind, Table
from toolect._message import Json, dumps
from toolect._shown import one_line, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Styled: TypeAlias = tuple[str, str]
"""A style and the text it applies to."""


class TerminalStyle(StrEnum):
    """Styles of text by what it is."""

    LABEL = "bold"
    QUIET = "dim"
    NAME = "bold cyan"
    KEY = "green"
    PLAIN = ""


STATUS = {"ok": "green", "repaired": "yellow", "truncated": "bold red", "malformed": "bold red"}

BAR = 20
"""Cells of a bar."""
INDENT = 2
"""Cells before a table."""
ENDLESS = 1 << 16
"""Cells of a line that is not on a terminal: nothing is folded there."""


class Misuse(click.ClickException):
    """A failure the user can mend."""

    exit_code = 2


_results: list[TextIO] = []
"""Standard output, while `aside` keeps others from it."""


def stand_in() -> None:
    """Puts streams that the system refuses in the places of those that were closed before the program began."""
    for name, usable, mode in (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, usable), mode, encoding="utf-8"))


def output() -> TextIO:
    """Stream for results: standard output, whoever else is kept from it."""
    return _results[-1] if _results else sys.stdout


@contextmanager
def aside() -> Iterator[None]:
    """Meanwhile what others write on standard output, tools and what programs they start, goes to standard error."""
    stream = sys.stdout
    stream.flush()
    own = _is_first(stream) and not _results
    _results.append(os.fdopen(os.dup(1), "w", encoding="utf-8") if own else output())
    if own:
        os.dup2(sys.stderr.fileno(), 1)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = stream
        results = _results.pop()
        if own:
            with suppress(OSError):  # it was said when it was written
                results.flush()
            os.dup2(results.fileno(), 1)
            with suppress(OSError):
                results.close()


def _is_first(stream: TextIO) -> bool:
    """True for the stream that programs inherit; where another program runs the command, it may be none."""
    try:
        return stream.fileno() == 1
    except (OSError, ValueError):
        return False


def abandon_output() -> None:
    """Points standard output at nothing: what is still buffered would fail once more when the interpreter exits."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, output().fileno())
    except (OSError, ValueError):  # it is no file
        sys.stdout = os.fdopen(nothing, "w", encoding="utf-8")


# Writing


def emit(text: str, drawn: bool = False) -> bool:
    """Writes `text` exactly, on a terminal with escapes; false when it held lone surrogates, which UTF-8 cannot carry.

    What is `drawn` has its escapes already, and the signs that colour it.
    """
    if not drawn and output().isatty():
        text = visible(text)
    data = text.encode(errors="backslashreplace")
    try:
        click.echo(data, nl=False, file=output())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritten(error) from None
    return data.decode() == text


def emit_wire(text: str) -> int:
    """Writes wire text, on a terminal as lines; 1 when UTF-8 cannot carry it."""
    terminal = output().isatty()
    if emit(text + "\n" if terminal and not text.endswith("\n") else text) or terminal:
        return 0
    note("expected text that UTF-8 can carry, got a lone surrogate in the output: it is written as an escape")
    return 1


def emit_json(value: Json, indent: bool = False) -> None:
    """Writes one JSON value on a line, or with `indent` on many for a reader at a terminal."""
    emit(encoded(value, 2 if indent and output().isatty() else None) + "\n")


def encoded(value: Json, indent: int | None = None) -> str:
    """`value` as JSON that UTF-8 can carry: a lone surrogate is written as an escape."""
    text = dumps(value) if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def unwritten(error: OSError) -> Misuse:
    """The misuse that output is which cannot be written; no more of it is tried."""
    abandon_output()
    advice = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check where it goes"
    return Misuse(f"expected to write the output, got `{error.strerror or error}`: {advice}")


def note(text: str) -> None:
    """A sentence on standard error about something found in the data."""
    complain(f"toolect: {one_line(text)}")


def complain(text: str) -> None:
    """Lines on standard error."""
    click.echo(visible(text).encode(), err=True)


# Drawing


def bar(share: float) -> Iterator[Styled]:
    """A share from 0 to 1, as cells that are full or empty."""
    cells = round(share * BAR)
    yield STATUS["ok"], "█" * cells
    yield TerminalStyle.QUIET, "░" * (BAR - cells)


def block(text: str, indent: str = "  ") -> str:
    """`text` indented, ending with its line."""
    return "".join(f"{indent}{line}\n" if line else "\n" for line in text.split("\n"))


def heading(title: str) -> Styled:
    """The title of a part, below an empty line."""
    return TerminalStyle.LABEL, f"\n{title}\n"


def rest(count: int, what: str = "more", indent: int = 2) -> Iterator[Styled]:
    """Draw the number of those that are not shown, if any."""
    if count > 0:
        yield TerminalStyle.QUIET, f"{'':{indent}}and {count:,} {what}\n"


def entries(
    key: str, values: Iterable[str], most: int, style: str = TerminalStyle.PLAIN, key_style: str = TerminalStyle.KEY
) -> Iterator[Styled]:
    """The first of some values, one a line, with the key before the first; and how many more there are."""
    values = [*values]
    for i, value in enumerate(values[:most]):
        yield key_style, f"  {'' if i else key:9}"
        yield style, one_line(value) + "\n"
    yield from rest(len(values) - most, indent=11)


class Pen:
    """Draws on standard output, in colour on a terminal and plain elsewhere."""

    def __init__(self) -> None:
        from rich.console import Console

        self._terminal = output().isatty()
        self._console = Console(
            force_terminal=self._terminal, color_system="auto" if self._terminal else None,
            width=None if self._terminal else ENDLESS, highlight=False, markup=False, emoji=False,
        )  # fmt: skip

    def write(self, pieces: Iterable[Styled]) -> None:
        """Writes the pieces one after the other."""
        from rich.segment import Segment, Segments
        from rich.style import Style

        segments = (Segment(visible(text), Style.parse(style)) for style, text in pieces if text)
        self._print(Segments(segments), soft_wrap=True)

    def table(self, table: Table, styled: Callable[[str], Text] | None = None) -> None:
        """Writes a table, without its bars; `styled` may draw the text of a cell."""
        from rich.padding import Padding
        from rich.table import Table as Grid

        table = table.without(Kind.BAR)
        grid = Grid(box=None, header_style=TerminalStyle.LABEL, pad_edge=False, padding=(0, 2, 0, 0))
        for column in table.columns:
            style = TerminalStyle.NAME if column.kind is Kind.NAME else TerminalStyle.PLAIN
            grid.add_column(column.title, justify="right" if column.is_figure else "left", style=style)
        for row in table.rows:
            grid.add_row(*map(styled or _quiet_nought, map(_cell_text, row)))
        self._print(Padding(grid, (0, 0, 0, INDENT), expand=False), soft_wrap=False)

    def tables(self, titled: Mapping[str, Table]) -> None:
        """Writes the tables that have rows, each below its title."""
        for title, table in titled.items():
            if table.rows:
                self.write([heading(title)])
                self.table(table)

    def markdown(self, text: str) -> None:
        """Writes Markdown: set for reading on a terminal, as it is elsewhere."""
        from rich.markdown import Markdown

        if self._terminal:
            self._print(Markdown(visible(text)), soft_wrap=False)
        else:
            emit(text)

    def _print(self, what: RenderableType, soft_wrap: bool) -> None:
        """Has rich draw, and writes that like all other output, without the blanks that fill up lines."""
        with self._console.capture() as capture:
            self._console.print(what, end="", soft_wrap=soft_wrap)
        text = capture.get()
        emit(text if soft_wrap else "\n".join(line.rstrip() for line in text.split("\n")), drawn=True)


def _quiet_nought(cell: str) -> Text:
    """The text of a cell; a 0 does not stand out."""
    from rich.text import Text

    return Text(cell, TerminalStyle.QUIET if cell == "0" else TerminalStyle.PLAIN)


def _cell_text(cell: Cell) -> str:
    """The cell of a table as text."""
    return f"{cell:,}" if isinstance(cell, int) else one_line(str(cell))


@contextmanager
def progress(shown: bool = True, unit: str = "") -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, if that is a terminal.

    It yields a function that takes how much is done and how much there is: bytes, or what `unit` says.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich import progress as rich
    from rich.console import Console

    columns: tuple[rich.ProgressColumn | str, ...] = (rich.DownloadColumn(), rich.TransferSpeedColumn())
    if unit:
        columns = (rich.MofNCompleteColumn(), unit)
    console = Console(stderr=True)
    with rich.Progress(rich.BarColumn(), *columns, rich.TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total or None)

"""Drawing by rich: styled pieces of text, tables and Markdown, in colour on a terminal and plain elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from toolect._cli._shared.io import emit
from toolect._cli._shared.streams import output
from toolect._corpora.table import Cell, Kind, Table
from toolect._shown import one_line, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Styled: TypeAlias = tuple[str, str]
"""A style and the text it applies to."""

LABEL, QUIET, NAME, KEY, PLAIN = "bold", "dim", "bold cyan", "green", ""
STATUS = {"ok": "green", "repaired": "yellow", "truncated": "bold red", "malformed": "bold red"}

BAR = 20
"""Cells of a bar."""
INDENT = 2
"""Cells before a table."""
ENDLESS = 1 << 16
"""Cells of a line that is not on a terminal: nothing is folded there."""


def bar(share: float) -> Iterator[Styled]:
    """A share from 0 to 1, as cells that are full or empty."""
    cells = round(share * BAR)
    yield STATUS["ok"], "█" * cells
    yield QUIET, "░" * (BAR - cells)


def block(text: str, indent: str = "  ") -> str:
    """`text` indented, ending with its line."""
    return "".join(f"{indent}{line}\n" if line else "\n" for line in visible(text).split("\n"))


def entries(key: str, values: Iterable[str], most: int, style: str = PLAIN, key_style: str = KEY) -> Iterator[Styled]:
    """The first of some values, one a line, with the key before the first; and how many more there are."""
    values = [*values]
    for i, value in enumerate(values[:most]):
        yield key_style, f"  {'' if i else key:9}"
        yield style, one_line(value) + "\n"
    if len(values) > most:
        yield QUIET, f"{'':11}and {len(values) - most} more\n"


class Pen:
    """Draws on standard output."""

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

        self._print(Segments(Segment(text, Style.parse(style)) for style, text in pieces if text), soft_wrap=True)

    def table(self, table: Table, styled: Callable[[str], Text] | None = None) -> None:
        """Writes a table, without its bars; `styled` may draw the text of a cell."""
        from rich.padding import Padding
        from rich.table import Table as Grid

        table = table.without(Kind.BAR)
        grid = Grid(box=None, header_style=LABEL, pad_edge=False, padding=(0, 2, 0, 0))
        for column in table.columns:
            style = NAME if column.kind is Kind.NAME else PLAIN
            grid.add_column(column.title, justify="right" if column.is_figure else "left", style=style)
        for row in table.rows:
            grid.add_row(*map(styled or _quiet_nought, map(_written, row)))
        self._print(Padding(grid, (0, 0, 0, INDENT), expand=False), soft_wrap=False)

    def markdown(self, text: str) -> None:
        """Writes Markdown: set for reading on a terminal, as it is elsewhere."""
        from rich.markdown import Markdown

        if self._terminal:
            self._print(Markdown(text), soft_wrap=False)
        else:
            emit(text)

    def _print(self, what: RenderableType, soft_wrap: bool) -> None:
        """Has rich draw, and writes that like all other output, without the blanks that fill up lines."""
        with self._console.capture() as drawn:
            self._console.print(what, end="", soft_wrap=soft_wrap)
        text = drawn.get()
        emit(text if soft_wrap else "\n".join(line.rstrip() for line in text.split("\n")))


def _quiet_nought(cell: str) -> Text:
    """The text of a cell; a 0 does not stand out."""
    from rich.text import Text

    return Text(cell, QUIET if cell == "0" else PLAIN)


def _written(cell: Cell) -> str:
    """The cell of a table as text; of names, how many they are."""
    if isinstance(cell, int):
        return f"{cell:,}"
    return one_line(cell) if isinstance(cell, str) else str(len(cell))

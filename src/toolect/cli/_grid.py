"""Tables on a screen: drawn by rich on a terminal, in plain columns elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from toolect.cli._draw import LABEL, PLAIN, QUIET, Pen, Piece
from toolect.cli._io import one_line

INDENT = "  "


def write_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Writes a table; the first `left` columns are text, the others figures."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _rich(head, rows, left)
        return
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    pen = Pen()
    for i, row in enumerate((head, *rows)):
        cells = [
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        piece: Piece = (LABEL if i == 0 else PLAIN, INDENT + "  ".join(cells).rstrip() + "\n")
        pen.write([piece])


def _rich(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style=f"{LABEL} {QUIET}", pad_edge=False, padding=(0, 2, 0, 0))
    for i, name in enumerate(head):
        table.add_column(name, justify="left" if i < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, QUIET if cell == "0" else PLAIN) for cell in row))
    Console(highlight=False).print(Padding(table, (0, 0, 0, len(INDENT))))

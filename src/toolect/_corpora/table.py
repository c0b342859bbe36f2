"""Tables as data: described once, drawn on a terminal, in Markdown and in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias


class Kind(Enum):
    """Kind of a column's cells."""

    NAME = "name"
    TEXT = "text"
    FIGURE = "figure"
    BAR = "bar"
    """Drawn in HTML only."""


class Column(NamedTuple):
    """The title of a column, and the kind of its cells."""

    title: str
    kind: Kind

    @property
    def is_figure(self) -> bool:
        """True when it is set flush right."""
        return self.kind is Kind.FIGURE


class Share(NamedTuple):
    """A part of a bar: its label, its size, and the class that colours it."""

    what: str
    size: int
    kind: str


Cell: TypeAlias = str | int | tuple[Share, ...]


class Table(NamedTuple):
    """Rows of cells, one of the right type for each column."""

    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]

    def without(self, *kinds: Kind) -> Table:
        """The table without the columns of these kinds."""
        kept = [at for at, column in enumerate(self.columns) if column.kind not in kinds]
        rows = [tuple(row[at] for at in kept) for row in self.rows]
        return Table(tuple(self.columns[at] for at in kept), rows)


def columns(kind: Kind, *titles: str) -> tuple[Column, ...]:
    """Columns of one kind."""
    return tuple(Column(title, kind) for title in titles)

"""Data sets: rows of any kind in, rows of another kind out, each with an account of what became of it.

`Convert` does that to one row or a batch of them: it can be pickled, for `map` of `datasets` and `map_batches`
of Ray. `convert_files` does it to files of any size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from toolect._chats.conversation_diff import Change
from toolect._data.converting import ACCOUNT, Outcome, Settings, convert, meaning
from toolect._data.keeping import REFUSED, Keep, Loss
from toolect._data.row_targets import COLUMNS, Form, Target, target_of
from toolect._message import Json
from toolect._rows.account import Account, Fate
from toolect._rows.dialect_detection import find_out
from toolect._rows.row_parts import kind_of
from toolect._rows.row_readers import readings
from toolect._rows.row_source import Source
from toolect.conversation import Conversation

__all__ = [
    "ACCOUNT", "Account", "Change", "Convert", "Fate", "Form", "Keep", "Loss", "Outcome", "Source", "Target",
    "find_out", "kind_of", "meaning", "read", "target_of",
]  # fmt: skip


class Convert(msgspec.Struct, frozen=True):
    """Rows of one kind as rows of another. It never raises on any row: what cannot be converted says so.

    `Convert(target_of("qwen3"))(row)` is the new row; its column `account` tells what became of it. Without a source
    each row is read as what it is.
    """

    target: Target
    source: Source = Source()
    """Source of the rows: their kind, the dialect of calls in texts, the column; `find_out(rows)` makes one of rows."""
    keep: Keep = Keep()
    """Filter of rows, by the status and the arguments of their calls; the others are `filtered`."""
    refused: frozenset[Loss] = REFUSED
    """The losses for which a row is refused: `Loss.CALLS` alone; `frozenset(Loss)` keeps what is exact."""

    def outcomes(self, row: Json) -> list[Outcome]:
        """Outcomes of a row: one, or one for each answer of a log; each with its new rows."""
        return convert(row, Settings(self.target, self.source, self.keep, self.refused))

    def __call__(self, row: Mapping[str, Json]) -> dict[str, Json]:
        """The new row. One that is refused, or would be several, has nothing but its other columns and the account."""
        found = self.rows(row)
        if len(found) == 1:
            return found[0]
        reason = Change(
            "several rows of one", detail=f"expected one new row, got {len(found)}: convert them in batches"
        )
        return self._without(row, Account(Fate.REFUSED, reason=reason))

    def rows(self, row: Json) -> list[dict[str, Json]]:
        """The new rows of a row, each with all columns of the target; one without, where nothing is written."""
        empty = dict.fromkeys(COLUMNS[self.target.form])
        found: list[dict[str, Json]] = []
        for outcome in self.outcomes(row):
            found += [empty | new for new in outcome.rows] or [self._without(row, outcome.account)]
        return found

    def batch(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Json]]:
        """The new rows of a batch of columns, as columns: for `map(…, batched=True)` and `map_batches`."""
        names = [*columns]
        found = [
            new
            for values in zip(*(_plain(columns[name]) for name in names), strict=True)
            for new in self.rows(dict(zip(names, values, strict=True)))
        ]
        wanted = dict.fromkeys(name for row in found for name in row)
        return {name: [row.get(name) for row in found] for name in wanted}

    def _without(self, row: Json, account: Account) -> dict[str, Json]:
        others = dict(row) if isinstance(row, Mapping) else {}
        return others | dict.fromkeys(COLUMNS[self.target.form]) | {ACCOUNT: account.column()}


def read(row: Json, source: Source | None = None) -> Conversation:
    """The conversation of a row, the first of several. Raises ValueError for a row without one."""
    from toolect._rows.account import RowRejectedError

    try:
        return readings(row, source or Source())[0].conversation
    except RowRejectedError as error:
        raise ValueError(str(error)) from None


def _plain(column: Any) -> Any:
    """A column in Python's own types: those of NumPy and Arrow know how."""
    if hasattr(column, "to_pylist"):
        return column.to_pylist()
    return column.tolist() if hasattr(column, "tolist") else column

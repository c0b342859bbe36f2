"""The outcome of reading a row, with its reasons."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from toolect._chats.conversation_diff import Change
from toolect._message import Json
from toolect._shown import cause, cut, visible


class Fate(StrEnum):
    """Outcome of a row."""

    CONVERTED = "converted"
    """All of it is kept."""
    CHANGED = "changed"
    """Something differs, or is left out."""
    REFUSED = "refused"
    """It is no conversation, or one that the target cannot carry."""
    FILTERED = "filtered"
    """A filter leaves it out."""
    DUPLICATE = "duplicate"
    """A row before says the same."""


KEPT = (Fate.CONVERTED, Fate.CHANGED)
"""Outcomes of rows that are written."""


class Account(msgspec.Struct, frozen=True):
    """Outcome of one row: its changes, or the reason why it is left out; `notes` are remarks on its content."""

    fate: Fate
    changes: tuple[Change, ...] = ()
    notes: tuple[Change, ...] = ()
    reason: Change | None = None

    def column(self) -> dict[str, Json]:
        """The account as a column of its row."""
        found: dict[str, Json] = {"status": self.fate.value}
        if self.reason is not None:
            found["reason"] = visible(str(self.reason))
        found["changes"], found["notes"] = _sentences(self.changes), _sentences(self.notes)
        return found


def _sentences(changes: tuple[Change, ...]) -> list[Json]:
    return [visible(str(change)) for change in changes]


class RowRejectedError(Exception):
    """A row that is not written: its outcome, and the reason."""

    def __init__(self, reason: Change, fate: Fate = Fate.REFUSED) -> None:
        super().__init__(str(reason))
        self.reason, self.fate = reason, fate


LONGEST = 400
"""Characters of a reason. Beyond it: it is cut."""


def because(error: Exception) -> Change:
    """Return the reason that an error gives."""
    if isinstance(error, RecursionError):
        return Change("nested too deeply")
    return Change(cut(str(error) or type(error).__name__, LONGEST))


def group(change: Change) -> str:
    """Key under which a change is counted: its sentence without the data of its row."""
    return cause(change.what)

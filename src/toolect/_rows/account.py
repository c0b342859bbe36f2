"""What became of a row, and why."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from toolect._chats.conversation_diff import Change
from toolect._message import Json
from toolect._shown import cause, cut, visible


class Fate(StrEnum):
    """What became of a row."""

    CONVERTED = "converted"
    """All of it is kept."""
    CHANGED = "changed"
    """Something differs, or is left out."""
    REFUSED = "refused"
    """It is no conversation, or one that the target cannot carry."""
    FILTERED = "filtered"
    """It is not what was asked for."""
    DUPLICATE = "duplicate"
    """A row before says the same."""


KEPT = (Fate.CONVERTED, Fate.CHANGED)
"""What becomes of rows that are written."""


class Account(msgspec.Struct, frozen=True):
    """What became of one row: its changes, or the reason why it is not there; `notes` are what else was seen in it."""

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
    """A row that is not written: what became of it, and the reason."""

    def __init__(self, reason: Change, fate: Fate = Fate.REFUSED) -> None:
        super().__init__(str(reason))
        self.reason, self.fate = reason, fate


LONGEST = 400
"""Characters of a reason. Beyond it: it is cut."""


def because(error: Exception) -> Change:
    """The reason that an error is."""
    if isinstance(error, RecursionError):
        return Change("nested too deeply")
    return Change(cut(str(error) or type(error).__name__, LONGEST))


def group(change: Change) -> str:
    """What a change is counted as: what it says without the data of its row."""
    return cause(change.what)

"""Conversion of one unit of the input into a part of the output, in any process."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from toolect._chats.conversation_diff import Change
from toolect._corpora.any_json import encoded
from toolect._corpora.records import Bad
from toolect._corpora.sources import Unit
from toolect._corpora.value_kinds import Cursor, values
from toolect._data.converting import Outcome, Settings, convert
from toolect._data.tallies import Tallies
from toolect._message import Json
from toolect._rows.account import Account, Fate, because

Piece: TypeAlias = tuple[Unit, Settings]
"""A unit, and the settings for its rows."""


class OutputRow(NamedTuple):
    """The new rows of one old one, as JSON lines: the number of its line, its fate, and the number of new rows.

    Where rows must be distinct, `outcome` is counted later, once the row is known to be no duplicate.
    """

    number: int
    fate: str
    rows: int
    lines: bytes
    outcome: Outcome | None


class RejectedRow(NamedTuple):
    """A row that is not written: the number of its line, its fate, and its account in JSON."""

    number: int
    fate: str
    account: bytes


class ChunkResult(NamedTuple):
    """Converted rows of a unit, in order, and those left out; `lines` is the number of its lines."""

    kept: list[OutputRow]
    left: list[RejectedRow]
    tallies: Tallies
    lines: int


def part_of(unit: Unit, settings: Settings, limit: int) -> ChunkResult:
    """Convert a unit; a line of more than `limit` bytes is refused."""
    cursor, tallies = Cursor(), Tallies()
    kept: list[OutputRow] = []
    left: list[RejectedRow] = []
    for value in values(unit, cursor, "", "", limit, True, settings.target.table):
        tallies.read += 1
        for made_of in _outcomes(value, settings):
            outcome, lines = in_lines(made_of)
            account = outcome.account
            if lines:
                later = outcome._replace(rows=[]) if settings.distinct else None
                kept.append(OutputRow(cursor.number, account.fate.value, len(outcome.rows), lines, later))
                if later is not None:
                    continue
            else:
                left.append(RejectedRow(cursor.number, account.fate.value, encoded(account.column())))
            tallies.add(outcome, unit.path, cursor.number)
    return ChunkResult(kept, left, tallies, cursor.number)


def part_of_piece(limit: int, piece: Piece) -> ChunkResult:
    """Convert a unit as its job says."""
    return part_of(*piece, limit)


def _outcomes(value: Json | Bad, settings: Settings) -> list[Outcome]:
    if isinstance(value, Bad):
        return [Outcome(Account(Fate.REFUSED, reason=Change(value.trouble.value, detail=value.why)), [])]
    return convert(value, settings)


def in_lines(outcome: Outcome) -> tuple[Outcome, bytes]:
    """The new rows of an outcome as JSON lines; where they cannot be written there are none, and it says why."""
    try:
        return outcome, b"".join([encoded(row) + b"\n" for row in outcome.rows])
    except RecursionError as error:
        refused = Account(Fate.REFUSED, notes=outcome.account.notes, reason=because(error))
        return outcome._replace(account=refused, rows=[]), b""

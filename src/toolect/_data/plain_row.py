"""Rows of plain messages, read without making more of them than is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec
from msgspec import Raw

from toolect._corpora.value_kinds import decode_json
from toolect._data.kinds import LISTS, Kind
from toolect._data.open_row import TOOLS, Reading, read_of
from toolect._data.row_mending import tools_in, tools_of_json
from toolect._data.row_source import Source
from toolect._exchange.plain_messages import plain_turns
from toolect._exchange.told_in_texts import may_define
from toolect._message import Json
from toolect._turns import System

_columns = msgspec.json.Decoder(dict[str, Raw]).decode
_NULL = b"null"


class PlainRow(NamedTuple):
    """What a row tells, and its other columns."""

    reading: Reading
    others: dict[str, Json]


def row_of_line(source: Source, line: bytes) -> Json | PlainRow:
    """The row that a line of JSON tells: a plain one where it can be. Raises ValueError, RecursionError."""
    if source.kind is Kind.MESSAGES and not source.dialect:
        try:
            plain = _plain(_columns(line), source)
        except (ValueError, RecursionError):
            plain = None
        if plain is not None:
            return plain
    return decode_json(line)


def _plain(columns: dict[str, Raw], source: Source) -> PlainRow | None:
    name = _first((source.field, *LISTS) if source.field else LISTS, columns)
    turns = plain_turns(columns[name]) if name else None
    if not turns:
        return None
    told = _first(TOOLS, columns)
    if not told and isinstance(turns[0], System) and may_define(turns[0].text):
        return None
    tools = tools_of_json(bytes(columns[told])) if told else tools_in(None)
    taken = frozenset(filter(None, (name, told)))
    others = {key: decode_json(value) for key, value in columns.items() if key not in taken}
    return PlainRow(read_of(turns, tools, taken, [*tools.notes]), others)


def _first(names: Iterable[str], columns: Mapping[str, Raw]) -> str:
    """The first of the columns that there is; "" for none."""
    for name in names:
        if name in columns and bytes(columns[name]) != _NULL:
            return name
    return ""

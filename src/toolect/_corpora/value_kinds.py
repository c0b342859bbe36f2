"""The values of one unit of a corpus, with faults for unreadable ones; a cursor has the line, row or record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import msgspec

from toolect._corpora.records import BESIDE, FIELDS, Bad, Trouble
from toolect._corpora.sources import RATIO, ROW, Unit, UnitKind
from toolect._corpora.table_cells import rows_of, unpacked_size
from toolect._message import Json
from toolect._shown import unread_byte, unread_json

Value: TypeAlias = Json | Bad
decode_json = msgspec.json.Decoder().decode
_ROWS = 16
"""Rows of a table that are in memory at a time."""


class Cursor:
    """Position of reading: `number` counts the lines, rows or records of a unit from 1."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


def values(
    unit: Unit,
    cursor: Cursor,
    field: str,
    separator: str,
    limit: int,
    whole: bool = False,
    typed: bool = False,
) -> Iterator[Value]:
    """The values of `unit`; a line, row or text of more than `limit` bytes is none. Moves the cursor.

    Of a table's rows those columns are read that may hold texts, or with `whole` all of them; `typed` is for who keeps
    the types of columns.
    """
    match unit.kind:
        case UnitKind.LINES:
            with open(unit.path, "rb") as file:
                yield from _lines(file, cursor, unit.start, unit.end, limit)
        case UnitKind.BLOCK:
            yield from _lines(BytesIO(unit.data), cursor, 0, len(unit.data), limit)
        case UnitKind.EVENTS:
            with BytesIO(unit.data) if unit.data else open(unit.path, "rb") as file:
                lines = [*_lines(file, cursor, 0, len(unit.data) or unit.end, limit)]
            yield next((one for one in lines if isinstance(one, Bad)), lines)
        case UnitKind.DOCUMENT:
            value = json.loads(Path(unit.path).read_bytes())
            for one in value if isinstance(value, list) and not any(map(_is_turn, value)) else [value]:
                cursor.number += 1
                yield one
        case UnitKind.ROWS | UnitKind.BATCH:
            yield from _rows(unit, cursor, field, limit, whole, typed)
        case UnitKind.TEXT:
            yield from _texts(unit.path, cursor, separator, limit)
        case UnitKind.BAD:
            yield Bad(Trouble.UNREADABLE, unit.why)


def _lines(file: BinaryIO, cursor: Cursor, start: int, end: int, limit: int) -> Iterator[Value]:
    """The values of the lines that begin at bytes `start:end`."""
    at = start
    if start:
        file.seek(start - 1)
        at = start - 1 + _skip(file)
    readline = file.readline
    while at < end and (line := readline(limit + 2)):
        cursor.number += 1
        at += len(line)
        if len(line) > limit + 1:
            if not line.endswith(b"\n"):
                at += _skip(file)
            yield Bad(Trouble.TOO_LONG, f"expected at most {limit} bytes, got more: raise --max-bytes")
            continue
        try:
            value = decode_json(line)
        except (ValueError, RecursionError):
            if line.strip():
                yield _patiently(line)
            continue
        yield value


def _skip(file: BinaryIO) -> int:
    """Skip the rest of the line, and return its length in bytes."""
    skipped = 0
    while piece := file.readline(1 << 16):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def _patiently(line: bytes) -> Json | Bad:
    """The value of a line that the fast reader declines: it may hold NaN, lone surrogates, or be no JSON."""
    try:
        return json.loads(line.rstrip(b"\r\n").decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Bad(Trouble.NOT_UTF8, unread_byte(error))
    except (ValueError, RecursionError) as error:
        return Bad(Trouble.NOT_JSON, f"expected JSON, got {unread_json(error)}")


def _is_turn(value: Json) -> bool:
    """True for a turn of a conversation, of which a list is one row."""
    return not isinstance(value, dict) or not {"role", "from", "type", "source"}.isdisjoint(value)


def _rows(unit: Unit, cursor: Cursor, field: str, limit: int, whole: bool, typed: bool) -> Iterator[Value]:
    """The rows of one row group, or of a stream of Arrow; those of more than `limit` bytes are none."""
    from pyarrow import ArrowException  # type: ignore[import-untyped]

    try:
        left, batches = _group(unit, field, limit, whole) if unit.kind is UnitKind.ROWS else _stream(unit, limit)
        for batch in batches:
            wanted = _columns(batch.schema.names, field, whole)
            size, column = _size(batch, wanted)
            left -= size
            if left < 0:
                raise _too_large(column)
            for part in [batch] if size <= limit else [batch.slice(at, 1) for at in range(batch.num_rows)]:
                size, column = _size(part, wanted)
                if size > limit:
                    cursor.number += 1
                    why = f"expected at most {limit} bytes in a row, got more in column `{column}`: raise --max-bytes"
                    yield Bad(Trouble.TOO_LONG, why)
                    continue
                for row in rows_of(part, wanted, typed):
                    cursor.number += 1
                    yield row
    except (ArrowException, OSError, ValueError, OverflowError) as error:
        yield Bad(Trouble.UNREADABLE, " ".join(str(error).split())[:200])


def _group(unit: Unit, field: str, limit: int, whole: bool) -> tuple[int, Iterator[Any]]:
    """The limit in bytes for the rows of a row group, and the rows. Raises ValueError if its metadata says more."""
    from pyarrow import parquet

    file = parquet.ParquetFile(unit.path)
    group, names = file.metadata.row_group(unit.start), file.schema_arrow.names
    parts = [group.column(at) for at in range(group.num_columns)]
    most = limit // file.metadata.num_row_groups + RATIO * sum(part.total_compressed_size for part in parts)
    named = None if whole else [names[at] for at in _columns(names, field, whole)]
    for part in parts:
        read = named is None or part.path_in_schema.partition(".")[0] in named
        if read and max(part.total_uncompressed_size, part.num_values, group.num_rows * ROW) > most:
            raise _too_large(part.path_in_schema)
    return most, file.iter_batches(batch_size=_ROWS, row_groups=[unit.start], columns=named)


def _stream(unit: Unit, limit: int) -> tuple[int, Iterator[Any]]:
    """The limit in bytes for the rows of a stream of Arrow, and the rows. Raises ValueError for too many."""
    from pyarrow import ipc

    table = ipc.open_stream(unit.data).read_all()
    most = limit + RATIO // 4 * len(unit.data)  # which is not packed any more
    if table.num_rows * ROW > most:
        raise _too_large(table.schema.names[0] if table.schema.names else "")
    starts = range(0, table.num_rows, _ROWS)
    return most, (batch for at in starts for batch in table.slice(at, _ROWS).to_batches())


def _size(batch: Any, wanted: list[int]) -> tuple[int, str]:
    """The bytes of the rows of a batch, and the column that has most of them."""
    sizes = [(unpacked_size(batch.column(at)), batch.schema.names[at]) for at in wanted]
    return sum(size for size, _ in sizes) + batch.num_rows * ROW, max(sizes, default=(0, ""))[1]


def _too_large(column: str) -> ValueError:
    return ValueError(
        f"expected at most {RATIO:,} times the bytes of a table in its rows, got more in column `{column}`: "
        "raise --max-bytes if that is meant"
    )


def _columns(names: list[str], field: str, whole: bool) -> list[int]:
    """The numbers of the columns of a table that are read."""
    wanted = {*BESIDE, "role", "tool_calls", field.split(".")[0]} | (set() if field else {*FIELDS})
    return [at for at, name in enumerate(names) if whole or name in wanted]


def _texts(path: str, cursor: Cursor, separator: str, limit: int) -> Iterator[Value]:
    """The texts of one file: the whole of it, or the texts between separators."""
    mark = separator.encode()
    for data in _split(path, mark, limit) if mark else [_whole(path, limit)]:
        cursor.number += 1
        if len(data) > limit:
            yield Bad(Trouble.TOO_LONG, f"expected at most {limit} bytes, got more: raise --max-bytes")
            continue
        try:
            text = data.decode("utf-8-sig" if cursor.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            yield Bad(Trouble.NOT_UTF8, unread_byte(error))
            continue
        if text.strip() or not mark:
            yield text


def _whole(path: str, limit: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(limit + 1)


def _split(path: str, mark: bytes, limit: int) -> Iterator[bytes]:
    """The pieces of a file between its marks; of one that is too long, the beginning."""
    with open(path, "rb") as file:
        held, skipping = b"", False
        while data := file.read(1 << 20):
            *whole, held = (held + data).split(mark)
            for piece in whole:
                if not skipping:
                    yield piece
                skipping = False
            if len(held) > limit + len(mark):
                if not skipping:
                    yield held[: limit + 1]
                skipping, held = True, held[-len(mark) :]
        if not skipping and held:
            yield held

"""The files of a corpus, packed or not, cut into units of work that do not depend on who does them."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec

from toolect import _extras as extras
from toolect._corpora.table_cells import unique
from toolect._errors import ToolectError

RATIO = 4096
"""Factor by which a packed file may grow, beside the longest line: texts come to a tenth of that."""
ROW = 64
"""Bytes that any row counts for, beside its values."""
ENDINGS = (".gz", ".zst")
"""Usual suffixes of packed files."""
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class UnpackError(ToolectError, ValueError):
    """A packed file that cannot be read: what is missing, or broken."""


def unpacked(file: BinaryIO) -> BinaryIO:
    """The unpacked content of `file`, or `file` itself if it is not packed. Raises UnpackError."""
    head = beginning(file)
    if head[:2] == _GZIP:
        import gzip  # few files are packed

        return cast(BinaryIO, io.BufferedReader(_Guarded(gzip.GzipFile(fileobj=file))))
    if head == _ZSTD:
        return cast(BinaryIO, io.BufferedReader(_Guarded(_zstd(file))))
    return file


def beginning(file: BinaryIO) -> bytes:
    """The first four bytes, which are still to be read."""
    if isinstance(file, io.BufferedReader):
        return file.peek(4)[:4]
    if not file.seekable():
        return b""
    at = file.tell()
    head = file.read(4)
    file.seek(at)
    return head


def _zstd(file: BinaryIO) -> Any:
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ImportError:
        raise UnpackError(extras.missing("pyarrow", "data", "for a file in Zstandard")) from None
    return pyarrow.CompressedInputStream(file, "zstd")


class _Guarded(io.RawIOBase):
    """Reads from an unpacker, whose errors are of several kinds."""

    def __init__(self, file: Any) -> None:
        self._file, self._data = file, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            if not self._data:
                self._data = memoryview(self._file.read(len(buffer)))
        except Exception as error:  # of two libraries, with no base but this
            raise UnpackError(f"expected a whole packed file, got one with an error in it ({error})") from None
        data, self._data = self._data[: len(buffer)], self._data[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


UNIT = 1 << 20
"""Bytes of a unit of lines: small enough to share out, and for a bar that moves."""
_LINES = (".jsonl", ".ndjson", ".json")
_PACKED = tuple(f"{lines}{ending}" for lines in _LINES for ending in ENDINGS)
_TEXTS = (".txt", ".md", ".log")
_ARROW = (".arrow", ".feather")
_BESIDE = frozenset(("dataset_info.json", "state.json", "dataset_dict.json"))
"""Files beside the Arrow files of a saved data set that are no part of it."""


class UnitKind(StrEnum):
    """Kind of a unit."""

    LINES = "lines"
    BLOCK = "block"
    ROWS = "rows"
    BATCH = "batch"
    TEXT = "text"
    EVENTS = "events"
    """Lines that are one row together."""
    DOCUMENT = "document"
    """One JSON value over several lines: a row, or a list of rows."""
    BAD = "bad"


class Unit(msgspec.Struct, frozen=True):
    """A part of a file: the lines that begin in bytes `start:end`, lines that lie in `data`, the row group number
    `start`, rows that lie in `data` as a stream of Arrow, a whole text, or for BAD why the file cannot be read.

    `size` is how much of the corpus it is, in bytes.
    """

    path: str
    kind: UnitKind
    size: int
    start: int = 0
    end: int = 0
    data: bytes = b""
    why: str = ""


class SourceError(ToolectError, ValueError):
    """A path that is no corpus."""


def files(paths: Iterable[str]) -> list[str]:
    """The files at `paths`, those in folders in alphabetical order. Raises SourceError.

    Where a conversion wrote into a folder, its report and the rows that it left out are none.
    """
    found: list[str] = []
    for path in paths:
        if path == "-" or Path(path).is_file():
            found.append(path)
        elif Path(path).is_dir():
            inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and _known(p.name) and not _account(p))
            if not inside:
                raise SourceError(f"expected a folder with a corpus in it, got none at `{path}`: name a file")
            found += inside
        else:
            raise SourceError(f"expected a corpus, got nothing at `{path}`: check the path")
    for path in found:
        if path != "-" and not os.access(path, os.R_OK):
            raise SourceError(f"expected a readable corpus, got no permission at `{path}`: check its permissions")
        if path.endswith((".csv", ".tsv")):
            raise SourceError(
                f"expected JSON lines, Parquet or Arrow, got a table of text at `{path}`: convert it first"
            )
        if path.endswith(".parquet"):
            _parquet()
        elif path.endswith(_ARROW):
            _pyarrow()
        elif path.endswith(_PACKED):
            try:
                with open(path, "rb") as file:
                    unpacked(file)
            except UnpackError as error:
                raise SourceError(str(error)) from None
    return found


def _account(path: Path) -> bool:
    """True for a report of a conversion, or its file of rows left out."""
    return path.name == "report.json" or path.name.startswith("left-out-") and (path.parent / "report.json").exists()


def _known(name: str) -> bool:
    return name.endswith((*_LINES, *_PACKED, *_TEXTS, *_ARROW, ".parquet")) and name not in _BESIDE


def size(path: str) -> int:
    """The bytes of a file; none are known of standard input."""
    return 0 if path == "-" else Path(path).stat().st_size


def units(path: str, limit: int, most: int = 0, lines: bool = False) -> Iterator[Unit]:
    """The units of one file, in order; a line of more than `limit` bytes is not kept whole.

    `most` bytes are in one, of lines as many as begin in them; with `lines` what has no name of its own is lines.
    """
    most = most or UNIT
    try:
        if path == "-":
            yield from _blocks(path, unpacked(sys.stdin.buffer), limit, most)
        elif path.endswith(".parquet"):
            yield from _groups(path)
        elif path.endswith(_ARROW):
            yield from _batches(path, most)
        elif lines or path.endswith((*_LINES, *_PACKED)):
            yield from _of_lines(path, limit, most)
        else:
            yield Unit(path, UnitKind.TEXT, size(path))
    except SourceError:
        raise
    except (OSError, ValueError) as error:
        yield Unit(path, UnitKind.BAD, 0, why=" ".join(str(error).split())[:200] or type(error).__name__)


def _of_lines(path: str, limit: int, most: int) -> Iterator[Unit]:
    with open(path, "rb") as file:
        inside = unpacked(file)
        if inside is not file:
            yield from _blocks(path, inside, limit, most, limit + RATIO * size(path))
            return
        document = _is_document(file, size(path), limit)
    total = size(path)
    if document and total > limit:
        yield Unit(
            path, UnitKind.BAD, total, why=f"expected JSON lines, got one value of {total} bytes: raise --max-bytes"
        )
        return
    if document:
        yield Unit(path, UnitKind.DOCUMENT, total)
        return
    for start in range(0, total, most):
        end = min(start + most, total)
        yield Unit(path, UnitKind.LINES, end - start, start, end)


def _is_document(file: BinaryIO, total: int, limit: int) -> bool:
    """True for a file that is one JSON value over several lines, or a list of rows on one."""
    file.seek(0)
    first = file.readline(limit + 2)
    begins = first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if begins not in (b"[", b"{") or begins == b"{" and first.rstrip().endswith(b"}"):
        return False
    try:
        value = json.loads(first)
        return len(first) >= total and isinstance(value, list) and any(isinstance(one, dict) for one in value)
    except (ValueError, RecursionError):
        pass
    if total > limit:
        return len(first.strip()) < 3
    file.seek(0)
    try:
        json.loads(file.read())
    except (ValueError, RecursionError):
        return False
    return True


def events_of(units: Iterable[Unit], limit: int) -> Unit:
    """The units of a file of lines as one, whose lines are one row together; BAD where they are more than `limit`."""
    size, data = 0, []
    for unit in units:
        size += unit.size
        if size > limit:
            why = f"expected at most {limit} bytes in a file whose lines are one row, got more: raise --max-bytes"
            return Unit(unit.path, UnitKind.BAD, size, why=why)
        data.append(unit.data)
    return Unit(unit.path, UnitKind.EVENTS, size, 0, unit.end, b"".join(data))


def schema_of(path: str) -> dict[str, Any]:
    """The types of the columns of a table in Arrow's terms; nothing of other files."""
    if path.endswith(".parquet"):
        schema = _parquet().read_schema(path)
    elif path.endswith(_ARROW):
        arrow = _pyarrow()
        with arrow.memory_map(path) as file:
            schema = _reader(arrow, file).schema
    else:
        return {}
    return dict(zip(unique(schema.names), schema.types, strict=True))


def _blocks(path: str, file: BinaryIO, limit: int, most: int, whole: int = sys.maxsize) -> Iterator[Unit]:
    """Whole lines of a stream that cannot be entered in the middle, of `whole` bytes at most."""
    while block := file.read(most):
        rest = b"" if block.endswith(b"\n") else file.readline(limit + 2)
        data, whole = block + rest, whole - len(block) - len(rest) - ROW * block.count(b"\n")
        while rest and not rest.endswith(b"\n") and whole >= 0:
            rest = file.readline(1 << 16)
            whole -= len(rest)
        if whole < 0:
            raise UnpackError(
                f"expected at most {RATIO:,} times the bytes of a packed file in it, got more: "
                "raise --max-bytes if that is meant"
            )
        yield Unit(path, UnitKind.BLOCK, len(data), data=data)


def _groups(path: str) -> Iterator[Unit]:
    """The row groups of a Parquet file."""
    groups = _parquet().ParquetFile(path).metadata
    for i in range(groups.num_row_groups):
        yield Unit(path, UnitKind.ROWS, groups.row_group(i).total_byte_size, i)


def _batches(path: str, most: int) -> Iterator[Unit]:
    """The rows of an Arrow file or stream, up to the first broken place."""
    arrow = _pyarrow()
    with arrow.memory_map(path) as file:
        found = _reader(arrow, file)
        is_file = isinstance(found, arrow.ipc.RecordBatchFileReader)
        for batch in map(found.get_batch, range(found.num_record_batches)) if is_file else found:
            batch.validate(full=True)  # offsets of a file may lead anywhere
            rows = max(batch.num_rows * most // max(batch.nbytes, 1), 1)
            for start in range(0, batch.num_rows, rows):
                part = batch.slice(start, rows)
                sink = arrow.BufferOutputStream()
                with arrow.ipc.new_stream(sink, part.schema) as writer:
                    writer.write_batch(part)
                data = sink.getvalue().to_pybytes()
                yield Unit(path, UnitKind.BATCH, len(data), data=data)


def _reader(arrow: Any, file: Any) -> Any:
    """A reader of the batches of an Arrow file, or of a stream."""
    try:
        return arrow.ipc.open_file(file)
    except arrow.ArrowInvalid:
        file.seek(0)
        return arrow.ipc.open_stream(file)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise SourceError(extras.missing("pyarrow", "data", "for Arrow")) from None
    return pyarrow


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise SourceError(extras.missing("pyarrow", "data", "for Parquet")) from None
    return parquet

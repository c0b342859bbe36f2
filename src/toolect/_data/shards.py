"""The files of a data set that is being written, and how far they are: enough to go on after an interruption."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from toolect import _extras as extras
from toolect._message import Json

SHARD = 256 << 20
"""Bytes of new rows after which another file begins."""


class _Files:
    """Files of rows, `rows-00000…`, one after the other; what was settled can be gone on with."""

    def __init__(self, folder: Path, most: int, stem: str, ending: str) -> None:
        self.folder, self.most, self.stem, self.ending = folder, most, stem, ending
        self.number = 0
        self.size = 0
        """Bytes of rows in the file that is open."""

    def path(self) -> Path:
        """The file that is open."""
        return self.folder / f"{self.stem}-{self.number:05}.{self.ending}"

    def remove_after(self, last: int) -> None:
        """Remove the files behind the one with this number."""
        for path in self.folder.glob(f"{self.stem}-*"):
            number = path.name.removeprefix(f"{self.stem}-").partition(".")[0]
            if number.isdecimal() and int(number) > last:
                path.unlink()


class JsonShards(_Files):
    """Files of JSON lines."""

    def __init__(self, folder: Path, most: int = SHARD, stem: str = "rows") -> None:
        super().__init__(folder, most, stem, "jsonl")
        self._file: BinaryIO | None = None

    def write(self, lines: bytes) -> None:
        """Add rows."""
        if self.size >= self.most:
            self.close()
            self.number, self.size = self.number + 1, 0
        if self._file is None:
            self._file = open(self.path(), "ab")  # noqa: SIM115  # it stays open
        self._file.write(lines)
        self.size += len(lines)

    def settled(self) -> Json:
        """The number of the file, and its bytes."""
        if self._file is not None:
            self._file.flush()
        return [self.number, self.size]

    def resume(self, place: Json) -> None:
        """Cut the file to what was settled, and remove those after it."""
        self.number, self.size = place
        path = self.path()
        if self.size:
            if not path.is_file() or path.stat().st_size < self.size:
                raise ValueError(f"expected {self.size} bytes in `{path}`, got fewer: begin anew in another folder")
            os.truncate(path, self.size)
        self.remove_after(self.number if self.size else self.number - 1)

    def close(self) -> None:
        """Close the open file; its bytes are on the disk."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None


class ParquetShards(_Files):
    """Files of Parquet; one that is not finished cannot be gone on with, so only finished ones are settled."""

    GROUP = 16 << 20
    """Bytes of rows, as JSON, in a row group."""

    def __init__(self, folder: Path, columns: Any, most: int = SHARD) -> None:
        super().__init__(folder, most, "rows", "parquet")
        self._columns = columns
        self._writer: Any = None
        self._held: list[bytes] = []
        self._bytes = 0

    def write(self, lines: bytes) -> None:
        """Add rows."""
        self._held.append(lines)
        self._bytes += len(lines)
        self.size += len(lines)
        if self._bytes >= self.GROUP:
            self._flush()

    def settled(self) -> Json:
        """The number of the file that is begun next, once one is full."""
        if self.size >= self.most:
            self.close()
            self.number, self.size = self.number + 1, 0
        return [self.number, 0] if not self.size else None

    def resume(self, place: Json) -> None:
        """Remove the files that were not finished."""
        self.number, self.size = place
        self.remove_after(self.number - 1)

    def close(self) -> None:
        """Finish the open file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _flush(self) -> None:
        if not self._held:
            return
        table = self._columns.table(line for lines in self._held for line in lines.splitlines())
        self._held, self._bytes = [], 0
        if self._writer is None:
            self._writer = _parquet().ParquetWriter(self.path(), table.schema)
        self._writer.write_table(table)


Shards: TypeAlias = JsonShards | ParquetShards


def _parquet() -> Any:
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError:
        raise extras.MissingExtraError("pyarrow", "data") from None
    return parquet

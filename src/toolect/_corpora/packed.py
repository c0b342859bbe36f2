"""Packed files read as what is in them, whatever their names: gzip, and Zstandard with the extra `data`."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

from toolect import _extras as extras
from toolect._errors import ToolectError

RATIO = 4096
"""How many times its size a packed file may come to, beside the longest line: texts come to a tenth of that."""
ROW = 64
"""Bytes that a row counts for, whatever is in it."""
ENDINGS = (".gz", ".zst")
"""What the names of packed files usually end with."""
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class UnpackError(ToolectError, ValueError):
    """A packed file that cannot be read: what is missing, or broken."""


def unpacked(file: BinaryIO) -> BinaryIO:
    """What is in `file`, or `file` itself where it is not packed. Raises UnpackError."""
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

"""Packed files read as what is in them, whatever their names: gzip, and Zstandard with the extra `data`."""

from __future__ import annotations

import io
import sys
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
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile

        return ZstdFile(file)
    try:
        from zstandard import ZstdDecompressor
    except ImportError:
        raise UnpackError(extras.missing("zstandard", "data", "for a file in Zstandard")) from None
    return _Frames(ZstdDecompressor, file)


class _Frames:
    """Frames of Zstandard after one another. The package's own reader takes one that was cut off for whole."""

    def __init__(self, make: Any, file: BinaryIO) -> None:
        self._make, self._file = make, file
        self._frame, self._held, self._begun = make().decompressobj(), b"", False

    def read(self, _size: int) -> bytes:
        """Some bytes, b"" at the end."""
        while True:
            data = self._held or self._file.read(1 << 10)  # which may be 32 MiB, unpacked
            if not data:
                if self._begun:
                    raise EOFError("the file ended inside a frame")
                return b""
            out: bytes = self._frame.decompress(data)
            self._held, self._begun = b"", True
            if self._frame.eof:
                self._held, self._begun = self._frame.unused_data, False
                self._frame = self._make().decompressobj()
            if out:
                return out


class _Guarded(io.RawIOBase):
    """Reads from an unpacker, whose errors are of many kinds."""

    def __init__(self, file: Any) -> None:
        self._file, self._data = file, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            if not self._data:
                self._data = memoryview(self._file.read(len(buffer)))
        except Exception as error:  # of three libraries, with no base but this
            raise UnpackError(f"expected a whole packed file, got one with an error in it ({error})") from None
        data, self._data = self._data[: len(buffer)], self._data[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

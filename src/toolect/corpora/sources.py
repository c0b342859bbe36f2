"""The files of a corpus, cut into units of work that do not depend on who does them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from toolect import _extras as extras
from toolect.corpora.packed import ENDINGS, Unpackable, unpacked

UNIT = 8 << 20
"""Bytes of a unit of lines: small enough to share out, large enough to be worth it."""
_LINES = (".jsonl", ".ndjson", ".json")
_PACKED = tuple(f"{lines}{ending}" for lines in _LINES for ending in ENDINGS)
_TEXTS = (".txt", ".md", ".log")


class UnitKind(StrEnum):
    """What a unit is."""

    LINES = "lines"
    BLOCK = "block"
    ROWS = "rows"
    TEXT = "text"
    BAD = "bad"


class Unit(msgspec.Struct, frozen=True):
    """A part of a file: the lines that begin in bytes `start:end`, lines that lie in `data`, the row group number
    `start`, a whole text, or for BAD why the file cannot be read. `size` is how much of the corpus it is, in bytes.
    """

    path: str
    kind: UnitKind
    size: int
    start: int = 0
    end: int = 0
    data: bytes = b""
    why: str = ""


class NoSource(ValueError):  # what it is
    """A path that is no corpus."""


def files(paths: Iterable[str]) -> list[str]:
    """The files at `paths`, those in folders in alphabetical order. Raises NoSource."""
    found: list[str] = []
    for path in paths:
        if path == "-" or Path(path).is_file():
            found.append(path)
        elif Path(path).is_dir():
            inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and _known(p.name))
            if not inside:
                raise NoSource(f"expected a folder with a corpus in it, got none at `{path}`: name a file")
            found += inside
        else:
            raise NoSource(f"expected a corpus, got nothing at `{path}`: check the path")
    for path in found:
        if path != "-" and not os.access(path, os.R_OK):
            raise NoSource(f"expected a readable corpus, got no permission at `{path}`: check its permissions")
        if path.endswith(".parquet"):
            _parquet()
        elif path.endswith(_PACKED):
            try:
                with open(path, "rb") as file:
                    unpacked(file)
            except Unpackable as error:
                raise NoSource(str(error)) from None
    return found


def _known(name: str) -> bool:
    return name.endswith((*_LINES, *_PACKED, *_TEXTS, ".parquet"))


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
        elif lines or path.endswith((*_LINES, *_PACKED)):
            yield from _of_lines(path, limit, most)
        else:
            yield Unit(path, UnitKind.TEXT, size(path))
    except NoSource:
        raise
    except (OSError, ValueError) as error:
        yield Unit(path, UnitKind.BAD, 0, why=" ".join(str(error).split())[:200] or type(error).__name__)


def _of_lines(path: str, limit: int, most: int) -> Iterator[Unit]:
    with open(path, "rb") as file:
        inside = unpacked(file)
        if inside is not file:
            yield from _blocks(path, inside, limit, most)
            return
    total = size(path)
    for start in range(0, total, most):
        end = min(start + most, total)
        yield Unit(path, UnitKind.LINES, end - start, start, end)


def _blocks(path: str, file: BinaryIO, limit: int, most: int) -> Iterator[Unit]:
    """Whole lines of a stream that cannot be entered in the middle."""
    while block := file.read(most):
        rest = b"" if block.endswith(b"\n") else file.readline(limit + 2)
        yield Unit(path, UnitKind.BLOCK, len(block) + len(rest), data=block + rest)
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(1 << 16)


def _groups(path: str) -> Iterator[Unit]:
    """The row groups of a Parquet file."""
    groups = _parquet().ParquetFile(path).metadata
    for i in range(groups.num_row_groups):
        yield Unit(path, UnitKind.ROWS, groups.row_group(i).total_byte_size, i)


def _parquet() -> Any:
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError:
        raise NoSource(extras.missing("pyarrow", "data", "for Parquet")) from None
    return parquet

"""Input: files and standard input, bounded, UTF-8, unpacked; a clear sentence where something is wrong."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from toolect._cli.terminal import Misuse, note
from toolect._corpora.sources import ENDINGS, UnpackError, beginning, unpacked
from toolect._message import Json
from toolect._shown import unread_byte, unread_json


class InputError(ValueError):  # what it is, as with Misuse
    """One record that cannot be used, among others that can."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The bytes of the file at `path`, or of standard input for "-"; those of a packed one as they were before."""
    if path == "-":
        check(path)
        yield _unpacked(sys.stdin.buffer, path)
        return
    with _file(path) as file:
        yield _unpacked(file, path)


def check(path: str) -> None:
    """Raises Misuse for a file that cannot be opened, and asks somebody at a terminal to type."""
    if path != "-":
        _file(path).close()
    elif sys.stdin.isatty():
        note("reading what you type: end it with Ctrl-D (on Windows Ctrl-Z and Enter)")


def _file(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        why = f'expected a file, got nothing at `{path}`: check the path, or use "-" for standard input'
    except IsADirectoryError:
        why = f"expected a file, got a directory at `{path}`: name a file in it"
    except (OSError, ValueError) as error:
        got = getattr(error, "strerror", None) or error
        why = f"expected a readable file, got `{got}` at `{path}`: check its permissions"
    raise Misuse(why)


def _unpacked(file: BinaryIO, path: str) -> BinaryIO:
    try:
        if beginning(file) == b"PAR1":
            raise Misuse(f"expected a text, got a Parquet file in {shown(path)}: give a file that ends in .parquet")
        return unpacked(file)
    except (OSError, UnpackError) as error:
        raise Misuse(f"{_why(error)} - in {shown(path)}") from None


def _why(error: Exception) -> str:
    return f"expected to read the input, got `{error.strerror}`" if isinstance(error, OSError) else str(error)


def holds_many(path: str) -> bool:
    """True for a file of many messages, by its name: JSON lines, packed or not, and Parquet."""
    name = path.casefold()
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name.endswith((".jsonl", ".ndjson")) or path.casefold().endswith(".parquet")


def shown(path: str) -> str:
    """The name of an input in a sentence."""
    return "standard input" if path == "-" else f"`{path}`"


def read(path: str, limit: int) -> str:
    """The whole input, which is one text."""
    return "".join(pieces(path, limit))


def pieces(path: str, limit: int) -> Iterator[str]:
    """The one text of an input as it arrives; a character is never split."""
    if holds_many(path):
        raise Misuse(f"expected one text, got many in {shown(path)}: `parse`, `convert` and `detect` read one by one")
    return all_pieces(path, limit, "raise --max-bytes")


def all_pieces(path: str, limit: int, hint: str) -> Iterator[str]:
    """All of an input as it arrives; the `hint` is for one of more than `limit` bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    total = 0
    with opened(path) as file:
        take: Callable[[int], bytes] = getattr(file, "read1", file.read)
        while True:
            try:
                data = take(1 << 16)
            except (OSError, UnpackError) as error:
                raise Misuse(f"{_why(error)} - in {shown(path)}: check the file") from None
            before = total - len(decoder.getstate()[0])
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise Misuse(f"{unread_byte(error, before)} of {shown(path)}: convert it to UTF-8") from None
            total += len(data)
            if total > limit:
                raise Misuse(f"expected at most {limit} bytes, got more in {shown(path)}: {hint}")
            if text:
                yield text
            if not data:
                break


def read_json(path: str, limit: int, what: str) -> Json:
    """The one JSON value of a file that holds `what`."""
    try:
        return json.loads(read(path, limit).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise Misuse(f"expected {what} in JSON, got {unread_json(error)} in {shown(path)}: mend the file") from None

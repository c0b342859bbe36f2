"""What the commands read and write: bounded, UTF-8, and a clear sentence when something is wrong."""

from __future__ import annotations

import codecs
import errno
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from toolect._cli._shared.streams import abandon_output, output
from toolect._corpora.packed import ENDINGS, UnpackError, beginning, unpacked
from toolect._message import Json, dumps
from toolect._shown import one_line, unread_byte, unread_json, visible


class Misuse(click.ClickException):
    """A failure the user can mend."""

    exit_code = 2


class InputError(ValueError):  # what it is, as with Misuse
    """One record that cannot be used, among others that can."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The bytes of the file at `path`, or of standard input for "-"; those of a packed one as they were before."""
    if path == "-":
        check(path)
        yield _inside(sys.stdin.buffer, path)
        return
    with _file(path) as file:
        yield _inside(file, path)


def check(path: str) -> None:
    """Raises Misuse for a file that cannot be opened, and tells somebody at a terminal that it is their turn."""
    if path != "-":
        _file(path).close()
    elif sys.stdin.isatty():
        note("reading what you type: end it with Ctrl-D (on Windows Ctrl-Z and Enter)")


def _file(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise Misuse(
            f'expected a file, got nothing at `{path}`: check the path, or use "-" for standard input'
        ) from None
    except IsADirectoryError:
        raise Misuse(f"expected a file, got a directory at `{path}`: name a file in it") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Misuse(f"expected a readable file, got `{why}` at `{path}`: check its permissions") from None


def _inside(file: BinaryIO, path: str) -> BinaryIO:
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
    """The whole input."""
    return "".join(pieces(path, limit))


def pieces(path: str, limit: int) -> Iterator[str]:
    """The input as it arrives; a character is never split."""
    if holds_many(path):
        raise Misuse(f"expected one text, got many in {shown(path)}: `parse`, `convert` and `detect` read one by one")
    decoder = codecs.getincrementaldecoder("utf-8")()
    total = 0
    with opened(path) as file:
        take: Callable[[int], bytes] = getattr(file, "read1", file.read)
        while True:
            try:
                data = take(1 << 16)
            except (OSError, UnpackError) as error:
                raise Misuse(f"{_why(error)} - in {shown(path)}: check the file") from None
            held = len(decoder.getstate()[0])
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise Misuse(f"{unread_byte(error, total - held)} of {shown(path)}: convert it to UTF-8") from None
            total += len(data)
            if total > limit:
                raise Misuse(f"expected at most {limit} bytes, got more in {shown(path)}: raise --max-bytes")
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


def encoded(value: Json, indent: int | None = None) -> str:
    """`value` as JSON that UTF-8 can carry: a lone surrogate is written as an escape."""
    text = dumps(value) if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def emit(text: str) -> bool:
    """Writes `text` exactly; false when it held lone surrogates, which UTF-8 cannot carry."""
    data = text.encode(errors="backslashreplace")
    try:
        click.echo(data, nl=False, file=output())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritten(error) from None
    return data.decode() == text


def emit_wire(text: str) -> int:
    """Writes wire text: exactly, or with escapes where a terminal would obey it; 1 when UTF-8 cannot carry it."""
    if output().isatty():
        emit(visible(text) + ("" if text.endswith("\n") else "\n"))
        return 0
    if emit(text):
        return 0
    note("expected text that UTF-8 can carry, got a lone surrogate in the output: it is written as an escape")
    return 1


def unwritten(error: OSError) -> Misuse:
    """The misuse that output is which cannot be written; no more of it is tried."""
    abandon_output()
    advice = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check where it goes"
    return Misuse(f"expected to write the output, got `{error.strerror or error}`: {advice}")


def emit_json(value: Json, indent: bool = False) -> None:
    """Writes one JSON value on a line, or with `indent` on many for a reader at a terminal."""
    terminal = output().isatty()
    text = encoded(value, 2 if indent and terminal else None)
    emit((visible(text) if terminal else text) + "\n")


def note(text: str) -> None:
    """A sentence on standard error about something found in the data."""
    click.echo(f"toolect: {one_line(text)}", err=True)

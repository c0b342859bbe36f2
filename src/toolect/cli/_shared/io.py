"""What the commands read and write: bounded, UTF-8, and a clear sentence when something is wrong."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from toolect._shown import one_line, unread_byte, unread_json, visible
from toolect.message import Json, dumps


class Misuse(click.ClickException):
    """A failure the user can mend."""

    exit_code = 2


class BadInput(ValueError):  # what it is, as with Misuse
    """One record that cannot be used, among others that can."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file at `path` in bytes, or standard input for "-"."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open(path, "rb")  # noqa: SIM115  # closed below; only opening is guarded here
    except FileNotFoundError:
        raise Misuse(
            f'expected a file, got nothing at `{path}`: check the path, or use "-" for standard input'
        ) from None
    except IsADirectoryError:
        raise Misuse(f"expected a file, got a directory at `{path}`: name a file in it") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Misuse(f"expected a readable file, got `{why}` at `{path}`: check its permissions") from None
    with file:
        yield file


def shown(path: str) -> str:
    """The name of an input in a sentence."""
    return "standard input" if path == "-" else f"`{path}`"


def read(path: str, limit: int) -> str:
    """The whole input, not empty."""
    return "".join(pieces(path, limit))


def pieces(path: str, limit: int) -> Iterator[str]:
    """The input as it arrives; a character is never split."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    total = 0
    with opened(path) as file:
        take: Callable[[int], bytes] = getattr(file, "read1", file.read)
        while True:
            try:
                data = take(1 << 16)
            except OSError as error:
                raise Misuse(f"expected to read {shown(path)}, got `{error.strerror}`: check the file") from None
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
    if not total:
        raise Misuse(f"expected some text, got none in {shown(path)}: give the model's output")


def lines(path: str, limit: int) -> Iterator[tuple[int, Json | BadInput]]:
    """The values of JSON lines, numbered from 1; a line that has none is a BadInput."""
    seen = 0
    with opened(path) as file:
        while data := file.readline(limit + 2):
            seen += 1
            if len(data) > limit + 1:
                while data and not data.endswith(b"\n"):
                    data = file.readline(1 << 16)
                yield seen, BadInput(f"expected at most {limit} bytes, got more: raise --max-bytes")
            elif data.strip():
                yield seen, _line(data)
    if not seen:
        raise Misuse(f"expected JSON lines, got none in {shown(path)}: give one JSON value a line")


def _line(data: bytes) -> Json | BadInput:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return BadInput(f"{unread_byte(error)} of the line: convert it to UTF-8")
    except (ValueError, RecursionError) as error:
        return BadInput(f"expected JSON, got {unread_json(error)}")


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
        click.echo(data, nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise Misuse(f"expected to write the output, got `{error.strerror}`: free some space") from None
    return data.decode() == text


def emit_wire(text: str) -> int:
    """Writes wire text: exactly, or with escapes where a terminal would obey it; 1 when UTF-8 cannot carry it."""
    if sys.stdout.isatty():
        emit(visible(text) + ("" if text.endswith("\n") else "\n"))
        return 0
    if emit(text):
        return 0
    note("expected text that UTF-8 can carry, got a lone surrogate in the output: it is written as an escape")
    return 1


def abandon_output() -> None:
    """Points standard output at nothing: what is still buffered would fail once more when the interpreter exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit_json(value: Json, indent: bool = False) -> None:
    """Writes one JSON value on a line, or with `indent` on many for a reader at a terminal."""
    terminal = sys.stdout.isatty()
    text = encoded(value, 2 if indent and terminal else None)
    emit((visible(text) if terminal else text) + "\n")


def note(text: str) -> None:
    """A sentence on standard error about something found in the data."""
    click.echo(f"toolect: {one_line(text)}", err=True)

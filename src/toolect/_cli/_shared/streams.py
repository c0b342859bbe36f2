"""The standard streams: which are results, and which of them were closed before the program began."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_kept: list[TextIO] = []
"""Standard output, while others write elsewhere."""


class _Closed(io.RawIOBase):
    """A stream that is not there: who reads or writes it is told so as by the system."""

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, _: Any) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def write(self, _: Any) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def stand_in() -> None:
    """Puts streams in the places where Python has none; what would be said on a closed standard error is lost."""
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed()))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), write_through=True)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def output() -> TextIO:
    """Where results are written: standard output, whoever else is kept from it."""
    return _kept[-1] if _kept else sys.stdout


@contextmanager
def aside() -> Iterator[None]:
    """Meanwhile what others write on standard output, tools and what programs they start, goes to standard error."""
    stream = sys.stdout
    stream.flush()
    own = _is_first(stream) and not _kept
    _kept.append(os.fdopen(os.dup(1), "w", encoding="utf-8") if own else output())
    if own:
        os.dup2(sys.stderr.fileno(), 1)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = stream
        kept = _kept.pop()
        if own:
            with suppress(OSError):  # it was told when it was written
                kept.flush()
            os.dup2(kept.fileno(), 1)
            with suppress(OSError):
                kept.close()


def _is_first(stream: TextIO) -> bool:
    """True for the stream that programs inherit; where another program runs the command, it may be none."""
    try:
        return stream.fileno() == 1
    except (OSError, ValueError):
        return False


def abandon_output() -> None:
    """Points standard output at nothing: what is still buffered would fail once more when the interpreter exits."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, output().fileno())
    except (OSError, ValueError):  # it is no file
        sys.stdout = os.fdopen(nothing, "w", encoding="utf-8")

"""The standard streams, some of which may have been closed before the program began."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


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


def abandon_output() -> None:
    """Points standard output at nothing: what is still buffered would fail once more when the interpreter exits."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError):  # it is no file
        sys.stdout = os.fdopen(nothing, "w", encoding="utf-8")

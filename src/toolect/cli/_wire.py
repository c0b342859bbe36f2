"""Writes wire text: exactly, or with escapes where a terminal would obey it."""

from __future__ import annotations

import sys

from toolect.cli._io import emit, note, visible


def write_wire(text: str) -> int:
    """Writes `text`; 1 when it held lone surrogates, which UTF-8 cannot carry."""
    if sys.stdout.isatty():
        emit(visible(text) + ("" if text.endswith("\n") else "\n"))
        return 0
    if emit(text):
        return 0
    note("expected text that UTF-8 can carry, got a lone surrogate in the output: it is written as an escape")
    return 1

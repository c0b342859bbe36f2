"""What is shown on a terminal while ways to read the samples are tried, and for how long that goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from toolect._shown import counted

MAX_SECONDS = 60
"""Seconds of processor time after which the best found so far counts."""


@contextmanager
def watched() -> Iterator[None]:
    """While ways are tried inside, one line of a terminal says how many; it is gone in the end."""
    from toolect.authoring.scaffold import trying

    shows = sys.stderr.isatty()
    try:
        with trying(_tell if shows else None, MAX_SECONDS):
            yield
    finally:
        if shows:
            click.echo("\r\x1b[K", err=True, nl=False)


def _tell(count: int) -> None:
    click.echo(f"\r{counted(count, 'way')} to read the samples tried", err=True, nl=False)

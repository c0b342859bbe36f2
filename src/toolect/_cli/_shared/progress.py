"""How far long work is, for somebody who watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(shown: bool = True, unit: str = "") -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, if that is a terminal.

    What it yields is told how much is done and how much there is: bytes, or what `unit` says.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    done = (MofNCompleteColumn(), unit) if unit else (DownloadColumn(), TransferSpeedColumn())
    columns = (BarColumn(), *done, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total or None)

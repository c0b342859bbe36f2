"""Processes that share work: how many there may be, and a pool of them."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from toolect._errors import ToolectError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Work = TypeVar("Work")
Done = TypeVar("Done")
AHEAD = 3
"""Pieces of work for each process that are handed out and not yet asked for."""


COLLECT = 50_000, 20, 100
"""How many objects are made before those that refer to one another are looked for (see `gc.set_threshold`): graphs of
many dialects are large and stay, and going over them every 700 objects takes a third of the time."""


class WorkerDiedError(ToolectError, RuntimeError):
    """A process that had a part of the work has died."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pool(jobs: int, start: Callable[..., object] | None = None, *given: Any) -> ProcessPoolExecutor:
    """So many processes; each begins by calling `start` with what is given.

    They begin afresh: a fork of a program with threads may hang.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (start, *given))


def collect_less() -> None:
    """Look for garbage as seldom as a process should that reads much and does little else."""
    gc.set_threshold(*COLLECT)


def _begin(start: Callable[..., object] | None, *given: Any) -> None:
    collect_less()
    if start is not None:
        start(*given)


def in_order(
    work: Iterable[Work], jobs: int, do: Callable[[Work], Done], start: Callable[..., object], *given: Any
) -> Iterator[tuple[Work, Done]]:
    """Each piece of work with what `do` makes of it, in order, done by so many processes. Raises WorkerDiedError."""
    from concurrent.futures.process import BrokenProcessPool

    processes = pool(jobs, start, *given)
    waiting: deque[tuple[Work, Future[Done]]] = deque()
    try:
        for piece in work:
            waiting.append((piece, processes.submit(do, piece)))
            while len(waiting) >= AHEAD * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        for piece, future in waiting:
            yield piece, future.result()
    except BrokenProcessPool:
        raise WorkerDiedError("expected every part to be read, got a process that died: is memory short?") from None
    finally:
        processes.shutdown(cancel_futures=True)

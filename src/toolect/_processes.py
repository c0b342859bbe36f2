"""Processes that share work: how many there may be, and a pool of them."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from toolect._errors import ToolectError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.connection import Connection

Work = TypeVar("Work")
Done = TypeVar("Done")
AHEAD = 3
"""Pieces of work for each process that are handed out and not yet asked for."""


COLLECT = 50_000
"""Objects made between searches for reference cycles (see `gc.set_threshold`): graphs of many dialects are large and
stay, and going over them every 700 objects takes a third of the time."""


class WorkerDiedError(ToolectError, RuntimeError):
    """A process that had a part of the work has died."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def pool(jobs: int, start: Callable[..., object] | None = None, *given: Any) -> Iterator[ProcessPoolExecutor]:
    """So many processes; each begins by calling `start` with what is given.

    They begin afresh: a fork of a program with threads may hang. They end with this process, however that ends, and at
    once where the block is left by an exception: they watch a pipe that is held open here alone.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    processes = ProcessPoolExecutor(jobs, context, _begin, (watched, start, *given))
    try:
        with _without_signals():
            for _ in range(jobs):
                processes.submit(os.getpid)  # starts one
        yield processes
    except BaseException:
        held.close()
        raise
    finally:
        processes.shutdown(cancel_futures=True)
        held.close()
        watched.close()


@contextmanager
def _without_signals() -> Iterator[None]:
    """Meanwhile SIGINT and SIGTERM wait, so that no process is left half started. Processes that are started inherit
    that: Ctrl-C, which goes to all, is for this one, which ends the others; SIGTERM is let through by `_begin`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def collect_less(objects: int = COLLECT) -> None:
    """Collect garbage seldom, in a process that reads much and does little else: after so many new objects."""
    gc.set_threshold(objects, 20, 100)


def _begin(watched: Connection, start: Callable[..., object] | None, *given: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be blocked
    Thread(target=_end_with, args=(watched,), daemon=True).start()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    collect_less()
    if start is not None:
        start(*given)


def _end_with(watched: Connection) -> None:
    """Ends this process when the other end of a pipe is closed."""
    with suppress(EOFError, OSError):
        watched.recv_bytes()
    os._exit(1)


def in_order(
    work: Iterable[Work], jobs: int, do: Callable[[Work], Done], start: Callable[..., object], *given: Any
) -> Iterator[tuple[Work, Done]]:
    """Each piece of work with what `do` makes of it, in order, done here or by so many processes.

    Each of these begins by calling `start` with what is given, and has one copy of `do`. Raises WorkerDiedError.
    """
    if jobs == 1:
        yield from ((piece, do(piece)) for piece in work)
        return
    from concurrent.futures.process import BrokenProcessPool

    waiting: deque[tuple[Work, Future[Done]]] = deque()
    try:
        with pool(jobs, _have, do, start, *given) as processes:
            for piece in work:
                waiting.append((piece, processes.submit(_do, piece)))
                while len(waiting) >= AHEAD * jobs:
                    first, future = waiting.popleft()
                    yield first, future.result()
            for piece, future in waiting:
                yield piece, future.result()
    except BrokenProcessPool:
        raise WorkerDiedError("expected every part to be read, got a process that died: is memory short?") from None


_work: Callable[[Any], Any] | None = None
"""Function that this process, one of several, applies to each piece."""


def _have(do: Callable[[Any], Any], start: Callable[..., object], *given: Any) -> None:
    global _work  # what a process is started with has no other place
    start(*given)
    _work = do


def _do(piece: Any) -> Any:
    assert _work is not None
    return _work(piece)

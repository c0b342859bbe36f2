"""Processes that share work: how many there may be, and a pool of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pool(jobs: int, start: Callable[..., object] | None = None, *given: Any) -> ProcessPoolExecutor:
    """So many processes; each begins by calling `start` with what is given.

    They begin afresh: a fork of a program with threads may hang.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, get_context("spawn"), start, given)

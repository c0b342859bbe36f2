"""How checks are run, whatever they look at: one that fails is a finding, and entries are shared among processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from toolect.authoring.processes import pool
from toolect.diagnostic import Diagnostic, Place

WORTH_STARTING = 4
"""Entries that each process has at least: to start one takes as long as to look at two."""

R = TypeVar("R")
W = TypeVar("W")


def guarded(check: str, find: Callable[[W], Iterable[Diagnostic]] | None, what: W, place: Place) -> list[Diagnostic]:
    """What a check finds in `what`, which is at `place`; a check that fails is a finding too, and the others go on."""
    found: list[Diagnostic] = []
    try:
        found += find(what) if find else ()
    except Exception as error:  # whatever it is, the report must say so and not end here
        message = f"the check `{check}` could not finish: {type(error).__name__}: {error}"
        found.append(Diagnostic("failed-check", message, place, help="this is a mistake in toolect: please report it"))
    return found


def each(look: Callable[[W], R], names: Sequence[W], jobs: int) -> Iterator[R]:
    """What `look` makes of each of the names, in their order, in at most so many processes; it has to be picklable."""
    jobs = min(jobs, len(names) // WORTH_STARTING)
    if jobs <= 1:
        yield from map(look, names)
        return
    with pool(jobs) as processes:
        yield from processes.map(look, names, chunksize=1 + len(names) // (jobs * 8))

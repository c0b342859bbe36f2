"""Goes over a whole corpus, on all cores, and adds up what is found in the order of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from toolect import registry
from toolect._corpora.examine import Examiner, Options
from toolect._corpora.sources import UNIT, Unit, files, size, units
from toolect._corpora.stats import Stats
from toolect._processes import cores, in_order

ALONE = 8 * UNIT
"""Bytes that are not worth a second process."""


def coverage(
    paths: Iterable[str],
    options: Options | None = None,
    jobs: int = 0,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> Stats:
    """What is in the corpus at `paths`, read by `jobs` processes (0: one for each core).

    The result is the same for any number of them. `advance` is called with the bytes done and the bytes there are.
    Raises SourceError for a path that is no corpus.
    """
    found = files(paths)
    total = sum(map(size, found))
    jobs = jobs or cores()
    stats, lines, done, before = Stats(), 0, 0, ""
    advance(0, total)
    work = (unit for path in found for unit in units(path, (options or Options()).max_bytes))
    alone = jobs == 1 or total <= ALONE and "-" not in found
    for unit, part in (_alone if alone else _together)(work, options or Options(), jobs):
        lines = lines if unit.path == before else 0
        before = unit.path
        stats.merge(part, lines)
        lines += part.lines
        done += unit.size
        advance(done, max(total, done))
    return stats


def _alone(work: Iterable[Unit], options: Options, _jobs: int) -> Iterator[tuple[Unit, Stats]]:
    """The units and what is in them, one after the other."""
    examiner = Examiner(options)
    for unit in work:
        yield unit, examiner.count(unit)


def _together(work: Iterable[Unit], options: Options, jobs: int) -> Iterator[tuple[Unit, Stats]]:
    """The units and what is in them, in order, counted by `jobs` processes at a time."""
    return in_order(work, jobs, _count, _start, options, registry.state())


_examiner: Examiner | None = None
"""What counts in this process, when it is one of several."""


def _start(options: Options, known: registry.State) -> None:
    global _examiner  # what a process is started with has no other place
    registry.restore(known)
    _examiner = Examiner(options)


def _count(unit: Unit) -> Stats:
    assert _examiner is not None
    return _examiner.count(unit)

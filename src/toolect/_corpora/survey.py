"""Goes over a whole corpus, on all cores, and adds up what is found in the order of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolect import registry
from toolect._corpora.examine import Examiner, Options
from toolect._corpora.sources import UNIT, files, size, units
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
    options = options or Options()
    work = (unit for path in found for unit in units(path, options.max_bytes))
    jobs = 1 if total <= ALONE and "-" not in found else jobs
    for unit, part in in_order(work, jobs, Examiner(options).count, registry.restore, registry.state()):
        lines = lines if unit.path == before else 0
        before = unit.path
        stats.merge(part, lines)
        lines += part.lines
        done += unit.size
        advance(done, max(total, done))
    return stats

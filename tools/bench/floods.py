"""Looks for texts that take more than linear work to read.

    python -m tools.bench.floods [--dialect NAME]... [--pairs] [--places] [--sample N] [--auto] [--time]

Every text of `hostile.py` is read, whole and in chunks, with some hundred characters of the flood in it. The work is
the number of calls of functions, so that it is the same on any machine. What grows too much is read with four times as
much again: what is bounded has come to its bound by then. `--time` takes processor time instead, of longer texts:
slower and rougher, but it also tells when one call of a function in C takes too long.
"""

from __future__ import annotations

import argparse
import cProfile
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import toolect
from toolect import registry
from toolect.compiled import Dialect
from tools.bench import hostile
from tools.bench.hostile import Flood

Read = Callable[[str], object]
Work = Callable[[Read, str], float]
CHUNK = 5
AGAIN = 3
"""How often a text is read for the least time."""


class Scale(NamedTuple):
    """How work is measured, at which sizes, and how much more of it each size may take than the one before."""

    work: Work
    sizes: tuple[int, ...]
    growth: float
    least: float
    """Work that is too little to be told from chance."""
    most: float
    """Work after which no larger size is tried."""


def calls(read: Read, text: str) -> float:
    """How many calls of functions, in Python and in C, reading the text takes."""
    profile = cProfile.Profile()
    profile.runcall(read, text)
    return sum(entry.callcount for entry in profile.getstats())


def seconds(read: Read, text: str) -> float:
    """Processor time of the fastest of some readings."""
    found = []
    for _ in range(AGAIN):
        start = time.process_time()
        read(text)
        found.append(time.process_time() - start)
    return min(found)


CALLS = Scale(calls, (250, 1_000, 4_000, 16_000), 5, 0, 2e6)
TIME = Scale(seconds, (4_000, 16_000, 64_000), 6, 0.02, 1)


def streamed(dialect: Dialect, **options: Any) -> Read:
    """Reads a text in chunks; `options` as for `Dialect.stream`."""

    def read(text: str) -> object:
        stream = dialect.stream(**options)
        for at in range(0, len(text), CHUNK):
            stream.feed(text[at : at + CHUNK])
        stream.close()
        return stream.message

    return read


def grown(read: Read, text: Callable[[int], str], scale: Scale = CALLS) -> list[float]:
    """The work for each size, when every one takes too much more than the one before; nothing otherwise."""
    read(text(scale.sizes[0]))  # nodes and plans are made the first time
    found: list[float] = []
    for size in scale.sizes:
        found.append(scale.work(read, text(size)))
        if len(found) > 1 and (found[-1] <= scale.growth * found[-2] or found[-1] < scale.least):
            return []
        if found[-1] > scale.most:
            break
    return found


def readings(dialect: Dialect, auto: bool) -> dict[str, Read]:
    """The ways of reading a text by their names."""
    return {"auto": toolect.parse} if auto else {"whole": dialect.parse, "chunks": streamed(dialect)}


def drawn(dialect: Dialect, pairs: bool, places: bool, sample: int) -> list[Flood]:
    """The floods of a dialect, or so many of them as `sample` says: always the same."""
    units = hostile.pairs(dialect.spec) if pairs else hostile.units(dialect.spec)
    found = hostile.everywhere(dialect) if places else hostile.slots(dialect)
    return hostile.floods(found, units, sample, Random(dialect.name))


def too_much(dialect: Dialect, floods: list[Flood], auto: bool, scale: Scale) -> Iterator[str]:
    """What is to be said of each flood that grows too much."""
    for flood in floods:
        for way, read in readings(dialect, auto).items():
            if found := grown(read, flood.text, scale):
                told = " ".join(f"{work:.4g}" for work in found)
                yield f"{dialect.name} {way} {told}: {flood}"


def main(argv: Sequence[str] | None = None) -> int:
    """Look as the arguments say; 1 when something grows too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--pairs", action="store_true", help="two signs in turn")
    parser.add_argument("--places", action="store_true", help="at every place of an answer, not one for each slot")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only so many of each dialect")
    parser.add_argument("--auto", action="store_true", help="without naming the dialect")
    parser.add_argument("--time", action="store_true", help="processor time, not calls")
    options = parser.parse_args(argv)
    bad = 0
    for name in options.dialect or registry.dialects():
        dialect = registry.dialect(name)
        floods = drawn(dialect, options.pairs, options.places, options.sample)
        before = bad
        for told in too_much(dialect, floods, options.auto, TIME if options.time else CALLS):
            bad += 1
            print(told, flush=True)
        print(f"# {name}: {bad - before} of {len(floods)} floods grow too much", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())

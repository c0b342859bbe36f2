"""Reads texts made to be slow, one kilobyte to one megabyte of each, and prints what that takes.

    python -m tools.bench.floods [--dialect NAME]... [--count N] [--seed N] [--way WAY]... [--worst N] [--write]

Of each dialect some floods of `hostile.py` are drawn, and some kilobytes of each are read in every way: as a whole, in
chunks of five characters, without the name of the dialect, by `detect` and by `convert`. The worst of each way are read
at 1 kB, 64 kB and 1 MB, each in a process of its own, since what was read before leaves memory to use. Processor time
is what counts; a loaded machine takes about twice as much.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import toolect
from toolect import registry
from toolect._compiled import Dialect
from tools.bench import hostile
from tools.bench.hostile import Flood
from tools.bench.work import Read, seconds, streamed
from tools.pages.markdown_text import code, table
from tools.reports import keep

FEW, SOME = 4_000, 16_000
"""Characters by which the cost of a flood, and how it grows, are told at first."""
MOST_GROWTH = 4
"""Times the cost of a character may grow between them to count for the score: chance does the rest."""
SIZES = (1_000, 64_000, 1_000_000)
MOST_MEMORY = 100
"""Megabytes that reading one megabyte may take."""


class Way(NamedTuple):
    """A way of reading a text, and how many seconds of processor time it may take for a megabyte."""

    read: Callable[[Dialect], Read]
    seconds: float
    share: int = 1
    """One of so many floods is read: those that are not told the dialect take longer."""


WAYS = {
    "whole": Way(lambda dialect: dialect.parse, 2),
    "in chunks": Way(lambda dialect: streamed(dialect.stream), 8),
    "auto": Way(lambda _: toolect.parse, 2, 4),
    "auto in chunks": Way(lambda _: streamed(toolect.auto.stream), 8, 4),
    "detect": Way(lambda _: toolect.detect, 2, 4),
    "convert": Way(lambda dialect: lambda text: toolect.convert(text, dialect.name, to="kimi-k2"), 4, 4),
}


class Seen(NamedTuple):
    """The flood of a dialect that seems to take most when it is read in one way."""

    score: float
    """Seconds for a megabyte, more where they grow with the text."""
    rate: float
    dialect: str
    way: str
    flood: Flood


class Cost(NamedTuple):
    """What a flood takes: seconds at each of `SIZES`, and megabytes at the last of them."""

    seen: Seen
    seconds: tuple[float, ...]
    megabytes: float

    @property
    def over(self) -> bool:
        """Whether it takes more than it may, time or memory; no larger size is read of what takes far too long."""
        spent = self.seconds[-1] / SIZES[len(self.seconds) - 1] * SIZES[-1]
        return spent > WAYS[self.seen.way].seconds or self.megabytes > MOST_MEMORY

    def row(self) -> tuple[str, ...]:
        """The row of a table: growth is that of the time, over that of the text, from the last size but one on."""
        (few, many), (small, large) = self.seconds[-2:], SIZES[len(self.seconds) - 2 : len(self.seconds)]
        times = [f"{spent * 1e3:,.0f} ms" if spent < 1 else f"{spent:,.2f} s" for spent in self.seconds]
        times += ["–"] * (len(SIZES) - len(times))
        growth, text = f"× {many / max(few, 1e-9) / (large / small):.1f}", code(str(self.seen.flood)[:100])
        return self.seen.way, self.seen.dialect, *times, growth, f"{self.megabytes:,.0f} MB", text


def look(name: str, count: int, seed: int, ways: Iterable[str]) -> Iterator[Seen]:
    """The flood of a dialect that seems to take most in each way, of `count` that are drawn."""
    dialect, random = registry.dialect(name), Random(f"{name} {seed}")
    floods = [hostile.drawn(dialect, random) for _ in range(count)]
    for way in ways:
        read, found = WAYS[way].read(dialect), []
        for flood in floods[: max(1, count // WAYS[way].share)]:
            read(flood.text(500))
            few, some = (seconds(read, flood.text(size)) for size in (FEW, SOME))
            first, last = few / FEW, max(some - few, 0.0) / (SOME - FEW)
            rate = some + last * (SIZES[-1] - SOME)
            found.append(Seen(rate * min(max(last / max(first, 1e-9), 1), MOST_GROWTH) ** 2, rate, name, way, flood))
        yield max(found, key=lambda seen: seen.score)


def cost(seen: Seen) -> Cost:
    """What a flood takes."""
    known, found, megabytes = WAYS[seen.way], list[float](), 0.0
    read = known.read(registry.dialect(seen.dialect))
    read(seen.flood.text(100))
    texts = [seen.flood.text(size) for size in SIZES]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for size, text in zip(SIZES, texts, strict=True):
        found.append(seconds(read, text))
        megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        if size > SIZES[0] and found[-1] / size * SIZES[-1] > 10 * known.seconds:
            break
    return Cost(seen, tuple(found), megabytes)


def page(seen: Sequence[Seen], found: Sequence[Cost], count: int, seed: int) -> str:
    """The report."""
    bounds = ", ".join(f"{way} {known.seconds:g} s" for way, known in WAYS.items())
    heads = ("read", "dialect", "1 kB", "64 kB", "1 MB", "growth", "memory", "the text")
    rates = {(one.dialect, one.way): f"{one.rate:.1f}" for one in seen}
    each = [
        (name, *(rates.get((name, way), "") for way in WAYS)) for name in dict.fromkeys(one.dialect for one in seen)
    ]
    return f"""\
# Floods

What a text takes that is made to be slow. `make floods ARGS=--write` draws {count} texts of each dialect, a fourth of
them for the ways that are not told which it is (seed {seed}), and writes this page: units, pairs and triples of what
means something to the dialect, or almost does, and pieces of its answers and cases, over and over, numbered, mixed or
nested, in every slot or anywhere, with a good end, a cut one, or none.

Bounds for 1 MB of anything, in processor time: {bounds}; and {MOST_MEMORY} MB of memory. This was over on
{time.strftime("%Y-%m-%d at %H:%M", time.gmtime())} UTC.

## The worst

Those that seemed to take most. Growth is that of the time from 64 kB to 1 MB, over that of the text: × 1 is linear.
{sum(one.over for one in found)} of {len(found)} are over a bound.

{table([heads, *(one.row() for one in found)])}

## By dialect

Seconds that a megabyte of the worst flood of each would take, as {SOME // 1000} kB of it foretell.

{table([("dialect", *WAYS), *each])}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Look as the arguments say; 1 when something takes too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--way", action="append", choices=WAYS, help="only read so; may be repeated")
    parser.add_argument("--count", type=int, default=40, metavar="N", help="how many floods of each dialect are drawn")
    parser.add_argument("--worst", type=int, default=12, metavar="N", help="how many of each way are read at all sizes")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws others")
    parser.add_argument("--write", action="store_true", help="write .reports/floods.md")
    options = parser.parse_args(argv)
    ways, seen, found = options.way or list(WAYS), list[Seen](), list[Cost]()
    for name in options.dialect or registry.dialects():
        seen += look(name, options.count, options.seed, ways)
    for way in ways:
        for one in sorted((one for one in seen if one.way == way), key=lambda one: -one.score)[: options.worst]:
            with multiprocessing.get_context("fork").Pool(1) as pool:
                found.append(pool.apply(cost, (one,)))
            print("  ".join(found[-1].row()), flush=True)
    if options.write:
        keep("floods.md", page(seen, found, options.count, options.seed))
    over = sum(one.over for one in found)
    print(f"{over} of {len(found)} are over a bound")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())

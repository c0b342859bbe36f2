"""Reads texts made to be slow, one kilobyte to one megabyte of each, and prints what that takes.

    python -m tools.bench.floods [--dialect NAME]... [--count N] [--seed N] [--way WAY]... [--worst N] [--write]

Of each dialect some floods of `hostile.py` are drawn, and some kilobytes of each are read in every way: as a whole, in
chunks of five characters, without the name of the dialect, by `detect` and by `convert`. The worst of each way are read
at 1 kB, 64 kB and 1 MB. Processor time is what counts; a loaded machine takes about twice as much.
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

SMALL, SOME, MORE = 4_000, 16_000, 64_000
"""Characters of which the cost of a flood, and how it grows, are told at first; the last for what seems to be slow."""
MOST_GROWTH = 4
"""Times the cost of a character may grow from size to size to count for the score: chance does the rest."""
SIZES = (1_000, 64_000, 1_000_000)
MOST_MEMORY = 100
"""Megabytes that reading one megabyte may take."""


# Ways of reading


class Way(NamedTuple):
    """A way of reading a text, and how many seconds of processor time it may take for a megabyte."""

    read: Callable[[Dialect], Read]
    seconds: float
    named: bool
    """It is told the dialect."""


WAYS = {
    "whole": Way(lambda dialect: dialect.parse, 2, True),
    "in chunks": Way(lambda dialect: streamed(dialect.stream), 8, True),
    "auto": Way(lambda _: toolect.parse, 2, False),
    "auto in chunks": Way(lambda _: streamed(toolect.auto.stream), 8, False),
    "detect": Way(lambda _: toolect.detect, 2, False),
    "convert": Way(lambda dialect: lambda text: toolect.convert(text, dialect.name, to="kimi-k2"), 4, False),
}


# Timing


class Seen(NamedTuple):
    """The flood of a dialect that seems to take most when it is read in one way."""

    dialect: str
    way: str
    flood: Flood
    rate: float
    """Seconds for a megabyte, by some kilobytes of it."""
    score: float
    """The same, more where it grows with the text."""


class Cost(NamedTuple):
    """What a flood takes: seconds at each of `SIZES`, and megabytes at the last of them."""

    seen: Seen
    seconds: tuple[float, ...]
    megabytes: float

    @property
    def share(self) -> float:
        """Of what it may take, time or memory; no larger size is read of what takes far too long."""
        size, spent = SIZES[len(self.seconds) - 1], self.seconds[-1]
        return max(spent / size * SIZES[-1] / WAYS[self.seen.way].seconds, self.megabytes / MOST_MEMORY)

    @property
    def growth(self) -> float:
        """How often the time grows as much as the text does, from the last size but one on."""
        (few, many), (small, large) = self.seconds[-2:], SIZES[len(self.seconds) - 2 : len(self.seconds)]
        return many / max(few, 1e-9) / (large / small)


def look(name: str, count: int, seed: int, ways: Iterable[str]) -> Iterator[Seen]:
    """The flood of a dialect that seems to take most in each way, of `count` that are drawn; fewer without its name."""
    dialect, random = registry.dialect(name), Random(f"{name} {seed}")
    floods = [hostile.drawn(dialect, random) for _ in range(count)]
    for way in ways:
        some = floods if WAYS[way].named else floods[: max(1, count // 4)]
        read = WAYS[way].read(dialect)
        yield max(
            (Seen(name, way, flood, *rate(read, flood, WAYS[way].seconds)) for flood in some),
            key=lambda seen: seen.score,
        )


def rate(read: Read, flood: Flood, most: float) -> tuple[float, float]:
    """Seconds for a megabyte, as some kilobytes foretell it, more of them where it seems to take `most`; and the score.

    What is bounded takes no more in the last of them than before.
    """
    read(flood.text(500))
    spent, found = 0.0, list[float]()
    for size, before in ((SMALL, 0), (SOME, SMALL), (MORE, SOME)):
        text = flood.text(size)
        last, spent = spent, seconds(read, text)
        found.append(max(spent - last, 0.0) / (size - before))
        told = spent + found[-1] * (SIZES[-1] - size)
        if spent > most or size == SOME and max(found) * SIZES[-1] < most / 2:
            break
    growth = found[-1] / max(found[-2], 1e-9) if len(found) > 1 else 1.0
    return told, told * min(max(growth, 1.0), MOST_GROWTH) ** 2


def cost(seen: Seen) -> Cost:
    """What a flood takes."""
    known = WAYS[seen.way]
    read, found, megabytes = known.read(registry.dialect(seen.dialect)), [], 0.0
    read(seen.flood.text(100))
    texts = [seen.flood.text(size) for size in SIZES]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for size, text in zip(SIZES, texts, strict=True):
        found.append(seconds(read, text))
        megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        if size > SIZES[0] and found[-1] / size * SIZES[-1] > 10 * known.seconds:
            break
    return Cost(seen, tuple(found), megabytes)


def apart(seen: Seen) -> Cost:
    """The same, in a process of its own: what was read before leaves memory to use."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(cost, (seen,))


# Telling


def row(one: Cost) -> tuple[str, ...]:
    """The row of a table for a cost."""
    times = [f"{spent * 1e3:,.0f} ms" if spent < 1 else f"{spent:,.2f} s" for spent in one.seconds]
    times += ["–"] * (len(SIZES) - len(times))
    told = (f"× {one.growth:.1f}", f"{one.megabytes:,.0f} MB", code(str(one.seen.flood)[:100]))
    return (one.seen.way, one.seen.dialect, *times, *told)


def page(seen: Sequence[Seen], found: Sequence[Cost], count: int, seed: int) -> str:
    """The report."""
    over = sum(one.share > 1 for one in found)
    bounds = ", ".join(f"{way} {known.seconds:g} s" for way, known in WAYS.items())
    costs = [("read", "dialect", "1 kB", "64 kB", "1 MB", "growth", "memory", "the text"), *map(row, found)]
    rates: dict[str, dict[str, str]] = {}
    for one in seen:
        rates.setdefault(one.dialect, {})[one.way] = f"{one.rate:.1f}"
    each = [(name, *(by_way.get(way, "") for way in WAYS)) for name, by_way in rates.items()]
    return f"""\
# Floods

What a text takes that is made to be slow. `make floods ARGS=--write` draws {count} texts of each dialect, a fourth of
them for the ways that are not told which it is (seed {seed}), and writes this page: units, pairs and triples of what
means something to the dialect, or almost does, and pieces of its answers and cases, over and over, numbered, mixed or
nested, in every slot or anywhere, with a good end, a cut one, or none.

Bounds for 1 MB of anything, in processor time: {bounds}; and {MOST_MEMORY} MB of memory. This was over on
{time.strftime("%Y-%m-%d at %H:%M", time.gmtime())} UTC.

## The worst

Those that seemed to take most, each read in a process of its own. Growth is that of the time from 64 kB to 1 MB, over
that of the text: × 1 is linear. {over} of {len(found)} are over a bound.

{table(costs)}

## By dialect

Seconds that a megabyte of the worst flood of each would take, as {MORE // 1000} kB of it foretell; of what is fast,
{SOME // 1000} kB.

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
        likely = sorted((one for one in seen if one.way == way), key=lambda one: -one.score)
        for one in likely[: options.worst]:
            found.append(apart(one))
            print("  ".join(row(found[-1])), flush=True)
    if options.write:
        keep("floods.md", page(seen, found, options.count, options.seed))
    over = sum(one.share > 1 for one in found)
    print(f"{over} of {len(found)} are over a bound")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())

"""Work of reading a text: calls of functions, which are the same on any machine, or processor time."""

from __future__ import annotations

import cProfile
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

Read = Callable[[str], object]
Work = Callable[[Read, str], float]
CHUNK = 5
"""Characters of a chunk."""


class Streaming(Protocol):
    """A stream of any kind."""

    def feed(self, chunk: str) -> object: ...
    def close(self) -> object: ...
    @property
    def message(self) -> object: ...


def streamed(make: Callable[[], Streaming], size: int = CHUNK) -> Read:
    """Reads a text in chunks of `size` characters."""

    def read(text: str) -> object:
        stream = make()
        for at in range(0, len(text), size):
            stream.feed(text[at : at + size])
        stream.close()
        return stream.message

    return read


class Scale(NamedTuple):
    """Measure of work, the sizes of texts, and the growth of work allowed from each size to the next."""

    work: Work
    sizes: tuple[int, ...]
    enough: int
    """Number of sizes that are tried in any case; a larger one only where the last of them took too much more."""
    growth: float
    least: float
    """Work that is too little to be more than chance."""
    most: float
    """Work after which no larger size is tried."""


def calls(read: Read, text: str) -> float:
    """Number of calls of functions, in Python and in C, to read the text."""
    profile = cProfile.Profile()
    profile.runcall(read, text)
    return sum(entry.callcount for entry in profile.getstats())


def seconds(read: Read, text: str) -> float:
    """Processor time of reading the text."""
    start = time.process_time()
    read(text)
    return time.process_time() - start


CALLS = Scale(calls, (250, 1_000, 4_000, 16_000, 64_000), 3, 5, 0, 4e6)
TIME = Scale(lambda read, text: min(seconds(read, text) for _ in range(3)), (4_000, 16_000, 64_000), 3, 6, 0.02, 1)


def measured(read: Read, text: Callable[[int], str], scale: Scale = CALLS) -> list[float]:
    """The work for each size that is tried."""
    read(text(scale.sizes[0]))  # nodes and plans are made the first time
    found: list[float] = []
    for tried, size in enumerate(scale.sizes, 1):
        found.append(scale.work(read, text(size)))
        if found[-1] > scale.most or tried >= scale.enough and found[-1] <= scale.growth * found[-2]:
            break
    return found


def grown(read: Read, text: Callable[[int], str], scale: Scale = CALLS) -> list[float]:
    """The work for each size, when the last one takes too much more than the one before; nothing otherwise.

    The last step alone tells: what is more than linear may be too little to show in a small text, and what is bounded
    grows up to its bound.
    """
    found = measured(read, text, scale)
    return found if superlinear(found, scale) else []


def superlinear(found: Sequence[float], scale: Scale = CALLS) -> bool:
    """True when the last of these, the work for each size, is too much more than the one before."""
    return found[-1] > scale.growth * sum(found[-2:-1]) and found[-1] >= scale.least

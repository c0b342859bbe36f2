"""How often something comes, drawn so that shrinking can leave out one of several."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random


def often(random: Random, most: int, least: int = 0) -> Iterator[int]:
    """Counts up from 0, at least `least` and at most `most` times; each time it is drawn whether to go on."""
    for i in range(most):
        if i >= least and not random.randint(0, 3):
            return
        yield i

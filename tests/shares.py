"""Shares: of many things that a law is held against, those that a run looks at. With `--all` it looks at every one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")
everything = False
"""True with `--all`."""


def share(things: Sequence[T], most: int, seed: str) -> list[T]:
    """So many of these at most, in order: where there are more, those that the seed draws."""
    if everything or len(things) <= most:
        return [*things]
    return [things[at] for at in sorted(Random(seed).sample(range(len(things)), most))]

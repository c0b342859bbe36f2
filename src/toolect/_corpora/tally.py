"""Bounded counters: the commonest keys are kept, with examples, and the rest is a number."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

K = TypeVar("K", bound=Hashable)

EXCERPT = 240
"""Characters of an example that are kept."""


class SeenExample(msgspec.Struct, frozen=True):
    """An example: `number` is the line, row or record of the file at `path`, counted from 1."""

    path: str
    number: int
    text: str
    detail: str = ""

    @property
    def where(self) -> str:
        """The place, as an editor takes it."""
        return f"{self.path}:{self.number}" if self.number else self.path

    def moved(self, offset: int) -> SeenExample:
        """The same example, so many lines later."""
        return msgspec.structs.replace(self, number=self.number and self.number + offset)


class Shown(msgspec.Struct, frozen=True):
    """An example in a report: its place, its text, and a detail."""

    where: str
    text: str
    detail: str = ""


class Tally(Generic[K]):
    """Counter of about `limit` keys, each with its first `keep` examples.

    Where more keys come than are kept, the rarest are dropped: `rest` is the sum of their counts.
    """

    def __init__(self, limit: int, keep: int = 0) -> None:
        self.limit, self.keep = limit, keep
        self.counts: dict[K, int] = {}
        self.examples: dict[K, list[SeenExample]] = {}
        self.rest = 0

    def add(self, key: K, count: int = 1) -> bool:
        """Count `key`; true when an example of it is wanted."""
        counts = self.counts
        known = counts.get(key)
        if known is None:
            if len(counts) >= 2 * self.limit:
                self._prune()
            counts[key] = count
            return self.keep > 0
        counts[key] = known + count
        return self.keep > 0 and len(self.examples.get(key, ())) < self.keep

    def show(self, key: K, example: SeenExample) -> None:
        """Keep an example of `key`."""
        self.examples.setdefault(key, []).append(example)

    def shown(self, key: K) -> tuple[Shown, ...]:
        """The examples of `key`, for a report."""
        return tuple(Shown(one.where, one.text, one.detail) for one in self.examples.get(key, ()))

    def merge(self, other: Tally[K], offset: int) -> None:
        """Add the counts of a later part of the same file, whose lines begin after line `offset`."""
        for key, count in other.counts.items():
            self.add(key, count)
            for example in other.examples.get(key, ()):
                if key in self.counts and len(self.examples.get(key, ())) < self.keep:
                    self.show(key, example.moved(offset))
        self.rest += other.rest

    def top(self) -> list[tuple[K, int]]:
        """The commonest keys, most often first; at most `limit`."""
        return self._ranked()[: self.limit]

    def more(self, shown: int) -> int:
        """Occurrences of keys that are not among the first `shown`."""
        return self.total - sum(count for _, count in self._ranked()[: min(shown, self.limit)])

    @property
    def total(self) -> int:
        """Occurrences of all keys."""
        return sum(self.counts.values()) + self.rest

    def _ranked(self) -> list[tuple[K, int]]:
        return sorted(self.counts.items(), key=lambda item: (-item[1], str(item[0])))

    def _prune(self) -> None:
        for key, count in self._ranked()[self.limit :]:
            self.rest += count
            del self.counts[key]
            self.examples.pop(key, None)


def excerpt(text: str, start: int = 0, end: int | None = None) -> str:
    """`text` from `start` to `end` with a little around it, cut to size; `…` stands where it goes on."""
    room = max(EXCERPT - ((end or start) - start), 0) // 2
    left = max(start - room, 0) if end is not None else start
    right = min(left + EXCERPT, len(text))
    return "…" * (left > 0) + text[left:right] + "…" * (right < len(text))

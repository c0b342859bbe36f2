"""Where broken JSON does not end: looked at once, however often it is broken anew in the same text."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from toolect._graph.node import Node
from toolect._reading.open_call import OpenCall


def said(call: OpenCall | None) -> tuple[str, str | None]:
    """What markers may repeat in the open `call`: the name, and the key of the argument."""
    return ("", None) if call is None else (call.name, call.key)


class Barren(NamedTuple):
    """Where broken JSON does not end that `node` follows, in a call of which so much was `said`."""

    node: Node
    said: tuple[str, str | None]
    start: int
    end: int
    places: list[int]
    """The characters between these at which it might have, and does not."""

    def knows(self, node: Node, call: OpenCall | None, char: int) -> bool:
        """Does it tell where broken JSON does not end that `node` follows, in `call`, from `char` on?"""
        return self.node is node and self.start <= char < self.end and self.said == said(call)

    def from_(self, char: int, most: int, base: int) -> list[int]:
        """The first of these from `char` on, at most so many, as indexes from `base` on."""
        first = bisect_left(self.places, char)
        return [at - base for at in self.places[first : first + max(most, 0)]]

"""Explanations of readings: the places where a text is not as the dialect has it, as data, and drawn for people.

`Dialect.explain` makes an `Explanation`. Costs are rounded negative logarithms: the lower, the likelier. What fits is
evidence, and is below 0.
"""

from __future__ import annotations

import msgspec

from toolect._shown import counted, cut, one_line

__all__ = ["Explanation", "Paid", "Place", "Reading", "draw"]

_GOT = 24
_EXPECTED = 4


class Paid(msgspec.Struct, frozen=True):
    """Cost of one edge of a reading, from character `at` on: `name` is its row in the table of costs."""

    name: str
    edge: str
    """The row in words; empty for what has none of its own."""
    at: int
    cost: int


class Reading(msgspec.Struct, frozen=True):
    """One way to read a place, followed up to character `until`; `cost` is the sum of all that was paid."""

    paid: tuple[Paid, ...]
    cost: int
    until: int
    won: bool


class Place(msgspec.Struct, frozen=True):
    """Character `at`, where there were several readings, or one that costs something: that which won comes first.

    The others follow, the cheapest first.
    """

    at: int
    expected: tuple[str, ...]
    got: str
    """The text that begins there."""
    readings: tuple[Reading, ...]
    left_out: int = 0
    """Readings besides these."""


class Explanation(msgspec.Struct, frozen=True):
    """Explanation of a reading in a dialect: `cost` is that of all of it, of the `left_out` places, too."""

    dialect: str
    cost: int
    places: tuple[Place, ...]
    left_out: int = 0
    failed: tuple[str, ...] = ()
    """Reasons for calls that cannot be run, each with its status, such as arguments that do not fit the tool."""

    def __str__(self) -> str:
        return draw(self)


def draw(explanation: Explanation) -> str:
    """The explanation for people: one line where nothing else could be meant, and one for each call that failed."""
    if not explanation.places:
        return "\n".join([f"{explanation.dialect}: nothing else could be meant", *explanation.failed])
    number = len(explanation.places) + explanation.left_out
    lines = [f"{explanation.dialect}: {counted(number, 'place')} where something else could be meant"]
    for place in explanation.places:
        lines += [_headline(place), *map(_row, place.readings)]
        lines += [f"    and {counted(place.left_out, 'more reading')}"] if place.left_out else []
    lines += [f"and {counted(explanation.left_out, 'more place')}"] if explanation.left_out else []
    return "\n".join([*lines, *explanation.failed])


def _headline(place: Place) -> str:
    shown = " or ".join(map(one_line, place.expected[:_EXPECTED])) or "the end"
    more = " …" * (len(place.expected) > _EXPECTED)
    got = f'"{cut(one_line(place.got), _GOT)}"' if place.got else "the end"
    return f"at {place.at}: expected {shown}{more}, got {got}"


def _row(reading: Reading) -> str:
    """Line of a reading: the costs by name; evidence comes last."""
    paid = [f"{one.name} ({one.cost})" for one in reading.paid if one.cost >= 0]
    evidence = sum(one.cost for one in reading.paid if one.cost < 0)
    paid += [f"evidence ({evidence})"] if evidence else []
    return f"  {'*' if reading.won else ' '} {', '.join(paid) or 'nothing is wrong'}: total {reading.cost}"

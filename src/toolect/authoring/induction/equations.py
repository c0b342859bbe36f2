"""Word equations: texts that are known to be sequences of unknown markers, and the markers that solve all of them.

Anti-unification of the glue between values is a special case: two equations with the same variables and another text
contradict each other. Unknown parts are cut at tokens only; of several solutions the one with the fewest parts comes
first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import NamedTuple

NAME, KEY, ID, INDEX, COUNT = "\x01", "\x02", "\x03", "\x04", "\x05"
"""Holes in a text: the call's name once more, the key, the id, the number of the call from 1 or from 0."""
MAX_SPLITS = 2000
"""Ways to cut one text that are looked at. Beyond it: the first ones."""
MAX_SOLUTIONS = 20
"""Solutions that are compared. Beyond it: the first ones."""
DEPTH = 5
"""What an equation that is still open is taken to cost: more makes the search go deeper before it goes wider."""
MAX_STEPS = 15000
"""Equations that are solved on the way to all solutions. Beyond it: the solutions found so far."""

_TOKEN = re.compile(
    r"""\n | [^\S\n]+ | [\x01-\x05]
    | <[|｜][^<>\n\x01-\x05]*?[|｜]>
    | </?[A-Za-z_｜|][^<>\s"'=\x01-\x05]*>?
    | </[^<>\s"'=\x01-\x05]+>
    | \[/?[A-Za-z_][^\[\]\s"'=\x01-\x05]*\]
    | [^\W_]+ | ([^\w\s()\[\]{}<>"'])\1*
    | .""",
    re.VERBOSE,
)
"""What markers are made of: whitespace, tags, words, runs of a sign."""

Solution = Mapping[str, str]


class Equation(NamedTuple):
    """A text between two values, and the variables that it is the sequence of; `row` and `part` say where it is."""

    text: str
    variables: tuple[str, ...]
    row: int = 0
    part: str = ""


class Contradiction(Exception):
    """Equations that no markers solve; the message says which rows differ in what."""


def tokens(text: str) -> list[str]:
    """The text in parts that are never cut in two."""
    return [match[0] for match in _TOKEN.finditer(text)]


def solutions(equations: Sequence[Equation], weights: Mapping[str, int], known: Solution) -> Iterator[dict[str, str]]:
    """The markers that solve all equations, fewest parts first.

    `weights` says what it costs when a variable is not empty (1 by default), `known` what some variables are.
    Raises Contradiction where two texts of the same variables differ.
    """
    unique: dict[tuple[str, ...], Equation] = {}
    for one in equations:
        other = unique.setdefault(one.variables, one)
        if other.text != one.text:
            raise Contradiction(f"{one.part} stands {one.text!r} in row {one.row}, {other.text!r} in row {other.row}")
    heap: list[tuple[int, int, int, Sequence[Equation], dict[str, str]]] = [(0, 0, 0, [*unique.values()], dict(known))]
    found: list[dict[str, str]] = []
    count = 0
    while heap and count < MAX_STEPS and len(found) < MAX_SOLUTIONS:
        _, cost, _, before, solved = heappop(heap)
        left = _reduced(before, solved)
        if left is None:
            continue
        if not left:
            found.append(solved)
            continue
        best = min(left, key=lambda one: (len({*one.variables}), len(one.text)))
        for split, more in _splits(best, solved, weights):
            count += 1
            rank = cost + more + DEPTH * (len(left) - 1)
            heappush(heap, (rank, cost + more, count, left, solved | split))
    if not found:
        raise Contradiction("the texts between the values are cut in no way that fits all rows")
    yield from sorted(found, key=lambda one: _total(one, weights))


def _reduced(equations: Sequence[Equation], found: Mapping[str, str]) -> list[Equation] | None:
    """The equations without what is known; None where one does not fit."""
    left = []
    for one in equations:
        rest = _rest(one, found)
        if rest is None:
            return None
        if rest.variables:
            left.append(rest)
    return left


def _rest(one: Equation, found: Mapping[str, str]) -> Equation | None:
    """The equation without what is known at its ends; None where that does not fit."""
    text, variables = one.text, [*one.variables]
    while variables and (known := found.get(variables[0])) is not None:
        if not text.startswith(known):
            return None
        text = text[len(known) :]
        del variables[0]
    while variables and (known := found.get(variables[-1])) is not None:
        if not text.endswith(known):
            return None
        text = text[: len(text) - len(known)]
        del variables[-1]
    if not variables and text:
        return None
    return Equation(text, tuple(variables), one.row, one.part)


def _splits(one: Equation, found: Mapping[str, str], weights: Mapping[str, int]) -> list[tuple[dict[str, str], int]]:
    """The ways to cut a text into its variables, with what each costs."""
    ends, at = [0], 0
    for token in tokens(one.text):
        at += len(token)
        ends.append(at)
    ways = islice(_ways(one.text, ends, 0, one.variables, found, {}), MAX_SPLITS)
    return [(way, sum(_cost(name, text, weights) for name, text in way.items())) for way in ways]


def _ways(
    text: str, ends: Sequence[int], at: int, variables: Sequence[str], found: Mapping[str, str], taken: dict[str, str]
) -> Iterator[dict[str, str]]:
    if not variables:
        if at == len(text):
            yield taken
        return
    name, *others = variables
    known = found.get(name, taken.get(name))
    if known is not None:
        if text.startswith(known, at):
            yield from _ways(text, ends, at + len(known), others, found, taken)
    elif others:
        for end in dict.fromkeys([*(end for end in reversed(ends) if end > at), at]):
            yield from _ways(text, ends, end, others, found, taken | {name: text[at:end]})
    else:
        yield taken | {name: text[at:]}


def _cost(name: str, text: str, weights: Mapping[str, int]) -> int:
    """What a part costs: that there is one, a blank at its beginning, half a bracket, a hole outside of calls."""
    if not text:
        return 0
    opener = name.endswith("opener") or name.startswith("before")
    blank = text[0].isspace() and name in _HEADS
    wrong = (
        text[0] in ">])}/" and name != "arguments opener" if opener else text[-1] in "<[{(/" and name != "name closer"
    )
    solid = name in _BLANK and not text.isspace() or name in _SOLID and text.isspace()
    holed = name in _OUTSIDE and re.search("[\x01-\x05]", text) is not None or KEY in text and name not in _KEYED
    weight = (
        2 if name == "call divider" and text.isspace() else weights.get(name, 4 * name.startswith(("before", "after")))
    )
    return weight + blank + 2 * wrong + 50 * solid + 1000 * holed


def _total(found: Mapping[str, str], weights: Mapping[str, int]) -> int:
    """What a solution costs: its parts, and each pair of which there is only one half."""
    pairs = ((found.get(f"{part} opener", ""), found.get(f"{part} closer", "")) for part in _PAIRS)
    halves = sum(bool(opener.strip()) != bool(closer.strip()) for opener, closer in pairs)
    return sum(_cost(name, text, weights) for name, text in found.items()) + 20 * halves


_HEADS = {"argument opener", "call opener", "reasoning opener", "content opener", "item opener", "pair opener"}
"""Variables that rather begin with a sign: the line break before them ends what was before."""
_OUTSIDE = {"start", "end", "gap", "reasoning gap", "content gap", "calls opener", "calls closer", "call divider"}
"""Variables that belong to no call."""
_KEYED = {"key closer", "argument closer", "pair key closer", "pair closer"}
"""Variables that may hold the key once more."""
_PAIRS = ("content", "calls", "arguments", "argument", "item", "array", "object")
"""Parts that have an opener and a closer, or neither."""
_BLANK = {"gap", "reasoning gap", "thought gap", "content gap"}
"""Variables that are whitespace, if they are not empty."""
_SOLID = {"content opener", "content closer", "calls opener", "calls closer", "end"}
"""Variables that are more than whitespace."""

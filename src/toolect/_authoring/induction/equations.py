"""Word equations: texts that are known to be sequences of unknown markers, and the markers that solve all of them.

Anti-unification of the glue between values is a special case: two equations with the same variables and another text
contradict each other. Unknown parts are cut at tokens only; of several solutions the one with the fewest parts comes
first. The search is best-first: the cheapest way to solve some of the equations goes on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import accumulate, islice
from typing import NamedTuple

NAME, KEY, ID, INDEX, COUNT = "\x01", "\x02", "\x03", "\x04", "\x05"
"""Holes in a text: the call's name once more, the key, the id, the number of the call from 1 or from 0."""
MAX_SPLITS = 2000
"""Ways to cut one text that are looked at. Beyond it: the first ones."""
MAX_SOLUTIONS = 20
"""Solutions that are compared. Beyond it: the first ones."""
MAX_STEPS = 40000
"""Partial solutions that are made. Beyond it: the solutions found so far."""
WEIGHTS = {
    "start": 24, "end": 12, "end of calls": 12, "no thought": 12, "preamble opener": 8, "preamble closer": 8,
    "content opener": 8, "content closer": 8, "content to calls": 4, "reasoning to calls": 24,
    "reasoning to content": 16, "calls to content": 24, "calls opener": 32, "calls closer": 32, "call divider": 24,
    "arguments opener": 40, "arguments closer": 40, "argument divider": 20, "array opener": 3, "array closer": 3,
    "element opener": 2, "element closer": 2, "element divider": 8, "object opener": 3, "object closer": 3,
    "pair opener": 1, "pair closer": 1, "pair divider": 4,
}  # fmt: skip
"""Cost of a part of a format that is not empty; 0 for those that most formats have."""
_KEYED = {"argument key closer", "argument closer", "pair key closer", "pair closer"}
"""Variables that may hold the key once more."""
_QUOTED = (("call opener", "name closer"), ("argument opener", "argument key closer"))
"""Parts around a name or a key: a quote that one opens, the other closes."""
_BLANK = {"content to calls", "reasoning to calls", "reasoning to content", "calls to content"}
"""Variables that are whitespace, if they are not empty."""
_SOLID = {"content opener", "content closer", "calls opener", "calls closer", "end"}
"""Variables that are more than whitespace."""
_OUTSIDE = {"start", "call divider", *_BLANK, *_SOLID}
"""Variables that belong to no call, and say nothing of one."""
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
"""Tokens of markers: whitespace, tags, words, runs of a sign."""
Solution = Mapping[str, str]


class Equation(NamedTuple):
    """A text between two values, and the variables that it is the sequence of; `row` and `part` say where it is."""

    text: str
    variables: tuple[str, ...]
    row: int = 0
    part: str = ""
    echoes: tuple[tuple[str, str], ...] = ()
    """Texts that may stand in it once more, each with its hole."""

    def with_holes(self, only: str = "") -> str:
        """The text with holes for what stands in it once more, or with `only` those of some kinds."""
        text = self.text
        for hole, found in self.echoes:
            if not only or hole in only:
                before = r"(?<![\d.-])0*" if hole in (INDEX, COUNT) else r"(?<![\w-])"
                text = re.sub(rf"{before}{re.escape(found)}(?!\w)", hole, text)
        return text


class ContradictionError(Exception):
    """Texts that contradict what is said of them, or one another; `progress` is how many rows did not, if not all."""

    def __init__(self, message: str, progress: float = math.inf) -> None:
        super().__init__(message)
        self.progress = progress


def tokens(text: str) -> list[str]:
    """The text in parts that are never cut in two."""
    return [match[0] for match in _TOKEN.finditer(text)]


def solve(equations: Sequence[Equation]) -> Solution:
    """The markers that solve all equations, of as few parts as can be.

    Raises ContradictionError where two texts of the same variables differ, and where nothing solves all.
    """
    unique: dict[tuple[str, ...], Equation] = {}
    for one in equations:
        other = unique.setdefault(one.variables, one)
        if other.text != one.text:
            raise ContradictionError(
                f"{one.part} stands {one.text!r} in row {one.row}, {other.text!r} in row {other.row}"
            )
    found = _solutions(tuple(Equation(one.text, one.variables) for one in unique.values()))
    if not found:
        raise ContradictionError("the texts between the values are cut in no way that fits all rows")
    return min(found, key=_total)


@lru_cache(256)
def _solutions(equations: tuple[Equation, ...]) -> list[Solution]:
    heap: list[tuple[int, int, Sequence[Equation], dict[str, str]]] = [(0, 0, equations, {})]
    found: list[Solution] = []
    count = 0
    while heap and count < MAX_STEPS and len(found) < MAX_SOLUTIONS:
        cost, _, left, solved = heappop(heap)
        if not left:
            found.append(solved)
            continue
        best = min(left, key=lambda one: (len({*one.variables} - solved.keys()), len(one.text)))
        others = [one for one in left if one is not best]
        for split in _splits(best, solved):
            count += 1
            more = cost + sum(_cost(name, text) for name, text in split.items())
            heappush(heap, (more, count, others, solved | split))
    return found


def _splits(one: Equation, found: Solution) -> Iterator[dict[str, str]]:
    """The ways to cut a text into its variables."""
    text, variables = one.text, [*one.variables]
    while variables and variables[-1] in found:  # so that the rest is only cut in ways that can end so
        known = found[variables.pop()]
        if not text.endswith(known):
            return iter(())
        text = text.removesuffix(known)
    ends = [0, *accumulate(map(len, tokens(text)))]
    return islice(_ways(text, ends[::-1], 0, variables, found, {}), MAX_SPLITS)


def _ways(
    text: str, ends: Sequence[int], at: int, variables: Sequence[str], found: Solution, taken: dict[str, str]
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
        for end in dict.fromkeys([*(end for end in ends if end > at), at]):
            yield from _ways(text, ends, end, others, found, taken | {name: text[at:end]})
    else:
        yield taken | {name: text[at:]}


@lru_cache(1 << 16)
def _cost(name: str, text: str) -> int:
    """Cost of a part: that there is one, half a bracket, a hole outside of calls."""
    if not text:
        return 0
    opener = name.endswith("opener") or name.startswith("before")
    wrong = (
        text[0] in ">])}/" and name != "arguments opener" if opener else text[-1] in "<[{(/" and name != "name closer"
    )
    solid = name in _BLANK and not text.isspace() or name in _SOLID and text.isspace()
    holed = name in _OUTSIDE and re.search("[\x01-\x05]", text) is not None or KEY in text and name not in _KEYED
    weight = (
        2 if name == "call divider" and text.isspace() else WEIGHTS.get(name, 4 * name.startswith(("before", "after")))
    )
    return weight + 2 * wrong + 50 * solid + 1000 * holed


def _total(found: Solution) -> int:
    """Cost of a solution: its parts, and each quote that is on one side only of a name or a key."""
    torn = sum(
        (found.get(before, "").count(quote) % 2 == 1) != found.get(after, "").startswith(quote)
        for before, after in _QUOTED
        for quote in "\"'"
    )
    return sum(_cost(name, text) for name, text in found.items()) + 12 * torn

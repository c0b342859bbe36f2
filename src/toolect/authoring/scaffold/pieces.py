"""A sample as pieces: markers, whitespace, holes that data fills, and the prose around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple, TypeAlias


class Hole(StrEnum):
    """What stands in a sample where a dialect has data."""

    NAME = "NAME"
    REF = "REF"
    KEY = "KEY"
    TEXT = "TEXT"
    JSON = "JSON"
    ARGUMENTS = "argument*"
    """Arguments one by one, each an element of its own."""
    ID = "ID"
    INDEX = "INDEX"
    """The number of a call in its answer, from 1."""
    COUNT = "COUNT"
    """The number of a call in its answer, from 0: what ids are made of."""
    TYPE = "TYPE"
    """The type of a value, by its name in JSON."""
    ESCAPED = "ESCAPED"
    VALUE = "value"
    """A value of a value language."""
    CODE = "code"
    """Calls as in a programming language."""


PAYLOADS = frozenset({Hole.JSON, Hole.ARGUMENTS, Hole.CODE})
"""What a call has one of."""


class Prose(NamedTuple):
    """Text that is no part of a call; `reasoning` tells thought from answer."""

    text: str
    reasoning: bool = False


Token: TypeAlias = str | Hole
Piece: TypeAlias = Token | Prose


class Mark(NamedTuple):
    """A hole, or reasoning with its tags, at characters `start:end` of a sample."""

    start: int
    end: int
    what: Hole | Prose


_WORD = r"[\w/]{0,30}(?:tool|call|action|function|arg|input|invoke|recipient)[\w/]{0,30}"
_MARKERS = re.compile(
    rf"""
    <[|｜][^<>\n]{{1,60}}[|｜]>                        # <|token|>
    | </?[^<>\s"=/][^<>\n]{{0,80}}>                    # <tag>, </tag>
    | \[/?[A-Za-z_]{{3,40}}\]                          # [TOKEN]
    | (?<=[|｜]>)(?-i:[a-z_]{{1,20}})(?=\s{{0,8}}(?:[<\n\[{{(]|\w{{1,20}}=|\Z))  # a word that a token introduces
    | functions\.(?=[A-Za-z_])                         # what some write before every name
    | (?<![\w"'])[a-z_]{{1,20}}=(?:\w{{1,20}}(?=<[|｜])|(?=[A-Za-z_]))  # to=
    | ```\w*                                           # a fence
    | ^[^\w\n"'(]{{0,4}}(?:[\w/]{{1,30}}[ ])?{_WORD}(?:[ ]\w{{1,12}})?[^\w\n"'<({{\[]{{1,4}}  # Action Input:
    | ^[^\w\n"'(]{{0,4}}{_WORD}(?=\s{{0,64}}[\[{{])   # a word of its own before a bracket
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)


_TOKENS = re.compile(r"<[^<>\n]{1,60}>|\[/?[A-Z][A-Z_]{2,}\]|```")


def has_markers(text: str) -> bool:
    """True when something in the text looks like a marker, at a glance."""
    return _TOKENS.search(text) is not None


def pieces(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """The pieces of a sample in which `marks` are already known; they stand in order and apart."""
    found: list[Piece] = []
    markers = [match.span() for match in _MARKERS.finditer(text)]
    at = 0
    for mark in [*marks, None]:
        end = len(text) if mark is None else mark.start
        found += _between(text, at, end, markers)
        if mark is not None:
            found.append(mark.what)
            at = mark.end
    return found


def _between(text: str, start: int, end: int, markers: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """The pieces of `text[start:end]`, where no hole is; a marker may reach over the edge."""
    at = start
    begun = bisect_right(markers, start, key=itemgetter(1))
    for first, last in markers[begun : bisect_left(markers, end, key=itemgetter(0))]:
        first, last = max(first, at), min(last, end)
        yield from _prose(text[at:first])
        yield from filter(None, parted(text[first:last]))  # a marker apart from the whitespace around it
        at = last
    yield from _prose(text[at:end])


def _prose(text: str) -> Iterator[Piece]:
    """Text between markers: prose, unless it is whitespace or a sign."""
    lead, solid, trail = parted(text)
    told = len(solid) > 2 or any(map(str.isalnum, solid))
    yield from filter(None, (lead, Prose(solid) if told else solid, trail))


def parted(text: str) -> tuple[str, str, str]:
    """The whitespace that a text begins with, what comes then, and the whitespace that it ends with."""
    solid = text.strip()
    at = text.index(solid)
    return text[:at], solid, text[at + len(solid) :]


def space_after(text: str, at: int) -> str:
    """The whitespace from character `at` on."""
    return text[at : len(text) - len(text[at:].lstrip())]


def runs(found: Sequence[Piece]) -> Iterator[tuple[str, list[Token], bool]]:
    """The stretches between prose that hold calls, with the whitespace before each, and whether content is there."""
    run: list[Token] = []
    before: Prose | None = None
    for piece in [*found, Prose("")]:
        if not isinstance(piece, Prose):
            run.append(piece)
            continue
        if PAYLOADS & {token for token in run if isinstance(token, Hole)}:
            lead = str(run[0]) if is_space(run[0]) else ""
            yield lead, trimmed(run), before is not None and not before.reasoning
        run, before = [], piece


def is_space(token: Token) -> bool:
    """True for whitespace."""
    return not isinstance(token, Hole) and token.isspace()


def trimmed(run: Sequence[Token]) -> list[Token]:
    """The run without whitespace at its ends."""
    start, end = 0, len(run)
    while start < end and is_space(run[start]):
        start += 1
    while end > start and is_space(run[end - 1]):
        end -= 1
    return list(run[start:end])

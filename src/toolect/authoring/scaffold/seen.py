"""What is seen in samples: where their calls are, what stands in them, and what is left over for markers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolect._shown import alike
from toolect.authoring.scaffold.nested_values import Elements
from toolect.authoring.scaffold.pieces import Mark, Token
from toolect.message import Json


class Arguments(NamedTuple):
    """How arguments are written one by one."""

    forms: tuple[tuple[Token, ...], ...]
    """One argument, with holes; the first form is written."""
    divider: str = ""
    codec: str = "schema"
    """How raw values are read, as an entry says it."""
    language: str = ""
    """The value language that the values are of."""
    quote: str = ""
    """What strings of the value language stand between, if that is its own."""
    several: bool = True
    """Arguments were seen that follow one another."""
    around: tuple[str, str] = ("", "")
    """What is around all arguments of a call, and is not there where it has none."""
    elements: Elements | None = None
    """How the elements are written that values are made of."""


class SeenCall(NamedTuple):
    """A call in a sample: its name, the keys of its arguments if they were seen, and the holes in it."""

    name: str
    keys: tuple[str, ...] | None
    marks: tuple[Mark, ...]
    said: str = ""
    """Content that is in the same JSON."""
    within: Json = None
    """The JSON that it is the first call of."""


class Seen(NamedTuple):
    """One way to see samples: the calls of each, and how their insides are written."""

    calls: tuple[tuple[SeenCall, ...], ...]
    arguments: Arguments | None = None
    shape: Json = None
    layout: str = ""
    """How JSON is spaced, as an entry says it."""


_TOKEN = re.compile(
    r"""\n
    | [^\S\n]+
    | <[|｜][^<>\n]*?[|｜]>
    | </?[A-Za-z_][^<>\s"'=]*>
    | </[^<>\s"'=]+>
    | \[/?[A-Za-z_][^\[\]\s"'=]*\]
    | \w+
    | ([^\w\s()\[\]{}<>"'])\1*
    | .""",
    re.VERBOSE,
)
"""What markers are made of: whitespace, tags, words, signs."""


def tokens(text: str) -> list[str]:
    """The text in parts that are never cut in two."""
    return [match[0] for match in _TOKEN.finditer(text)]


def common_start(lists: Iterable[Sequence[str]]) -> list[str]:
    """The tokens that all begin with."""
    first, *others = list(lists) or [[]]
    length = min((alike(first, other) for other in others), default=len(first))
    return list(first[:length])


def common_end(lists: Iterable[Sequence[str]]) -> list[str]:
    """The tokens that all end with."""
    return common_start([one[::-1] for one in lists])[::-1]

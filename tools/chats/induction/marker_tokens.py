"""Tokens of markers, and what sequences of them have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toolect._shown import alike

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

"""Strings that are not spelled as JSON's: in other quotes, in three of them, without the first or without any.

Each is found where it begins in a text, with what JSON would say in its place and the index where it ends.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from toolect._shapes.meant import CLOSING, quoted

OddString: TypeAlias = tuple[str, int]
"""The JSON string that was meant, and the index after what stands in its place."""

_OPENING = re.compile(r"\\\"|['`“”„‘’«]")
_ESCAPED = '\\"'
_UNOPENED = re.compile(r'((?:[^"\\\n:{}\[\]]|\\.|:(?!\s*["\[{])){1,1024}+)(?<![,\s])"')
_BARE = re.compile(r"[^\W\d][\w .@/-]{0,255}?(?=\s{0,64}[,}\]\n])")
_BARE_KEY = re.compile(r"""([^\W\d][\w$.-]{0,63})(?:["'”’]|\\")?\s{0,64}(?=:)""")
_TORN_KEY = re.compile(r'"([^\W\d][\w$.-]{0,63})\s{0,16}:')
_STRUCTURE = re.compile(r"\s*(?:[,}\]:]|\Z)")
_THREE = ('"""', "'''")
_TRIPLES = {
    (sign, is_object): re.compile(rf"({sign * 3})(?=\s*(?:{after}|\Z))").search
    for sign in "\"'"
    for is_object, after in ((True, r",\s*[\"'“]?[\w.-]{1,64}[\"'”]?\s*:|\}"), (False, r"[,\]]"))
}
"""Finds the end of a string between three of such a sign, in an object or in a list."""


def begins_triple(text: str, pos: int) -> bool:
    """Do three quotes stand at `text[pos:]`?"""
    return text.startswith(_THREE, pos)


def triple(text: str, pos: int, is_object: bool) -> OddString | None:
    """The string between three quotes, as Python has them, which begins at `text[pos:]` in an object or in a list."""
    match = _TRIPLES[text[pos], is_object](text, pos + 3)
    return None if match is None else (quoted(text[pos + 3 : match.start()]), match.end(1))


def bare(text: str, pos: int) -> OddString | None:
    """The string at `text[pos:]` that lacks its first quote, or has none."""
    match = _UNOPENED.match(text, pos)
    if match is not None and _STRUCTURE.match(text, match.end()) is not None:
        return quoted(match[1]), match.end()
    match = _BARE.match(text, pos)
    return None if match is None else (quoted(match[0]), match.end())


def bare_key(text: str, pos: int) -> OddString | None:
    """The key at `text[pos:]` that lacks its first quote, or has none; with the blanks after it."""
    match = _BARE_KEY.match(text, pos)
    return None if match is None else (quoted(match[1]), match.end())


def torn_key(text: str, pos: int) -> OddString | None:
    """The key at `text[pos:]` that lacks its last quote; with its colon."""
    match = _TORN_KEY.match(text, pos)
    return None if match is None else (quoted(match[1]), match.end())


def is_escaped(text: str, pos: int) -> bool:
    """Does a string begin at `text[pos:]` whose quotes are escaped?"""
    return text.startswith(_ESCAPED, pos)


def other_quotes(text: str, pos: int, after: str) -> OddString | None:
    """The string between other quotes at `text[pos:]`; the first that may close it, before one of `after`, does."""
    opening = _OPENING.match(text, pos)
    if opening is None:
        return None
    start, signs, escaped = opening.end(), CLOSING[opening[0]], opening[0] == _ESCAPED
    sign = re.escape(signs) if escaped else f"[{signs}]"
    closing = re.compile(rf"{sign}(?=\s*(?:[{re.escape(after)}]|\Z))")
    at = start
    while (found := closing.search(text, at)) is not None:
        at = found.end()
        before = text[max(found.start() - 2, 0) : found.start()]
        if escaped or before[-1:] != "\\" or before == "\\\\":
            inside = text[start : found.start()]
            if text[at - 1] == '"' and not escaped and any(own in inside for own in signs.replace('"', "")):
                return None  # a sign of its own has closed it before
            return f'"{inside}"' if escaped else quoted(inside), at
    return None

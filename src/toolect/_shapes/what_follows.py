"""What comes after a place where JSON is broken, as far as it tells what is missing there, or is one too many."""

from __future__ import annotations

import re
from collections.abc import Sequence

_KEY = re.compile(r'\s{0,256}+"[^"\\\n]{1,64}"\s*:\s*(?:["{[]|-?\d|true\b|false\b|null\b)')
_ITEM = re.compile(r'\s{0,256}+"[^"\\\n]{0,200}"\s*[,\]]')
_CLOSERS = re.compile(r"(?:\s{0,256}+[}\]]){1,256}+\s*+")
_COMMA_KEY = re.compile(r',\s*"[^"\\\n]{1,64}"\s*:')
_LOOSE_KEY = re.compile(r"""\s{0,64}["'“]?[^\W\d][\w$. -]{0,63}["'”]?\s{0,64}:""")
_LOOSE_ITEM = re.compile(r'"[^"\n]*"\s*[,\]]')
_SCALAR = re.compile(r"[\w.+-]+\s*[,\]]")
_AFTER_BRACKET = re.compile(r"""\s*,\s*(?:(["'“]?[\w$. -]+["'”]?\s*:)|\S)""")
"""What comes after the next comma; a key as a group."""


def member_follows(text: str, at: int, is_object: bool) -> bool:
    """Does the next key come at `text[at:]`, with its value, or in a list the next string?"""
    return (_KEY if is_object else _ITEM).match(text, at) is not None


def key_follows(text: str, at: int) -> bool:
    """Does the next key come there, spelled in any way?"""
    return _LOOSE_KEY.match(text, at) is not None


def closers_follow(text: str, at: int, nesting: Sequence[bool]) -> bool:
    """Do just the brackets come at `text[at:]` that close what is open, up to the end or the next key?"""
    match = _CLOSERS.match(text, at)
    if match is None:
        return False
    closers = "".join(match[0].split())
    wanted = "".join("}" if is_object else "]" for is_object in reversed(nesting))
    if match.end() == len(text):
        return closers == wanted
    keyed = len(closers) < len(wanted) and nesting[-1 - len(closers)]
    return wanted.startswith(closers) and keyed and _COMMA_KEY.match(text, match.end()) is not None


def lacks_comma(text: str, at: int, is_object: bool, in_quote: bool) -> bool:
    """Does the next key or item come at `text[at:]` without a comma? Not where a string may be open: `in_quote`."""
    if is_object:
        return key_follows(text, at) and (text[at] in "\"'“" or not in_quote)
    other = not in_quote and (text[at] in '"{[' or _SCALAR.match(text, at) is not None)
    return other or _LOOSE_ITEM.match(text, at) is not None


def closes_more(text: str, at: int, nesting: Sequence[bool]) -> bool:
    """Does the bracket at `text[at]`, which does not close what is open, close what is around that?

    If not, it is one too many: nothing around is of its kind, or what follows goes on in what is open.
    """
    char = text[at]
    level = len(nesting) - 1
    while level >= 0 and nesting[level] is not (char == "}"):
        level -= 1
    after = _AFTER_BRACKET.match(text, at + 1)
    if level < 0 or after is None:
        return level >= 0
    keyed = after[1] is not None
    if text[at - 1 : at] == char and nesting[-1] is keyed:
        return False  # it stands there twice, and what is open goes on
    return level > 0 and nesting[level - 1] is keyed

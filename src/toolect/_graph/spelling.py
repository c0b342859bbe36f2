"""Spellings of markers: inner whitespace does not count, and more text may make another marker of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

MAX_LEXEME = 512
"""Characters of a terminal given by a regular expression: a name, a key, an id, a number. Beyond it: `malformed`."""
MAX_NAME = 128
"""Characters of a name or key that a marker repeats, or that a call begins with: APIs allow no more for a tool."""
LETTERS = 4
"""Letters by which a word differs from most others."""
MAX_BLANK = 64
"""Whitespace characters that a blank inside a marker may be. Beyond it: the marker is text."""
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
"""Signs that nobody sees."""

_ATOM = r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}|?*+.^$])"
_PLAIN = re.compile(rf"{_ATOM}*[*+]?").fullmatch


def canonical(found: str, marks: dict[str, bool]) -> str:
    """The marker among `marks` that `found` is, its inner whitespace apart."""
    if found in marks:
        return found
    tight = squeeze(found)
    return next(core for core in marks if squeeze(core) == tight)


def cut_off(marker: str, text: str, pos: int) -> bool:
    """True when `text[pos:]` is the beginning of `marker`, or all of it."""
    return marker.startswith(text[pos : pos + len(marker) + 1])


def beginning(word: str) -> str:
    """A regular expression for the first letters of `word` where a word begins, or fewer where the text ends.

    It takes in the first one alone, and begins with it: what a search looks for must not be a boundary.
    """
    first, *letters = map(re.escape, word[:LETTERS])
    found = ""
    for char in reversed(letters):
        found = rf"(?:\Z|{char}{found})"
    return rf"{first}(?<!\w{first})(?={found})"


def is_plain(regex: str) -> bool:
    """True for an expression of single characters, of which the last may come often: where it ends, it ends."""
    return _PLAIN(regex) is not None


def may_grow(regex: str, text: str, start: int, end: int) -> bool:
    r"""True when `text[start:end]`, of which `regex` may match the beginning, may become a longer match with more text.

    `\d+(\.\d+)?` matches the `1` of `1.`, and of `1.5` it matches all.
    """
    if is_plain(regex):
        return False
    from toolect._regular.automaton import alive  # not part of starting up: few dialects need it

    return alive(regex, text[start:end])


def squeeze(text: str) -> str:
    """`text` without whitespace."""
    return "".join(text.split())


GLUED = r"(?=[^\W\d_a-z]|['\"*]|\Z)"
"""An expression for where a marker ends that counts only right before a word."""
RUN_ON = r"(?=[\w'\"*\n]|\Z)"
"""The same for a marker that is no word itself, but several that run together."""
LONGEST_WORD = 12


def border(core: str, terminals: Iterable[str]) -> str:
    r"""A regular expression for where a marker ends that is followed by one of `terminals`, nothing between them.

    No letter follows a letter, but for what such a terminal begins with: `"c" NUMBER` finds `c1`, not `cat`.
    """
    if not core[-1].isalnum():
        return ""
    found = [r"(?!\w)"]
    for regex in terminals:
        from toolect._regular.automaton import first  # not part of starting up: few dialects need it

        found += [f"(?={chars})" for chars in first(regex)]
    return f"(?:{'|'.join(found)})" if len(found) > 1 else found[0]


def marker_regex(cores: dict[str, str]) -> re.Pattern[str]:
    """Matches any of `cores`, the longest first, each with the border behind it."""
    return re.compile("|".join(spaced(core) + cores[core] for core in sorted(cores, key=len, reverse=True)) or r"(?!)")


@lru_cache(512)
def spaced(core: str) -> str:
    """A regular expression for `core` in which a blank matches up to `MAX_BLANK` blanks, or none beside a sign."""

    def blank(match: re.Match[str]) -> str:
        at, end = match.span()
        least = 1 if core[at - 1].isalnum() and core[end].isalnum() else 0
        return rf"\s{{{least},{MAX_BLANK}}}"

    parts = re.split(r"(\s+)", core)
    if len(parts) == 1:
        return re.escape(core)
    out, at = [], 0
    for part in parts:
        match = re.compile(r"\s+").match(core, at)
        out.append(blank(match) if match and part.isspace() else re.escape(part))
        at += len(part)
    return "".join(out)

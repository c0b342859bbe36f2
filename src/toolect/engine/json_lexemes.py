"""The pieces of strict JSON: what a string, a number and a word are made of, and their bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias

Take: TypeAlias = Callable[[str, int], None]
"""Takes a piece of text and where it begins."""
MAX_DEPTH = 200
"""Open brackets a JSON value may have."""
MAX_DIGITS = 4300
"""Characters of a number: Python's own bound on integers."""

match_space = re.compile(r"[ \t\n\r]*").match
match_scalar = re.compile(r"[-+.\w]*", re.ASCII).match
"""Matches what may be a number or a word, right or wrong."""
match_run = re.compile(r'[^"\\\x00-\x1f]+\Z').match
"""Matches text that lies inside a string and stands for itself."""
_run = re.compile(r'[^"\\\x00-\x1f]*').match
_escape = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})').match
_two_escapes = re.compile(r"(?:\\u[0-9a-fA-F]{4}){2}").match
_high_surrogate = re.compile(r"\\u[dD][89abAB]").match
_open_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?").fullmatch
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = frozenset(("true", "false", "null"))


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"expected a JSON value, got {word}")


scan_once = json.JSONDecoder(parse_constant=_refuse).scan_once  # type: ignore[attr-defined]  # made by __init__
"""`scan_once(text, at) -> (value, end)`: the JSON value at `at`, decoded in C. Raises ValueError, StopIteration."""


class Broken(Exception):
    """The text is not JSON from `at` on (an offset of the wire text)."""

    def __init__(self, at: int, why: str, resume: int | None = None) -> None:
        super().__init__(why)
        self.at, self.why = at, why
        self.resume = at if resume is None else resume
        """From where on the text has not been taken in."""


def unquote(inside: str) -> str:
    """The string whose JSON text has `inside` between its quotes."""
    text: str = scan_once(f'"{inside}"', 0)[0]
    return text


def into(pieces: list[str]) -> Take:
    """Takes text into a list."""
    append = pieces.append

    def take(text: str, _at: int) -> None:
        append(text)

    return take


def drop(_text: str, _at: int) -> None:
    """Takes text that nobody wants."""


def read_string(buf: str, pos: int, base: int, take: Take, pairs: bool) -> tuple[int, bool]:
    """Read on at `buf[pos]`, inside a string: give `take` its text, escapes and all, and where that begins.

    Where reading stopped, and whether the string is over. With `pairs`, a surrogate pair is not torn. Raises Broken.
    """
    n = len(buf)
    while pos < n:
        end = _run(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if end > pos:
            take(buf[pos:end], base + pos)
            pos = end
            if pos == n:
                return pos, False
        char = buf[pos]
        if char == '"':
            return pos + 1, True
        if char != "\\":
            raise Broken(base + pos, f"expected no control character in a string, got {char!r}")
        escape = _escape(buf, pos)
        if escape is None:
            if n - pos < 6 and _open_escape(buf, pos):
                return pos, False
            raise Broken(base + pos, f"expected a JSON escape, got {buf[pos : pos + 2]!r}")
        if pairs and _high_surrogate(buf, pos):
            if n - pos == 6 or n - pos < 12 and _open_escape(buf, pos + 6):
                return pos, False
            escape = _two_escapes(buf, pos) or escape
        take(escape[0], base + pos)
        pos = escape.end()
    return pos, False


def check_scalar(word: str, start: int, end: int) -> None:
    """Raise Broken unless `word`, at characters `start:end`, is a number or a word of JSON."""
    if len(word) > MAX_DIGITS:
        raise Broken(start, f"expected a number of at most {MAX_DIGITS} characters, got {len(word)}", end)
    if word not in _WORDS and _NUMBER.fullmatch(word) is None:
        raise Broken(start, f"expected a JSON value, got {word[:40]!r}", end)

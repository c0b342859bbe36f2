"""The pieces of strict JSON: what a string, a number and a word are made of, and their bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from toolect.ir import Json

Take: TypeAlias = Callable[[str, int], None]
"""Takes a piece of text and where it begins."""
MAX_DEPTH = 200
"""Open brackets a JSON value may have."""
MAX_DIGITS = 4300
"""Characters of an integer: Python's own bound."""

match_space = re.compile(r"[ \t\n\r]*").match
match_scalar = re.compile(r"[-+.\w]*", re.ASCII).match
"""Matches what may be a number or a word, right or wrong."""
match_run = re.compile(r'[^"\\\x00-\x1f]+\Z').match
"""Matches text that lies inside a string and stands for itself."""
match_name = re.compile(r"\S+\Z").match
"""Matches what may be the name of a tool nobody declared."""
_run = re.compile(r'[^"\\\x00-\x1f]*').match
_escape = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})').match
_two_escapes = re.compile(r"(?:\\u[0-9a-fA-F]{4}){2}").match
_high_surrogate = re.compile(r"\\u[dD][89abAB]").match
_open_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?").fullmatch
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_BRACKET = re.compile(r"[\[\]{}()]")
_WORDS = frozenset(("true", "false", "null"))


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"expected a JSON value, got {word}")


def _finite(word: str) -> float:
    number = float(word)
    if number - number != 0:
        raise ValueError(f"expected a finite number, got {word[:40]}")
    return number


scan_once = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).scan_once  # type: ignore[attr-defined]  # made by __init__
"""`scan_once(text, at) -> (value, end)`: the JSON value at `at`, decoded in C. Raises ValueError, StopIteration."""


class Broken(Exception):
    """The text is not JSON from `at` on (an offset of the wire text); past a `limit` nobody tries to repair it."""

    def __init__(self, at: int, why: str, resume: int | None = None, limit: bool = False) -> None:
        super().__init__(why)
        self.at, self.why, self.limit = at, why, limit
        self.resume = at if resume is None else resume
        """From where on the text has not been taken in."""


def doubled(text: str, value: Json) -> bool:
    """True when an object in the JSON `text`, which stands for `value`, has a key more than once."""
    if type(value) is not dict and type(value) is not list:
        return False
    if type(value) is dict and text.count(":") == len(value):
        return False  # as many colons as keys: none comes twice
    found = False

    def pairs(items: list[tuple[str, Json]]) -> None:
        nonlocal found
        found = found or len({key for key, _ in items}) < len(items)

    _pairs_of(text, pairs)
    return found


def _pairs_of(text: str, hook: Callable[[list[tuple[str, Json]]], None]) -> None:
    json.JSONDecoder(object_pairs_hook=hook).raw_decode(text.lstrip(" \t\n\r"))


def shallow(value: Json) -> bool:
    """True when `value` is surely not nested deeper than the bound."""
    level = [value]
    for _ in range(MAX_DEPTH // 2):
        inner: list[Json] = []
        for item in level:
            found = item.values() if type(item) is dict else item if type(item) is list else ()
            inner += [v for v in found if type(v) is dict or type(v) is list]
        if not inner:
            return True
        level = inner
    return False


def bracket_depth(text: str) -> int:
    """How deep the brackets of `text` nest, those in its strings included."""
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "[{(":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


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
    if word in _WORDS:
        return
    match = _NUMBER.fullmatch(word)
    if match is None:
        raise Broken(start, f"expected a JSON value, got {word[:40]!r}", end)
    if match[1] or match[2]:
        try:
            _finite(word)
        except ValueError as error:
            raise Broken(start, str(error), end, limit=True) from None
    elif len(word) > MAX_DIGITS:
        raise Broken(start, f"expected an integer of at most {MAX_DIGITS} characters, got {len(word)}", end, limit=True)

"""The pieces of strict JSON: what a string, a number and a word are made of, and their bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from toolect._message import Json
from toolect._values.trees import is_deeper
from toolect._values.vocabulary import JSON, MAX_DIGITS, NUMBER

Take: TypeAlias = Callable[[str, int], None]
"""Takes a piece of text and where it begins."""
MAX_DEPTH = 200
"""Open brackets of a JSON value. Beyond it: `malformed`."""

match_space = re.compile(r"[ \t\n\r]*").match
match_scalar = re.compile(r"[-+.\w]*", re.ASCII).match
"""Matches what may be a number or a word, right or wrong."""
in_scalar = re.compile(r"[-+.\w]", re.ASCII).match
"""Matches a character that goes on with a number or a word."""
match_run = re.compile(r'[^"\\\x00-\x1f]+\Z').match
"""Matches text that lies inside a string and stands for itself."""
match_string = re.compile(r'"([^"\\\x00-\x1f]*)"').match
"""Matches a string without escapes."""
match_key = re.compile(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*').match
"""Matches a key without escapes, and its colon."""
match_after = re.compile(r"[ \t\n\r]*([,}\]])[ \t\n\r]*").match
"""Matches what stands after a value."""
match_name = re.compile(r"\S+\Z").match
"""Matches what may be the name of a tool nobody declared."""
_run = re.compile(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+').match
_HIGH = r"u[dD][89abAB][0-9a-fA-F]{2}"
_LOW = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_run_of_pairs = re.compile(
    r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|(?!u[dD][89abAB])u[0-9a-fA-F]{4}'
    rf"|{_HIGH}(?:{_LOW}|(?=[^\\]|\\[^u]|\\u[^dD]|\\u[dD][^c-fC-F]))))*+"
).match
"""As `_run`; the first half of a surrogate pair is taken only where it can be seen what follows."""
_escape = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})').match
_piece = re.compile(rf"[^\\]+|\\{_HIGH}{_LOW}|\\u[0-9a-fA-F]{{4}}|\\.").finditer
_pair = re.compile(rf"\\{_HIGH}{_LOW}").match
_high_surrogate = re.compile(r"\\u[dD][89abAB]").match
_open_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?").fullmatch
_BRACKET = re.compile(r"[\[\]{}()]")


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"expected a JSON value, got {word}")


def _finite(word: str) -> float:
    number = float(word)
    if number - number != 0:
        raise ValueError(f"expected a finite number, got {word[:40]}")
    return number


scan_once = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).scan_once  # type: ignore[attr-defined]  # made by __init__
"""`scan_once(text, at) -> (value, end)`: the JSON value at `at`, decoded in C. Raises ValueError, StopIteration."""


loads = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, strict=False).decode
"""`loads(text) -> value`: the JSON value that a text is, with line breaks in strings. Raises ValueError."""


class JsonError(Exception):
    """The text is not JSON from `at` on (an offset of the wire text); past a `limit` nobody tries to repair it."""

    def __init__(self, at: int, why: str, resume: int | None = None, limit: bool = False) -> None:
        super().__init__(why)
        self.at, self.why, self.limit = at, why, limit
        self.resume = at if resume is None else resume
        """The first character that has not been read."""


class _DuplicateKeyError(Exception):
    """A key comes twice in an object."""


def _distinct(items: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(items)
    if len(members) < len(items):
        raise _DuplicateKeyError
    return members


_distinct_only = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse, parse_float=_finite)
_forgiving = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse, parse_float=_finite, strict=False)
_scan_distinct = _distinct_only.scan_once  # type: ignore[attr-defined]  # made by __init__


_CLOSERS = {"{": "}", "[": "]", '"': '"'}
_SHORT = 1024
"""Characters that are cheap enough to be decoded once more."""


def decode(text: str, pos: int) -> tuple[Json, int, bool]:
    """The JSON value at `text[pos]`, where it ends, and whether an object in it has a key more than once.

    Raises ValueError, StopIteration, RecursionError.
    """
    if len(text) - pos < _SHORT:
        value, end = scan_once(text, pos)
        if type(value) is dict and text.count(":", pos, end) == len(value):
            return value, end, False  # no more members were written than there are
    try:
        value, end = _scan_distinct(text, pos)
    except _DuplicateKeyError:
        value, end = scan_once(text, pos)
        return value, end, True
    return value, end, False


def forgiving(text: str) -> Json:
    """The value that all of `text` is, with control characters in strings as they are, and each key once.

    Raises ValueError, RecursionError.
    """
    try:
        value: Json = _forgiving.decode(text)
    except _DuplicateKeyError:
        raise ValueError("expected each key once") from None
    return value


def complete(buf: str, pos: int, final: bool) -> tuple[Json, int, bool] | None:
    """As `decode`, when the value is there as a whole and not deep; None when it must be read slowly.

    A number that ends with the text may go on, unless that is `final`.
    """
    if len(buf) - pos < _SHORT and buf.find(_CLOSERS.get(buf[pos : pos + 1], ""), pos + 1) < 0:
        return None  # as in most chunks of a stream: an error takes longer
    try:
        value, end, doubled = decode(buf, pos) if pos < _NEAR else _decode_far(buf, pos)
    except (ValueError, StopIteration, RecursionError):
        return None
    kind = type(value)
    if kind is dict or kind is list:
        return (value, end, doubled) if end - pos <= MAX_DEPTH or shallow(value) else None
    if kind is str or (end < len(buf) or final) and in_scalar(buf, end) is None:
        return value, end, doubled
    return None


def members(text: str, pos: int) -> tuple[dict[str, Json], int] | None:
    """The object at `text[pos]` and where it ends; None when it must be read slowly, or a key comes twice in it."""
    try:
        if len(text) < _SHORT:  # as `decode` has it: this is what most calls are
            value, end = scan_once(text, pos)
            if type(value) is dict and end - pos <= MAX_DEPTH and text.count(":", pos, end) == len(value):
                return value, end
    except (ValueError, StopIteration, RecursionError):
        return None
    found = complete(text, pos, False)
    return None if found is None or found[2] or type(found[0]) is not dict else (found[0], found[1])


_NEAR = 4096
"""Characters of a text in which an error of the decoder, which counts the lines before it, costs next to nothing."""
_AT_END = 16
"""Characters before the end of what the decoder sees in which an error may come from that end."""


def _decode_far(text: str, pos: int) -> tuple[Json, int, bool]:
    """As `decode`, far into the text: what is broken is found out from what is near alone."""
    near = text[pos : pos + _NEAR]
    try:
        value, end, doubled = decode(near, 0)
        if end < len(near):
            return value, end + pos, doubled
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Unterminated") and error.pos < len(near) - _AT_END:
            raise
    except StopIteration:
        pass  # a scalar, or the end
    return decode(text, pos)


def shallow(value: Json) -> bool:
    """True when `value` is surely not nested deeper than the bound, whatever it stands in."""
    return not is_deeper(value, MAX_DEPTH // 2)


def bracket_depth(text: str) -> int:
    """The depth of the brackets of `text`, those in its strings included."""
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "[{(":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def raw_length(inside: str, length: int) -> int:
    """Number of characters of `inside`, a JSON string's text without quotes, that spell its first `length`."""
    pos = 0
    for match in _piece(inside):
        size = len(unquote(match[0]))
        if size > length:
            return pos if match[0][0] == "\\" else pos + length
        pos, length = match.end(), length - size
    return pos


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

    Where reading stopped, and whether the string is over. With `pairs`, a surrogate pair is not torn. Raises JsonError.
    """
    n = len(buf)
    run = _run_of_pairs if pairs else _run
    while pos < n:
        end = run(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if end > pos:
            take(buf[pos:end], base + pos)
            pos = end
            if pos == n:
                return pos, False
        char = buf[pos]
        if char == '"':
            return pos + 1, True
        if char != "\\":
            raise JsonError(base + pos, f"expected no control character in a string, got {char!r}")
        escape = _escape(buf, pos)
        if escape is None:
            if n - pos < 6 and _open_escape(buf, pos):
                return pos, False
            end = pos + 1
            while _open_escape(buf, pos, end + 1):
                end += 1  # up to what shows that it is none
            raise JsonError(base + pos, f"expected a JSON escape, got {buf[pos : pos + 2]!r}", base + end)
        if pairs and _high_surrogate(buf, pos):
            if n - pos == 6 or n - pos < 12 and _open_escape(buf, pos + 6):
                return pos, False
            escape = _pair(buf, pos) or escape
        take(escape[0], base + pos)
        pos = escape.end()
    return pos, False


def check_scalar(word: str, start: int, end: int) -> None:
    """Raise JsonError unless `word`, at characters `start:end`, is a number or a word of JSON."""
    if word in JSON:
        return
    match = NUMBER.fullmatch(word)
    if match is None:
        raise JsonError(start, f"expected a JSON value, got {word[:40]!r}", end)
    if match.lastindex is not None:
        try:
            _finite(word)
        except ValueError as error:
            raise JsonError(start, str(error), end, limit=True) from None
    elif len(word) > MAX_DIGITS:
        raise JsonError(
            start, f"expected an integer of at most {MAX_DIGITS} characters, got {len(word)}", end, limit=True
        )

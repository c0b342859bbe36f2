"""Where a literal ends that begins at some place of a text: JSON, Python, JavaScript."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import NamedTuple

from toolect.message import Json

MAX_LITERAL = 16_384
"""Characters of a literal. Beyond it: there is none."""

_SIGNS = re.compile(r"\\.|[\[\](){}\"'`]", re.DOTALL)
_WORD = re.compile(r"-?\d[\w.+-]*|[A-Za-z]+")
_PAIRS = {"[": "]", "{": "}", "(": ")"}


class Literal(NamedTuple):
    """A literal in a text: where it ends, and the JSON type of its value."""

    end: int
    kind: str


def json_literal(text: str, at: int) -> Literal | None:
    """The JSON value at a place."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return Literal(end, _kind(text[at]) if not isinstance(value, bool) else "boolean")


_DECODER = json.JSONDecoder()


def python_literal(text: str, at: int) -> Literal | None:
    """The Python literal at a place, as `ast.literal_eval` reads it."""
    end = _extent(text, at, "\"'")
    if end < 0:
        return None
    try:
        ast.literal_eval(text[at:end])
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        if text[at] not in "\"'" and json_literal(text, at) is None:  # a line break in a string, JSON's own words
            return None
    return Literal(end, _kind(text[at]))


def python_value(text: str, at: int) -> tuple[Json, int] | None:
    """The value of a Python literal that JSON has a value for, too, and where it ends."""
    end = _extent(text, at, "\"'")
    try:
        value: Json = json.loads(json.dumps(ast.literal_eval(text[at:end]))) if end >= 0 else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return (value, end) if end >= 0 else None


def script_literal(text: str, at: int) -> Literal | None:
    """What looks like a literal of JavaScript at a place: its brackets and quotes fit."""
    end = _extent(text, at, "\"'`")
    if end < 0 or text[at] == "(":
        return None
    known = text[at] in "\"'`[{" or text[at:end] in ("true", "false", "null") or _NUMBER.fullmatch(text, at, end)
    return Literal(end, _kind(text[at])) if known else None


_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def _extent(text: str, at: int, quotes: str) -> int:
    """Where the brackets, the string or the word end that begin at a place."""
    if at >= len(text):
        return -1
    if text[at] not in quotes and text[at] not in _PAIRS:
        word = _NUMBER.match(text, at) or _WORD.match(text, at)
        return word.end() if word else -1
    depth: list[str] = []
    quote = ""
    for match in _SIGNS.finditer(text, at, at + MAX_LITERAL):
        sign = match[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in quotes:
            quote = sign
        elif sign in _PAIRS:
            depth.append(_PAIRS[sign])
        elif depth and sign == depth[-1]:
            depth.pop()
        if not depth and not quote and sign[0] != "\\":
            return match.end()
    return -1


def _kind(sign: str) -> str:
    """The JSON type of what begins with a sign."""
    match sign:
        case "{":
            return "object"
        case "[" | "(":
            return "array"
        case '"' | "'" | "`":
            return "string"
        case "t" | "f" | "T" | "F":
            return "boolean"
        case "n" | "N":
            return "null"
    return "number"


NOTATIONS: dict[str, Callable[[str, int], Literal | None]] = {
    "json": json_literal,
    "python": python_literal,
    "javascript": script_literal,
}
"""The notations by name, the narrowest first."""


def quoted_by(quote: str) -> Callable[[str, int], Literal | None]:
    """A notation whose strings stand between a token of its own; keys and all other words are bare."""
    signs = re.compile(rf"{re.escape(quote)}|[\[\]{{}}]")

    def read(text: str, at: int) -> Literal | None:
        if text.startswith(quote, at):
            end = text.find(quote, at + len(quote))
            return Literal(end + len(quote), "string") if end >= 0 else None
        if text[at : at + 1] not in ("[", "{"):
            word = _NUMBER.match(text, at) or _WORD.match(text, at)
            known = word is not None and (word[0][0] in "-0123456789" or word[0] in _BARE)
            return Literal(word.end(), _kind(text[at])) if word is not None and known else None
        depth, inside = 0, False
        for match in signs.finditer(text, at, at + MAX_LITERAL):
            if match[0] == quote:
                inside = not inside
            elif not inside:
                depth += 1 if match[0] in "[{" else -1
                if depth == 0:
                    return Literal(match.end(), _kind(text[at]))
        return None

    return read


_BARE = ("true", "false", "null", "True", "False", "None")

"""Text as a value: of unknown type, or of the types that a schema declares."""

from __future__ import annotations

import re
from typing import Any

from toolect._message import Json, dumps
from toolect._values.json_lexemes import MAX_DEPTH, scan_once, shallow
from toolect._values.literals import read_literal
from toolect._values.vocabulary import ANY_WORDS, INTEGER, JSON, JSON_OR_PYTHON, MAX_DIGITS, json_number

NOTHING: Any = object()
"""Result of reading where there is no value."""
_DIGITS = re.compile(r"[-+]?[0-9]+")
_LONGEST = max(map(len, ANY_WORDS))
"""Characters of a word: hashing more would take as long as the text is."""
_ESCAPED_BLANKS = ("\\n", "\\r", "\\t")
_FEW = 8
"""Escaped blanks around a value that are taken away."""
_BEGUN = ("</", "[/")
"""Beginnings of closers."""
_EXACT = 2**53  # up to here a float is just one integer
_BROKEN = re.compile(r"\s*(?:```\w{0,16}\s*)?[{\[]").match
_COULD_BE_JSON = re.compile(r"[ \t\r\n]*(?:[-\[{0-9]|(?:[Tt]rue|[Ff]alse|[Nn](?:ull|one))[ \t\r\n]*\Z)").match


def read_json(text: str) -> Json:
    """The JSON value that is all of `text` but for whitespace, or `NOTHING` when there is none."""
    stripped = text.strip(" \t\r\n")
    try:
        value, end = scan_once(stripped, 0)
    except (ValueError, StopIteration, RecursionError):
        return NOTHING
    if end != len(stripped) or end > MAX_DEPTH and not shallow(value):
        return NOTHING
    return value


def sniff(text: str) -> Json:
    """`text` as a value of unknown type: JSON when its spelling survives a round trip, else the text."""
    if _COULD_BE_JSON(text) is None:
        return text
    if len(text) < 6 and text in JSON:  # hashing a long text would cost more than reading it
        return JSON[text]
    if len(text) < 16 and INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    value = read_json(text)
    if value is NOTHING:
        return JSON_OR_PYTHON.get(text.strip(), text)
    if isinstance(value, str):
        return text
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value if dumps(value) == text.strip() else text
    return value


def read_typed(text: str, types: tuple[str, ...]) -> Json:
    """`text` as the first of `types` it fits. One that fits none is itself, but null where no text is wanted."""
    word = text.strip()
    for kind in types:
        match kind:
            case "null" if _word(word) is None:
                return None
            case "integer" | "number" if (number := json_number(word)) is not None:
                if kind == "number" or isinstance(number, int):
                    return number
                if "number" not in types and len(word) < 20 and number.is_integer() and abs(number) < _EXACT:
                    return int(number)
            case "boolean" if isinstance(_word(word), bool):
                return _word(word)
            case "object" | "array":
                value = read_json(text)
                if value is NOTHING:
                    value = shown(word)
                if value is NOTHING:
                    value = read_json(_unquoted(word))
                if isinstance(value, dict if kind == "object" else list):
                    return value
            case "string":
                return text
    return text if "string" in types else _forced(word, types, text)


def is_broken(text: str, types: tuple[str, ...]) -> bool:
    """True when `text`, which is no value of these types, begins as a list or an object does, perhaps in a fence."""
    return "string" not in types and _BROKEN(text) is not None


def _forced(word: str, types: tuple[str, ...], text: str) -> Json:
    """`word`, which fits none of `types`, where no text is wanted: a word for null, true or false, or a number with
    needless signs and zeros; after either the beginning of a closer may stand. What is in quotes is what is in them;
    blanks around it may be written as escapes.
    """
    if len(word) > 2 and word[0] in "\"'" and word[-1] == word[0]:
        inside = read_json(word) if word[0] == '"' else word[1:-1]
        value = read_typed(inside, types) if isinstance(inside, str) else text
        return text if isinstance(value, str) else value
    if word.endswith(_BEGUN):
        value = read_typed(word[: -len(_BEGUN[0])], types)
        if not isinstance(value, str):
            return value
    if (inside := without_blanks(word)) != word:
        value = read_typed(inside, types) if inside else text
        return text if isinstance(value, str) else value
    known = ANY_WORDS.get(word.lower(), NOTHING) if len(word) <= _LONGEST else NOTHING
    if known is None or isinstance(known, bool) and "boolean" in types:
        return known
    if {"integer", "number"} & {*types} and len(word) <= MAX_DIGITS and _DIGITS.fullmatch(word):
        return int(word)
    return text


def without_blanks(word: str) -> str:
    """`word` without line breaks and tabs around it that are written as escapes."""
    for _ in range(_FEW):
        if word.startswith(_ESCAPED_BLANKS):
            word = word[2:].strip()
        elif word.endswith(_ESCAPED_BLANKS):
            word = word[:-2].strip()
        else:
            break
    return word


def _word(word: str) -> Json:
    """The value of `word` in JSON or Python; `NOTHING` when it is no such word."""
    return JSON_OR_PYTHON.get(word, NOTHING) if len(word) < 6 else NOTHING  # hashing takes as long as the word


def _unquoted(word: str) -> str:
    """A list or object whose quotes were escaped as in a JSON string (`[{\\"a\\": 1}]`), without that; else nothing."""
    inside = read_json(f'"{word}"') if word[:1] in ("{", "[") and '\\"' in word else NOTHING
    return inside if isinstance(inside, str) else ""


def shown(text: str) -> Json:
    """A Python display of JSON types (`{'a': True}`) as a value, or `NOTHING` when there is none."""
    word = text.strip()
    if word[:1] not in ("{", "[", "("):
        return NOTHING
    try:
        return read_literal(word)
    except ValueError:
        return NOTHING

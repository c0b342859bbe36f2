"""Words and numbers in the languages of values: what stands for true, false and null, and what is a number."""

from __future__ import annotations

import re

from toolect._message import Json
from toolect._spec.codec_model import Spelling
from toolect._spec.model import Role

JSON: dict[str, Json] = {"true": True, "false": False, "null": None}
PYTHON: dict[str, Json] = {"True": True, "False": False, "None": None}
JSON_OR_PYTHON = JSON | PYTHON
ANY_WORDS: dict[str, Json] = {"true": True, "false": False, **dict.fromkeys(("null", "none", "nil", "undefined"))}
"""The words of all languages in lower case: what is meant where a value can be no other word."""
YAML: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""The words of YAML 1.2: `no`, `on` and their like are texts."""
WORD_OF: dict[Spelling, dict[Json, str]] = {
    spelling: {
        value: word for word, value in (PYTHON if spelling in (Spelling.PYTHON, Spelling.JINJA) else JSON).items()
    }
    for spelling in Spelling
}
VALUE_OF: dict[Role, Json] = {Role.TRUE: True, Role.FALSE: False, Role.NULL: None}
"""Values of the rules of a value language, whatever their words are."""

MAX_DIGITS = 4300
"""Characters of an integer. Beyond it: `malformed`; in raw text it stays text. It is Python's own bound."""
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
"""A number of JSON; it is no integer when one of the groups holds something."""
_ZEROS = re.compile(r"([-+])?0+(?=[1-9])").match
_IS_FRACTION = re.compile(r"[^eE.]*+[eE.]").match


def json_number(word: str) -> int | float | None:
    """The number that `word` spells as JSON does; None for none, and for one that is beyond the bounds."""
    match = NUMBER.fullmatch(word) if len(word) <= MAX_DIGITS else None
    if match is None:
        return None
    if match.lastindex is None:
        return int(word)
    number = float(word)
    return number if number - number == 0 else None


def number(text: str) -> int | float:
    """The number that a literal of a programming language spells, as Python reads it: also with a sign, with single
    underscores between digits, or in another base.

    Raises ValueError for none, also where zeros stand before it, and for one that is beyond the bounds.
    """
    if len(text) > MAX_DIGITS:
        raise ValueError(f"expected a number of at most {MAX_DIGITS} characters, got {len(text)}")
    try:
        value: int | float = int(text, 0)
    except ValueError:
        value = _fraction(text)
    if text.isascii():
        return value
    raise ValueError(f"expected a number in digits of ASCII, got {text[:40]!r}")


def bare_number(text: str) -> int | float | None:
    """The number that `text` spells but for zeros before it, which no language takes for nothing; None for none."""
    match = _ZEROS(text)
    if match is None:
        return None
    try:
        return number((match[1] or "") + text[match.end() :])
    except ValueError:
        return None


def _fraction(text: str) -> float:
    """The number with a point or an exponent that `text` spells. Raises ValueError for none."""
    if not _IS_FRACTION(text):
        raise ValueError(f"expected a number, got {text[:40]!r}")
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"expected a number, got {text[:40]!r}") from None
    if value - value != 0:
        raise ValueError(f"expected a finite number, got {text[:40]!r}")
    return value

"""JSON escapes: strings and numbers of other notations as JSON writes them."""

from __future__ import annotations

import json
import re
from typing import Final

_INSIDE: Final = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])|\\(.?)|["\x00-\x1f]', re.DOTALL)
_CONTROLS: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPABLE: Final = "'`’”"
_WORDS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "none": "null",
    "nil": "null",
    "undefined": "null",
    "nan": "null",
}
_NUMBER: Final = re.compile(r"\+?(-?)(0|[1-9]\d*)?(\.\d*)?").fullmatch
_LONGEST_WORD: Final = 16


def as_json(text: str, quote: str) -> str:
    """The text between quotes `quote` as it stands in a string of JSON; between several signs it is as it is."""
    if len(quote) > 2:
        return json.dumps(text, ensure_ascii=False)[1:-1]

    def fix(match: re.Match[str]) -> str:
        if match[1]:
            return match[0]
        escaped = match[2]
        if escaped is None:
            return '\\"' if match[0] == '"' else _CONTROLS.get(match[0], f"\\u{ord(match[0]):04x}")
        if escaped and (escaped in quote or escaped in _ESCAPABLE):
            return escaped
        return "\\n" if escaped == "\n" else "\\\\" + as_json(escaped, quote)

    return _INSIDE.sub(fix, text)


def quoted_json(text: str) -> str:
    """A text as a string of JSON."""
    return json.dumps(text, ensure_ascii=False)


def word_as_json(word: str) -> str | None:
    """A word or number of another notation; None for one that is neither."""
    return _WORDS.get(word.lower()) or _number(word)


def torn_word(text: str) -> str | None:
    """A word of JSON with blanks in it, or that stands twice."""
    letters = "".join(char for char in text if char.isalpha()).lower()
    if len(letters) >= _LONGEST_WORD:
        return None
    half = letters[: len(letters) // 2]
    return _WORDS.get(letters) or (_WORDS.get(half) if half * 2 == letters else None)


def _number(word: str) -> str | None:
    match = _NUMBER(word.replace("_", "").replace(",", ""))
    if match is None or not (match[2] or match[3]):
        return None
    sign, whole, fraction = match.groups()
    if fraction is not None and len(fraction) == 1:
        fraction += "0"
    return f"{sign}{whole or '0'}{fraction or ''}"

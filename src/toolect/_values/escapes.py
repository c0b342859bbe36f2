"""Backslash escapes in quoted strings, by language."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect._spec.model import Escapes

_SAME = {sign: sign for sign in "\\'\"/`"}
"""Signs that a backslash is written before in some language: each is read in all of them."""
_JSON = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"} | _SAME
_HEX = r"u([0-9a-fA-F]{4})"
_NUMBER = r"(?P<octal>0[0-7]{0,2})|x([0-9a-fA-F]{2})|" + _HEX


class _Language(NamedTuple):
    """The escapes of a language."""

    signs: dict[str, str]
    """What a character after the backslash stands for."""
    escape: re.Pattern[str]
    """Matches an escape; its groups are code points in base 8 or 16, but the last, which is a character."""
    control: str
    """How a control character is written, as a format."""


def _language(signs: dict[str, str], numbers: str, control: str) -> _Language:
    return _Language(signs, re.compile(rf"\\(?:{numbers}|(.))", re.DOTALL), control)


_LANGUAGES = {
    Escapes.JSON: _language(_JSON, _HEX, "\\u{:04x}"),
    Escapes.PYTHON: _language(_JSON | {"v": "\v", "a": "\a", "\n": ""}, _NUMBER + "|U([0-9a-fA-F]{8})", "\\x{:02x}"),
    Escapes.JAVASCRIPT: _language(_JSON | {"v": "\v", "\n": ""}, _NUMBER + r"|u\{([0-9a-fA-F]{1,6})\}", "\\x{:02x}"),
}
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
open_escape = re.compile(
    r"\\(?:0[0-7]?|x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}|u\{[0-9a-fA-F]{0,6}|U[0-9a-fA-F]{0,7})?"
).fullmatch
"""Matches what may be the beginning of an escape, or half of a pair of them, in any language."""


def unescape(text: str, escapes: Escapes) -> str:
    """`text` with its backslash escapes resolved; one that the language does not have stays as it is."""
    if "\\" not in text:
        return text
    signs, escape, _ = _LANGUAGES[escapes]

    def one(match: re.Match[str]) -> str:
        if match.lastindex == escape.groups:
            return signs.get(match[escape.groups], match[0])
        base = 8 if match.lastgroup == "octal" else 16
        return chr(min(int(match[match.lastindex or 0], base), 0x10FFFF))

    joined = escape.sub(one, text)
    return _PAIR.sub(_paired, joined) if "\\u" in text else joined


def _paired(match: re.Match[str]) -> str:
    pair = match[0]
    return chr(0x10000 + ((ord(pair[0]) - 0xD800) << 10) + ord(pair[1]) - 0xDC00)


def escape(text: str, quote: str, escapes: Escapes) -> str:
    """`text` for the inside of a string between `quote`s: the inverse of `unescape`."""
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}
    control = _LANGUAGES[escapes].control

    def one(match: re.Match[str]) -> str:
        char = match[0]
        if char in names:
            return names[char]
        if char in "'\"":
            return "\\" + char if char == quote[0] else char
        return control.format(ord(char))

    return re.sub(r"[\\'\"\x00-\x1f\x7f]", one, text)

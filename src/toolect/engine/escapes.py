"""Backslash escapes in quoted strings, those of Python and of JSON."""

from __future__ import annotations

import re

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "\n": ""}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def unescape(text: str) -> str:
    """`text` with its backslash escapes resolved, Python's and JSON's; an unknown escape stays as it is."""
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code:
            return chr(min(int(code, 16), 0x10FFFF))
        return _ESCAPES.get(match[4], match[4] if match[4] in "\\'\"/`" else match[0])

    joined = _ESCAPE.sub(one, text)
    return _PAIR.sub(_paired, joined) if "\\u" in text else joined


def _paired(match: re.Match[str]) -> str:
    pair = match[0]
    return chr(0x10000 + ((ord(pair[0]) - 0xD800) << 10) + ord(pair[1]) - 0xDC00)


def escape(text: str, quote: str) -> str:
    """`text` for the inside of a string between `quote`s: the inverse of `unescape`."""
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}

    def one(match: re.Match[str]) -> str:
        char = match[0]
        if char in names:
            return names[char]
        if char in "'\"":
            return "\\" + char if char == quote[0] else char
        return f"\\x{ord(char):02x}"

    return re.sub(r"[\\'\"\x00-\x1f\x7f]", one, text)

"""Truncated JSON: its text with what is missing at the end."""

from __future__ import annotations

import re

_PIECE = re.compile(r'"(?:[^"\\]++|\\.)*+(")?|[{}\[\]]', re.DOTALL)
_OPEN_KEY = re.compile(r'(?:,\s*)?"(?:[^"\\]++|\\.)*+"\s*:\s*\Z', re.DOTALL)


def completed_text(text: str) -> str:
    """The JSON text that begins with `text`, where nothing more is to come: a key without a value is left out."""
    opened: list[str] = []
    last = 0  # where the last string begins
    for match in _PIECE.finditer(text):
        char = match[0][0]
        if char == '"':
            last = match.start()
            if match[1] is None:
                text += '"'
        elif char in "{[":
            opened.append("}" if char == "{" else "]")
        elif opened:
            opened.pop()
    before = text[:last].rstrip()
    if _OPEN_KEY.match(text, last):
        text = before.removesuffix(",")
    return text + "".join(reversed(opened))

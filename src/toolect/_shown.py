"""Data for people: invisible characters escaped, long texts cut, numbers with what they count."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

# Controls, and the marks that turn the direction of text: a terminal must not obey them.
_UNSEEN = {
    c: f"\\u{c:04x}"
    for c in [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
}


def visible(text: str) -> str:
    """`text` with every character that a terminal could obey, but tab and newline, written as an escape."""
    return text.translate(_UNSEEN).encode(errors="backslashreplace").decode()


def one_line(text: str) -> str:
    """`text` on a single line, its newlines escaped too."""
    return visible(text).replace("\n", "\\n")


def cut(text: str, length: int) -> str:
    """`text`, or its beginning and an ellipsis: at most `length` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


_DATA = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|(?<![\w.-])\d[\d,]*")


def cause(sentence: str, length: int = 120) -> str:
    """A sentence without its data: quotations, numbers, and the place after ` - at `; at most `length` characters."""
    return cut(_DATA.sub("…", sentence.partition(" - at ")[0]), length)


def alike(one: Sequence[object], two: Sequence[object]) -> int:
    """Number of characters, or items, that two texts or lists begin with in common."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def counted(number: int, what: str) -> str:
    """A number with what it counts: `1 call`, `1,200 calls`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def unread_json(error: Exception) -> str:
    """Why a text is no JSON: what a decoder raised, as the end of a sentence."""
    if isinstance(error, json.JSONDecodeError):
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        return f"`{error.msg}` at {line}column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x} at offset {error.start}, which is no UTF-8"
    return "too deep a nesting" if isinstance(error, RecursionError) else "a number with too many digits"


def unread_byte(error: UnicodeDecodeError, before: int = 0) -> str:
    """Sentence on the byte that is not UTF-8; so many bytes came `before` those that were decoded."""
    return f"expected UTF-8, got byte 0x{error.object[error.start]:02x} at offset {before + error.start}"


def percent(part: int, whole: int) -> str:
    """A share in per cent; only nothing is 0 %, and only all is 100 %."""
    if not whole or not part:
        return "0 %"
    if part == whole:
        return "100 %"
    share = 100 * part / whole
    return "<0.1 %" if share < 0.1 else ">99.9 %" if share > 99.9 else f"{share:.1f} %"

"""What a sign, a string, a word or a number that JSON does not have was meant to be: as JSON spells it."""

from __future__ import annotations

import json
import re

WORDS = {
    "true": "true", "false": "false", "null": "null", "none": "null", "nan": "null", "nil": "null", "undefined": "null",
}  # fmt: skip
"""Words that models write for those of JSON → these."""
CLOSING = {
    '"': '"', "'": "'", "`": "`", "“": '”“"', "”": '”"', "„": '“”"', "‘": "’‘'", "’": "’'", "«": "»", '\\"': '\\"',
}  # fmt: skip
"""What opens a string → the signs that may close it."""
ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(.?))|(["\x00-\x1f])', re.DOTALL)
"""An escape, good or wrong, or a sign that needs one."""
_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")


def escaped(match: re.Match[str]) -> str:
    """What a sign or an escape that JSON does not have stands for, in a JSON string."""
    good, wrong, raw = match.groups()
    if raw is not None:
        return json.dumps(raw)[1:-1]
    if good is not None:
        return match[0]
    return (
        wrong
        if wrong in ("'", "`")
        else "\\n"
        if wrong == "\n"
        else "\\\\" + (json.dumps(wrong, ensure_ascii=False)[1:-1] if wrong else "")
    )


def quoted(inside: str) -> str:
    """The JSON string with this between its quotes, which may be escaped or not."""
    return f'"{ESCAPE.sub(escaped, inside)}"'


def number_of(word: str) -> str:
    """The number as JSON spells it, or nothing: a sign or a digit beside the point may be missing."""
    match = _NUMBER.fullmatch(word)
    if match is None or not (match[2] or match[3]) or len(match[2]) > 1 and match[2][0] == "0":
        return ""
    sign, whole, part, power = match.groups()
    number = ("-" if sign == "-" else "") + (whole or "0")
    return number + (f".{part or 0}" if part is not None else "") + (f"e{power}" if power else "")

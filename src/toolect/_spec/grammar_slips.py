"""What was meant where a grammar cannot be read: habits from other notations, and slips of the pen."""

from __future__ import annotations

import re

_MARKER = 'a marker stands between double quotes: `"<call>"`'
_SIGNS = {
    "'": _MARKER,
    "“": _MARKER,
    "”": _MARKER,
    "=": "a rule is its name, one colon and what it is made of: `call: …`",
    ";": "a rule ends with its line: leave out `;`",
    ",": "names stand apart by blanks: leave out `,`",
    "{": "any number of a part is written `part*`; braces mean nothing here",
    "}": "any number of a part is written `part*`; braces mean nothing here",
    "^": "a regular expression stands between slashes: `/[^<>]+/`",
    "\\": 'an escape stands in a marker: `"\\n"`, or in a regular expression: `/\\s/`',
    "#": "a comment begins with `//`",
    "<": _MARKER,
}
"""A sign that is in the way, and what to do about it."""


def advice(text: str, line: int, column: int) -> str:
    """What to do about the sign at a line and a column, which count from 1; nothing where nothing is known."""
    lines = text.split("\n")
    here = lines[line - 1] if line <= len(lines) else ""
    before, rest = here[: column - 1], here[column - 1 :]
    if re.search(r":\s*:?=?$", before) and rest[:1] in (":", "="):
        return "a rule is its name, one colon and what it is made of: `call: …`, not `::=`"
    if len(re.findall(r'(?<!\\)"', _without_regexes(here))) % 2:
        return 'a quote is missing on this line, or one is too many: within a marker, write `\\"`'
    if re.search(r"[A-Z]\w*$", before) and re.match(r"[a-z]", rest):
        return "the name of a rule is in small letters, that of a terminal in capitals"
    if not before.strip() and _is_open(lines[: line - 1]):
        return "a definition begins on the line of its name; more lines of it begin with `|`"
    if rest[:1] in _SIGNS:
        return _SIGNS[rest[:1]]
    return f"write a colon after the name: `{before.strip()}: …`" if re.fullmatch(r"\s*[?!]?\w+\s+", before) else ""


def _without_regexes(line: str) -> str:
    return re.sub(r"(?<![^\s:(|])/(?:\\.|[^/\\])+/", "", line)


def _is_open(lines: list[str]) -> bool:
    """True when the last line with something on it is a name and a colon alone."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return bool(re.fullmatch(r"\s*[?!]?\w+(\.\d+)?\s*:\s*", last))

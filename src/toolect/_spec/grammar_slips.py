"""Advice for grammars that cannot be read: habits from other notations, and slips of the pen."""

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
    """Advice on the sign at a line and a column, which count from 1; empty for none."""
    lines = text.split("\n")
    here = lines[line - 1] if line <= len(lines) else ""
    before, rest = here[: column - 1], here[column - 1 :]
    if re.search(r":\s*:?=?$", before) and rest[:1] in (":", "="):
        return "a rule is its name, one colon and what it is made of: `call: …`, not `::=`"
    if bare := re.match(rf"\s*[A-Z]\w*\s*:\s*(?={_CLASS}|\\\w|\.[+*])(\S+)", here):
        return f"a regular expression stands between slashes: `/{bare[1]}/`"
    if len(re.findall(r'(?<!\\)"', _without_regexes(here))) % 2:
        return 'a quote is missing on this line, or one is too many: within a marker, write `\\"`'
    if re.search(r"[A-Z]\w*$", before) and re.match(r"[a-z]", rest):
        return "the name of a rule is in small letters, that of a terminal in capitals"
    if not before.strip() and _is_open(lines[: line - 1]):
        return "a definition begins on the line of its name; more lines of it begin with `|`"
    if rest[:1] in _SIGNS:
        return _SIGNS[rest[:1]]
    return f"write a colon after the name: `{before.strip()}: …`" if re.fullmatch(r"\s*[?!]?\w+\s+", before) else ""


def of_name(text: str, line: int, after: int) -> str:
    """Advice on an undefined name that ends at a line and a column, where a quoted text follows it; empty for none."""
    rest = text.split("\n")[line - 1][after - 1 :]
    if (match := re.match(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'', rest)) is None:
        return ""
    return f"no letter stands before a quote; a regular expression stands between slashes: `/{match[0][1:-1]}/`"


def of_regex(why: str) -> str:
    """Advice on a regular expression that cannot be read, by the message of `re`; empty for none."""
    return next((advice for words, advice in _REGEX.items() if words in why), "")


_REGEX = {
    "unterminated character set": "close the `[` with a `]`; a bracket that is meant is written `\\[`",
    "unterminated subpattern": "close the `(` with a `)`; a parenthesis that is meant is written `\\(`",
    "unbalanced parenthesis": "a `)` closes nothing; a parenthesis that is meant is written `\\)`",
    "nothing to repeat": "there is nothing before the sign that repeats; a sign that is meant is written `\\*`",
    "multiple repeat": "one part is repeated twice; a sign that is meant is written `\\*`",
    "bad escape": "a backslash that is meant is written twice",
    "bad character range": "a `-` that is meant stands last in the class, or is written `\\-`",
}
_CLASS = r"\[\^?\]?[^\]]*\]"


def _without_regexes(line: str) -> str:
    return re.sub(r"(?<![^\s:(|])/(?:\\.|[^/\\])+/", "", line)


def _is_open(lines: list[str]) -> bool:
    """True when the last line with something on it is a name and a colon alone."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return bool(re.fullmatch(r"\s*[?!]?\w+(\.\d+)?\s*:\s*", last))

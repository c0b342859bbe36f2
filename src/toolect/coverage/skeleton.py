"""The shape of a text without its data: texts that failed alike have the same."""

from __future__ import annotations

import re

from toolect.coverage.leaks import marker

_HEAD, _TAIL, _LONGEST = 1200, 200, 160
_PART = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\\n]|\\.)*')  # a string, also one that is cut off
    |(?P<number>-?\d[\d.]*(?:[eE][-+]?\d+)?)
    |(?P<words>[^\W\d]\w*(?:[ ,;'’-]+\w+)*)
    |(?P<blank>\s+)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_ITEM = r'(?:"…"|…|0|\{…\}|\[…\])'
_RUNS = (
    (re.compile(rf"{_ITEM}(?: ?: ?{_ITEM})(?: ?, ?{_ITEM} ?: ?{_ITEM})*"), "…"),
    (re.compile(rf"{_ITEM}(?: ?, ?{_ITEM})+"), "…"),
    (re.compile(r"…(?:[ .!?]*…)+"), "…"),
)


def skeleton(text: str) -> str:
    """`text` with its markers as they are, and `…` for words and strings, `0` for numbers, one blank for blanks."""
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + text[-_TAIL:]
    pieces: list[str] = []
    at = 0
    for match in marker().finditer(text):
        pieces.append(_plain(text[at : match.start()]))
        pieces.append(match[0])
        at = match.end()
    pieces.append(_plain(text[at:]))
    found = "".join(pieces).strip()
    return found if len(found) <= _LONGEST else found[: _LONGEST - 40] + " ⋯ " + found[-36:]


def _plain(text: str) -> str:
    """The skeleton of a stretch without markers."""
    found = _PART.sub(_short, text)
    before = ""
    while found != before:
        before = found
        for runs, short in _RUNS:
            found = runs.sub(short, found)
    return found


def _short(match: re.Match[str]) -> str:
    match match.lastgroup:
        case "string":
            closed = len(match[0]) > 1 and match[0][-1] == match[0][0]
            return '"…"' if closed else '"…'
        case "number":
            return "0"
        case "words":
            return "…"
        case "blank":
            return " "
        case _:
            return match[0]

"""The shape of a text without its data: texts that failed alike have the same."""

from __future__ import annotations

import re
from functools import lru_cache

from toolect import registry
from toolect._spec.holes import keys
from toolect.corpora.leaks import markers
from toolect.message import dumps

_HEAD, _TAIL, _LONGEST = 1200, 200, 160
_PART = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\\n]|\\.)*')  # a string, also one that is cut off
    |(?P<number>-?\d[\d.]*(?:[eE][-+]?\d+)?)
    |(?P<words>[^\W\d]\w*(?:[ ,;'’-]+\w+)*)
    |(?P<blank>\s+)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_ITEM = r'(?:"…"|…|0|\{…?\}|\[…?\])'
_PAIR = rf"{_ITEM} ?: ?{_ITEM}"
_RUNS = (
    (re.compile(rf"{_PAIR}(?: ?, ?{_PAIR})*"), "…"),
    (re.compile(rf"{_ITEM}(?: ?, ?{_ITEM})+(?! ?:)"), "…"),
    (re.compile(rf"\[{_ITEM}\]"), "[…]"),
    (re.compile(r"…(?:[ .!?]*…)+"), "…"),
    (re.compile(r'… ?, ?(?=")'), ""),
)
"""How often something is repeated does not count either."""


@lru_cache(maxsize=200)
def wired_keys(dialect: str) -> frozenset[str]:
    """The JSON keys that belong to the dialect, quoted: they are no data."""
    return frozenset(dumps(key) for shape in registry.spec(dialect).shapes.values() for key in keys(shape))


def skeleton(text: str, keys: frozenset[str] = frozenset()) -> str:
    """`text` with markers and `keys` as they are, `…` for words and strings, `0` for numbers, one blank for blanks."""
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + text[-_TAIL:]
    pieces: list[str] = []
    at = 0
    for match in markers().finditer(text):
        pieces.append(_plain(text[at : match.start()], keys))
        pieces.append(match[0])
        at = match.end()
    pieces.append(_plain(text[at:], keys))
    found = "".join(pieces).strip()
    return found if len(found) <= _LONGEST else found[: _LONGEST - 40] + " ⋯ " + found[-36:]


def _plain(text: str, keys: frozenset[str]) -> str:
    """The skeleton of a stretch without markers."""
    found = _PART.sub(lambda match: match[0] if match[0] in keys else _short(match), text)
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
        case "blank":
            return " "
        case "sign" if match[0].isascii() or match[0] in "｜▁":
            return match[0]
        case _:
            return "…"

"""Parts of markers: what of one repeats nothing, and the blanks before it."""

from __future__ import annotations

import re
from functools import lru_cache

from toolect._graph.spelling import MAX_BLANK, MAX_NAME
from toolect._graph.symbols import ECHOES

_BLANKS = rf"\s{{0,{MAX_BLANK}}}"
_ECHO = re.compile("[" + "".join(ECHOES.values()) + "]")


def fixed(core: str) -> str:
    """The beginning of the marker `core`, up to the first name or key that it repeats."""
    return _ECHO.split(core, maxsplit=1)[0]


def unended(echo: str) -> str:
    """The marker `echo` up to the name or key that it repeats last."""
    return echo.removesuffix(_ECHO.split(echo)[-1])


@lru_cache(512)
def echo_regex(echo: str) -> re.Pattern[str]:
    """Finds a marker that repeats a name or key, its group: with blanks between its signs, its first part twice."""
    first, *_, last = (_blanked(piece) for piece in _ECHO.split(echo))
    return re.compile(rf"(?:{first}{_BLANKS}){{1,2}}([^<>\n]{{1,{MAX_NAME}}}?){last}")


def echo_begun(echo: str) -> str:
    """An expression for the beginning of such a marker at the end of a text."""
    first, *_, last = _ECHO.split(echo)
    whole, part = _blanked(first), _beginning(first)
    rest = rf"(?:{part}|(?:{whole}{_BLANKS})?[^<>\n]{{1,{MAX_NAME}}}{_BLANKS}(?:{_beginning(last[:-1])})?)?"
    return rf"(?:{part}|{whole}{_BLANKS}{rest})\Z"


def _blanked(signs: str) -> str:
    return _BLANKS.join(map(re.escape, signs))


def _beginning(signs: str) -> str:
    """An expression for any beginning of a part of a marker, at least a sign."""
    return rf"(?:{_BLANKS}".join(map(re.escape, signs)) + ")?" * (len(signs) - 1) if signs else ""


def begun(text: str, word: str, pos: int) -> int:
    """The index from `pos` on where `word` stands in a text, or its beginning at the end; else where the text ends."""
    found = text.find(word, pos)
    if found >= 0:
        return found
    sizes = range(min(len(word) - 1, len(text) - pos), 0, -1)
    return len(text) - next((size for size in sizes if text.endswith(word[:size])), 0)


def ending(text: str, lead: str, pos: int, at: int) -> int:
    """Number of the last characters of `lead` that stand at the end of `text[pos:at]`."""
    size = len(lead)
    while size and not text.endswith(lead[-size:], pos, at):
        size -= 1
    return size

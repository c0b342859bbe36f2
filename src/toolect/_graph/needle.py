"""Parts of markers: what of one repeats nothing, and the blanks before it."""

from __future__ import annotations

import re
from functools import lru_cache

from toolect._graph.spelling import MAX_BLANK
from toolect._graph.symbols import ECHOES

_ECHO = re.compile("[" + "".join(ECHOES.values()) + "]")


def fixed(core: str) -> str:
    """What of the marker `core` does not repeat a name or key: its beginning."""
    return _ECHO.split(core, maxsplit=1)[0]


def unended(echo: str) -> str:
    """The marker `echo` up to the name or key that it repeats last."""
    return echo.removesuffix(_ECHO.split(echo)[-1])


@lru_cache(512)
def echo_regex(echo: str) -> re.Pattern[str]:
    """Finds a marker that repeats a name or key, its group: with blanks between its signs, its first part twice."""
    first, *_, last = (_blanked(piece) for piece in _ECHO.split(echo))
    return re.compile(rf"(?:{first}\s{{0,{MAX_BLANK}}}){{1,2}}([^<>\n]{{1,64}}?){last}")


def _blanked(signs: str) -> str:
    return rf"\s{{0,{MAX_BLANK}}}".join(map(re.escape, signs))


def ending(text: str, lead: str, pos: int, at: int) -> int:
    """How many of the last characters of `lead` stand at the end of `text[pos:at]`."""
    size = len(lead)
    while size and not text.endswith(lead[-size:], pos, at):
        size -= 1
    return size

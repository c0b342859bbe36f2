"""Parts of markers: what of one repeats nothing, and the blanks before it."""

from __future__ import annotations

import re

from toolect._graph.symbols import ECHOES


def fixed(core: str) -> str:
    """What of the marker `core` does not repeat a name or key: its beginning."""
    return re.split("[" + "".join(ECHOES.values()) + "]", core, maxsplit=1)[0]


def ending(text: str, lead: str, pos: int, at: int) -> int:
    """How many of the last characters of `lead` stand at the end of `text[pos:at]`."""
    size = len(lead)
    while size and not text.endswith(lead[-size:], pos, at):
        size -= 1
    return size

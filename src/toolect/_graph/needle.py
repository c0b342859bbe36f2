"""What is searched for in free text: a stop by the part of it that is always the same."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect._graph.stops import Stop
from toolect._graph.symbols import ECHOES


class Needle(NamedTuple):
    """What is searched for: a stop by its text up to the first blank, or, without a stop, a bracket of bare JSON."""

    text: str
    regex: re.Pattern[str] | None
    """Matches the whole stop, where that has blanks."""
    stop: Stop | None
    lead: str
    """The whitespace that is written before it."""

    def end(self, text: str, at: int) -> int:
        """Where the stop ends that stands at index `at`, but for a name that it repeats; -1 for none."""
        if self.regex is None:
            return at + len(self.text) if text.startswith(self.text, at) else -1
        match = self.regex.match(text, at)
        return -1 if match is None else match.end()


class Near(NamedTuple):
    """A marker that may stand in the text misspelled."""

    core: str
    lead: str
    """The whitespace that is written before it."""
    opens: bool
    """It begins a call, and may lack its first signs."""


def fixed(core: str) -> str:
    """What of the marker `core` does not repeat a name or key: its beginning."""
    return re.split("[" + "".join(ECHOES.values()) + "]", core, maxsplit=1)[0]


def ending(text: str, lead: str, pos: int, at: int) -> int:
    """How many of the last characters of `lead` stand at the end of `text[pos:at]`."""
    size = len(lead)
    while size and not text.endswith(lead[-size:], pos, at):
        size -= 1
    return size

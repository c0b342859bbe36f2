"""What a sample turns out to hold."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect.authoring.scaffold.pieces import Hole, Mark, Token
from toolect.message import Json

IDENTIFIER = r"[A-Za-z_](?:[\w.:/-]{0,98}\w)?"
MAX_STARTS = 500
"""Places of a sample at which one way of writing calls is looked for."""
LOOK = 300
"""Characters before the arguments in which the name is looked for."""


class Sighting(NamedTuple):
    """What a sample holds: the marks of its calls, the shape of their JSON, and the forms of one argument."""

    marks: tuple[Mark, ...]
    shape: Json = None
    arguments: tuple[tuple[Token, ...], ...] = ()
    listed: bool = False
    """Code with its calls in a list."""
    python: bool = False
    """Raw values are spelled as in Python."""


class Finder:
    """Finds texts after ever later places of a sample; what does not come any more is not looked for again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._next: dict[str, int] = {}

    def find(self, part: str, at: int) -> int:
        """Where `part` comes next, -1 if it does not."""
        known = self._next.get(part, 0)
        if known != -1 and known < at or part not in self._next:
            known = self._next[part] = self.text.find(part, at)
        return known


def name_mark(match: re.Match[str], base: int = 0) -> Mark:
    """The mark of a name, group 1 of `match`; it may have a running number, or a prefix that is none of it."""
    mark = Mark(base + match.start(1), base + match.end(1), Hole.NAME)
    if re.fullmatch(r"functions\.[\w-]+:\d+", match[1]):
        return mark._replace(what=Hole.REF)
    prefix = re.match(r"functions\.", match[1])
    return mark._replace(start=mark.start + prefix.end()) if prefix else mark

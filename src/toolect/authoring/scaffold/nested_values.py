"""Values that are elements as the arguments are, one in another: the items of a list, the members of an object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from toolect.message import dumps

NESTED = "nested"
"""What the value language of elements in elements is called."""
MAX_DEPTH = 50
"""Elements in one another. Beyond it: no elements."""


class Elements(NamedTuple):
    """How elements are written: what stands before the name of one that opens, of one that closes, and an item's."""

    opener: str
    closer: str
    item: str = "item"

    def language(self) -> str:
        """The value language of such elements."""
        opener, closer = dumps(self.opener), dumps(self.closer)
        return _LANGUAGE.format(
            item=self.item,
            pair=f'{opener} key ">" value {closer} key ">"',
            one=f"{dumps(f'{self.opener}{self.item}>')} value {dumps(f'{self.closer}{self.item}>')}",
        )


_LANGUAGE = r"""// Elements named after what they hold: a key, or `{item}` in a list. Whether one holds text, a list
// or an object shows at its first child.
value: scalar | array | object
object: pair+
pair: {pair}
array: item+
item: {one}
scalar: TEXT
key: KEY
KEY: /[^\s<>\/][^\s<>]*/
%declare TEXT
"""


def elements(values: Sequence[tuple[str, frozenset[str]]], closer: str) -> Elements | None:
    """How the values are nested that are lists or objects; None where none of them is, or one is declared and is not.

    Each comes with its declared types, if there are any; `closer` is what stands between any of them and its key again.
    """
    opener = closer.replace("/", "", 1)
    tag = re.compile(rf"{re.escape(opener)}([\w.-]+)>|{re.escape(closer)}([\w.-]+)>")
    items: set[str] = set()
    nested = False
    for value, kinds in values if opener != closer and "/" not in opener else ():
        names = _outermost(value, tag)
        if value.strip() and kinds and kinds <= {"array", "object"} and not names:
            return None
        if kinds == {"array"} or not kinds and len(names) > 1 and len({*names}) == 1:
            items.update(names)
        nested = nested or bool(names) and (not kinds or not kinds.isdisjoint(("array", "object")))
    return Elements(opener, closer, *items) if nested and len(items) < 2 else None


def _outermost(value: str, tag: re.Pattern[str]) -> list[str]:
    """The names of the elements that a value is made of; none where there is more in it, or they do not fit."""
    opened: list[str] = []
    names: list[str] = []
    at = 0
    for match in tag.finditer(value):
        if not opened and match.start() != at or len(opened) > MAX_DEPTH:
            return []
        if match[1]:
            names += [] if opened else [match[1]]
            opened.append(match[1])
        elif not opened or opened.pop() != match[2]:
            return []
        at = match.end()
    return names if not opened and at == len(value) else []

"""The expressions of a grammar: markers, terminals, slots, and how they are put together."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TypeAlias

import msgspec


class SlotKind(Enum):
    """The holes a grammar may `%declare`; no string is equal to one, as a marker may be spelled like it."""

    TEXT = "TEXT"
    """Free text, possibly empty, up to the first marker that may follow."""
    JSON = "JSON"
    """One JSON value, scanned with its strings."""
    ESCAPED = "ESCAPED"
    """Text in which a backslash hides the next character from the closer."""

    __hash__ = object.__hash__  # steps are looked up by it: Enum's own hash is a call of Python

    def __str__(self) -> str:
        return self.value


class Escapes(StrEnum):
    """Notation of escapes, for signs that a text could not hold otherwise."""

    JSON = "json"
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    ENTITIES = "entities"
    """Those of XML: `&amp;`, `&lt;` and the others that it names, and `&#10;`."""
    PERCENT = "percent"
    """Bytes of UTF-8, as in URLs: `%20`."""
    TOML = "toml"
    YAML = "yaml"
    SIGNS = "signs"
    """A backslash before a sign that would mean something: line breaks and all others stand as they are."""
    APOSTROPHES = "apostrophes"
    """`''` is one."""
    QUOTES = "quotes"
    """`""` is one."""


QUOTED: dict[str, Escapes] = {
    "ESCAPED": Escapes.JSON,
    **{f"ESCAPED_{escapes.name}": escapes for escapes in (Escapes.PYTHON, Escapes.JAVASCRIPT)},
    **{f"ESCAPED_{escapes.name}": escapes for escapes in (Escapes.TOML, Escapes.YAML, Escapes.SIGNS)},
}
"""Escapes of the slots in which a backslash hides the quote, by the slots' names in grammars."""
PLAIN: dict[str, Escapes] = {
    f"TEXT_{escapes.name}": escapes
    for escapes in (Escapes.ENTITIES, Escapes.PERCENT, Escapes.APOSTROPHES, Escapes.QUOTES)
}
"""Escapes of the slots in which a backslash is an ordinary sign, by the slots' names in grammars."""


class Literal(msgspec.Struct, frozen=True, tag="literal"):
    """A marker: `text` is what rendering writes, `others` are accepted besides."""

    text: str
    others: tuple[str, ...] = ()
    name: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All that it may be written as, what rendering writes first."""
        return (self.text, *self.others)


class Pattern(msgspec.Struct, frozen=True, tag="pattern"):
    """A terminal written as a regular expression (Python's `re`)."""

    regex: str
    name: str
    written: str = ""
    """Text that rendering writes for it, if the grammar has one; reading keeps nothing of such a terminal."""


class Slot(msgspec.Struct, frozen=True, tag="slot"):
    """A hole filled with data."""

    kind: SlotKind
    refused: tuple[str, ...] = ()
    """Texts that cannot stand unescaped in an `ESCAPED` slot: a line break, the opener of a computed value."""
    operator: str = ""
    """A regular expression for what cannot follow the string that an `ESCAPED` slot is in: what computes with it."""
    escapes: Escapes = Escapes.JSON
    """Escapes in it: those with a backslash in an `ESCAPED` slot, other spellings of a sign in a `TEXT` slot."""

    @property
    def name(self) -> str:
        """Its name in grammars."""
        return next(name for name, slot in SLOTS.items() if slot.kind is self.kind and slot.escapes is self.escapes)


SLOTS: dict[str, Slot] = {kind.value: Slot(kind) for kind in SlotKind} | {
    name: Slot(kind, escapes=escapes)
    for kind, names in ((SlotKind.ESCAPED, QUOTED), (SlotKind.TEXT, PLAIN))
    for name, escapes in names.items()
}
"""The slots by their names in grammars."""


class Ref(msgspec.Struct, frozen=True, tag="ref"):
    """Another rule; `again` when it is a pair's key for the second time, which must be the same text."""

    rule: str
    again: bool = False


class Seq(msgspec.Struct, frozen=True, tag="seq"):
    """One after the other."""

    items: tuple[Expr, ...]


class Alt(msgspec.Struct, frozen=True, tag="alt"):
    """One of several; rendering takes the first that can carry the data."""

    items: tuple[Expr, ...]


class Repeat(msgspec.Struct, frozen=True, tag="repeat"):
    """`item` at least `least` (0 or 1) times; at most once when `once`."""

    item: Expr
    least: int
    once: bool = False


Expr: TypeAlias = Literal | Pattern | Slot | Ref | Seq | Alt | Repeat

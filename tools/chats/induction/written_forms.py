"""Parts of a chat as they are written somewhere: texts and places, with things in a row as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolect._spec.chat_model import ChatRole
from tools.chats.induction.chat_draft import InductionError
from tools.chats.induction.known_words import Atom, Atoms, Slot


class Example(NamedTuple):
    """A part as it is written somewhere: what is so there, and the text with its places."""

    facts: int
    atoms: Atoms


class Macro(NamedTuple):
    """Several things in a row: the atoms from the first place of one to the last."""

    kind: str
    inner: Atoms


INLINE: dict[str, str] = {
    "u": "TEXT", "o": "TEXT", "n": "NAME", "i": "ID", "a": "ARGUMENTS", "k": "KEY", "v": "VALUE", "t": "TOOL",
    "#": "NUMBER", "+": "INDEX", "*": "COUNT",
}  # fmt: skip
"""What stands for a place in its own rule."""
RULES: dict[str, tuple[str, ChatRole | None]] = {
    "d": ("dated", None), "q": ("quoted", ChatRole.ARGUMENT), "b": ("bare", ChatRole.ARGUMENT),
    "s": ("said", ChatRole.SYSTEM), "r": ("think", ChatRole.REASONING), "c": ("content", ChatRole.CONTENT),
}  # fmt: skip
"""The rule that a place has to itself, and its role."""
SLOTS = {"d": "DATE", "q": "VALUE", "b": "VALUE"}
MACROS: dict[str, tuple[str, str, ChatRole]] = {
    "T": ("t", "tools", ChatRole.TOOLS), "X": ("niakqbv", "calls", ChatRole.CALLS),
    "O": ("oni", "results", ChatRole.RESULTS), "A": ("kqbv", "arguments", ChatRole.CALL),
}  # fmt: skip
"""Things in a row: the kinds of places in them, the rule that tells them all, and its role."""


@dataclass
class Form:
    """One example in texts and places: there is one text more than places."""

    facts: int
    texts: list[str]
    slots: list[Slot | Macro]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the places; of one that stands in its rule again it is doubled."""
        found: list[str] = []
        for slot in self.slots:
            found.append(slot.kind * 2 if slot.kind in found and slot.kind in INLINE else slot.kind)
        return found

    def after(self, kind: str | None) -> str:
        """The text behind a place, or the first one; nothing where there is no such place."""
        if kind is None:
            return self.texts[0]
        return self.texts[self.kinds.index(kind) + 1] if kind in self.kinds else ""


def split(parts: Sequence[Atom | Macro]) -> tuple[list[str], list[Slot | Macro]]:
    return [part for part in parts if isinstance(part, str)], [part for part in parts if not isinstance(part, str)]


def collapsed(atoms: Sequence[Atom | Macro], macros: str) -> list[Atom | Macro]:
    """The atoms, with what stands in a row as one."""
    parts: list[Atom | Macro] = [*atoms]
    for kind in macros:
        inside = [at for at, part in enumerate(parts) if isinstance(part, Slot) and part.kind in MACROS[kind][0]]
        if inside:
            first, last = inside[0], inside[-1]
            row = tuple(part for part in parts[first : last + 1] if isinstance(part, str | Slot))
            if len(row) < last + 1 - first or any(isinstance(a, Slot) and a.kind not in MACROS[kind][0] for a in row):
                raise InductionError(f"there is something else between the {MACROS[kind][1]}")
            parts[first : last + 1] = [Macro(kind, row)]
    return parts


def ordered(lists: Iterable[Sequence[str]]) -> list[str]:
    """All kinds in the order that they have everywhere."""
    lists = [*lists]
    if any(len({*one}) < len(one) for one in lists):
        raise InductionError("something is told twice")
    left = dict.fromkeys(kind for one in lists for kind in one)
    order: list[str] = []
    while left:
        free = next((k for k in left if not any(k in one and {*one[: one.index(k)]} - {*order} for one in lists)), None)
        if free is None:
            raise InductionError(f"the order of {', '.join(left)} differs")
        order.append(free)
        del left[free]
    return order


def items_of(row: Atoms, kind: str) -> tuple[list[Atoms], list[str]]:
    """The things in a row, each with empty texts around it, and the texts between them."""
    items: list[list[Atom]] = []
    gaps: list[str] = []
    key: object = None
    for atom in row:
        if isinstance(atom, str):
            if items:
                items[-1].append(atom)
            continue
        own = (atom.item, atom.pair) if kind == "A" else atom.item
        if own != key:
            if items:
                gaps.append(str(items[-1].pop()))
            items.append([""])
            key = own
        items[-1].append(atom)
    return [(*item, "") for item in items], gaps


def numbered(examples: Sequence[Example]) -> list[Example]:
    """The examples, with places for the numbers that count the things in a row, or in the conversation."""
    ways = [[*examples]]
    for kind, first in (("#", 0), ("+", 1), ("*", 0)):
        ways.append([one._replace(atoms=tuple(_counted(one.atoms, kind, first))) for one in examples])
    return min(ways, key=lambda way: len({tuple(a for a in one.atoms if isinstance(a, str)) for one in way}))


def _counted(atoms: Atoms, kind: str, first: int) -> Iterator[Atom]:
    """The atoms, with places for numbers that say which thing it is: in its row, or (`*`) of all."""
    own = next(slot for slot in atoms if isinstance(slot, Slot))
    number = first + (own.number if kind == "*" else own.item)
    for atom in atoms:
        at = 0
        for found in re.finditer(r"(?<!\w)[0-9]+(?!\w)", atom) if isinstance(atom, str) else ():
            if int(found[0]) == number:
                yield from (str(atom)[at : found.start()], own._replace(kind=kind))
                at = found.end()
        yield atom[at:] if isinstance(atom, str) else atom

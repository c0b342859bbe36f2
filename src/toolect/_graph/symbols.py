"""Symbols of the network, the fields that their texts fill, and its operations."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from toolect._spec.codec_model import Codec
from toolect._spec.grammar_model import Escapes, SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Shape


class OpCode(IntEnum):
    """Operation on the message being built, done where a point of the grammar is crossed."""

    BEGIN_CALL = 1
    END_CALL = 2
    BEGIN_ARGUMENT = 3
    END_ARGUMENT = 4
    BEGIN_VALUE = 5
    END_VALUE = 6
    SPACE = 7
    """A literal of nothing but whitespace was crossed; it counts as expected layout."""
    BEGIN_AGAIN = 8
    """A key begins that must be the one before it."""
    BEGIN_RULE = 9
    """A rule is entered; this one and those below are crossed only where a way is traced."""
    END_RULE = 10
    OPTION = 11


class Op(NamedTuple):
    """One operation; `role` tells which rule of a value language begins or ends, or that a call repeats a name."""

    code: OpCode
    role: Role | None = None
    space: str = ""
    name: str = ""
    """The name of the call that begins, where the grammar fixes it; of a rule or an option that is traced, its own."""


class Field(NamedTuple):
    """Field of the message that the text of a terminal or slot fills."""

    role: Role | None
    codec: Codec | None = None
    shape: Shape | None = None


class Mark(NamedTuple):
    """A marker: `core` is what must be there, `lead` and `trail` are the whitespace around it.

    A terminal with several spellings is several marks on parallel edges; `wrong` is one accepted with a repair.
    """

    lead: str
    core: str
    trail: str
    wrong: bool = False


_NAME, _KEY = "\ufdd0", "\ufdd1"
ECHOES = {Role.NAME: _NAME, Role.KEY: _KEY}
"""Noncharacters in a marker for the name of the open call, or the key of the open argument: no text has these."""


def is_echo(core: str) -> bool:
    """True for a marker that repeats the name of the open call, or the key of the open argument."""
    return _NAME in core or _KEY in core


class Pat(NamedTuple):
    """A terminal given by a regular expression."""

    regex: str
    field: Field


class Hollow(NamedTuple):
    """A slot; `refused`, `operator` and `escapes` are as in the grammar's."""

    kind: SlotKind
    field: Field
    refused: tuple[str, ...] = ()
    operator: str = ""
    escapes: Escapes = Escapes.JSON


Symbol: TypeAlias = Mark | Pat | Hollow


class Terminal(NamedTuple):
    """Key of steps over a terminal: never equal to a marker that is spelled like its expression."""

    regex: str


Key: TypeAlias = str | Terminal | SlotKind
"""Key of steps: a marker, which is its text, a terminal, or a slot. No two of them are ever equal."""


def key_of(symbol: Symbol) -> Key:
    """The key of the steps over `symbol`."""
    match symbol:
        case Mark():
            return symbol.core
        case Pat(regex):
            return Terminal(regex)
        case Hollow(kind):
            return kind


def split_marker(text: str) -> list[str]:
    """`text` cut before every marker that starts a line: `"</a>\\n<b>"` is two markers with a newline between."""
    pieces = re.split(r"(?<=\n)(?=\S)", text)
    if len(pieces) > 1 and not pieces[0].strip():
        pieces[:2] = [pieces[0] + pieces[1]]
    return pieces


def split_space(text: str) -> tuple[str, str, str]:
    """Leading whitespace, core and trailing whitespace of a marker; a marker of only whitespace is all lead."""
    core = text.strip()
    if not core:
        return text, "", ""
    at = text.index(core)
    return text[:at], core, text[at + len(core) :]

"""Events of reading a JSON value in a shape, in the order of the text. Offsets are characters of the wire text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from toolect._message import Json, RepairKind
from toolect._spec.shape_model import HoleKind


class CallBegins(msgspec.Struct, frozen=True):
    """The object of a call begins at `at`."""

    at: int


class CallEnds(msgspec.Struct, frozen=True):
    """The object of the call is complete, up to `at`."""

    at: int
    strange: bool = False
    """It has members that the shape has no place for."""
    beside: tuple[str, ...] = ()
    """The keys of those beside its arguments."""


class Filled(msgspec.Struct, frozen=True):
    """A hole that does not hold arguments is filled by characters `start:end`."""

    kind: HoleKind
    value: Json
    start: int
    end: int


class ArgumentText(msgspec.Struct, frozen=True):
    """More of the arguments' JSON text: what follows cannot take it back."""

    text: str


class Arguments(msgspec.Struct, frozen=True):
    """The arguments are complete: `text` is all of their JSON text, which begins at `start`."""

    value: Json
    text: str
    start: int
    odd: str = ""
    """Form of the arguments, where the shape has the other one: a string with JSON in it, or an object."""
    doubled: bool = False
    """An object in them has a key more than once."""


class Rest(msgspec.Struct, frozen=True):
    """The arguments are all members of the object at `start:end` but those with a key in `named`."""

    start: int
    end: int
    named: frozenset[str]


class MisplacedArguments(msgspec.Struct, frozen=True):
    """The call in the object at `start:end` has no arguments where they belong, but the value at `at`."""

    start: int
    end: int
    at: int


class Misfit(msgspec.Struct, frozen=True):
    """The open call does not have the constant that was `expected` at `at`."""

    at: int
    expected: str


class Repaired(msgspec.Struct, frozen=True):
    """The value departs from the shape, in a way that does not matter."""

    kind: RepairKind
    at: int
    detail: str


ShapeEvent: TypeAlias = (
    CallBegins | CallEnds | Filled | ArgumentText | Arguments | Rest | MisplacedArguments | Misfit | Repaired
)
Emit: TypeAlias = Callable[[ShapeEvent], None]

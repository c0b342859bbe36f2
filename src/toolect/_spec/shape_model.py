"""The shape of JSON in a call: its fixed keys and values, and the holes for name, arguments, id."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from toolect._message import Json


class HoleKind(StrEnum):
    """Kind of value in a hole of a JSON shape."""

    NAME = "$name"
    ARGUMENTS = "$arguments"
    ARGUMENTS_TEXT = "$arguments.text"
    ID = "$id"
    CONTENT = "$content"
    REASONING = "$reasoning"


TEXTS = (HoleKind.CONTENT, HoleKind.REASONING)
"""The holes for texts beside calls."""


class Hole(msgspec.Struct, frozen=True, tag="hole"):
    """A hole in a shape."""

    kind: HoleKind


class Const(msgspec.Struct, frozen=True, tag="const"):
    """A fixed value: it must match, and is written back."""

    value: Json


class Member(msgspec.Struct, frozen=True):
    """A key of an object shape: `keys[0]` is rendered if it is `written`, the others are accepted.

    An `optional` one may be missing.
    """

    keys: tuple[str, ...]
    shape: Shape
    optional: bool = False
    written: bool = True


class Obj(msgspec.Struct, frozen=True, tag="obj"):
    """An object with these fields, in rendering order. Other keys are arguments if `rest`, else they are ignored."""

    fields: tuple[Member, ...]
    rest: bool = False


class Keyed(msgspec.Struct, frozen=True, tag="keyed"):
    """An object whose single key is the name: `{$name: <shape>}`."""

    shape: Shape


class Many(msgspec.Struct, frozen=True, tag="many"):
    """A list of calls."""

    item: Shape


class OneOf(msgspec.Struct, frozen=True, tag="one-of"):
    """The first shape that fits; the first one is rendered."""

    shapes: tuple[Shape, ...]


Shape: TypeAlias = Hole | Const | Obj | Keyed | Many | OneOf

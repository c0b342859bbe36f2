"""Which part of a shape a value belongs to, found step by step from the outside in.

Where a shape has alternatives, all of them are followed at once. One is out as soon as a constant is another, or a
value of another kind than it has there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from toolect.ir import Json, dumps, same_json
from toolect.spec.holes import holes
from toolect.spec.model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

Options: TypeAlias = tuple[Shape, ...]
"""The alternatives that a value may be; none where it has no place in the shape."""
SKIP: Options = ()


def options(shape: Shape) -> Options:
    """The alternatives that `shape` has."""
    return tuple(s for one in shape.shapes for s in options(one)) if isinstance(shape, OneOf) else (shape,)


def members(option: Shape, key: str) -> Options:
    """What may be at `key` of the object that `option` describes."""
    if isinstance(option, Obj):
        return next((options(field.shape) for field in option.fields if key in field.keys), SKIP)
    return SKIP


def is_arguments(shape: Shape) -> bool:
    """True for the hole of the arguments, encoded or not."""
    return isinstance(shape, Hole) and shape.kind in (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)


def is_constant(shape: Shape) -> bool:
    """True for a constant, or one of several."""
    return all(isinstance(option, Const) for option in options(shape))


def is_unit(shape: Shape) -> bool:
    """True for the shape of one call: an object that holds the name and the arguments, however deep."""
    return isinstance(shape, Keyed) or isinstance(shape, Obj) and HoleKind.NAME in holes(shape, in_lists=False)


def takes_object(shape: Shape) -> bool:
    """True for what an object may stand for."""
    return isinstance(shape, Obj | Keyed) or is_arguments(shape)


def takes_list(shape: Shape) -> bool:
    """True for what a list may stand for."""
    return isinstance(shape, Many) or is_arguments(shape)


def items(shapes: Options) -> Options:
    """What may be in the lists among `shapes`."""
    return tuple(one for shape in shapes if isinstance(shape, Many) for one in options(shape.item))


def objects(shapes: Options) -> Options:
    """The objects among `shapes`."""
    return tuple(shape for shape in shapes if isinstance(shape, Obj | Keyed))


def takes_scalar(value: Json) -> Callable[[Shape], bool]:
    """True for what the scalar `value` may stand for."""
    return lambda shape: isinstance(shape, Hole) or isinstance(shape, Const) and same_json(shape.value, value)


class Frame:
    """An object or list that is open, what it may be, and the call it is or is a part of."""

    __slots__ = ("begun", "is_object", "keys", "met", "options", "owner", "start")

    def __init__(self, is_object: bool, options: Options, start: int) -> None:
        self.is_object = is_object
        self.options = options  # of the object, or of an item of the list
        self.start = start
        self.owner: Frame | None = None  # the frame of the call that this may be a part of
        self.begun = False  # it is a call
        self.keys: list[str] = []  # all that have come
        self.met: set[str] = set()  # the keys with the right constants

    def at(self, key: str) -> tuple[Options, bool]:
        """What may be at `key`, and whether the key is the name of a tool."""
        found = tuple(shape for option in self.options for shape in members(option, key))
        if found:
            return found, False
        named = tuple(shape for o in self.options if isinstance(o, Keyed) for shape in options(o.shape))
        return named, bool(named)

    def narrow(self, key: str, takes: Callable[[Shape], bool]) -> tuple[Options, str]:
        """What the value at `key` may be that only `takes` knows, and what was expected if it is nothing at all.

        The alternatives it does not fit are out; a wrong constant puts out the last one too.
        """
        alive: list[Shape] = []
        found: list[Shape] = []
        lenient = False
        for option in self.options:
            shapes = members(option, key) or (options(option.shape) if isinstance(option, Keyed) else SKIP)
            good = [shape for shape in shapes if takes(shape)]
            found += good
            lenient = lenient or not all(map(is_constant, shapes))
            if good or not shapes:
                alive.append(option)
        if any(isinstance(shape, Const) for shape in found):
            self.met.add(key)
        if alive or lenient:
            self.options = tuple(alive) or self.options
            return tuple(found), ""
        expected = " or ".join(dict.fromkeys(dumps(s.value) for s in self.at(key)[0] if isinstance(s, Const)))
        self.options = SKIP
        return SKIP, f"`{key}` as {expected}"

    def complete(self) -> bool:
        """True when one of the alternatives has all the constants that it must have."""
        return any(not isinstance(option, Obj) or self._has_constants(option) for option in self.options)

    def _has_constants(self, option: Obj) -> bool:
        needed = (f.keys for f in option.fields if not f.optional and is_constant(f.shape))
        return all(any(key in self.met for key in keys) for keys in needed)

    def named(self) -> frozenset[str] | None:
        """The keys that are not arguments, where all others are, and there are others."""
        for option in self.options:
            if isinstance(option, Obj) and option.rest:
                named = frozenset(key for field in option.fields for key in field.keys)
                return None if named.issuperset(self.keys) else named
        return None


IN_OBJECT = Frame(True, SKIP, -1)
"""An object inside arguments."""
IN_LIST = Frame(False, SKIP, -1)
"""A list inside arguments."""

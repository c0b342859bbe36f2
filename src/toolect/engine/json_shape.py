"""Which part of a shape a value belongs to, found step by step from the outside in.

Where a shape has alternatives, all of them are followed at once. One is out as soon as a constant is another, or a
value is of another kind than it has there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from toolect.ir import Json, dumps, same_json
from toolect.spec.holes import holes
from toolect.spec.model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

Options: TypeAlias = tuple[Shape, ...]
"""The alternatives that a value may be; none where it has no place in the shape."""
SKIP: Options = ()


_MAX_KNOWN = 10_000
"""Shapes that something is remembered of."""
T = TypeVar("T")


def once(find: Callable[[Shape], T]) -> Callable[[Shape], T]:
    """`find`, which is asked once for each shape."""
    known: dict[int, tuple[Shape, T]] = {}

    def ask(shape: Shape) -> T:
        entry = known.get(id(shape))
        if entry is None or entry[0] is not shape:
            if len(known) > _MAX_KNOWN:
                known.clear()
            entry = known[id(shape)] = (shape, find(shape))
        return entry[1]

    return ask


TEXTS = (HoleKind.CONTENT, HoleKind.REASONING)


@once
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


@once
def constants(shape: Shape) -> tuple[tuple[str, ...], ...]:
    """The keys of the constants that an object must have."""
    if not isinstance(shape, Obj):
        return ()
    return tuple(f.keys for f in shape.fields if not f.optional and is_constant(f.shape))


def is_constant(shape: Shape) -> bool:
    """True for a constant, or one of several."""
    return all(isinstance(option, Const) for option in options(shape))


@once
def is_unit(shape: Shape) -> bool:
    """True for the shape of one call: an object that holds name and arguments, however deep, and no text beside."""
    if not isinstance(shape, Obj):
        return isinstance(shape, Keyed)
    found = holes(shape, in_lists=False)
    return HoleKind.NAME in found and found.isdisjoint(TEXTS)


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

    __slots__ = ("begun", "identity", "is_object", "keys", "met", "options", "owner", "start")

    def __init__(self, is_object: bool, options: Options, start: int) -> None:
        self.is_object = is_object
        self.options = options  # of the object, or of an item of the list
        self.start = start
        self.owner: Frame | None = None  # the frame of the call that this may be a part of
        self.begun = False  # it is a call
        self.identity: Json = None  # the id that came before that was known
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
        others: list[Shape] = []  # of alternatives that lack a constant so far
        lenient = False
        for option in self.options:
            shapes = members(option, key) or (options(option.shape) if isinstance(option, Keyed) else SKIP)
            good = [shape for shape in shapes if takes(shape)]
            (found if self._has_constants(option) else others).extend(good)
            lenient = lenient or not all(map(is_constant, shapes))
            if good or not shapes:
                alive.append(option)
        found += others
        if any(isinstance(shape, Const) for shape in found):
            self.met.add(key)
        if alive or lenient or not self.options:
            self.options = tuple(alive) or self.options
            return tuple(found), ""
        expected = " or ".join(dict.fromkeys(dumps(s.value) for s in self.at(key)[0] if isinstance(s, Const)))
        self.options = SKIP
        return SKIP, f"`{key}` as {expected}"

    def complete(self) -> bool:
        """True when one of the alternatives is a call that has all the constants it must have."""
        return any(is_unit(option) and self._has_constants(option) for option in self.options)

    def _has_constants(self, option: Shape) -> bool:
        return all(any(key in self.met for key in keys) for keys in constants(option))

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

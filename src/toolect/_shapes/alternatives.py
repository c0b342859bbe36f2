"""Alternatives of a shape, and predicates of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from toolect._spec.holes import holes
from toolect._spec.shape_model import TEXTS, Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

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


@once
def options(shape: Shape) -> Options:
    """The alternatives that `shape` has."""
    return tuple(s for one in shape.shapes for s in options(one)) if isinstance(shape, OneOf) else (shape,)


def is_arguments(shape: Shape) -> bool:
    """True for the hole of the arguments, encoded or not."""
    return isinstance(shape, Hole) and shape.kind in (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)


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


def items(shapes: Options) -> Options:
    """The alternatives of the items of the lists among `shapes`."""
    return tuple(one for shape in shapes if isinstance(shape, Many) for one in options(shape.item))


def objects(shapes: Options) -> Options:
    """The objects among `shapes`."""
    return tuple(shape for shape in shapes if isinstance(shape, Obj | Keyed))

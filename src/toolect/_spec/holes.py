"""The holes of a JSON shape, and its keys."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.shape_model import Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape


def holes(shape: Shape, in_lists: bool = True) -> frozenset[HoleKind]:
    """The holes of `shape`; without those `in_lists`, which belong to calls of their own, when that is false."""
    match shape:
        case Hole(kind):
            return frozenset((kind,))
        case Many(item) if in_lists:
            return holes(item)
        case Keyed(inner):
            return holes(inner, in_lists) | {HoleKind.NAME}
        case Obj(fields, rest):
            others = frozenset((HoleKind.ARGUMENTS,)) if rest else frozenset()
            return others.union(*(holes(field.shape, in_lists) for field in fields))
        case OneOf(shapes):
            return frozenset().union(*(holes(option, in_lists) for option in shapes))
        case _:
            return frozenset()


def keys(shape: Shape) -> Iterator[str]:
    """The keys of `shape`, at any depth; one may come twice."""
    return (key for key, _ in members(shape))


def members(shape: Shape) -> Iterator[tuple[str, Shape]]:
    """The keys of `shape`, at any depth, each with the shape of what it holds."""
    match shape:
        case Obj(fields):
            for field in fields:
                yield from ((key, field.shape) for key in field.keys)
                yield from members(field.shape)
        case Many(inner) | Keyed(inner):
            yield from members(inner)
        case OneOf(shapes):
            for option in shapes:
                yield from members(option)

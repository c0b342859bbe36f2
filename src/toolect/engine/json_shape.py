"""Which part of a shape a value belongs to, found step by step from the outside in."""

from __future__ import annotations

from typing import TypeAlias

from toolect.spec.holes import holes
from toolect.spec.model import Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape


class Skip:
    """Stands where a value has no place in the shape."""


SKIP = Skip()
Matcher: TypeAlias = Shape | Skip


def member(matcher: Matcher, key: str) -> Matcher:
    """What belongs at `key` of the object that `matcher` describes."""
    if isinstance(matcher, Obj):
        for field in matcher.fields:
            if key in field.keys:
                return field.shape
    return matcher.shape if isinstance(matcher, Keyed) else SKIP


def item(matcher: Matcher) -> Matcher:
    """What belongs into the list that `matcher` describes."""
    return matcher.item if isinstance(matcher, Many) else SKIP


def is_arguments(matcher: Matcher) -> bool:
    """True for the hole of the arguments, encoded or not."""
    return isinstance(matcher, Hole) and matcher.kind in (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)


def is_unit(matcher: Matcher) -> bool:
    """True for the shape of one call: an object that holds the name and the arguments, however deep."""
    return isinstance(matcher, Keyed) or isinstance(matcher, Obj) and HoleKind.NAME in holes(matcher, in_lists=False)


def merged(shape: OneOf, is_object: bool) -> Matcher:
    """One matcher for alternative shapes of an object or a list: all their fields, none of them required."""
    lists = [s for s in shape.shapes if isinstance(s, Many)]
    if lists and (not is_object or len(lists) == len(shape.shapes)):
        return lists[0]
    fields = tuple(f for s in shape.shapes if isinstance(s, Obj) for f in s.fields)
    return Obj(fields) if fields else shape.shapes[0]

"""Fits a whole JSON value to a shape, and writes one from a shape: the two directions side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from toolect.ir import Json, same_json
from toolect.spec.model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape


class Unit(NamedTuple):
    """What one call's shape holds."""

    name: str
    arguments: Json
    id: str | None


class NoFit(Exception):
    """The value does not have the shape."""


def fit(shape: Shape, value: Json) -> list[Unit]:
    """The calls in `value`; a list stands for its items and an item for a list."""
    if isinstance(value, list) and not isinstance(shape, Many):
        shape = Many(shape)
    if isinstance(value, dict) and isinstance(shape, Many):
        shape = shape.item
    return list(_units(shape, value))


def _units(shape: Shape, value: Json) -> Iterator[Unit]:
    if isinstance(shape, Many):
        if isinstance(value, list):
            for item in value:
                yield from _units(shape.item, item)
        return
    found: dict[HoleKind, Json] = {}
    inner: list[tuple[Shape, Json]] = []
    for option in shape.shapes if isinstance(shape, OneOf) else (shape,):
        found.clear()
        inner.clear()
        try:
            _match(option, value, found, inner)
        except NoFit:
            continue
        if inner or HoleKind.NAME in found:
            break
    for many, items in inner:
        yield from _units(many, items)
    name = found.get(HoleKind.NAME)
    if isinstance(name, str):
        arguments = found.get(HoleKind.ARGUMENTS, found.get(HoleKind.ARGUMENTS_TEXT, {}))
        if isinstance(arguments, str):
            try:
                arguments = msgspec.json.decode(arguments)
            except (msgspec.DecodeError, ValueError, RecursionError):
                return
        identity = found.get(HoleKind.ID)
        yield Unit(name, {} if arguments is None else arguments, identity if isinstance(identity, str) else None)


def _match(shape: Shape, value: Json, found: dict[HoleKind, Json], inner: list[tuple[Shape, Json]]) -> None:
    match shape:
        case Hole(kind):
            found[kind] = value
        case Const(expected):
            if not same_json(expected, value):
                raise NoFit
        case Many():
            inner.append((shape, value))
        case Keyed(item):
            if not isinstance(value, dict) or len(value) != 1:
                raise NoFit
            ((name, arguments),) = value.items()
            found[HoleKind.NAME] = name
            _match(item, arguments, found, inner)
        case Obj(fields):
            if not isinstance(value, dict):
                raise NoFit
            for field in fields:
                key = next((k for k in field.keys if k in value), None)
                if key is not None:
                    _match(field.shape, value[key], found, inner)
                elif not field.optional and not _is_arguments(field.shape):
                    raise NoFit
        case OneOf(shapes):
            for option in shapes:
                try:
                    return _match(option, value, found, inner)
                except NoFit:
                    continue
            raise NoFit


def _is_arguments(shape: Shape) -> bool:
    return isinstance(shape, Hole) and shape.kind in (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)

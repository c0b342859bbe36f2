"""JSON in a shape, in both directions: `fit` reads the calls out of a value, `unfit` writes calls as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from toolect.ir import Call, Content, Json, dumps, same_json
from toolect.rendered import Part, Unrepresentable
from toolect.spec.model import Const, Field, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

Spell: TypeAlias = Callable[[Call], str]


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
                    _match(option, value, found, inner)
                except NoFit:
                    continue
                return
            raise NoFit


def _is_arguments(shape: Shape) -> bool:
    return isinstance(shape, Hole) and shape.kind in (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)


class Piece(NamedTuple):
    """A stretch of JSON text: what it is, and of which of the written segments, counted from the first."""

    text: str
    part: Part = Part.MARKUP
    segment: int = 0


def unfit(shape: Shape, calls: Sequence[Call], content: Content | None, spell: Spell) -> Iterator[Piece]:
    """The text of `content` and `calls` in `shape`, piece by piece; `spell` gives the JSON text of arguments."""
    return _pieces(shape, calls, 0 if content is None else 1, content, spell)


def _pieces(shape: Shape, calls: Sequence[Call], first: int, content: Content | None, spell: Spell) -> Iterator[Piece]:
    """The pieces of `shape`; `first` is the segment number of `calls[0]`."""
    match shape:
        case Hole(HoleKind.CONTENT):
            yield Piece("null") if content is None else Piece(dumps(content.text), Part.CONTENT)
        case Hole(kind):
            yield _hole(kind, _only(calls), first, spell)
        case Const(value):
            yield Piece(dumps(value))
        case Keyed(inner):
            yield Piece("{")
            yield _hole(HoleKind.NAME, _only(calls), first, spell)
            yield Piece(": ")
            yield from _pieces(inner, calls, first, content, spell)
            yield Piece("}")
        case Obj(fields):
            yield Piece("{")
            for i, field in enumerate(field for field in fields if _is_shown(field, calls)):
                yield Piece((", " if i else "") + dumps(field.keys[0]) + ": ")
                yield from _pieces(field.shape, calls, first, content, spell)
            yield Piece("}")
        case Many(item):
            yield Piece("[")
            for i, call in enumerate(calls):
                yield Piece(", " if i else "")
                yield from _pieces(item, [call], first + i, content, spell)
            yield Piece("]")
        case OneOf(shapes):
            yield from _pieces(shapes[0], calls, first, content, spell)


def _hole(kind: HoleKind, call: Call, segment: int, spell: Spell) -> Piece:
    """The piece of a hole of one call."""
    match kind:
        case HoleKind.NAME:
            return Piece(dumps(call.name), Part.NAME, segment)
        case HoleKind.ID:
            return Piece(dumps(call.id), Part.ID, segment)
        case HoleKind.ARGUMENTS:
            return Piece(spell(call), Part.ARGUMENTS, segment)
        case HoleKind.ARGUMENTS_TEXT:
            return Piece(dumps(spell(call)), Part.ARGUMENTS, segment)
        case _:
            return Piece("null")


def _only(calls: Sequence[Call]) -> Call:
    """The one call that a shape without a list has room for."""
    if len(calls) > 1:
        raise Unrepresentable("call", "one call at most fits here", calls[1].name)
    return calls[0]


def _is_shown(field: Field, calls: Sequence[Call]) -> bool:
    """False for an optional field that there is nothing for. Content is written as null: the API asks for it."""
    if not field.optional or not isinstance(field.shape, Hole):
        return True
    if field.shape.kind is HoleKind.ID:
        return _only(calls).id is not None
    return field.shape.kind is not HoleKind.REASONING

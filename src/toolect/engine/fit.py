"""JSON in a shape, in both directions: `fit` reads the calls out of a value, `unfit` writes calls as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from toolect.engine.layout import colon, lay_out, space
from toolect.ir import Call, Content, Json, dumps, same_json
from toolect.rendered import Part, Unrepresentable
from toolect.spec.model import Const, Field, Hole, HoleKind, Keyed, Layout, Many, Obj, OneOf, Shape

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
            if not isinstance(value, list):
                raise NoFit
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


def unfit(
    shape: Shape, calls: Sequence[Call], content: Content | None, spell: Spell, layout: Layout
) -> Iterator[Piece]:
    """The text of `content` and `calls` in `shape`, piece by piece; `spell` gives the JSON text of arguments."""
    return _Unfit(content, spell, layout).pieces(shape, calls, 0 if content is None else 1, 0)


class _Unfit:
    """What is the same at every place of the shape."""

    def __init__(self, content: Content | None, spell: Spell, layout: Layout) -> None:
        self.content, self.spell, self.layout = content, spell, layout
        self.colon = colon(layout)

    def pieces(self, shape: Shape, calls: Sequence[Call], first: int, depth: int) -> Iterator[Piece]:
        """The pieces of `shape`, in `depth` others; `first` is the segment number of `calls[0]`."""
        match shape:
            case Hole(HoleKind.CONTENT):
                yield Piece("null") if self.content is None else Piece(dumps(self.content.text), Part.CONTENT)
            case Hole(kind):
                yield self.hole(kind, _only(calls), first, depth)
            case Const(value):
                yield Piece(dumps(value))
            case Keyed(inner):
                around = space(self.layout, depth)
                yield Piece("{" + around.first)
                yield self.hole(HoleKind.NAME, _only(calls), first, depth)
                yield Piece(self.colon)
                yield from self.pieces(inner, calls, first, depth + 1)
                yield Piece(around.last + "}")
            case Obj(fields):
                around = space(self.layout, depth)
                before = "{" + around.first
                for field in (field for field in fields if _is_shown(field, calls)):
                    yield Piece(before + dumps(field.keys[0]) + self.colon)
                    yield from self.pieces(field.shape, calls, first, depth + 1)
                    before = around.between
                yield Piece(around.last + "}" if before == around.between else "{}")
            case Many(item):
                around = space(self.layout, depth, calls=True)
                for i, call in enumerate(calls):
                    yield Piece(around.between if i else "[" + around.first)
                    yield from self.pieces(item, [call], first + i, depth + 1)
                yield Piece(around.last + "]")
            case OneOf(shapes):
                roomy = (s for s in shapes if len(calls) < 2 or _is_list(s))
                yield from self.pieces(next(roomy, shapes[0]), calls, first, depth)

    def hole(self, kind: HoleKind, call: Call, segment: int, depth: int) -> Piece:
        """The piece of a hole of one call."""
        match kind:
            case HoleKind.NAME:
                return Piece(dumps(call.name), Part.NAME, segment)
            case HoleKind.ID:
                return Piece(dumps(call.id), Part.ID, segment)
            case HoleKind.ARGUMENTS:
                return Piece(lay_out(self.spell(call), self.layout, depth), Part.ARGUMENTS, segment)
            case HoleKind.ARGUMENTS_TEXT:
                return Piece(dumps(self.spell(call)), Part.ARGUMENTS, segment)
            case _:
                return Piece("null")


def _only(calls: Sequence[Call]) -> Call:
    """The one call that a shape without a list has room for."""
    if len(calls) > 1:
        raise Unrepresentable("call", "one call at most fits here", calls[1].name)
    return calls[0]


def _is_list(shape: Shape) -> bool:
    """True for a shape that has room for several calls."""
    return isinstance(shape, Many) or isinstance(shape, Obj) and any(_is_list(field.shape) for field in shape.fields)


def _is_shown(field: Field, calls: Sequence[Call]) -> bool:
    """False for an optional field that there is nothing for. Content is written as null: the API asks for it."""
    if not field.optional or not isinstance(field.shape, Hole):
        return True
    if field.shape.kind is HoleKind.ID:
        return _only(calls).id is not None
    return field.shape.kind is not HoleKind.REASONING

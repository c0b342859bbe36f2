"""JSON in a shape: `fit` reads the calls and texts out of a value that is whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from toolect.engine.json_lexemes import match_name
from toolect.engine.json_shape import Options, is_arguments, items, objects, options
from toolect.ir import Json, same_json
from toolect.spec.model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape


class Unit(NamedTuple):
    """What one call's shape holds; `argued` when it has arguments."""

    name: str
    arguments: Json
    id: str | None
    argued: bool

    @property
    def is_call(self) -> bool:
        """True when this can be nothing but a call."""
        return self.argued and isinstance(self.arguments, dict) and match_name(self.name) is not None


class Said(NamedTuple):
    """Content or reasoning."""

    kind: HoleKind
    text: str


Found: TypeAlias = Unit | Said


class NoFit(Exception):
    """The value does not have the shape."""


def fit(shape: Shape, value: Json) -> list[Found]:
    """The calls and texts in `value`; a list stands for its items and an item for a list."""
    kinds = options(shape)
    if isinstance(value, list):
        return list(_items(items(kinds) or kinds, value))
    return list(_units(objects(kinds) or items(kinds), value))


def _items(kinds: Options, value: Json) -> Iterator[Found]:
    for item in value if isinstance(value, list) else ():
        yield from _units(kinds, item)


def _units(kinds: Options, value: Json) -> Iterator[Found]:
    """What is in `value` by the first of `kinds` that it fits."""
    for option in kinds:
        match = _Match()
        try:
            match.read(option, value)
        except NoFit:
            continue
        yield from match.found()
        return


class _Match:
    """What one reading of a value finds."""

    def __init__(self) -> None:
        self.holes: dict[HoleKind, Json] = {}
        self.parts: list[Said | tuple[Options, Json]] = []

    def found(self) -> Iterator[Found]:
        """The texts and the calls, in order."""
        for part in self.parts:
            if isinstance(part, Said):
                yield part
            else:
                yield from _items(*part)
        name, argued = self.holes.get(HoleKind.NAME), True
        arguments = self.holes.get(HoleKind.ARGUMENTS, self.holes.get(HoleKind.ARGUMENTS_TEXT, self))
        if arguments is self:
            arguments, argued = {}, False
        if not isinstance(name, str):
            return
        if isinstance(arguments, str):
            try:
                arguments = msgspec.json.decode(arguments)
            except (msgspec.DecodeError, ValueError, RecursionError):
                return
        identity = self.holes.get(HoleKind.ID)
        identity = identity if isinstance(identity, str) else None
        yield Unit(name, {} if arguments is None else arguments, identity, argued)

    def read(self, shape: Shape, value: Json) -> None:
        """Read `value` as `shape`. Raises NoFit."""
        match shape:
            case Hole(HoleKind.CONTENT | HoleKind.REASONING as kind):
                if isinstance(value, str) and value:
                    self.parts.append(Said(kind, value))
            case Hole(kind):
                self.holes[kind] = value
            case Const(expected):
                if not same_json(expected, value):
                    raise NoFit
            case Many(item):
                if not isinstance(value, list):
                    raise NoFit
                self.parts.append((options(item), value))
            case Keyed(item):
                if not isinstance(value, dict) or len(value) != 1:
                    raise NoFit
                ((name, arguments),) = value.items()
                self.holes[HoleKind.NAME] = name
                self.read(item, arguments)
            case Obj():
                self.object(shape, value)
            case OneOf():
                self.one_of(options(shape), value)

    def object(self, shape: Obj, value: Json) -> None:
        """Read the object `value`."""
        if not isinstance(value, dict):
            raise NoFit
        keys: list[str] = []
        for field in shape.fields:
            key = next((k for k in value if k in field.keys), None)
            if key is not None:
                keys.append(key)
                self.read(field.shape, value[key])
            elif not field.optional and not is_arguments(field.shape):
                raise NoFit
        if shape.rest and keys[:1] == list(value)[:1] and len(keys) < len(value):
            self.holes[HoleKind.ARGUMENTS] = {key: item for key, item in value.items() if key not in keys}

    def one_of(self, kinds: Options, value: Json) -> None:
        """Read `value` as the first of `kinds` that may be what it is."""
        for option in kinds:
            if isinstance(option, Many) and not isinstance(value, list):
                continue
            if isinstance(option, Hole) and not is_arguments(option) and isinstance(value, dict | list):
                continue
            try:
                self.read(option, value)
            except NoFit:
                continue
            return
        raise NoFit

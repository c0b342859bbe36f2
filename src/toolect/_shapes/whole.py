"""The calls and texts in a JSON value that is there as a whole, and has no text of its own: that of a repair."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import msgspec

from toolect._shapes.alternatives import is_arguments, items, objects, once, options
from toolect._shapes.shape_events import Arguments, CallBegins, CallEnds, Filled, Misfit, Rest, ShapeEvent
from toolect._shapes.shape_reader import ShapeReader
from toolect._spec.model import HoleKind, Obj, Shape
from toolect._values.json_lexemes import match_name
from toolect.message import Json


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


def whole(shape: Shape, value: Json) -> list[Found]:
    """The calls and texts in `value`, in order."""
    reading = _Reading(shape)
    reading.read(value)
    return reading.found


class _Reading:
    """What is found in one value. The place of an object is its number."""

    def __init__(self, shape: Shape) -> None:
        self.found: list[Found] = []
        self._shape = ShapeReader(shape, self._take, ())
        self._objects: list[dict[str, Json]] = []
        self._torn = _names_arguments(shape)
        """What stands beside the name may be the key of the arguments, torn."""
        self._begin()

    def read(self, value: Json) -> None:
        """Read `value` and what is in it."""
        shape, at = self._shape, len(self._objects)
        if shape.value(at):
            shape.emit(Arguments(value, "", at))
        elif isinstance(value, dict):
            self._objects.append(value)
            shape.open(True, at)
            for key, member in value.items():
                shape.key(key, at)
                self.read(member)
            shape.close(at)
        elif isinstance(value, list):
            shape.open(False, at)
            for item in value:
                self.read(item)
            shape.close(at)
        elif shape.place.scalar:
            shape.scalar(value, at, at)

    def _begin(self) -> None:
        self._name: Json = None
        self._id: Json = None
        self._arguments: Json = {}
        self._argued = False
        self._fits = True

    def _take(self, event: ShapeEvent) -> None:
        match event:
            case CallBegins():
                self._begin()
            case Filled(HoleKind.NAME, value):
                self._name = self._name or value
            case Filled(HoleKind.ID, value):
                self._id = self._id or value
            case Filled(kind, value) if isinstance(value, str) and value:
                self.found.append(Said(kind, value))
            case Arguments(value):
                self._arguments, self._argued = {} if value is None else value, True
                if isinstance(value, str):
                    self._decode(value)
            case Rest(start, _, named) if not self._torn:
                self._arguments = {k: v for k, v in self._objects[start].items() if k not in named}
                self._argued = True
            case Misfit():
                self._fits = False
            case CallEnds() if self._fits and isinstance(self._name, str):
                identity = self._id if isinstance(self._id, str) else None
                self.found.append(Unit(self._name, self._arguments, identity, self._argued))

    def _decode(self, text: str) -> None:
        try:
            value: Json = msgspec.json.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError):
            self._fits = text.lstrip()[:1] not in ("{", "[")  # another text may be the only argument
            return
        self._arguments = {} if value is None else value


@once
def _names_arguments(shape: Shape) -> bool:
    """True when an alternative has a key for the arguments."""
    kinds = options(shape)
    found = (option for option in objects((*kinds, *items(kinds))) if isinstance(option, Obj))
    return any(is_arguments(field.shape) for option in found for field in option.fields)

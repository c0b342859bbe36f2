"""Narrowing of a shape to the part that a value belongs to, step by step from the outside in.

Where a shape has alternatives, all of them are followed at once. One is out as soon as a constant is another, or a
value is of another kind than it has there. What is found is remembered, so each step is worked out once for a shape.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from toolect._message import Json, dumps, same_json
from toolect._shapes.alternatives import (
    SKIP,
    Options,
    is_arguments,
    is_constant,
    is_unit,
    items,
    objects,
    once,
    options,
)
from toolect._spec.shape_model import TEXTS, Const, Hole, HoleKind, Keyed, Many, Obj, Shape

# The kinds of values that a shape tells apart, besides its constants. An enum's members are slow to look up by.
OBJECT, LIST, SCALAR = -4, -3, -2


def letters(key: str) -> str:
    """The letters and digits of a key, in lower case."""
    return "".join(filter(str.isalnum, key)).lower()


def _one_off(one: str, other: str) -> bool:
    """True where one character is other, or there in just one of them."""
    one, other = sorted((one, other), key=len)
    if len(other) - len(one) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    return one[same:] == other[same + 1 :] or one[same + 1 :] == other[same + 1 :]


class ValuePlace:
    """Place of a value in a shape: the alternatives that are left for it."""

    def __init__(self, shapes: Options, book: Book) -> None:
        self.options = shapes
        self._book = book
        self.arguments = any(map(is_arguments, shapes))
        """The value is arguments."""
        holes = [shape.kind for shape in shapes if isinstance(shape, Hole)]
        self.scalar = bool(holes) or any(isinstance(shape, Const) for shape in shapes)
        """A scalar has a place here."""
        self.as_text = HoleKind.ARGUMENTS_TEXT in holes
        self.as_value = any(kind is not HoleKind.ARGUMENTS_TEXT for kind in holes)
        self.hole = next(iter(holes), None)
        """Hole that a scalar fills; None for none."""
        self.unclear = all(kind in holes for kind in TEXTS)
        """A constant that comes yet may tell which text it is."""
        self._object: Members | None = None
        self._item: ValuePlace | None = None

    @property
    def object(self) -> Members:
        """The alternatives of an object that stands here."""
        if self._object is None:
            self._object = self._book.members(objects(self.options), frozenset())
        return self._object

    @property
    def item(self) -> ValuePlace:
        """The place of an item of the list that stands here."""
        if self._item is None:
            self._item = self._book.place(items(self.options))
        return self._item

    @property
    def lone(self) -> ValuePlace:
        """The place of an item in a list that stands where an object should."""
        return self._book.place(objects(self.options))


class Members:
    """Alternatives of an open object; `met` are the keys whose values are the right constants."""

    def __init__(self, shapes: Options, met: frozenset[str], book: Book) -> None:
        self.options, self.met, self._book = shapes, met, book
        self.units = any(map(is_unit, shapes))
        """It may be a call."""
        self.sure = all(map(is_unit, shapes))
        """It can be nothing but a call."""
        self.complete = any(is_unit(shape) and self._has_constants(shape) for shape in shapes)
        """One of the alternatives is a call that has all the constants it must have."""
        rest = (shape for shape in shapes if isinstance(shape, Obj) and shape.rest)
        self.named = next((frozenset(key for f in shape.fields for key in f.keys) for shape in rest), None)
        """The keys that are not arguments, where all others are."""
        self._keyed = any(isinstance(shape, Keyed) for shape in shapes)
        self.keys = frozenset(k for shape in shapes if isinstance(shape, Obj) for f in shape.fields for k in f.keys)
        """All that one of the alternatives has."""
        self._constant = {k for k in self.keys if any(isinstance(s, Const) for o in shapes for s in _members(o, k))}
        self._at: dict[str, tuple[ValuePlace, bool]] = {}
        self._by_letters: dict[str, str] | None = None
        self._steps: dict[tuple[str | None, int], NarrowedMember] = {}
        named = (options(shape.shape) for shape in shapes if isinstance(shape, Keyed))
        self._other = book.place(tuple(one for inner in named for one in inner)), self._keyed

    def at(self, key: str) -> tuple[ValuePlace, bool]:
        """The place of the value at `key`, and True when the key is the name of a tool."""
        if key not in self.keys:
            return self._other
        found = self._at.get(key)
        if found is None:
            place = self._book.place(tuple(shape for option in self.options for shape in _members(option, key)))
            found = self._at[key] = place, False
        return found

    def meant(self, key: str) -> str:
        """The key that `key` spells otherwise: in another case, or with other signs and blanks; none for no other."""
        if self._by_letters is None:
            self._by_letters = {letters(known): known for known in sorted(self.keys) if not self._keyed}
        return self._by_letters.get(letters(key), "") if self._by_letters else ""

    def is_near(self, key: str) -> bool:
        """True for a key that is that of the arguments, but for one character."""
        return any(self.at(known)[0].arguments and _one_off(known, key) for known in self.keys)

    def step(self, key: str, sort: int, value: Json = None) -> NarrowedMember:
        """The value at `key` is an object, a list, or the scalar `value`.

        The alternatives it does not fit are out; a wrong constant puts out the last one too.
        """
        if key not in self.keys and not self._keyed:
            return NarrowedMember(self, self._other[0])
        if sort == SCALAR and key in self._constant:
            constants = [s.value for option in self.options for s in _members(option, key) if isinstance(s, Const)]
            token = next((i for i, constant in enumerate(constants) if same_json(constant, value)), -1)
        else:
            token = sort
        entry = (key if key in self.keys else None, token)
        found = self._steps.get(entry)
        if found is None:
            found = self._steps[entry] = self._narrow(key, sort, value)
        return found

    def _narrow(self, key: str, sort: int, value: Json) -> NarrowedMember:
        alive: list[Shape] = []
        found: list[Shape] = []
        others: list[Shape] = []  # of alternatives that lack a constant so far
        lenient = False
        for option in self.options:
            shapes = _members(option, key) or (options(option.shape) if isinstance(option, Keyed) else SKIP)
            good = [shape for shape in shapes if _takes(shape, sort, value)]
            (found if self._has_constants(option) else others).extend(good)
            lenient = lenient or not all(map(is_constant, shapes))
            if good or not shapes:
                alive.append(option)
        found += others
        met = self.met | {key} if any(isinstance(shape, Const) for shape in found) else self.met
        if alive or lenient:
            return NarrowedMember(self._book.members(tuple(alive) or self.options, met), self._book.place(tuple(found)))
        expected = " or ".join(dict.fromkeys(dumps(s.value) for s in self.at(key)[0].options if isinstance(s, Const)))
        return NarrowedMember(self._book.members(SKIP, met), self._book.place(SKIP), f"`{key}` as {expected}")

    def _has_constants(self, option: Shape) -> bool:
        if not isinstance(option, Obj):
            return True
        needed = (field.keys for field in option.fields if not field.optional and is_constant(field.shape))
        return all(any(key in self.met for key in keys) for keys in needed)


class NarrowedMember(NamedTuple):
    """Alternatives of an object after a member, and the place of that member; `wrong` is the reason that it is none."""

    members: Members
    place: ValuePlace
    wrong: str = ""


Name: TypeAlias = tuple[tuple[int, ...], frozenset[str]]


class Book:
    """All places of one shape, each made once."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], ValuePlace] = {}
        self._members: dict[Name, Members] = {}

    def place(self, shapes: Options) -> ValuePlace:
        """The place of these alternatives."""
        name = tuple(map(id, shapes))  # a place keeps its shapes
        found = self._places.get(name)
        if found is None:
            found = self._places[name] = ValuePlace(shapes, self)
        return found

    def members(self, shapes: Options, met: frozenset[str]) -> Members:
        """An object of these alternatives, of whose constants those at `met` are right."""
        name = tuple(map(id, shapes)), met
        found = self._members.get(name)
        if found is None:
            found = self._members[name] = Members(shapes, met, self)
        return found


NOWHERE = Book().place(SKIP)
"""Place of a value that has none in a shape."""


@once
def root_of(shape: Shape) -> ValuePlace:
    """The place of a value in `shape`."""
    return Book().place(options(shape))


def _members(option: Shape, key: str) -> Options:
    """The alternatives of the value at `key` of the object that `option` describes."""
    if isinstance(option, Obj):
        return next((options(field.shape) for field in option.fields if key in field.keys), SKIP)
    return SKIP


def _takes(shape: Shape, sort: int, value: Json) -> bool:
    """True when a value of this sort may stand for `shape`."""
    if sort == OBJECT:
        return isinstance(shape, Obj | Keyed) or is_arguments(shape)
    if sort == LIST:
        return isinstance(shape, Many) or is_arguments(shape)
    return isinstance(shape, Hole) or isinstance(shape, Const) and same_json(shape.value, value)

"""JSON in free text, read once for all dialects whose calls are bare JSON: may it be a call of any of them?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from toolect import registry
from toolect._detection.index import Index
from toolect._reading.answer import WAIT, Answer
from toolect._shapes.json_reader import JsonReader
from toolect._shapes.loose import Guess, guess, keys_of
from toolect._shapes.shape_events import ShapeEvent
from toolect._shapes.shape_reader import OpenCall
from toolect._spec.holes import holes
from toolect._spec.shape_model import Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape
from toolect._values.json_lexemes import Broken, complete
from toolect._values.toolset import NO_TOOLS, ToolSchemas

BRACKETS = "{["
_NEEDED = {HoleKind.NAME, HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT}
_MOST_CALLS = 256
"""Ways in which a call may begin of which it is remembered who writes them like that."""
_HEAD = re.compile(
    r'((?:\{\s?"\w{1,32}":\s?)?(?:\[\s?)?\{\s?"\w{1,32}":\s?")[A-Za-z_][\w.-]{0,63}(",\s?"\w{1,32}":\s?\{)'
).match
"""How most calls begin: with the name, then an object."""
_BEGINNING = 600
"""Characters of broken JSON that show whether it begins as a call."""
_MAX_UNCLOSED = 1 << 14
"""Characters of a value before its first closing brace. Beyond it: it is read to know whether a name is in it."""


class Shapes:
    """The shapes of all bare JSON as one, and who has which part of it."""

    def __init__(self, known: Index) -> None:
        shapes: list[Shape] = []
        self._owners: dict[int, str] = {}
        self._known: dict[tuple[object, ...], frozenset[str]] = {}
        self._heads: dict[str, frozenset[str]] = {}
        for name, traits in known.traits.items():
            if any(opener.json and opener.needle and not opener.strong for opener in traits.openers):
                for shape in map(_listed, registry.spec(name).shapes.values()):
                    if HoleKind.NAME in holes(shape):
                        shapes.append(shape)
                        self._owners |= {id(part): name for part in _parts(shape)}
        self.shape: Shape = OneOf(tuple(shapes))
        self.names = frozenset(self._owners.values())
        names = {
            key for part in _parts(self.shape) if isinstance(part, Obj) for field in part.fields for key in field.keys
            if Hole(HoleKind.NAME) in _alternatives(field.shape)
        }  # fmt: skip
        keyed = any(isinstance(part, Keyed) for part in _parts(self.shape))
        self.naming = re.compile('"(?:' + "|".join(map(re.escape, sorted(names))) + r')"|\\' + ("|" * keyed))
        """What every call has in it: a key whose value is its name, or one that is written with escapes."""

    def owners(self, call: OpenCall) -> frozenset[str]:
        """The dialects that have a call as this."""
        key = (*map(id, call.options), call.keys, call.coded)
        found = self._known.get(key)
        if found is None:
            if len(self._known) == _MOST_CALLS:
                self._known.clear()
            parts = [option for option in call.options if _says(option, call)]
            found = self._known[key] = frozenset(self._owners[id(part)] for part in parts if id(part) in self._owners)
        return found

    def heads(self, text: str, pos: int) -> frozenset[str]:
        """The dialects that write the call whose first keys stand at `pos`; none where that has to be read.

        What is read of them is the same whatever the name, so it is remembered.
        """
        match = _HEAD(text, pos)
        if match is None:
            return frozenset()
        head = f"{match[1]}x{match[2]}"
        found = self._heads.get(head)
        if found is None:
            if len(self._heads) == _MOST_CALLS:
                self._heads.clear()
            bare = BareJson(self, 0, NO_TOOLS, False)
            found = self._heads[head] = bare.owners if bare.read(head, 0, False) is Answer.YES else frozenset()
        return found


@lru_cache(maxsize=4)
def shapes_of(known: Index) -> Shapes:
    """The shapes of the bare JSON of all dialects that are `known`."""
    return Shapes(known)


def _listed(shape: Shape) -> Shape:
    """`shape` without arguments that are just keys beside the name: any record might be such a call."""
    match shape:
        case Obj(fields):
            fields = tuple(msgspec.structs.replace(field, shape=_listed(field.shape)) for field in fields)
            return msgspec.structs.replace(shape, fields=fields, rest=False)
        case OneOf(shapes):
            return OneOf(tuple(map(_listed, shapes)))
        case Many(inner):
            return Many(_listed(inner))
        case _:
            return shape


def _parts(shape: Shape) -> Iterator[Shape]:
    yield shape
    match shape:
        case Obj(fields):
            for field in fields:
                yield from _parts(field.shape)
        case OneOf(shapes):
            for one in shapes:
                yield from _parts(one)
        case Many(inner) | Keyed(inner):
            yield from _parts(inner)


def _says(option: Shape, call: OpenCall) -> bool:
    """True when `option` has the name and the arguments of `call` where they are."""
    if not isinstance(option, Obj):
        return False
    found = [holes(field.shape) & _NEEDED for field in option.fields if any(key in call.keys for key in field.keys)]
    arguments = HoleKind.ARGUMENTS_TEXT if call.coded else HoleKind.ARGUMENTS
    return frozenset().union(*found) == {HoleKind.NAME, arguments}


def _alternatives(shape: Shape) -> tuple[Shape, ...]:
    return shape.shapes if isinstance(shape, OneOf) else (shape,)


class BareJson:
    """One value, from character `at` on, read as far as it takes to know whether it may be a call."""

    __slots__ = (
        "_broken",
        "_call",
        "_guesses",
        "_owners",
        "_read",
        "_reader",
        "_shapes",
        "_told",
        "_tools",
        "at",
        "end",
    )

    def __init__(self, shapes: Shapes, at: int, tools: ToolSchemas, guesses: bool) -> None:
        """What is broken is a call only if it `guesses`."""
        self._shapes, self.at, self._guesses = shapes, at, guesses
        self.end = at
        """Where it ends, when it is none."""
        self._tools = tools
        self._owners: frozenset[str] = frozenset()  # where its first keys told
        self._read = 0
        self._reader: JsonReader | None = None  # made when it is needed
        self._broken: Broken | None = None
        self._call: OpenCall | None = None  # as it was when it was `_told` that it is one
        self._told = False

    def _tell(self, event: ShapeEvent) -> None:  # noqa: ARG002  # what is open tells enough
        assert self._reader is not None
        if not self._told:
            self._call = self._reader.open_call or self._call
            self._told = self._reader.called

    @property
    def broken(self) -> bool:
        """It is not JSON."""
        return self._broken is not None

    @property
    def owners(self) -> frozenset[str]:
        """The dialects that write the call like this, as far as it has been read, where it is one beyond doubt."""
        return self._owners if self._call is None else self._shapes.owners(self._call)

    def look(self, text: str, start: int, final: bool) -> Answer:
        """May `text[start:]`, which begins at `at`, be a call?"""
        if not self._read and (owners := self._shapes.heads(text, start)):
            self._owners = owners
            return Answer.YES
        return self.read(text, start, final)

    def read(self, text: str, start: int, final: bool) -> Answer:
        """The same, of what is no common beginning."""
        reader, at = self._reader, self.at
        if reader is None:
            reader = self._reader = JsonReader(self._shapes.shape, self._tell, tools=self._tools, exact=True)
        if self._broken is None:
            if not self._read and (end := self._nameless(text, start)):
                self.end = at + end - start
                return Answer.NO
            try:
                self._read = reader.feed(text, start + self._read, at - start, final) - start
            except Broken as broken:
                self._broken = broken
            if reader.called:
                return Answer.YES
            if self._broken is None:
                self.end = at + (self._read if reader.done else len(text) - start)
                if final and not reader.done and reader.broken_off(self._tools):
                    return Answer.YES
                return Answer.NO if reader.done or final else WAIT
        self.end = max(self._broken.resume, at + 1)
        if self._broken.limit or not self._guesses:
            return Answer.NO
        answer = guess(text[start : start + _BEGINNING], keys_of(self._shapes.shape))
        if answer is Guess.MORE and not final:
            return WAIT
        return Answer.YES if answer is Guess.YES else Answer.NO

    def _nameless(self, text: str, start: int) -> int:
        """Where the value ends, when it is there as a whole and nothing in it can be the name of a tool; else 0."""
        near = text.find("}", start, start + _MAX_UNCLOSED)
        if near < 0 or self._shapes.naming.search(text, start, near) is not None:
            return 0
        whole = complete(text, start, False)
        return 0 if whole is None or self._shapes.naming.search(text, near, whole[1]) is not None else whole[1]

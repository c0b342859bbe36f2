"""The calls in one JSON value: which parts of its shape the objects, lists and scalars in it are.

The reader tells of each as it comes; what the shape asks for goes to the sink.
"""

from __future__ import annotations

from collections.abc import Collection

from toolect.engine.json_lexemes import match_name
from toolect.engine.json_shape import (
    SKIP,
    Frame,
    Options,
    is_arguments,
    is_unit,
    items,
    objects,
    options,
    takes_list,
    takes_object,
    takes_scalar,
)
from toolect.engine.json_sink import Sink
from toolect.ir import Json, RepairKind
from toolect.spec.model import Const, Hole, HoleKind, Shape


class Calls:
    """The call that is open, and the alternatives that are left for the value that comes next.

    `called` says that what has been read can only be a call: its name is one of `tools` or looks like a tool's, its
    constants are there, and its arguments have begun as an object does.
    """

    __slots__ = ("_argued", "_good", "_leads", "_name", "_options", "_tools", "_unit", "called", "sink", "stack")

    def __init__(self, root: Shape, sink: Sink, tools: Collection[str]) -> None:
        self.called = False
        self.sink = sink
        self.stack: list[Frame] = []  # the objects and lists that are open, those in arguments too
        self._tools = tools
        self._options: Options = options(root)  # what the value may be
        self._unit: Frame | None = None  # the open call
        self._name = ""  # its name
        self._leads = False  # which is its first key
        self._argued = False  # its arguments have begun
        self._good = False  # as arguments do

    # Values

    def value(self, at: int, key: str, key_at: int) -> bool:
        """A value starts at `at`, in an object that of `key` at `key_at`: True when it is the call's arguments."""
        if self.stack:
            frame = self.stack[-1]
            self._options, is_name = frame.at(key) if frame.is_object else (frame.options, False)
            if is_name:
                self._fill(HoleKind.NAME, key, key_at, key_at)
        if not any(map(is_arguments, self._options)):
            return False
        if self.stack:
            self._begin_unit()
        if self._argued:
            self.sink.note(RepairKind.DUPLICATE_KEY, at, "the first arguments count")
            self._options = SKIP
            return False
        self._argued = True
        return True

    @property
    def wanted(self) -> bool:
        """True when the shape has something for the scalar that begins."""
        return any(isinstance(shape, Hole | Const) for shape in self._options)

    def scalar(self, key: str, value: Json, start: int, end: int) -> None:
        """A string, number or word outside of arguments is complete: characters `start:end`."""
        frame = self.stack[-1] if self.stack else None
        if frame is None or not frame.is_object:
            return
        found, wrong = frame.narrow(key, takes_scalar(value))
        if wrong:
            self._misfit(frame, wrong, start)
        hole = next((shape for shape in found if isinstance(shape, Hole)), None)
        if hole is not None:
            self._fill(hole.kind, value, start, end)
        self.judge()

    def open(self, is_object: bool, at: int, key: str, key_at: int) -> None:
        """An object or list outside of arguments opens at `at`."""
        kinds, swapped = self._kinds(is_object, key, key_at)
        frame = Frame(is_object, kinds, at)
        if is_object and self._unit is not None:
            frame.owner = self._unit if self.stack[-1].owner is self._unit else None
        elif is_object:
            above = self.stack[-1].owner if self.stack else None
            frame.owner = above or (frame if any(map(is_unit, kinds)) else None)
        self.stack.append(frame)
        if frame.owner is frame and all(map(is_unit, kinds)):
            self._begin_unit()
        if swapped:
            self.sink.note(RepairKind.LIST, at, "one call for a list" if is_object else "a list for one call")

    def _kinds(self, is_object: bool, key: str, key_at: int) -> tuple[Options, bool]:
        """What the object that begins, or an item of the list, may be; True when, at the root, one is for the other."""
        takes = takes_object if is_object else takes_list
        above = self.stack[-1] if self.stack else None
        if above is None:
            found = objects(self._options) if is_object else items(self._options)
            if found:
                return found, False
            found = objects(items(self._options) if is_object else self._options)
            return found, bool(found)
        found = self._options
        if above.is_object:
            found, wrong = above.narrow(key, takes)
            if wrong:
                self._misfit(above, wrong, key_at)
        return objects(found) if is_object else items(found), False

    def close(self, frame: Frame, end: int) -> None:
        """The call `frame` closed: what it has instead of arguments counts as such."""
        if frame is not self._unit:
            return
        if self._name and not self._argued and frame.complete():
            named = frame.named() if self._leads else None
            self.called = self.called or named is not None or self._name in self._tools
            if named is not None:
                self.sink.rest(frame.start, end, named)
        self._unit = None
        self._argued = False
        self.sink.unit_end(end)

    # The open call

    def _begin_unit(self) -> None:
        """What is read belongs to a call: that begins now, unless it has begun."""
        owner = self.stack[-1].owner
        if owner is None or owner.begun:
            return
        owner.begun = True
        self._unit = owner
        self._name, self._leads, self._argued, self._good = "", False, False, False
        self.sink.unit(owner.start)
        if owner.identity is not None:
            self.sink.hole(HoleKind.ID, owner.identity, owner.start, owner.start)

    def _misfit(self, frame: Frame, wrong: str, at: int) -> None:
        """A constant is another one than the shape has."""
        if frame.owner is not None and frame.owner is self._unit:
            self.sink.misfit(at, wrong)

    def _fill(self, kind: HoleKind, value: Json, start: int, end: int) -> None:
        owner = self.stack[-1].owner
        if kind is HoleKind.ID and owner is not None and not owner.begun:
            owner.identity = owner.identity or value  # of what may be no call
            return
        if kind is HoleKind.NAME:
            self._begin_unit()
        if kind is HoleKind.NAME and not self._name and isinstance(value, str) and self._names_tool(value):
            frame = self.stack[-1]
            self._name, self._leads = value, frame is frame.owner and len(frame.keys) == 1
        self.sink.hole(kind, value, start, end)

    def _names_tool(self, value: str) -> bool:
        """True for what may be the name of a tool: no text with blanks, unless there is such a tool."""
        return value in self._tools or match_name(value) is not None

    # Its arguments

    def encoded(self) -> None:
        """The arguments are a string."""
        self._good = Hole(HoleKind.ARGUMENTS_TEXT) in self._options
        self.judge()

    def begun(self, text: str) -> None:
        """The arguments' JSON text begins with `text`; `null` stands for none."""
        if text == "null":
            self._good = True
        elif not self._good:
            self._good = text.lstrip().startswith("{")
            self.judge()

    def odd(self, encoded: bool) -> str:
        """What the arguments came as, when the shape has them the other way: a string with JSON in it, or not."""
        if any(isinstance(s, Hole) and (s.kind is HoleKind.ARGUMENTS_TEXT) is encoded for s in self._options):
            return ""
        return "a JSON string" if encoded else "an object"

    def judge(self) -> None:
        """Is it a call by now?"""
        if self._name and self._good and self._unit is not None and self._unit.complete():
            self.called = True

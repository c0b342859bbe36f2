"""The calls in one JSON value: which parts of its shape the objects, lists and scalars in it are.

Whoever reads the value tells of each in order: a JsonReader as it arrives, `whole` of a value that is there. Long, for
one reader: every part changes the same stack of frames.
"""

from __future__ import annotations

from toolect._message import Json, RepairKind
from toolect._shapes.narrowing import LIST, NOWHERE, OBJECT, SCALAR, root_of
from toolect._shapes.shape_events import CallBegins, CallEnds, Emit, Filled, Misfit, MisplacedArguments, Repaired, Rest
from toolect._shapes.shape_frame import ShapeFrame
from toolect._spec.shape_model import HoleKind, Shape
from toolect._values.json_lexemes import match_name
from toolect._values.toolset import ToolSchemas

BESIDE = frozenset(("id", "type", "index", "call_id", "tool_call_id"))
"""Members that formats put beside the name of a call, and that are no arguments."""


class ShapeReader:
    """The call that is open, and the alternatives that are left for the value that comes next.

    `called` says that what has been read can only be a call: its name is one of `tools` or looks like a tool's, its
    constants are there, and its arguments have begun as an object does.
    """

    __slots__ = (
        "called", "emit", "place", "stack",
        "_argued", "_argued_as", "_exact", "_good", "_key", "_key_at", "_leads", "_name", "_root", "_tools",
        "_unit",
    )  # fmt: skip

    def __init__(self, root: Shape, emit: Emit, tools: ToolSchemas, exact: bool) -> None:
        self.called = False
        self.emit = emit
        self.stack: list[ShapeFrame] = []  # the objects and lists that are open, those in arguments too
        self._tools, self._exact = tools, exact
        self.place = self._root = root_of(root)  # what the value may be
        self._key = ""  # of the member that comes
        self._key_at = 0
        self._unit: ShapeFrame | None = None  # the open call
        self._name = ""  # its name
        self._leads = False  # which is its first key
        self._argued = False  # its arguments have begun
        self._argued_as = ""  # under this key
        self._good = False  # as arguments do

    # Values

    def _meant(self, frame: ShapeFrame, key: str) -> str:
        """The key of the shape that `key` spells otherwise, and that has not come; none where it may be an argument."""
        meant = "" if self._exact else frame.members.meant(key)
        if not meant or meant in frame.keys:
            return ""
        if frame.members.named is None:
            return meant
        place = frame.members.at(meant)[0]
        if not place.arguments and place.hole is not HoleKind.NAME:
            return ""
        return "" if key in self._tools.of(self._name).names else meant

    def _rename(self, frame: ShapeFrame, key: str, at: int) -> None:
        """The key at `at` stands for one of the shape."""
        frame.others.append(key)
        found, owner = Repaired(RepairKind.SHAPE, at, key), frame.owner
        if owner is not None:
            owner.renamed.append(found)
        if owner is None or owner.begun:
            self.emit(found)  # of a call that has not begun it is noted when it does

    def key(self, key: str, at: int) -> None:
        """The key of the next member, at `at`."""
        frame = self.stack[-1]
        if key not in frame.members.keys and (meant := self._meant(frame, key)):
            self._rename(frame, key, at)
            key = meant
        self._key, self._key_at = key, at
        frame.keys.append(key)

    def value(self, at: int) -> bool:
        """A value starts at `at`: True when it is the call's arguments."""
        if self.stack:
            frame = self.stack[-1]
            if frame.is_object:
                self.place, is_name = frame.members.at(self._key)
                if is_name:
                    self._fill(HoleKind.NAME, self._key, self._key_at, self._key_at)
            else:
                self.place = frame.item
        if not self.place.arguments:
            return False
        if self.stack:
            self._begin_unit()
        if self._argued:
            again = self._key == self._argued_as
            twice = Repaired(RepairKind.DUPLICATE_KEY, at, "the first arguments count")
            self.emit(twice if again else Misfit(at, "the arguments of one call"))
            self.place = NOWHERE
            return False
        self._argued, self._argued_as = True, self._key
        return True

    @property
    def unwanted(self) -> bool:
        """True when the shape has no place for the value that begins, whatever it is, beside others that it has."""
        return not self.place.options and bool(self.stack) and bool(self.stack[-1].members.options)

    def stray(self, at: int, is_object: bool) -> None:
        """The value at `at` is one that the shape has no place for."""
        frame = self.stack[-1]
        frame.strange = True
        frame.hidden = frame.hidden or is_object
        if frame.owner is not None and self._key not in BESIDE:
            frame.owner.beside.append(self._key)
        if frame.lost < 0 and (is_object or self._key not in BESIDE):
            frame.lost = at

    def no_call(self, at: int) -> None:
        """The value at `at` is a string, number or word: in a list of calls it stands where one should."""
        frame = self.stack[-1] if self.stack else None
        if frame is not None and not frame.is_object and frame.lost < 0 and self._unit is None:
            frame.lost = at if self.place.object.units else -1

    def scalar(self, value: Json, start: int, end: int) -> None:
        """A string, number or word outside of arguments is complete: characters `start:end`."""
        frame = self.stack[-1] if self.stack else None
        if frame is None or not frame.is_object:
            return
        step = frame.members.step(self._key, SCALAR, value)
        frame.members = step.members
        if step.wrong:
            self._misfit(frame, step.wrong, start)
        if step.place.unclear:
            self._tell(frame)
            frame.untold = self._key, value, start, end
        elif step.place.hole is not None:
            self._fill(step.place.hole, value, start, end)
        self.judge()

    def open(self, is_object: bool, at: int) -> None:
        """An object or list outside of arguments opens at `at`."""
        place, above = self.place, self.stack[-1] if self.stack else None
        if above is not None and above.is_object:
            step = above.members.step(self._key, OBJECT if is_object else LIST)
            above.members, place = step.members, step.place
            if step.wrong:
                self._misfit(above, step.wrong, self._key_at)
        members, item, swapped = NOWHERE.object, NOWHERE, ""
        if is_object:
            members = place.object
            if above is None and not members.options:
                members, swapped = place.item.object, "one call for a list"
        else:
            item = place.item
            if not item.options and (above is None or not above.is_object):
                item, swapped = place.lone, "a list for one call"
        frame = ShapeFrame(is_object, members, item, at)
        if is_object and self._unit is not None:
            frame.owner = self._unit if above is not None and above.owner is self._unit else None
        elif is_object:
            frame.owner = above and above.owner or (frame if members.units else None)
        self.stack.append(frame)
        if frame.owner is frame and members.sure:
            self._begin_unit()
        if swapped and (members.options or item.options):
            self.emit(Repaired(RepairKind.LIST, at, swapped))

    def close(self, end: int) -> None:
        """The innermost object or list closed. What a call has instead of arguments counts as such."""
        self._tell(self.stack[-1])
        frame, unit = self.stack.pop(), self._unit
        if frame is not unit:
            if unit is not None and frame.owner is unit and frame.lost >= 0 > unit.lost:
                unit.lost, unit.hidden, unit.losing = frame.lost, frame.hidden, (frame.start, end)
            if frame.called and frame.lost >= 0:
                self.emit(Repaired(RepairKind.SHAPE, frame.lost, "no call"))
            return
        if self.stack:
            self.stack[-1].called = not self.stack[-1].is_object
        if self._name and not self._argued and frame.members.complete:
            named = frame.members.named if self._leads else None
            if named is not None and (frame.keys[0] not in named or named.issuperset(frame.keys)):
                named = None  # there are no others, or it was no key of this alternative
            bare = self._name in self._tools and (frame.lost < 0 or frame.hidden)
            self.called = self.called or named is not None or bare
            declared = self._tools.of(self._name).names
            if (
                named is not None
                and frame.hidden
                and any(key not in declared and frame.members.is_near(key) for key in frame.keys)
            ):
                self.emit(Misfit(frame.lost, "the arguments under a key of the dialect"))
            elif named is not None:
                self.emit(Rest(frame.start, end, named.union(frame.others)))
            elif frame.lost >= 0:
                start, after = frame.losing if frame.losing[0] >= 0 else (frame.start, end)
                self.emit(MisplacedArguments(start, after, frame.lost))
        beside = tuple(frame.beside) if self._argued else ()
        self._unit = None
        self._argued = False
        self.emit(CallEnds(end, frame.strange, beside))

    # The open call

    def _begin_unit(self) -> None:
        """Begin the call that what is read belongs to, unless it has begun."""
        owner = self.stack[-1].owner
        if owner is None or owner.begun:
            return
        owner.begun = True
        self._unit = owner
        self._name, self._leads, self._argued, self._good = "", False, False, False
        self.emit(CallBegins(owner.start))
        for renamed in owner.renamed:
            self.emit(renamed)
        if owner.identity is not None:
            self.emit(Filled(HoleKind.ID, owner.identity, owner.start, owner.start))

    def _misfit(self, frame: ShapeFrame, wrong: str, at: int) -> None:
        """A constant is another one than the shape has."""
        if frame.owner is not None and frame.owner is self._unit:
            self.emit(Misfit(at, wrong))

    def _tell(self, frame: ShapeFrame) -> None:
        """Tell the text that waits in the object, now that all its constants have come."""
        if frame.untold is not None:
            (key, value, start, end), frame.untold = frame.untold, None
            hole = frame.members.step(key, SCALAR, value).place.hole
            if hole is not None:
                self._fill(hole, value, start, end)

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
        self.emit(Filled(kind, value, start, end))

    def _names_tool(self, value: str) -> bool:
        """True for what may be the name of a tool: no text with blanks, unless there is such a tool."""
        return value in self._tools or match_name(value) is not None

    # Its arguments

    def encoded(self) -> None:
        """The arguments are a string."""
        self._good = self.place.as_text
        self.judge()

    def begun(self, text: str) -> None:
        """The arguments' JSON text begins with `text`; `null` stands for none."""
        if text == "null":
            self._good = True
        elif not self._good:
            self._good = text.lstrip().startswith("{")
            self.judge()

    def odd(self, encoded: bool) -> str:
        """The form of the arguments, where the shape has the other one: a string with JSON in it, or an object."""
        if self.place.as_text if encoded else self.place.as_value:
            return ""
        return "a JSON string" if encoded else "an object"

    def judge(self) -> None:
        """Is it a call by now?"""
        unit = self._unit
        if self._name and self._good and unit is not None and unit.members.complete:
            self.called = self.called or not unit.renamed or self._is_sure(unit)

    def _is_sure(self, unit: ShapeFrame) -> bool:
        """True when a call with a key that is spelled otherwise is one for sure: data has such keys as well."""
        return self._name in self._tools if self._tools else len(unit.renamed) == 1

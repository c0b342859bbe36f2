"""A JSON shape as regular expressions around the arguments, for text that has the keys in the shape's order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from toolect.compile.symbols import Field
from toolect.engine.json_lexemes import MAX_DEPTH, doubled, scan_once, shallow
from toolect.engine.json_shape import TEXTS, options
from toolect.ir import Call, Content, Json, Segment, dumps
from toolect.spec.holes import holes
from toolect.spec.model import Const, Hole, HoleKind, Many, Obj, Role, Shape
from toolect.spec.model import Field as ShapeField

_S = r"[ \t\n\r]*"
_STRING = r'"([^"\\\x00-\x1f]+)"'
_NAME = r'"([^"\\\x00-\x1f\s]+)"'
Matcher = Callable[[str, int], "re.Match[str] | None"]


class JsonPlan:
    """What stands before and after the arguments of one call; `many` when calls stand in a list."""

    __slots__ = (
        "encoded", "head", "head_groups", "id_group", "id_in_head", "many", "match_head", "more", "name_group", "said",
        "tail",
    )  # fmt: skip

    def __init__(
        self, unit: Unit | None, prefix: str = "", suffix: str = "", many: bool = False, said: bool = False
    ) -> None:
        self.many = many
        self.said = int(said)  # the prefix has a group of its own: the content
        if unit is None:
            self.head, self.head_groups, self.name_group = "", 0, 0
            self.tail: Matcher | None = None
            self.id_group, self.id_in_head, self.encoded = 0, False, False
            return
        self.head = f"{prefix}(){unit.head}"  # the empty group marks where the call begins
        before = self.said + 1
        self.head_groups = before + unit.groups
        self.name_group = before + unit.name_group
        self.id_group = unit.id_group + (before if unit.id_in_head else 0)
        self.id_in_head = unit.id_in_head
        self.encoded = unit.encoded
        self.match_head: Matcher = re.compile("()" * before + unit.head).match
        self.tail = re.compile(unit.tail + ("" if many else suffix)).match
        self.more: Matcher = re.compile(f"{_S}(?:,{_S}|(\\]{suffix}))").match

    def value(self, text: str, pos: int) -> tuple[dict[str, Json], int, str] | None:
        """The arguments at `pos`, where they end, and their text; None when they are not as expected."""
        try:
            value, end = scan_once(text, pos)
            spelling = text[pos:end]
            if self.encoded:
                if type(value) is not str or value[:1] != "{":
                    return None
                spelling = value
                value, stop = scan_once(spelling, 0)
                if stop != len(spelling):
                    return None
        except (ValueError, StopIteration):
            return None
        if type(value) is not dict:
            return None
        if len(spelling) > MAX_DEPTH and not shallow(value) or doubled(spelling, value):
            return None
        return value, end, spelling

    def read_many(self, text: str, match: re.Match[str], first: int, segments: list[Segment]) -> int:
        """Read the calls of a list; `match` is the first one's head, group `first` its name. The list's end, or -1."""
        assert self.tail is not None
        head, name_group, id_group = match, first, first - self.name_group + self.id_group
        shift = first - self.name_group
        start = match.end(shift + self.said + 1)
        if self.said and match[shift + 1]:
            at, end = match.span(shift + 1)
            segments.append(Content(match[shift + 1], (at - 1, end + 1)))
        while True:
            pos = head.end()
            found = self.value(text, pos)
            if found is None:
                return -1
            value, end, spelling = found
            tail = self.tail(text, end)
            if tail is None:
                return -1
            identity = None
            if self.id_group:
                identity = head[id_group] if self.id_in_head else tail[1]
            pos = tail.end()
            segments.append(Call(head[name_group], value, identity, spelling, text[start:pos], (start, pos)))
            more = self.more(text, pos)
            if more is None:
                return -1
            pos = more.end()
            if more[1]:
                return pos
            again = self.match_head(text, pos)
            if again is None:
                return -1
            head, start, name_group, id_group = again, pos, self.name_group, self.id_group


class Unit(NamedTuple):
    """The expressions before and after the arguments of one call."""

    head: str
    tail: str
    groups: int
    name_group: int
    id_group: int
    id_in_head: bool
    encoded: bool


class NotSimple(Exception):
    """The shape has more freedom than these expressions."""


def json_plan(field: Field) -> JsonPlan | None:
    """The plan for the JSON slot of `field`, or None when its shape is not of the simple kind."""
    shape: Shape = field.shape or Hole(HoleKind.ARGUMENTS)
    shape = options(shape)[0]
    outside = holes(shape, in_lists=False)
    if HoleKind.NAME in outside and not outside.isdisjoint(TEXTS):
        return None
    if field.role is Role.VALUE:
        return None
    if shape == Hole(HoleKind.ARGUMENTS):
        return JsonPlan(None)
    try:
        if isinstance(shape, Many):
            return JsonPlan(_unit(shape.item), f"\\[{_S}", "", many=True)
        if isinstance(shape, Obj) and any(isinstance(f.shape, Many) for f in shape.fields):
            return _wrapped(shape)
        return JsonPlan(_unit(shape))
    except NotSimple:
        return None


def _wrapped(shape: Obj) -> JsonPlan:
    """The plan for an object whose last field is the list of calls."""
    *before, last = (field for field in shape.fields if field.written)
    if not isinstance(last.shape, Many):
        raise NotSimple
    fields = "".join(_key(f, i) + _fixed(f) for i, f in enumerate(before))
    said = sum(f.shape == Hole(HoleKind.CONTENT) for f in before)
    if said > 1:
        raise NotSimple
    prefix = f"\\{{{fields}{_key(last, len(before))}\\[{_S}"
    return JsonPlan(_unit(last.shape.item), prefix, f"{_S}\\}}", many=True, said=bool(said))


def _fixed(field: ShapeField) -> str:
    match field.shape:
        case Const(value):
            return re.escape(dumps(value))
        case Hole(HoleKind.CONTENT):
            return r'(?:null|"([^"\\\x00-\x1f]*)")'
        case Hole(HoleKind.REASONING):
            return "null"
    raise NotSimple


def _key(field: ShapeField, i: int) -> str:
    keys = "|".join(re.escape(dumps(k)) for k in field.keys)
    return f"{_S}{',' if i else ''}{_S}(?:{keys}){_S}:{_S}"


class _Writer:
    """Collects the expressions of a unit while its shape is walked."""

    def __init__(self) -> None:
        self.head, self.tail = "", ""
        self.groups = self.name = self.id = 0
        self.id_in_head = self.encoded = self.argued = False

    def put(self, text: str) -> None:
        if self.argued:
            self.tail += text
        else:
            self.head += text

    def walk(self, shape: Shape) -> None:
        match shape:
            case Obj(fields, rest):
                if rest:
                    raise NotSimple
                self.put(r"\{")
                lead = 0
                for field in (field for field in fields if field.written):
                    if field.shape == Hole(HoleKind.ID) and field.optional:
                        self.identity(field, first=not lead)
                        continue
                    self.put(_key(field, lead))
                    lead += 1
                    self.walk(field.shape)
                self.put(_S + r"\}")
            case Hole(HoleKind.NAME) if not self.argued:
                self.groups += 1
                self.name = self.groups
                self.put(_NAME)
            case Hole(HoleKind.ARGUMENTS | HoleKind.ARGUMENTS_TEXT as kind) if not self.argued:
                self.argued, self.encoded = True, kind is HoleKind.ARGUMENTS_TEXT
            case Const(value):
                self.put(re.escape(dumps(value)))
            case _:
                raise NotSimple

    def identity(self, field: ShapeField, first: bool) -> None:
        """An id that may be missing: with the comma on the side where the other fields are."""
        if self.argued:
            self.id = 1
        else:
            self.groups += 1
            self.id, self.id_in_head = self.groups, True
        key = _key(field, 0)
        self.put(f"(?:{key}{_STRING}{_S},)?" if first else f"(?:{_S},{key}{_STRING})?")


def _unit(shape: Shape) -> Unit:
    writer = _Writer()
    writer.walk(shape)
    if not writer.argued or not writer.name:
        raise NotSimple
    return Unit(writer.head, writer.tail, writer.groups, writer.name, writer.id, writer.id_in_head, writer.encoded)

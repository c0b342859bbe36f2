"""Shaped JSON: the calls in one JSON value, member by member along the shape of the dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from toolect._graph.node import Node
from toolect._message import Call, Content, Json, Reasoning, Segment, dumps
from toolect._search.json_ends import closed_before_marker, member_follows, signs_after
from toolect._shapes.alternatives import is_unit
from toolect._spec.holes import holes
from toolect._spec.shape_model import TEXTS, Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape
from toolect._values.json_lexemes import complete, members, scan_once

_KEY: Final = re.compile(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*').match
_AFTER: Final = re.compile(r"[ \t\n\r]*([,}\]])[ \t\n\r]*").match
_BLANK: Final = r"[ \t\n\r]*"
_NAME_GROUP: Final = r'"(?P<name>[^"\\\x00-\x1f\s]+)"'
_ID_GROUP: Final = r'"(?P<id>[^"\\\x00-\x1f]*)"'
_BEGIN: Final = re.compile(r"[ \t\n\r]*").match
_KEY_END: Final = re.compile(r'(?:[^"\\]|\\.)*"[ \t\n\r]*:', re.DOTALL).match
_NAME: Final = re.compile(r"\S+\Z").match


_scan: Callable[[str, int], tuple[Json, int]] = scan_once


class FoundCall(NamedTuple):
    """The one call in a value: where that ends, what it says, the text of its arguments."""

    end: int
    name: str
    arguments: dict[str, Json]
    id: str | None
    spelling: str


def _spelling(shape: Obj) -> tuple[str, str]:
    """Expressions for a call before and after its arguments, in the order of the shape; nothing after it: of none."""
    before, after, met = [r"\{"], list[str](), False
    for member in shape.fields:
        key, inner = f'"(?:{"|".join(map(re.escape, member.keys))})"{_BLANK}:{_BLANK}', ("", "")
        match member.shape:
            case Const(value):
                part = re.escape(dumps(value))
            case Hole(HoleKind.NAME) if not member.optional:
                part = _NAME_GROUP
            case Hole(HoleKind.ID):
                part = _ID_GROUP
            case Hole(HoleKind.ARGUMENTS) if not met:
                part, inner = "", (key, _BLANK)
            case Obj() as other if not met and (inner := _spelling(other))[1]:
                part, inner = "", (key + inner[0], inner[1])
            case _ if member.optional:
                continue
            case _:
                return "", ""
        if inner[1]:
            met = True
            before.append(inner[0])
            after.append(inner[1])
        elif member.written or not member.optional:
            part = f"{_BLANK},{_BLANK}{key}{part}" if met else f"{key}{part}{_BLANK},{_BLANK}"
            (after if met else before).append(f"(?:{part})?" if member.optional else part)
    return _BLANK.join(before), "".join(after) + _BLANK + r"\}" if met else ""


class _Object:
    """An object of a shape: its keys, and those that must come; how a call is written up to its arguments and after."""

    __slots__ = ("_id_after", "_id_before", "after", "before", "fields", "needed", "unit")

    def __init__(self, shape: Obj) -> None:
        self.fields = {key: member.shape for member in shape.fields for key in member.keys}
        self.needed = [frozenset(member.keys) for member in shape.fields if not member.optional]
        self.unit = is_unit(shape)
        before, after = _spelling(shape) if self.unit else ("", "")
        self.before = re.compile(before + _BLANK) if _NAME_GROUP in before and after else None
        self.after = re.compile(_BLANK + after)
        self._id_before, self._id_after = _ID_GROUP in before, _ID_GROUP in after

    def usual(self, text: str, pos: int) -> FoundCall | None:
        """The call at `text[pos]`, if it is written as most are."""
        head = None if self.before is None else self.before.match(text, pos)
        found = None if head is None else members(text, head.end())
        tail = None if found is None else self.after.match(text, found[1])
        if head is None or found is None or tail is None:
            return None
        identity = head["id"] if self._id_before else tail["id"] if self._id_after else None
        return FoundCall(tail.end(), head["name"], found[0], identity, text[head.end() : found[1]])


class _Unit:
    """A call so far."""

    __slots__ = ("arguments", "id", "name", "spelling")

    def __init__(self) -> None:
        self.name, self.spelling = "", ""
        self.id: str | None = None
        self.arguments: dict[str, Json] | None = None


class JsonCallReader:
    """Takes the JSON at a node, in whatever order of keys and with whatever blanks. Two members of it are no call's."""

    __slots__ = ("_bare", "_first", "_objects", "_over", "_shape", "_usual", "_words", "named")

    def __init__(self, node: Node) -> None:
        self._shape: Shape = node.json_field().shape or Hole(HoleKind.ARGUMENTS)
        self._bare = self._shape == Hole(HoleKind.ARGUMENTS)
        self.named = HoleKind.NAME in holes(self._shape)
        """The name of a call is in the value."""
        words = sorted({*node.graph.long_openers, *signs_after(node)}, key=len, reverse=True)
        self._words = re.compile("|".join(map(re.escape, words)) or "(?!)")
        self._over = node.made(closed_before_marker)
        first = {word[0] for word in words}
        self._first = [_shared([word for word in words if word[0] == sign]) for sign in sorted(first)]
        self._objects: dict[int, _Object] = {}
        shapes = self._shape.shapes if isinstance(self._shape, OneOf) else (self._shape,)
        self._usual = [plan for one in shapes if isinstance(one, Obj) and (plan := self._plan(one)).before is not None]

    def take(self, text: str, pos: int, segments: list[Segment]) -> int:
        """Append the calls and texts in the value at `text[pos]`; where it ends, -1 where it is none of these."""
        count = len(segments)
        try:
            end = self._value(text, pos, self._shape, None, segments)
        except (ValueError, StopIteration, RecursionError):
            return -1
        called = end >= 0 and any(type(one) is Call for one in segments[count:])
        return end if called and not self.marked(text, pos, end) else -1

    def one(self, text: str, pos: int) -> FoundCall | None:
        """The one call that the value at `text[pos]` is, or the arguments of one, where they have no name."""
        if self._bare:
            found = members(text, pos)
            if found is None or self.marked(text, pos, found[1]):
                return None
            return FoundCall(found[1], "", found[0], None, text[pos : found[1]])
        for plan in self._usual:
            if (one := plan.usual(text, pos)) is not None:
                return None if self.marked(text, pos, one.end) else one
        segments: list[Segment] = []
        end = self.take(text, pos, segments)
        if end < 0 or len(segments) != 1 or not isinstance(call := segments[0], Call):
            return None
        return FoundCall(end, call.name, call.arguments, call.id, call.arguments_text)

    def marked(self, text: str, pos: int, end: int) -> bool:
        """True when what might end the value, or begin a call, stands in it, or when another member comes after it."""
        if member_follows(text, end):
            return True
        for sign in self._first:  # in place of `any`: most calls get here
            if text.find(sign, pos, end) >= 0:
                break
        else:
            return False
        there = [match.start() for match in self._words.finditer(text, pos, end)]
        if there and self._over is not None and self._over.search(text, pos, end) is not None:
            return True
        return any(_KEY_END(text, at, end) is not None for at in there)

    def _value(self, text: str, pos: int, shape: Shape, unit: _Unit | None, segments: list[Segment]) -> int:
        if isinstance(shape, OneOf):
            for one in shape.shapes:
                count, kept = len(segments), _Unit()
                end = self._value(text, pos, one, unit and kept, segments)
                if end >= 0:
                    if unit is not None:
                        _merge(unit, kept)
                    return end
                del segments[count:]
            return -1
        if isinstance(shape, Obj):
            return self._object(text, pos, shape, unit, segments) if text.startswith("{", pos) else -1
        if isinstance(shape, Keyed):
            return self._keyed(text, pos, shape, segments) if unit is None and text.startswith("{", pos) else -1
        if isinstance(shape, Many):
            return self._list(text, pos, shape, segments) if unit is None and text.startswith("[", pos) else -1
        if isinstance(shape, Const):
            value, end = _scan(text, pos)
            return end if value == shape.value and type(value) is type(shape.value) else -1
        return self._hole(text, pos, shape.kind, unit, segments) if isinstance(shape, Hole) else -1

    def _hole(self, text: str, pos: int, kind: HoleKind, unit: _Unit | None, segments: list[Segment]) -> int:
        if kind is HoleKind.ARGUMENTS:
            found = members(text, pos)
            if found is None or unit is None or unit.arguments is not None:
                return -1
            unit.arguments, unit.spelling = found[0], text[pos : found[1]]
            return found[1]
        value, end = _scan(text, pos)
        if value is None and kind is not HoleKind.NAME and kind is not HoleKind.ARGUMENTS_TEXT:
            return end
        if type(value) is not str or kind in TEXTS and unit is not None:
            return -1
        if kind is HoleKind.CONTENT or kind is HoleKind.REASONING:
            if value:
                segments.append((Content if kind is HoleKind.CONTENT else Reasoning)(value, (pos, end)))
        elif unit is None:
            return -1
        elif kind is HoleKind.ID:
            unit.id = value
        elif kind is HoleKind.NAME:
            if unit.name or _NAME(value) is None:
                return -1
            unit.name = value
        else:
            inner = members(value, 0)
            if inner is None or inner[1] < len(value) or unit.arguments is not None:
                return -1
            unit.arguments, unit.spelling = inner[0], value
        return end

    def _object(self, text: str, pos: int, shape: Obj, inner: _Unit | None, segments: list[Segment]) -> int:
        plan = self._plan(shape)
        if shape.rest:
            return -1
        if inner is None and (found := plan.usual(text, pos)) is not None:
            end, name, arguments, identity, spelled = found
            segments.append(Call(name, arguments, identity, spelled, text[pos:end], (pos, end)))
            return end
        unit = _Unit() if inner is None and plan.unit else inner
        keys: list[str] = []
        at = pos + 1
        while True:
            match = _KEY(text, at)
            if match is None or match[1] not in plan.fields or match[1] in keys:
                return -1
            keys.append(match[1])
            at = self._value(text, match.end(), plan.fields[match[1]], unit, segments)
            after = None if at < 0 else _AFTER(text, at)
            if after is None or after[1] == "]":
                return -1
            if after[1] == "}":
                break
            at = after.end()
        if any(needed.isdisjoint(keys) for needed in plan.needed):
            return -1
        end = after.start(1) + 1
        if inner is None and unit is not None:
            if not unit.name or unit.arguments is None:
                return -1
            call = Call(unit.name, unit.arguments, unit.id, unit.spelling, text[pos:end], (pos, end))
            segments.append(call)
        return end

    def _keyed(self, text: str, pos: int, shape: Keyed, segments: list[Segment]) -> int:
        match, unit = _KEY(text, pos + 1), _Unit()
        at = -1 if match is None else self._value(text, match.end(), shape.shape, unit, segments)
        after = None if at < 0 else _AFTER(text, at)
        if match is None or after is None or after[1] != "}" or unit.arguments is None or _NAME(match[1]) is None:
            return -1
        end = after.start(1) + 1
        segments.append(Call(match[1], unit.arguments, None, unit.spelling, text[pos:end], (pos, end)))
        return end

    def _plan(self, shape: Obj) -> _Object:
        plan = self._objects.get(id(shape))
        if plan is None:
            plan = self._objects[id(shape)] = _Object(shape)
        return plan

    def _list(self, text: str, pos: int, shape: Many, segments: list[Segment]) -> int:
        at = _BEGIN(text, pos + 1).end()  # type: ignore[union-attr]  # matches the empty string
        while True:
            at = self._value(text, at, shape.item, None, segments)
            after = None if at < 0 else _AFTER(text, at)
            if after is None or after[1] == "}":
                return -1
            if after[1] == "]":
                return after.start(1) + 1
            at = after.end()


def _shared(words: list[str]) -> str:
    """The common prefix of these."""
    low, high = min(words), max(words)
    return low[: next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


def _merge(unit: _Unit, more: _Unit) -> None:
    """Take over the parts of a call found in one of its members."""
    unit.name = unit.name or more.name
    unit.id = unit.id if more.id is None else more.id
    if more.arguments is not None:
        unit.arguments, unit.spelling = more.arguments, more.spelling


def plain_json(text: str, pos: int) -> tuple[Json, int] | None:
    """The JSON value of an argument at `text[pos]`, and where it ends."""
    found = complete(text, pos, True)
    return None if found is None or found[2] else (found[0], found[1])

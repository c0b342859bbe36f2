"""Arguments made to fit what is declared of them, as their JSON text comes.

A string where none is admitted becomes the value that it spells. Arguments that stand inside of one that the tool does
not have are taken out of it, and a value that is no object goes to the only parameter. Text is held back for as long as
one of these may become of it; what was passed on stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from toolect._values.schema import Schema
from toolect._values.schema_keywords import type_of
from toolect._values.text_values import NOTHING, read_json, read_typed
from toolect.message import Json, RepairKind, dumps

WRAPPERS = ("arguments", "input", "parameters", "properties")
"""Names that models give to the object of all arguments."""
MAX_WRAPPERS = 4
"""Objects of all arguments inside one another. Beyond it: they are arguments."""

_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match
_BETWEEN = re.compile(r'[^"{}\[\],:]*+').match
_MEMBER = re.compile(r'[^"{}\[\],:]*+,[ \t\r\n]*+"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:').match
"""Matches what stands before the value of a member that is not the first."""
_HEAD = re.compile(r'\{[ \t\r\n]*+(?:"([^"\\]*+)("?))?').match

_ALONE = frozenset((int, float, bool, type(None)))
"""Types of values that are never made another."""


class Change(NamedTuple):
    """What was done to the arguments, and what was found."""

    kind: RepairKind
    detail: str


def fits(schema: Schema, arguments: Json) -> bool:
    """False where `Fitting` may change something."""
    if not schema.node:
        return True
    if type(arguments) is not dict:
        return False
    if len(arguments) == 1 and (key := next(iter(arguments))) in WRAPPERS and _wraps(schema, key):
        return False
    kinds = schema.kinds
    for key, inner in arguments.items():
        kind = type(inner)
        plain = kind in _ALONE or kind is str and key in kinds and kinds[key] == "string"
        if key not in kinds and schema.meant(key):
            return False
        if not plain and not _fits(schema.member(key), inner):
            return False
    return True


def _fits(schema: Schema | None, value: Json) -> bool:
    if schema is None or type(value) is str:
        return schema is None or "string" in schema.types
    for key, inner in value.items() if type(value) is dict else enumerate(value):
        if type(key) is str and schema.meant(key):
            return False
        if type(inner) in _ALONE:
            continue
        if not _fits(schema.member(key) if type(key) is str else schema.item(key), inner):
            return False
    return True


def _wraps(schema: Schema, key: str) -> bool:
    """True when `key` may hold all arguments."""
    return key in WRAPPERS and bool(names := schema.names) and key not in names


class Fitting:
    """The JSON text of one call's arguments, by the schema of its tool."""

    __slots__ = ("_flow", "_held", "_schema", "_starts", "changes", "feed")

    def __init__(self, schema: Schema) -> None:
        self.feed: Callable[[str], str] = self._begin
        """What can be passed on after a text has come."""
        self.changes: list[Change] = []
        """What was done so far."""
        self._schema = schema
        self._starts = True  # nothing was passed on
        self._held: list[str] = []
        self._flow: _Flow | None = None

    def again(self) -> Fitting:
        """The same from the beginning."""
        return Fitting(self._schema)

    def _begin(self, text: str) -> str:
        """As `feed`, until it is known what the text begins with."""
        self._held.append(text)
        if not self._starts:
            return ""
        head = "".join(self._held).lstrip()
        match = _HEAD(head)
        if match is None:
            self._starts = not head
            waits = self._starts or self._schema.sole or head[0] == "[" and self._schema.names
            return "" if waits else self._pass_on()
        if match.end() == len(head) and not match[2]:
            if any(name.startswith(match[1] or "") for name in WRAPPERS):
                return ""
        elif match[1] is not None and _wraps(self._schema, match[1]):
            self._starts = False
            return ""
        return self._pass_on()

    def close(self) -> str:
        """The rest: nothing more will come."""
        if self._flow is not None:
            return self._flow.rest()
        text = "".join(self._held)
        value = read_json(text)
        if value is not NOTHING and (found := self._unwrapped(value, text.strip())) is not value:
            self._held = [dumps(found)]
        return self._pass_on() + self._rest()

    def _rest(self) -> str:
        return "" if self._flow is None else self._flow.rest()

    def _pass_on(self) -> str:
        self._flow = _Flow(self._schema, self.changes)
        self.feed = self._flow.feed
        return self.feed("".join(self._held))

    def _unwrapped(self, value: Json, text: str) -> Json:
        """The arguments that `value`, which is spelled `text`, holds, or is; `value` itself where that is not so."""
        schema, before = self._schema, value
        for _ in range(MAX_WRAPPERS):
            if not isinstance(value, dict) or len(value) != 1 or not _wraps(schema, key := next(iter(value))):
                break
            inner = value[key]
            if isinstance(inner, str):
                inner = read_json(inner)
            if not isinstance(inner, dict) or not set(schema.names).issuperset(inner):
                break
            value = inner
            self.changes.append(Change(RepairKind.WRAPPED, key))
        if (alone := placed(schema, before, text)) is None:
            return value
        listed = isinstance(value, list) and value[:1] == [alone]
        self.changes.append(
            Change(RepairKind.WRAPPED, "[") if listed else Change(RepairKind.POSITIONAL, next(iter(alone)))
        )
        return alone


def placed(schema: Schema, value: Json, text: str) -> dict[str, Json] | None:
    """The arguments of a tool that has one parameter, where `value`, which is no object, can be that; else None.

    A number where a string should be is its `text`, as it is spelled. A list of one object is that, if the tool has all
    that is in it.
    """
    if isinstance(value, dict):
        return None
    inner = value[0] if isinstance(value, list) and len(value) == 1 else None
    if isinstance(inner, dict) and inner and set(schema.names).issuperset(inner):
        return inner
    if (sole := schema.sole) is None:
        return None
    member = schema.member(sole)
    if not _becomes(member, value):
        if member is None or "string" not in member.types or not isinstance(value, int | float):
            return None
        value = text
    return {sole: value}


def _becomes(schema: Schema | None, value: Json) -> bool:
    """True when `value` is one that `schema` admits, or spells one."""
    if schema is None:
        return True
    if isinstance(value, str) and "string" not in schema.types:
        value = read_typed(value, schema.types)
    kind = type_of(value)
    return kind in schema.types or kind == "integer" and "number" in schema.types


class _Open:
    """An object or list that is open, and which member or item of it comes next."""

    __slots__ = ("index", "is_object", "key", "keyed", "schema")

    def __init__(self, schema: Schema | None, is_object: bool) -> None:
        self.schema, self.is_object = schema, is_object
        self.index = 0
        self.key = ""
        self.keyed = is_object  # its key comes first

    @property
    def next(self) -> Schema | None:
        """What is declared of it."""
        if self.schema is None:
            return None
        return self.schema.member(self.key) if self.is_object else self.schema.item(self.index)


class _Flow:
    """The text of an object, passed on but for strings where none is admitted."""

    __slots__ = ("_changes", "_escaping", "_held", "_key", "_passing", "_quoted", "_root", "_stack", "_wanted")

    def __init__(self, root: Schema, changes: list[Change]) -> None:
        self._root, self._changes = root, changes
        self._stack: list[_Open] = []
        self._quoted = self._escaping = False  # a string is open, and a backslash was the last of it
        self._passing = False  # it is a value and passed on
        self._wanted: Schema | None = None  # what should be there instead of it
        self._held: list[str] = []  # its text then
        self._key: list[str] | None = None  # its text where it is a key

    def feed(self, text: str) -> str:
        """What can be passed on after `text` has come."""
        if self._passing and '"' not in text and text[-1:] != "\\":
            return text
        out: list[str] = []
        pos, n = 0, len(text)
        while pos < n:
            if self._quoted:
                pos = self._read_string(text, pos, out)
                continue
            member = _MEMBER(text, pos)
            if member is not None and self._stack and self._stack[-1].is_object:
                said = self._name(member[1])
                self._stack[-1].key, self._stack[-1].keyed = said, False
                out.append(member[0] if said == member[1] else member[0].replace(dumps(member[1]), dumps(said), 1))
                pos = member.end()
                continue
            end = _BETWEEN(text, pos).end()  # type: ignore[union-attr]  # matches the empty string
            sign = text[end : end + 1]
            if sign == '"':
                out.append(text[pos:end])
                self._begin_string(out)
            else:
                out.append(text[pos : end + 1])
                self._structure(sign)
            pos = end + 1
        return "".join(out)

    def rest(self) -> str:
        """What is held back."""
        return "".join(self._held if self._key is None else self._key)

    def _structure(self, sign: str) -> None:
        stack = self._stack
        if sign == "{" or sign == "[":
            stack.append(_Open(stack[-1].next if stack else self._root, sign == "{"))
        elif not stack:
            return
        elif sign == "}" or sign == "]":
            stack.pop()
        elif sign == ",":
            stack[-1].index += 1
            stack[-1].keyed = stack[-1].is_object
        elif sign == ":":
            stack[-1].keyed = False

    def _begin_string(self, out: list[str]) -> None:
        self._quoted = True
        owner = self._stack[-1] if self._stack else None
        schema = None if owner is None or owner.keyed else owner.next
        if owner is not None and owner.keyed:
            self._key = ['"']
            return
        if schema is not None and "string" not in schema.types:
            self._wanted, self._held = schema, ['"']
            return
        self._passing = True
        out.append('"')

    def _read_string(self, text: str, pos: int, out: list[str]) -> int:
        """Read on in the open string; where reading stopped."""
        start = pos
        if self._escaping:
            pos, self._escaping = pos + 1, False
        pos = _INSIDE(text, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if pos < len(text):
            self._quoted = self._escaping = text[pos] != '"'
            pos += 1
        self._passing = self._quoted and not self._escaping and self._wanted is None and self._key is None
        piece = text[start:pos]
        if self._wanted is not None:
            self._held.append(piece)
            if not self._quoted:
                out.append(self._value(self._wanted))
                self._wanted = None
            return pos
        if self._key is None:
            out.append(piece)
            return pos
        self._key.append(piece)
        if not self._quoted:
            text, self._key = "".join(self._key), None
            key = read_json(text)
            self._stack[-1].key = said = self._name(key) if isinstance(key, str) else ""
            out.append(text if said == key or not said else dumps(said))
        return pos

    def _name(self, key: str) -> str:
        """The next key, or the one that it stands for."""
        schema = self._stack[-1].schema
        said = "" if schema is None else schema.meant(key)
        if said:
            self._changes.append(Change(RepairKind.SHAPE, key))
        return said or key

    def _value(self, schema: Schema) -> str:
        """What is written for the string that was held back: what it spells, if that is admitted."""
        text = "".join(self._held)
        self._held.clear()
        said = read_json(text)
        if not isinstance(said, str) or not _becomes(schema, said):
            return text
        self._changes.append(Change(RepairKind.COERCION, said[:40]))
        return dumps(read_typed(said, schema.types))

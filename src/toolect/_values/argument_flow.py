"""The JSON text of arguments as it comes, passed on but for keys and strings that stand for what is declared."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect._message import Json, RepairKind, dumps
from toolect._values.schema import Schema
from toolect._values.schema_keywords import type_of
from toolect._values.text_values import read_json, read_typed

_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match
_BETWEEN = re.compile(r'[^"{}\[\],:]*+').match
_MEMBER = re.compile(r'[^"{}\[\],:]*+,[ \t\r\n]*+"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:').match
"""Matches what stands before the value of a member that is not the first."""


class ArgumentChange(NamedTuple):
    """Change made to the arguments: its kind, and the text found."""

    kind: RepairKind
    detail: str


class Open:
    """An object or list that is open, and which member or item of it comes next."""

    __slots__ = ("index", "is_object", "key", "keyed", "schema")

    def __init__(self, schema: Schema | None, is_object: bool) -> None:
        self.schema, self.is_object = schema, is_object
        self.index = 0
        self.key = ""
        self.keyed = is_object  # its key comes first

    @property
    def next(self) -> Schema | None:
        """Schema of the next member or item."""
        if self.schema is None:
            return None
        return self.schema.member(self.key) if self.is_object else self.schema.item(self.index)


class Flow:
    """The text of an object, passed on but for strings where none is admitted."""

    __slots__ = ("_changes", "_escaping", "_held", "_key", "_passing", "_quoted", "_root", "_stack", "_wanted")

    def __init__(self, root: Schema, changes: list[ArgumentChange]) -> None:
        self._root, self._changes = root, changes
        self._stack: list[Open] = []
        self._quoted = self._escaping = False  # a string is open, and a backslash was the last of it
        self._passing = False  # it is a value and passed on
        self._wanted: Schema | None = None  # what should be there instead of it
        self._held: list[str] = []  # its text then
        self._key: list[str] | None = None  # its text where it is a key

    def feed(self, text: str) -> str:
        """Read on in the text, and return what can be passed on now."""
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
        """The text that is held back."""
        return "".join(self._held if self._key is None else self._key)

    def _structure(self, sign: str) -> None:
        stack = self._stack
        if sign == "{" or sign == "[":
            stack.append(Open(stack[-1].next if stack else self._root, sign == "{"))
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
            self._changes.append(ArgumentChange(RepairKind.SHAPE, key))
        return said or key

    def _value(self, schema: Schema) -> str:
        """JSON text for the string that was held back: the value that it spells, if the schema admits that."""
        text = "".join(self._held)
        self._held.clear()
        said = read_json(text)
        if not isinstance(said, str) or not becomes(schema, said):
            return text
        self._changes.append(ArgumentChange(RepairKind.COERCION, said[:40]))
        written = dumps(read_typed(said, schema.types))
        if written[:1] not in ("{", "["):
            return written
        inner = Flow(schema, self._changes)
        return inner.feed(written) + inner.rest()


def becomes(schema: Schema | None, value: Json) -> bool:
    """True when `value` is one that `schema` admits, or spells one."""
    if schema is None:
        return True
    if isinstance(value, str) and "string" not in schema.types:
        value = read_typed(value, schema.types)
    kind = type_of(value)
    return kind in schema.types or kind == "integer" and "number" in schema.types

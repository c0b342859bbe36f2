"""The text slot that is open: its text is passed on as it arrives, and is a segment or an argument in the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from toolect._building.draft import Draft
from toolect._building.nested import Values
from toolect._building.open_call import OpenCall
from toolect._graph.symbols import Field
from toolect._message import Json, RepairKind, dumps
from toolect._salvage import value_without_loss
from toolect._spec.codec_model import Codec, Spelling
from toolect._spec.model import Role
from toolect._values.cdata import CLOSER, Sections
from toolect._values.codec import decode, decode_arguments, is_text, respelled
from toolect._values.escapes import Unescaped
from toolect._values.schema import Schema
from toolect._values.text_values import is_broken, read_json
from toolect._values.toolset import ToolSchemas

_MEMBER = re.compile(r"\s{0,64}([\w-]{1,64}):(?:\s|\Z)").match
"""A line that begins with a key."""
_METHOD = re.compile(r"\s{0,64}([\w-]{1,64})\.[\w.\s]{1,64}\(").match
"""Code that begins with a name, a point, and what is called of it."""


class OpenText:
    """Takes in the text of a TEXT or ESCAPED slot, from its beginning to its end."""

    __slots__ = (
        "coerces", "idle", "mend", "parts", "quotes", "sections", "unescaped", "writes",
        "_draft", "_schemas", "_values",
    )  # fmt: skip

    def __init__(self, draft: Draft, values: Values, schemas: ToolSchemas, coerce: bool) -> None:
        self.parts: list[str] = []  # what has come of it
        self.writes = False  # it is passed on as it arrives
        self.unescaped: Unescaped | None = None  # what resolves its escapes
        self.sections: Sections | None = None  # what takes it out of its sections, as long as it may be in some
        self.idle = False  # it is all arguments, and nothing but blanks has come, which say that there are none
        self.quotes = False  # it may be in quotes of its own: its first sign tells
        self._draft, self._values, self._schemas = draft, values, schemas
        self.coerces = coerce
        self.mend: Callable[[str], Any] = value_without_loss
        """The value that broken JSON is; None for none."""

    def begin(self, field: Field, at: int, element: bool = False) -> None:
        """A TEXT or ESCAPED slot begins, perhaps that of an `element`."""
        draft = self._draft
        self.quotes = self.idle = False
        self.parts = []
        escapes = None if field.codec is None else field.codec.escapes
        self.unescaped = None if escapes is None else Unescaped(escapes)
        self.sections = Sections() if element else None
        if field.role is Role.STRING:
            self._values.decode_with(field.codec, at)
            return
        self.writes = draft.events is not None
        if field.role is Role.VALUE or field.role is Role.ARGUMENTS:
            call = draft.call
            assert call is not None and field.codec is not None
            if field.role is Role.ARGUMENTS and field.codec.key is None:
                self.writes = False
                return
            if field.role is Role.ARGUMENTS:
                call.key = self._only_key(call, field.codec.key)
            self.writes = (is_text(field.codec, self._schema(call)) or not self.coerces) and not call.repeated
            self.quotes = self.writes and field.role is Role.ARGUMENTS and call.key != field.codec.key
            self.idle = self.writes and field.role is Role.ARGUMENTS
            if self.idle:
                self.writes = False
            elif self.writes:
                self._write(call)

    def _write(self, call: OpenCall) -> None:
        """The text of an argument is passed on as it arrives."""
        self.writes, self.idle, self.quotes = True, False, False
        call.partial = ""
        self._draft.write_key(call)
        self._draft.write('"')

    def more(self, field: Field, text: str) -> None:
        """More text of the open slot."""
        if self.sections is not None:
            text = self.sections.more(text)
            if not self.sections.plain:
                return
            self.sections = None
        self._resolved(field, text if self.unescaped is None else self.unescaped.more(text))

    def _resolved(self, field: Field, text: str) -> None:
        """More text of the open slot, without its escapes."""
        role = field.role
        if role is Role.CONTENT or role is Role.REASONING:
            if text:  # it may be the beginning of an escape
                self._draft.say(role, text)
        elif role is Role.STRING:
            self._values.text(text)
            return
        else:
            if self.idle and text and not text.isspace() and self._draft.call is not None:
                self._wake(self._draft.call, text)
            if self.writes:
                self._draft.write(dumps(text)[1:-1])
        self.parts.append(text)

    def _wake(self, call: OpenCall, text: str) -> None:
        """A sign has come in `text`, after blanks."""
        if self.quotes and not self.parts and text[0] == '"':
            self.idle = False
            return
        self._write(call)
        self._draft.write(dumps("".join(self.parts))[1:-1])

    def end(self, field: Field, start: int, end: int) -> None:
        """The open slot ends; its text is characters `start:end`."""
        if self._flush(field):
            self._draft.note(RepairKind.IMPLIED_CLOSER, end, CLOSER)
        role = field.role
        if role is Role.STRING:
            return
        text = self.parts[0] if len(self.parts) == 1 else "".join(self.parts)
        self.parts = []
        if role is Role.CONTENT or role is Role.REASONING:
            if text:
                self._draft.add(role, text, (start, end))
        elif role is Role.VALUE or role is Role.ARGUMENTS:
            self._argument(field, text, start)

    def _flush(self, field: Field) -> bool:
        """Write what was held back, as it is all there is: sections, or the beginning of an escape, which is none.

        True when the closer of a section is missing.
        """
        lacks, rest = False, ""
        if self.sections is not None:
            rest, lacks = self.sections.rest()
            self.sections = None
        elif self.unescaped is not None:
            rest = self.unescaped.rest()
        if rest:
            self._resolved(field, rest)
        return lacks

    def _argument(self, field: Field, text: str, at: int) -> None:
        """The text of an argument is complete: as it is, or decoded."""
        call = self._draft.call
        assert call is not None and field.codec is not None
        codec = field.codec
        named = _METHOD(text) if field.role is Role.ARGUMENTS else None
        if named is not None and named[1] in self._schemas.by_name and named[1] != call.name:
            call.fail(f"expected a text, got what may be a call of `{named[1]}` - at {at}")
        if field.role is Role.ARGUMENTS and codec.key is not None and not self.idle:
            names = self._schemas.of(call.name).names
            if names and call.key not in names:
                call.fail(f"expected arguments in JSON, got a text - at {at}")
            elif (member := _MEMBER(text)) is not None and member[1] in names:
                call.fail(f"expected a text, got what may be the argument `{member[1]}` - at {at}")
        if self.writes:
            self._draft.write('"')
            call.partial = None
            call.give(call.key or "", text)
            return
        if field.role is Role.ARGUMENTS and codec.key is None:
            self._mapping(codec, call, text, at)
            return
        if self.idle:
            self.idle = False
            if not call.entries:
                call.note(RepairKind.MISSING_ARGUMENTS, at, "none")
                self._draft.write("{}")
                call.take({})
            return
        if self.quotes:
            self.quotes = False
            said = read_json(text)
            if isinstance(said, str):
                self._draft.note(RepairKind.COERCION, at, text[:40])
            self._draft.argument(call, said if isinstance(said, str) else text)
            return
        schema = self._schema(call)
        try:
            value = decode(codec, text, schema)
            if respelled(codec, text, value):
                self._draft.note(RepairKind.COERCION, at, text[:40])
        except ValueError as error:
            call.fail(f"{error} - at {at}")
            value = text
        if schema is not None and isinstance(value, str) and is_broken(value, schema.types):
            value = self._mended(call, text, at)
        if codec.spelling is Spelling.ELEMENTS and isinstance(value, list) and schema is not None and schema.lists:
            self._draft.extend(call, value)
        else:
            self._draft.argument(call, value)

    def _mended(self, call: OpenCall, text: str, at: int) -> Json:
        """Broken JSON, where a text is no value that is declared."""
        value = self.mend(text)
        if value is None:
            call.fail(f"expected a JSON value - at {at}")
            return text
        self._draft.note(RepairKind.JSON, at, "broken JSON in an argument")
        return value

    def _mapping(self, codec: Codec, call: OpenCall, text: str, at: int) -> None:
        """The text that holds all arguments is complete."""
        try:
            value = decode_arguments(codec, text, self._schemas.get(call.name))
        except ValueError as error:
            call.fail(f"{error} - at {at}")
            return
        self._draft.write(dumps(value))
        call.take(value)

    def _only_key(self, call: OpenCall, key: str | None) -> str | None:
        """The name of the argument that a plain text is: `key`, or that of the only parameter of the tool."""
        schema = self._schemas.of(call.name)
        return key if schema.sole is None or schema.member(key or "") is not None else schema.sole

    def _schema(self, call: OpenCall) -> Schema | None:
        return self._schemas.of(call.name).member(call.key or "")

    def cut(self, field: Field) -> None:
        """The input ended inside the open text slot."""
        self._flush(field)
        call = self._draft.call
        if call is None or field.role is not Role.VALUE and field.role is not Role.ARGUMENTS:
            return
        text = "".join(self.parts)
        if field.codec is None or field.codec.spelling is not Spelling.YAML or call.key is not None:
            call.partial = None if self.idle else text
            return
        try:  # the lines that are whole
            value = decode_arguments(field.codec, text.rpartition("\n")[0], self._schemas.get(call.name))
        except ValueError:
            return
        if value:
            self._draft.write(dumps(value)[:-1])

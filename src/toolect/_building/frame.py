"""A value of a value language while it is being read."""

from __future__ import annotations

from toolect._message import Json, dumps
from toolect._spec.codec_model import Codec
from toolect._spec.model import Role
from toolect._values.schema import Schema
from toolect._values.vocabulary import VALUE_OF


class Frame:
    """A value that is open. A key is one too, until its value begins."""

    __slots__ = (
        "again", "alone", "at", "codec", "entries", "items", "key", "listed", "lone", "member", "parts", "role", "said",
        "schema",
    )  # fmt: skip

    def __init__(self, role: Role, schema: Schema | None = None, again: bool = False) -> None:
        self.role = role
        self.schema = schema  # of the value itself
        self.again = again  # a key that must be the one before it
        self.entries: list[tuple[str, Json]] = []
        self.items: list[Json] = []
        self.parts: list[str] = []
        self.key = ""
        self.alone: Json = None  # what the key is as a member of a set
        self.member = False  # `key` waits for its value, or is itself a member of a set
        self.lone = False  # a tuple without a comma: the value in it
        self.listed = False  # the last entry's value is the list of neighbours with one key
        self.codec: Codec | None = None  # how the text becomes the value, where it is not the text itself
        self.at = 0  # where the text begins
        self.said = False  # some of the text was written

    @property
    def text(self) -> str:
        """The text of a string, a scalar or a bare key."""
        return "".join(self.parts)

    @property
    def value(self) -> Json:
        """The finished value."""
        match self.role:
            case Role.OBJECT:
                return self.items or dict(self.entries)
            case Role.TUPLE if self.lone:
                return self.items[0]
            case Role.ARRAY | Role.TUPLE:
                return self.items
            case Role.STRING | Role.SCALAR:
                return self.items[0] if self.items else self.text
            case Role.NUMBER | Role.JSON:
                return self.items[0] if self.items else None
            case _:
                return VALUE_OF[self.role]

    @property
    def closing(self) -> str:
        """The JSON text that is still to be written when it ends."""
        match self.role:
            case Role.OBJECT | Role.ARRAY if self.items:
                return "]"
            case Role.OBJECT:
                return "}" if self.entries else "{}"
            case Role.ARRAY:
                return "[]"
            case Role.STRING | Role.SCALAR if self.said:
                return '"'
            case _:
                return dumps(self.value)

    @property
    def begun(self) -> bool:
        """False while it is not known what it is."""
        if self.role is Role.TUPLE:
            return False  # it may be the value in it, of which nothing was written
        return self.role not in (Role.NUMBER, Role.JSON) or bool(self.items)

    def give(self, value: Json, lists: bool) -> bool:
        """The value of the open key; neighbours with one key may be a list. True when that begins one."""
        begins = False
        if lists and self.entries and self.entries[-1][0] == self.key:
            before = self.entries[-1][1]
            if self.listed and isinstance(before, list):
                before.append(value)
            else:
                self.entries[-1] = (self.key, [before, value])
                begins = self.listed = True
        else:
            self.entries.append((self.key, value))
            self.listed = False
        self.member = False
        return begins

"""Lists of tools that are known, and what of a tool decides how a call of it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from toolect._chats.comparing import Change
from toolect._chats.plain_texts import Key
from toolect._chats.told_tools import TEXT
from toolect._message import Json

_encode = msgspec.json.Encoder().encode
_ABOUT = "description"


class KnownTools:
    """A list of tools, kept so that its identity stays its own, what is read of it, and what is told otherwise."""

    __slots__ = ("_kinds", "changes", "given", "read")

    def __init__(
        self, given: Sequence[Mapping[str, Any]], read: Sequence[Mapping[str, Any]] | None, changes: tuple[Change, ...]
    ) -> None:
        """`read` is None where nothing was read back."""
        self.given, self.read, self.changes = given, read, changes
        self._kinds: dict[str, Key] = {}

    def declared(self, name: str) -> Key | None:
        """What decides how a call of a tool is read; None where that may be more than its own definition."""
        if not self.given:
            return () if self.read is not None and not self.read else None
        kind = self._kinds.get(name)
        if kind is None:
            kind = self._kind(name)
            if kind is not None:
                self._kinds[name] = kind
        return kind

    def _kind(self, name: str) -> Key | None:
        if self.read is None:
            return None
        own = None
        for tool in self.read or self.given:  # tools that the chat does not tell may still decide how a call is written
            if tool.get("type") == TEXT:
                return None
            inner = tool.get("function", tool)
            if inner.get("name") == name:
                if own is not None:
                    return None
                own = inner
        key = None if own is None else _key(own.get("parameters"))
        return key if key is None or self.read else ("", *key)


NONE = KnownTools((), (), ())


def _key(schema: Json) -> Key | None:
    """A schema without the words about its members, which no reader looks at."""
    properties = schema.get("properties") if type(schema) is dict else None
    if type(properties) is not dict or not all(type(one) is dict for one in properties.values()):
        return None
    try:
        rest = {key: value for key, value in schema.items() if key != "properties"}
        return _encode(rest), *((name, _bare(one)) for name, one in properties.items())
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _bare(schema: dict[str, Json]) -> bytes:
    """The schema of a member as JSON, without a description of it."""
    if type(schema.get(_ABOUT)) is not str:
        return _encode(schema)
    return _encode({key: value for key, value in schema.items() if key != _ABOUT})

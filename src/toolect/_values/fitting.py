"""Arguments made to fit what is declared of them, as their JSON text comes.

A string where none is admitted becomes the value that it spells. Arguments that stand inside of one that the tool does
not have are taken out of it, and a value that is no object goes to the only parameter. Text is held back for as long as
one of these may become of it; what was passed on stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from toolect._message import Json, RepairKind, dumps
from toolect._values.argument_flow import ArgumentChange, Flow, becomes
from toolect._values.schema import Schema
from toolect._values.text_values import NOTHING, read_json

WRAPPERS = ("arguments", "input", "parameters", "properties", "args", "kwargs", "params")
"""Names that models give to the object of all arguments."""
MAX_WRAPPERS = 4
"""Objects of all arguments inside one another. Beyond it: they are arguments."""

_HEAD = re.compile(r'\{[ \t\r\n]*+(?:"([^"\\]*+)("?))?').match

_ALONE = frozenset((int, float, bool, type(None)))
"""Types of values that are never made another."""


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
        """Takes more text, and returns what can be passed on now."""
        self.changes: list[ArgumentChange] = []
        """Changes made so far."""
        self._schema = schema
        self._starts = True  # nothing was passed on
        self._held: list[str] = []
        self._flow: Flow | None = None

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
        self._flow = Flow(self._schema, self.changes)
        self.feed = self._flow.feed
        return self.feed("".join(self._held))

    def _unwrapped(self, value: Json, text: str) -> Json:
        """The arguments that `value`, which is spelled `text`, holds, or is; `value` itself where that is not so."""
        schema, before, inner, around = self._schema, value, value, list[ArgumentChange]()
        for _ in range(MAX_WRAPPERS):
            if not isinstance(inner, dict) or len(inner) != 1 or not _wraps(schema, key := next(iter(inner))):
                break
            inner = inner[key]
            if isinstance(inner, str):
                inner = read_json(inner)
            around.append(ArgumentChange(RepairKind.WRAPPED, key))
            if isinstance(inner, dict) and set(schema.names).issuperset(inner):
                self.changes += around
                value, around = inner, []
        if (alone := placed(schema, before, text)) is None:
            return value
        listed = isinstance(value, list) and value[:1] == [alone]
        self.changes.append(
            ArgumentChange(RepairKind.WRAPPED, "[")
            if listed
            else ArgumentChange(RepairKind.POSITIONAL, next(iter(alone)))
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
    if not becomes(member, value):
        if member is None or "string" not in member.types or not isinstance(value, int | float):
            return None
        value = text
    return {sole: value}

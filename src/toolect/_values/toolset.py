"""The tools that are declared: their schemas by name, also by a name with a namespace before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from toolect._message import MessageError
from toolect._values.schema import AROUND, NO_SCHEMA, Schema, visible
from toolect._values.text_values import without_blanks

MAX_NAME = 256
"""Characters of a name in which a namespace is looked for. Beyond it: it stands for no other name."""
MAX_KEPT = 64
"""Lists of tools whose schemas are kept for answers to come. Beyond it: all are forgotten, and made when needed."""
MAX_ENCODED = 1 << 17
"""Bytes of such a list as JSON. Beyond it: its schemas are made for each answer."""

_LEAST = 4
"""Characters of a name that may have been begun twice: with fewer, the two are other names."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z").match
_SPACED = re.compile(r"(?:[\w-]+[.:/]+)+[\w-]+\Z").match
_SIGN = re.compile(r"[.:/]+")
_NO_NAME = re.compile(r"""["'`{}()\[\]<>]|^[\W_]+\Z""").search
_NUMBER = re.compile(r"[:#!](?:call_)?\d{1,6}\Z").search
"""The number of a call behind its name, as ids have it."""
_ID = re.compile(r"functions?[_.:/-]?((.+?)(?:[_-]?\d{1,6})?)\Z").match
"""An id that says the name, without its signs or with others: `functions_x_0`, `functionsx0`, `functions.x0`."""
_FOLLOWED = re.compile(r"(.+?)(?:[_.-]\d{1,6}|<\|.*)\Z").match
"""One without its beginning, `x_0`, and a name that runs into the token that follows it: `x<|channel|>commentary`."""


class ToolSchemas(Mapping[str, Schema]):
    """Tool name → its parameters' JSON Schema.

    `ns.x`, `"x"`, `x()`, `X`, `to=x` or, for one that begins twice, `get_get_x`, which is no tool, is `x` or `get_x`
    where only that fits.
    """

    __slots__ = ("_by_letters", "_parameters", "by_name", "declared", "names", "odd_keys", "odd_names")

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self.by_name = schemas
        """Those that are declared by just this name."""
        self.declared = len(schemas) > 0
        """There are any."""
        self.odd_names = tuple(sorted(name for name in schemas if _PLAIN(name) is None))
        """Those that not every grammar has for names."""
        keys = {key for schema in schemas.values() for key in schema.names}
        self.odd_keys = tuple(sorted(key for key in keys if _PLAIN(key) is None))
        """The keys of their arguments that not every grammar has for keys."""
        words = sorted(map(re.escape, filter(None, schemas)), key=len, reverse=True)
        self.names = re.compile(rf"(?<!\w)(?:{'|'.join(words) or '(?!)'})(?!\w)")
        """Finds one of them."""
        self._by_letters: dict[str, list[str]] | None = None
        self._parameters: frozenset[str] | None = None

    def called(self, name: str) -> str:
        """The name of the tool that `name` stands for; `name` itself where it is declared, or stands for none."""
        schemas = self.by_name
        if name in schemas or len(name) > MAX_NAME:
            return name
        if not name.isascii() and (said := visible(name)) not in ("", name):
            return self.called(said)
        if not schemas:
            return name
        if "\\" in name and (said := without_blanks(name)) not in ("", name):
            said = self.called(said)
            return said if said in schemas else name
        number = _NUMBER(name)
        said = name[: number.start()].strip(AROUND) if number else name.strip(AROUND)
        if said and said != name and (inner := self.called(said)) in schemas:
            return inner
        if _SPACED(name) is not None:
            after = [name[sign.end() :] for sign in _SIGN.finditer(name)]
            fit = [inner for inner in after if inner in schemas] or self._alike(after[-1])
        else:
            fit = [tool for tool in _begun_twice(name) if tool in schemas]
            fit = fit or [tool for tool in [name.rpartition("=")[2]] if tool in schemas]  # no name has that sign
        for found in (_ID(name), _FOLLOWED(name)) if not fit else ():
            fit = fit or [tool for tool in dict.fromkeys(found.groups() if found else ()) if tool in schemas]
        fit = fit or self._alike(name)
        return fit[0] if len(fit) == 1 and fit[0] else name

    def _alike(self, name: str) -> list[str]:
        """The tools whose names have these letters and digits, in whatever case and with whatever between words."""
        known = self._by_letters
        if known is None:
            known = self._by_letters = {}
            for tool in self.by_name:
                known.setdefault(_letters(tool), []).append(tool)
        return known.get(_letters(name), [])

    @property
    def parameters(self) -> frozenset[str]:
        """Those of all of them, by name."""
        if self._parameters is None:
            self._parameters = frozenset(key for schema in self.by_name.values() for key in schema.names)
        return self._parameters

    def is_no_name(self, name: str) -> bool:
        """True when `name` has signs that names of tools have not, and none is declared by it."""
        return _NO_NAME(name) is not None and name not in self

    def of(self, name: str) -> Schema:
        """The schema of the tool that `name` stands for; one that says nothing where that is none."""
        found = self.by_name.get(name)
        return self.by_name.get(self.called(name), NO_SCHEMA) if found is None else found

    def only_fit(self, arguments: Any) -> str:
        """The only tool that has all these arguments, and asks for no others; empty where there is none."""
        if not arguments or not isinstance(arguments, dict):
            return ""
        fit = [
            name
            for name, schema in self.by_name.items()
            if set(schema.names).issuperset(arguments) and not schema.lacks(arguments)
        ]
        return fit[0] if len(fit) == 1 else ""

    def __getitem__(self, name: str) -> Schema:
        return self.by_name[self.called(name)]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name or isinstance(name, str) and self.called(name) in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)


def _letters(name: str) -> str:
    """The letters and digits of a name in lower case; all of one that has none."""
    return "".join(filter(str.isalnum, name.lower())) or name


def _begun_twice(name: str) -> Iterator[str]:
    """The names whose beginning, and then all of which, `name` is."""
    for at in range(1, len(name) - _LEAST + 1):
        if name.startswith(name[:at], at):
            yield name[at:]


NO_TOOLS = ToolSchemas({})
"""None are declared."""


def tool_schemas(tools: Iterable[Any] | None) -> ToolSchemas:
    """The schemas of OpenAI tool objects or plain `{name, parameters}` mappings: the same ones for equal tools.

    Raises MessageError, with the place, for anything else.
    """
    if not tools:
        return NO_TOOLS
    if type(tools) is not list and (not isinstance(tools, Iterable) or isinstance(tools, dict)):
        raise MessageError("a list of tools", repr(tools)[:80], "$")
    try:
        encoded = _encode(tools)
        found = _kept.get(encoded)
        if found is not None:
            return found
        own = _decode(encoded)  # what the caller has may change
        plain: bool = own == tools and len(encoded) <= MAX_ENCODED
    except (TypeError, ValueError, OverflowError, RecursionError):
        plain = False
    if not plain:
        return _made(tools)
    if len(_kept) >= MAX_KEPT:
        _kept.clear()
    made = _kept[encoded] = _made(own)
    return made


_kept: dict[bytes, ToolSchemas] = {}
"""By what tells tools apart, which a comparison of them would not: `1` and `true` are equal."""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


_FREE_FORM: Final = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""The parameters of a free-form tool: one text."""


def _made(tools: Iterable[Any]) -> ToolSchemas:
    found: dict[str, Schema] = {}
    for i, tool in enumerate(tools):
        is_free = isinstance(tool, Mapping) and tool.get("type") == "custom"
        inner = tool.get("custom" if is_free else "function", tool) if isinstance(tool, Mapping) else None
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str):
            raise MessageError("a tool with a name", repr(str(tool)[:80]), f"$[{i}]")
        parameters = inner.get("parameters") or inner.get("input_schema")  # type: ignore[union-attr]  # a Mapping here
        if is_free and parameters is None:
            parameters = _FREE_FORM
        found[name] = Schema(parameters if isinstance(parameters, Mapping) else {})
    return ToolSchemas(found)

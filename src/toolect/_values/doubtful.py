"""Arguments that read well and are not what was meant: they hold others of the tool, or are what it declares."""

from __future__ import annotations

import re
from collections.abc import Collection, Set

from toolect._message import Json
from toolect._values.schema import Schema
from toolect._values.schema_keywords import type_of
from toolect._values.toolset import ToolSchemas

_TAG = re.compile(r"<([^<>\n]{1,160})>")
_WORDS = (re.compile(r"\w+").findall, re.compile(r"[\w.-]+").findall)
"""The words of a tag, and those with the signs in them that keys may have."""
_PARENTHESIS = re.compile(r"""\w\((?=\s*(?:[A-Za-z_]\w*\s*=|["']))|\(|["']?\)""").finditer
"""One that a text or an argument with a name comes after, one that comes after a text, or any."""
_GIVEN = re.compile(r"""([\w.-]+)["']?\s{0,4}[=:]\s{0,4}["'`{\[]""")


def swallowed(schema: Schema, arguments: Json) -> str:
    """A parameter that is not among the `arguments`, but in the last of them, which declares no such member; or none.

    A bracket may be missing before it. `schema` is that of all arguments.
    """
    if not isinstance(arguments, dict):
        return ""
    missing = set(schema.names) - arguments.keys()
    if not missing:
        return ""
    last = next(reversed(arguments), "")
    return _within(schema.member(last), arguments.get(last), missing)


def _within(schema: Schema | None, value: Json, missing: Set[str]) -> str:
    """One of the `missing` parameters that stands in `value`, of which `schema` says nothing of the kind.

    What another member or item follows was closed: only the last one is looked into.
    """
    if isinstance(value, list):
        return _within(None if schema is None else schema.item(len(value) - 1), value[-1], missing) if value else ""
    if not isinstance(value, dict) or not value:
        return ""
    declared = () if schema is None else schema.names
    found = next((key for key in value if key in missing and key not in declared), "")
    last = next(reversed(value))
    return found or _within(None if schema is None else schema.member(last), value[last], missing)


def is_declaration(schema: Schema, arguments: Json) -> bool:
    """True when `arguments` are a JSON Schema of an object, and the tool's own `schema` names none of its members."""
    if not isinstance(arguments, dict) or arguments.get("type") != "object":
        return False
    members = arguments.get("properties")
    is_schema = isinstance(members, dict) and all(isinstance(member, dict) for member in members.values())
    return is_schema and arguments.keys().isdisjoint(schema.names)


def is_object_of(schema: Schema, arguments: dict[str, Json]) -> bool:
    """True when all arguments stand in the first of the `arguments`, which came without a name and is no object."""
    first = next(iter(arguments.values()), None)
    member = schema.member(next(iter(arguments), ""))
    if not isinstance(first, dict) or not first or member is None or not member.types:
        return False
    return "object" not in member.types and set(schema.names).issuperset(first)


def taken_over(tools: ToolSchemas, name: str, keys: Collection[str]) -> str:
    """One of the `keys` that another tool declares, and the tool `name`, which declares some, does not; or none."""
    own = tools.of(name).names
    return next((key for key in keys if key not in own and key in tools.parameters), "") if own else ""


def left_out(schema: Schema, arguments: Json, keys: Collection[str]) -> str:
    """The first of the `keys` that the schema declares, and the `arguments` have not; none for no such."""
    names, given = schema.names, arguments if isinstance(arguments, dict) else {}
    return next((key for key in keys if key in names and key not in given), "")


def misfit(schema: Schema, arguments: dict[str, Json], typed: bool) -> str:
    """The mismatch of `arguments` with the tool's schema, in a sentence; empty where they fit.

    The schema has to name their keys, unless it names none, or says that others may come. When they are `typed`, each
    value and those inside have a type that is declared.
    """
    names = () if schema.opened else schema.names
    for key, value in arguments.items():
        if names and key not in names and not schema.meant(key):
            return f"expected an argument that the tool has, got `{key[:40]}`"
        if typed and (wrong := _mistyped(schema.member(key), value)):
            return f"expected {wrong} - in `{key[:40]}`"
    return ""


def _mistyped(schema: Schema | None, value: Json) -> str:
    """The types that are declared of `value`, or of one inside, and the other one that it has; none for no other."""
    if schema is None:
        return ""
    kind, types = type_of(value), schema.types
    whole = kind == "integer" or isinstance(value, float) and value.is_integer()
    if kind not in types and not (whole and ("number" in types or "integer" in types)):
        return f"{' or '.join(types)}, got {kind}"
    if isinstance(value, dict):
        names = () if schema.opened else schema.names
        other = next((key for key in value if names and key not in names), None)
        if other is not None:
            return f"a member that is declared, got `{other[:40]}`"
        return next(filter(None, (_mistyped(schema.member(key), inner) for key, inner in value.items())), "")
    items = enumerate(value) if isinstance(value, list) else ()
    return next(filter(None, (_mistyped(schema.item(index), inner) for index, inner in items)), "")


def holds_half_a_call(value: Json) -> bool:
    """True when a text in `value` holds the beginning of a call and not its end, or an end without the beginning."""
    if not isinstance(value, str):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return any(map(holds_half_a_call, inner))
    opened: list[bool] = []  # the parentheses, and whether they are those of a call
    for match in _PARENTHESIS(value):
        if match[0][-1] == "(":
            opened.append(len(match[0]) > 1)
        elif opened:
            opened.pop()
        elif len(match[0]) > 1:
            return True
    return any(opened)


def named_in_texts(schema: Schema, arguments: dict[str, Json]) -> str:
    """A parameter that is not among the `arguments`, but in the text of one of them, as others are written; or none.

    A tag names it there; or, where the tool must have it, it stands before a quote or a bracket as if it got a value.
    """
    missing = [key for key in schema.names if key not in arguments]
    if not missing:
        return ""
    needed, named = schema.lacks(arguments), set[str]()
    for text in arguments.values():
        if isinstance(text, str):
            named |= {word for tag in _TAG.findall(text) for words in _WORDS for word in words(tag)}
            named |= {needed}.intersection(_GIVEN.findall(text))
    return next((key for key in missing if key in named), "")

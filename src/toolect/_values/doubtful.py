"""Arguments that read well and are not what was meant: they hold others of the tool, or are what it declares."""

from __future__ import annotations

from collections.abc import Set

from toolect._values.schema import Schema
from toolect.message import Json


def swallowed(schema: Schema, arguments: Json) -> str:
    """A parameter that is not among the `arguments`, but in one of them, which declares no such member; else nothing.

    A bracket may be missing before it. `schema` is that of all arguments.
    """
    if not isinstance(arguments, dict):
        return ""
    missing = set(schema.names) - arguments.keys()
    if not missing:
        return ""
    return next(filter(None, (_within(schema.member(key), value, missing) for key, value in arguments.items())), "")


def _within(schema: Schema | None, value: Json, missing: Set[str]) -> str:
    """One of the `missing` parameters that stands in `value`, of which `schema` says nothing of the kind."""
    if isinstance(value, list):
        items = ((None if schema is None else schema.item(at), item) for at, item in enumerate(value))
        return next(filter(None, (_within(inner, item, missing) for inner, item in items)), "")
    if not isinstance(value, dict):
        return ""
    declared = () if schema is None else schema.names
    for key, item in value.items():
        if key in missing and key not in declared:
            return str(key)
        found = _within(None if schema is None else schema.member(key), item, missing)
        if found:
            return found
    return ""


def is_declaration(schema: Schema, arguments: Json) -> bool:
    """True when `arguments` are a JSON Schema of an object's members: of a tool of which `schema` says otherwise."""
    if not isinstance(arguments, dict) or arguments.get("type") != "object":
        return False
    members = arguments.get("properties")
    told = isinstance(members, dict) and all(isinstance(member, dict) for member in members.values())
    return told and arguments.keys().isdisjoint(schema.names)


def is_object_of(schema: Schema, arguments: dict[str, Json]) -> bool:
    """True when all arguments stand in the first of the `arguments`, which came without a name and is no object."""
    first = next(iter(arguments.values()), None)
    member = schema.member(next(iter(arguments), ""))
    if not isinstance(first, dict) or not first or member is None or not member.types:
        return False
    return "object" not in member.types and set(schema.names).issuperset(first)

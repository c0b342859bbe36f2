"""JSON Schemas of tools: what they declare a parameter to be, and the types of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolect.ir import Json

Schema = Mapping[str, Any]
NO_SCHEMA: Schema = {}
_ALL = ("null", "integer", "number", "boolean", "object", "array", "string")


def tool_schemas(tools: Iterable[Any] | None) -> dict[str, Schema]:
    """Tool name → its parameters' JSON Schema, from OpenAI tool objects or plain `{name, parameters}` mappings.

    Raises ValueError, with the place, for anything else.
    """
    found: dict[str, Schema] = {}
    for i, tool in enumerate(tools or ()):
        inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str):
            raise ValueError(f"expected a tool with a name, got {str(tool)[:80]!r} - at `$[{i}]`")
        parameters = inner.get("parameters") or inner.get("input_schema")  # type: ignore[union-attr]  # a Mapping here
        found[name] = parameters if isinstance(parameters, Mapping) else NO_SCHEMA
    return found


def property_schema(schema: Schema | None, key: str) -> Schema | None:
    """The schema of parameter `key`, or None when the tool or the parameter is not declared."""
    properties = schema.get("properties") if schema else None
    found = properties.get(key) if isinstance(properties, Mapping) else None
    if isinstance(found, Mapping):
        reference = found.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            at: Any = schema
            for step in reference[2:].split("/"):
                at = at.get(step) if isinstance(at, Mapping) else None
            return at if isinstance(at, Mapping) else found
        return found
    return None


def declared_types(schema: Schema | None) -> tuple[str, ...]:
    """The JSON types that `schema` admits, wherever it says so; all of them when it does not say."""
    types = _types(schema or NO_SCHEMA, 0)
    return tuple(t for t in _ALL if t in types) if types else _ALL


def declares_list(schema: Schema | None) -> bool:
    """True when `schema` says that a value is a list, and not a text."""
    return schema is not None and "array" in (types := declared_types(schema)) and "string" not in types


def _types(schema: Schema, depth: int) -> set[str]:
    kind = schema.get("type")
    if isinstance(kind, str):
        return {kind}
    if isinstance(kind, Sequence):
        return {k for k in kind if isinstance(k, str)}
    if isinstance(schema.get("enum"), Sequence):
        return {type_of(v) for v in schema["enum"]}
    if "const" in schema:
        return {type_of(schema["const"])}
    found: set[str] = set()
    for word in ("anyOf", "oneOf", "allOf"):
        options = schema.get(word)
        if isinstance(options, Sequence) and depth < 8:
            for option in options:
                if isinstance(option, Mapping):
                    found |= _types(option, depth + 1) or set(_ALL)
    if not found and "properties" in schema:
        return {"object"}
    return found


def type_of(value: Json) -> str:
    """The JSON Schema type of `value`."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"

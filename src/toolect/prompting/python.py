"""JSON Schemas as Python signatures and docstrings."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolect.ir import Json
from toolect.prompting.schemas import MAX_DEPTH, described, resolve

_PLAIN = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}


def signature(schema: Mapping[str, Any]) -> str:
    """The parameters of a function, as they stand between its parentheses: those without a default come first.

    Objects are dictionaries; a parameter whose name is no name in Python stands for itself in `**others`.
    """
    fields = schema.get("properties")
    fields = fields if isinstance(fields, Mapping) else {}
    required = schema.get("required")
    needed = set(required) if isinstance(required, Sequence) else set()
    named = {name: field for name, field in fields.items() if name.isidentifier() and not keyword.iskeyword(name)}
    first = [f"{name}: {annotation(schema, field)}" for name, field in named.items() if name in needed]
    rest = [_optional(schema, name, field) for name, field in named.items() if name not in needed]
    return ", ".join([*first, *rest, *(["**others: Any"] if len(named) < len(fields) else [])])


def docstring(schema: Mapping[str, Any], description: str) -> str:
    """What a function's docstring says, between its quotes: what it is for, and each parameter that is described."""
    fields = schema.get("properties")
    rows = list(_arguments(schema, fields if isinstance(fields, Mapping) else {}, 1))
    text = description.strip() + ("\n\nArgs:\n" + "\n".join(rows) if rows else "")
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _arguments(root: Mapping[str, Any], fields: Mapping[str, Any], depth: int) -> Iterator[str]:
    for name, field in fields.items():
        text = " ".join(described(root, field).split())
        inner = resolve(root, field)
        inside = inner.get("properties") if isinstance(inner, Mapping) and depth < MAX_DEPTH else None
        rows = list(_arguments(root, inside, depth + 1)) if isinstance(inside, Mapping) and inside is not fields else []
        if text or rows:
            yield f"{'    ' * depth}{name}: {text}".rstrip()
            yield from rows


def annotation(root: Mapping[str, Any], schema: Any, depth: int = 0) -> str:
    """The type hint of a value that `schema` describes; what nests too deeply is `Any`."""
    schema = resolve(root, schema)
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return "Any"
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(choices, Sequence) and not isinstance(choices, str):
        return _literals(choices)
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), Sequence) and schema[key]:
            return _either([annotation(root, part, depth + 1) for part in schema[key]])
    if isinstance(schema.get("allOf"), Sequence) and len(schema["allOf"]) == 1:
        return annotation(root, schema["allOf"][0], depth + 1)
    kinds = schema.get("type", "object" if "properties" in schema else "array" if "items" in schema else None)
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(kinds, Sequence) or not kinds:
        return "Any"
    return _either([_kind(root, str(kind), schema, depth) for kind in kinds])


def _kind(root: Mapping[str, Any], kind: str, schema: Mapping[str, Any], depth: int) -> str:
    if kind == "array":
        return f"list[{annotation(root, schema.get('items', True), depth + 1)}]"
    if kind == "object":
        others = schema.get("additionalProperties")
        plain = not schema.get("properties") and isinstance(others, Mapping)
        return f"dict[str, {annotation(root, others, depth + 1) if plain else 'Any'}]"
    return _PLAIN.get(kind, "Any")


def _literals(values: Sequence[Json]) -> str:
    """A union of values; numbers with a point have no literal type."""
    kinds = [repr(v) if isinstance(v, str | int) else "None" if v is None else "Any" for v in values]
    return "Any" if "Any" in kinds or not kinds else f"Literal[{', '.join(kinds)}]"


def _either(parts: Sequence[str]) -> str:
    parts = list(dict.fromkeys(parts))
    return "Any" if "Any" in parts else " | ".join(parts)


def _optional(root: Mapping[str, Any], name: str, field: Any) -> str:
    kind = annotation(root, field)
    default = field.get("default") if isinstance(field, Mapping) else None
    if default is None and kind != "Any" and "None" not in kind.split(" | "):
        kind += " | None"
    shown = repr(default) if isinstance(default, str | bool | int | float | None) else "..."
    return f"{name}: {kind} = {shown}"

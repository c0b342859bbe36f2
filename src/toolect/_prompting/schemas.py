"""JSON Schemas as prompts tell of them: their descriptions, and a part of their keywords."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolect._values.schema_keywords import resolve

MAX_DEPTH = 12
"""Schemas inside one another that a printed type tells of. Beyond it: `unknown`, `Any`."""
MAX_PARTS = 2000
"""Schemas that one printed type tells of. Beyond it: `unknown`, `Any`."""


def described(root: Mapping[str, Any], schema: Any) -> str:
    """The description of a schema, its own or that of the schema it refers to; empty for none."""
    for one in (schema, resolve(root, schema)):
        text = one.get("description") if isinstance(one, Mapping) else None
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""


def pruned(schema: Any, keywords: Sequence[str], google: bool, depth: int = MAX_DEPTH) -> Any:
    """A schema with these keywords only, where they hold anything; without any keywords all are kept.

    `google` writes types in capitals, a type in each field, `properties` in each object and `enum` in texts alone.
    """
    if not isinstance(schema, Mapping) or depth < 0:
        return schema
    return dict(_kept(schema, keywords, google, depth - 1))


def _kept(schema: Mapping[str, Any], keywords: Sequence[str], google: bool, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in schema.items():
        if keywords and (key not in keywords or value in ([], {}, None, "")):
            continue
        match value:
            case Mapping() if key == "properties":
                fields = {name: pruned(field, keywords, google, depth) for name, field in value.items()}
                yield key, {name: _of_google(field) for name, field in fields.items()} if google else fields
            case Mapping() if key in ("items", "additionalProperties"):
                yield key, pruned(value, keywords, google, depth)
            case list() if key in ("anyOf", "oneOf", "allOf"):
                yield key, [pruned(part, keywords, google, depth) for part in value]
            case str() if key == "type" and google:
                yield key, value.upper()
            case list() if key == "type" and google:
                yield key, [str(kind).upper() for kind in value]
            case _:
                yield key, value


def _of_google(field: Any) -> Any:
    """A field with a type, which is text: several are as Python prints them."""
    if not isinstance(field, Mapping):
        return field
    kind = field.get("type", "")
    extra: dict[str, Any] = {"properties": {}} if kind == "OBJECT" and "properties" not in field else {}
    kept = {key: value for key, value in field.items() if key != "enum" or kind == "STRING"}
    return {**kept, **extra, "type": kind if isinstance(kind, str) else str(kind)}

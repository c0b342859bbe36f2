"""Reading JSON Schemas for people: references followed, descriptions found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MAX_DEPTH = 12
"""Schemas inside of schemas that a signature tells of."""
MAX_PARTS = 2000
"""Schemas that one signature tells of."""
_MAX_REFERENCES = 20


def resolve(root: Mapping[str, Any], schema: Any) -> Any:
    """`schema`, or what its `$ref` into `root` leads to; itself where that leads nowhere."""
    at = schema
    for _ in range(_MAX_REFERENCES):
        reference = at.get("$ref") if isinstance(at, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return at
        target: Any = root
        for step in filter(None, reference[1:].split("/")):
            target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        if target is None:
            return at
        at = target
    return at


def described(root: Mapping[str, Any], schema: Any) -> str:
    """What a schema says that it describes, itself or where it refers to."""
    for one in (schema, resolve(root, schema)):
        text = one.get("description") if isinstance(one, Mapping) else None
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""


def literals(schema: Mapping[str, Any]) -> Sequence[Any] | None:
    """The values that a schema admits and no others; None when it does not name them."""
    if "const" in schema:
        return [schema["const"]]
    found = schema.get("enum")
    return found if isinstance(found, list | tuple) else None


def types(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema names, or that its keywords are about."""
    found = schema.get("type")
    if isinstance(found, list | tuple):
        return [str(kind) for kind in found]
    if isinstance(found, str):
        return [found]
    if isinstance(schema.get("properties"), Mapping) or isinstance(schema.get("additionalProperties"), Mapping):
        return ["object"]
    return ["array"] if "items" in schema or "prefixItems" in schema else []


def parts(schema: Mapping[str, Any], key: str) -> list[Any]:
    """The schemas that a keyword lists."""
    found = schema.get(key)
    return [*found] if isinstance(found, list | tuple) else []


def pruned(schema: Any, keywords: Sequence[str], upper: bool, depth: int = MAX_DEPTH) -> Any:
    """A schema with these keywords only, where they hold anything, and its types in capitals if `upper`.

    Without any keywords all are kept.
    """
    if not isinstance(schema, Mapping) or depth < 0:
        return schema
    return dict(_kept(schema, keywords, upper, depth - 1))


def _kept(schema: Mapping[str, Any], keywords: Sequence[str], upper: bool, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in schema.items():
        if keywords and (key not in keywords or value in ([], {}, None)):
            continue
        match value:
            case Mapping() if key == "properties":
                yield key, {name: pruned(field, keywords, upper, depth) for name, field in value.items()}
            case Mapping() if key in ("items", "additionalProperties"):
                yield key, pruned(value, keywords, upper, depth)
            case list() if key in ("anyOf", "oneOf", "allOf"):
                yield key, [pruned(part, keywords, upper, depth) for part in value]
            case str() if key == "type" and upper:
                yield key, value.upper()
            case list() if key == "type" and upper:
                yield key, [str(kind).upper() for kind in value]
            case _:
                yield key, value

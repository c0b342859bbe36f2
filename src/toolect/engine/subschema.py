"""What a JSON Schema says about the members of a value: found through references and alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolect.engine.schema import Schema

MAX_OPTIONS = 64
"""Alternatives of one schema that are looked at, and references that are followed in a row."""


def member(root: Schema, schema: Schema | None, key: str) -> Schema | None:
    """The schema of member `key` of an object with `schema`, or None; `root` is what references begin at."""
    if schema is None:
        return None
    options = _options(root, schema)
    for option in options:
        properties = option.get("properties")
        found = properties.get(key) if isinstance(properties, Mapping) else None
        if isinstance(found, Mapping):
            return _resolved(root, found)
    return _first(root, options, "additionalProperties")


def items(root: Schema, schema: Schema | None) -> Schema | None:
    """The schema of the items of an array with `schema`, or None."""
    return None if schema is None else _first(root, _options(root, schema), "items")


def _first(root: Schema, options: list[Schema], word: str) -> Schema | None:
    """What `word` says in the first of `options` that has it."""
    for option in options:
        found = option.get(word)
        if isinstance(found, Mapping):
            return _resolved(root, found)
    return None


def _options(root: Schema, schema: Schema) -> list[Schema]:
    """`schema` and its alternatives, and theirs."""
    found: list[Schema] = []
    todo = [schema]
    while todo and len(found) < MAX_OPTIONS:
        option = _resolved(root, todo.pop(0))
        if any(option is other for other in found):
            continue
        found.append(option)
        for word in ("anyOf", "oneOf", "allOf"):
            several = option.get(word)
            if isinstance(several, list):
                todo += [one for one in several[:MAX_OPTIONS] if isinstance(one, Mapping)]
    return found


def _resolved(root: Schema, schema: Schema) -> Schema:
    """`schema`, or what it refers to."""
    for _ in range(MAX_OPTIONS):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        at: Any = root
        for step in filter(None, reference[1:].split("/")):
            at = at.get(step) if isinstance(at, Mapping) else None
        if not isinstance(at, Mapping):
            break
        schema = at
    return schema

"""The keywords of a JSON Schema, each by itself: what one schema says, without those beside it or inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from toolect._message import Json
from toolect._values.type_names import item_type

Node: TypeAlias = Mapping[str, Any]
"""A schema as data; what it refers to lies elsewhere in the whole one."""

TYPES = ("null", "integer", "number", "boolean", "object", "array", "string")
"""All types, in the order in which a text is tried as one of several."""
MAX_LEVELS = 64
"""References in a row, alternatives inside one another, and items of a list with schemas of their own. Beyond it: they
say nothing.
"""
_OF_OBJECTS = ("properties", "additionalProperties", "patternProperties")


def target(root: Any, reference: Any) -> Any:
    """The target of a `$ref` into `root`, by its JSON pointer; None for nothing."""
    if not isinstance(reference, str) or reference[:2] not in ("#", "#/"):
        return None
    if "%" in reference:
        from urllib.parse import unquote  # rare, and not part of starting up

        reference = unquote(reference)
    at = root
    for step in reference.split("/", MAX_LEVELS)[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(at, Mapping):
            at = at.get(step)
        elif isinstance(at, list | tuple) and step.isdecimal() and len(step) < 10 and int(step) < len(at):
            at = at[int(step)]
        else:
            return None
    return at


def resolve(root: Any, schema: Any) -> Any:
    """`schema`, or what its `$ref` into `root` leads to; where that leads nowhere, the last that there is."""
    for _ in range(MAX_LEVELS):
        found = target(root, schema.get("$ref")) if isinstance(schema, Mapping) else None
        if found is None:
            break
        schema = found
    return schema


def listed(node: Node, word: str) -> Sequence[Any]:
    """The list of a keyword; empty where it has none."""
    found = node.get(word)
    return found if isinstance(found, list | tuple) else ()


def literals(node: Node) -> Sequence[Any] | None:
    """The values that a schema admits and no others; None when it does not name them."""
    if "const" in node:
        return [node["const"]]
    found = node.get("enum")
    return found if isinstance(found, list | tuple) else None


def stated_types(node: Node) -> list[str]:
    """The types that a schema names."""
    found = node.get("type")
    return [found] if isinstance(found, str) else [str(kind) for kind in listed(node, "type")]


def implied_types(node: Node) -> list[str]:
    """The type that a schema's keywords are about."""
    if any(isinstance(node.get(word), Mapping) for word in _OF_OBJECTS):
        return ["object"]
    return ["array"] if "items" in node or "prefixItems" in node else []


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


def member_of(node: Node, key: str) -> Any:
    """The schema that `node` itself has for member `key`, by its name."""
    properties = node.get("properties")
    return properties.get(key) if isinstance(properties, Mapping) else None


def others_of(node: Node) -> Any:
    """The schema in `node` itself of other members, and of any pattern's: patterns are not run, which may never end."""
    patterns = node.get("patternProperties")
    several = [*patterns.values()] if isinstance(patterns, Mapping) else []
    return joined("anyOf", [*several, node.get("additionalProperties")])


def item_of(node: Node, index: int) -> Any:
    """The schema that `node` itself has for item `index`; before 2020, `items` could be what `prefixItems` is now."""
    old = isinstance(node.get("items"), list | tuple)
    first = listed(node, "items" if old else "prefixItems")[:MAX_LEVELS]
    if index < len(first):
        return first[index]
    word = "additionalItems" if old else "items"
    if word in node or len(kinds := stated_types(node)) != 1 or not (kind := item_type(kinds[0])):
        return node.get(word)
    return {"type": kind}


def joined(word: str, several: list[Any]) -> Any:
    """One schema that lists those of several that say something; None for nothing."""
    found = [one for one in several if one is True or isinstance(one, Mapping)]
    return {word: found} if len(found) > 1 else found[0] if found else None


def narrowed(types: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    """The types that both admit; where there is none, the first ones are believed."""
    if types is None or others is None:
        return others if types is None else types
    both = _with_integers(types) & _with_integers(others)
    return both - {"integer"} if "number" in both else both or types


def _with_integers(types: frozenset[str]) -> frozenset[str]:
    """Any integer is a number too."""
    return types | {"integer"} if "number" in types else types

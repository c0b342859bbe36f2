"""Values that a JSON Schema admits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from random import Random
from typing import Any

from toolect._authoring.generate.json_values import Text, value
from toolect._authoring.generate.texts import often
from toolect._message import Json
from toolect._regular.sample import sample
from toolect._regular.syntax import NotRegularError
from toolect._values.schema_keywords import Node, implied_types, listed, literals, resolve, stated_types
from toolect._values.type_names import types_named

DEEP = 8
"""Levels of values from which on nothing is drawn that may be left out."""
DEEPEST = 4 * DEEP
"""Levels of values that a schema may demand, which may refer to itself. Beyond it: a value is null."""
MOST = 64
"""Values that a list is to have at least, and that stand first in it. Beyond it: it has fewer."""
FORMATS = {
    "date": "2026-03-01", "time": "04:10:00Z", "date-time": "2026-03-01T04:10:00Z", "duration": "PT4H",
    "email": "ida@example.org", "hostname": "example.org", "ipv4": "192.0.2.7", "ipv6": "2001:db8::7",
    "uri": "https://example.org/a?b=c", "uuid": "5f2b7b0c-2c7e-4e55-9c53-6a3c8f8a2d10",
}  # fmt: skip
"""Texts in the formats that JSON Schema names."""
SPAN = 1000
"""How far from its one limit a number lies at most that has no other."""


class SchemaValues:
    """Draws values that the schema `root` admits. `text` draws the strings of which nothing is said."""

    def __init__(self, root: Node, random: Random, text: Text) -> None:
        self.root, self.random, self.text = root, random, text

    def arguments(self) -> dict[str, Json]:
        """The arguments of a call: the schema is that of a tool's parameters."""
        return self._object(self._whole(self.root), 0)

    def value(self, schema: Any, depth: int) -> Json:
        """A value that `schema`, a part of the whole one, admits; any one where it says nothing that is understood."""
        if depth > DEEPEST:
            return None
        schema = resolve(self.root, schema)
        if not isinstance(schema, Mapping):
            return self.text(self.random)
        node = self._whole(schema)
        named = literals(node)
        if named:
            return self.random.choice(named)
        types = [one for kind in stated_types(node) for one in sorted(types_named(kind))] or implied_types(node)
        if not types:
            return value(self.random, self.text, self.text)
        match self.random.choice(types):
            case "null":
                return None
            case "boolean":
                return bool(self.random.randint(0, 1))
            case "integer" | "number" as kind:
                return self._number(node, kind == "integer")
            case "array":
                return self._list(node, depth)
            case "object":
                return self._object(node, depth)
        return self._text(node)

    def _whole(self, schema: Node, depth: int = 0) -> Node:
        """The schema with what it refers to, all that it demands together, and one of its alternatives."""
        found = dict(resolve(self.root, schema))
        alternatives = (options for word in ("anyOf", "oneOf") if (options := listed(found, word)))
        parts = [*listed(found, "allOf"), *map(self.random.choice, alternatives)]
        for part in parts if depth < DEEP else ():
            if isinstance(part, Mapping):
                other = self._whole(part, depth + 1)
                properties = {**_mapping(found, "properties"), **_mapping(other, "properties")}
                required = [*listed(found, "required"), *listed(other, "required")]
                found = {**found, **other, "required": required}
                if properties:
                    found["properties"] = properties
        return found

    def _object(self, node: Node, depth: int) -> dict[str, Json]:
        properties, required = _mapping(node, "properties"), listed(node, "required")
        found: dict[str, Json] = {}
        for key, schema in properties.items():
            if key in required or depth < DEEP and self.random.randint(0, depth + 2) > depth:
                found[key] = self.value(schema, depth + 1)
        more = node.get("additionalProperties")
        if isinstance(more, Mapping) and depth < DEEP:
            for _ in often(self.random, 3, 0 if found else 1):
                found.setdefault(self.text(self.random), self.value(more, depth + 1))
        return found

    def _list(self, node: Node, depth: int) -> Json:
        first, item = listed(node, "prefixItems")[:MOST], node.get("items")
        least = max(min(_count(node, "minItems", 0), MOST), len(first))
        most = least if depth >= DEEP or item is False else min(_count(node, "maxItems", MOST), least + 3)
        schemas = [*first, *[item] * (most - len(first))]
        return [self.value(schemas[at], depth + 1) for at in often(self.random, most, least)]

    def _number(self, node: Node, whole: bool) -> Json:
        step = abs(_finite(node, "multipleOf") or 0) or (1 if whole else 1 / 8)
        low, high = _limits(node, step)
        drawn = step * self.random.randint(math.ceil(low / step), max(math.ceil(low / step), math.floor(high / step)))
        return int(drawn) if whole else drawn

    def _text(self, node: Node) -> str:
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            try:
                return sample(pattern.removeprefix("^").removesuffix("$"), self.random)
            except (NotRegularError, re.error, OverflowError, RecursionError):
                pass  # beyond what can be drawn: any text
        if isinstance(known := FORMATS.get(str(node.get("format"))), str):
            return known
        text = self.text(self.random)
        most = _count(node, "maxLength", len(text))
        return text[:most].ljust(min(_count(node, "minLength", 0), 1 << 12), "x")


def _mapping(node: Node, word: str) -> Mapping[str, Any]:
    found = node.get(word)
    return found if isinstance(found, Mapping) else {}


def _count(node: Node, word: str, other: int) -> int:
    found = node.get(word)
    return found if isinstance(found, int) and found >= 0 else other


def _finite(node: Node, word: str) -> float | None:
    found = node.get(word)
    fits = isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 1e15
    return found if fits else None


def _limits(node: Node, step: float) -> tuple[float, float]:
    """The least and the greatest number that is admitted, or far enough."""
    least = [n for n in (_finite(node, "minimum"), _after(node, "exclusiveMinimum", step)) if n is not None]
    most = [n for n in (_finite(node, "maximum"), _after(node, "exclusiveMaximum", -step)) if n is not None]
    high = min(most, default=max(least, default=0) + SPAN)
    return max(least, default=min(0, high) if most else 0), high


def _after(node: Node, word: str, step: float) -> float | None:
    """The next number from a limit that is itself not admitted."""
    found = _finite(node, word)
    return None if found is None else found + step

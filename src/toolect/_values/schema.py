"""JSON Schemas of tools: what they declare of an argument and of the values inside, wherever in them it is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from toolect._values.schema_keywords import (
    MAX_LEVELS,
    TYPES,
    Node,
    implied_types,
    item_of,
    joined,
    listed,
    literals,
    member_of,
    narrowed,
    others_of,
    stated_types,
    target,
    type_of,
)
from toolect._values.type_names import types_named

Inner: TypeAlias = Callable[[Node], Any]
"""Looks up the schema of one value inside a schema, by that schema alone: a mapping, True for any value, or None."""

MAX_OPTIONS = 256
"""Alternatives and references in a JSON Schema that are looked at for one value. Beyond it: they say nothing. A schema
may refer to itself a lot.
"""
_COMBINING = frozenset(("$ref", "allOf", "anyOf", "oneOf"))
_OTHERS = -1  # in place of an index
_KNOWN = frozenset(TYPES)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
AROUND = " \t\r\n\"'`*:,()[]{}<>=/"
"""Signs beside a name or key that belong to none."""


def visible(name: str) -> str:
    """A name or key without the signs that nobody sees."""
    return _UNSEEN.sub("", name)


class Schema:
    """Schema of one value: `node`, whose references lead into `root`."""

    __slots__ = ("_found", "_kinds", "_left", "_named", "_types", "node", "root")

    def __init__(self, node: Node, root: Node | None = None) -> None:
        self.node = node
        self.root = node if root is None else root
        self._left = MAX_OPTIONS
        self._types: tuple[str, ...] | None = None
        self._kinds: dict[str, str] | None = None
        self._named: tuple[str, ...] | None = None
        self._found: dict[str | int, Schema | None] = {}

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types that are admitted, in the order of `TYPES`; all of them where nothing is said."""
        if self._types is None:
            kind = self.node.get("type")
            if isinstance(kind, str) and kind in _KNOWN:  # nearly always
                self._types = (kind,)
                return self._types
            admitted = self._afresh()._admitted(self.node, 0)
            self._types = tuple(t for t in TYPES if t in admitted) if admitted else TYPES
        return self._types

    @property
    def lists(self) -> bool:
        """True when the value may be a list, and is no text."""
        return "array" in self.types and "string" not in self.types

    @property
    def names(self) -> tuple[str, ...]:
        """The members that are declared by name, in their order."""
        if self._named is None:
            self._named = tuple(dict.fromkeys(self._afresh()._names(self.node, 0)))
        return self._named

    def lacks(self, given: Container[str]) -> str:
        """The first member that has to come and is not `given`; none where all are."""
        return next((key for key in self._afresh()._required(self.node, 0) if key not in given), "")

    @property
    def opened(self) -> bool:
        """True when it says that members may come which it does not name."""
        return self._schema(others_of) is not None

    @property
    def kinds(self) -> dict[str, str]:
        """Those of the members that are declared with one type where they are named, and nowhere else, with that."""
        if self._kinds is None:
            properties = self.node.get("properties") if _COMBINING.isdisjoint(self.node) else None
            members = properties.items() if type(properties) is dict else ()
            named = {k: node.get("type") for k, node in members if type(node) is dict}
            self._kinds = {k: kind for k, kind in named.items() if isinstance(kind, str) and kind in _KNOWN}
        return self._kinds

    @property
    def sole(self) -> str | None:
        """The only member that is declared by name; None for several, and for none."""
        names = self.names
        return names[0] if len(names) == 1 else None

    def member(self, key: str) -> Schema | None:
        """The schema of member `key` of an object, by its name or with all others; None for nothing."""
        if not self.node:
            return None
        if key not in self._found:
            self._found[key] = self._schema(lambda node: member_of(node, key)) or self._others()
        return self._found[key]

    def meant(self, key: str) -> str:
        """The declared member that `key` is but for signs around it, and such as nobody sees; none for no other."""
        if not key or key.isidentifier():
            return ""
        said = visible(key).strip(AROUND)
        return said if said != key and self.member(key) is None and said in self.names else ""

    def item(self, index: int) -> Schema | None:
        """The schema of item `index` of a list; None for nothing."""
        index = min(index, MAX_LEVELS)
        if index not in self._found:
            self._found[index] = self._schema(lambda node: item_of(node, index))
        return self._found[index]

    def _afresh(self) -> Schema:
        """The same for one look, which counts what it looks at: others may be looking, too."""
        return Schema(self.node, self.root)

    def _others(self) -> Schema | None:
        """The schema of members without a name; None, too, where they may be anything."""
        if _OTHERS not in self._found:
            found = self._schema(others_of)
            self._found[_OTHERS] = None if found is None or found.types is TYPES else found
        return self._found[_OTHERS]

    def _schema(self, own: Inner) -> Schema | None:
        found = self._afresh()._inner(self.node, own, 0)
        if found is True:
            return Schema({}, self.root)
        return Schema(found, self.root) if isinstance(found, Mapping) else None

    # A schema holds together with what it refers to and with all of its `allOf`; of `anyOf` and `oneOf`, one holds.

    def _admitted(self, node: Node, depth: int) -> frozenset[str] | None:
        """The types that `node` admits, None where it does not say: its own words count before those of others."""
        if own := frozenset().union(*map(types_named, stated_types(node))):
            return own
        if (values := literals(node)) is not None:
            return frozenset(map(type_of, values))
        found: frozenset[str] | None = None
        for part in self._parts(node, depth):
            found = narrowed(found, self._admitted(part, depth + 1))
        for options in self._options(node, depth):
            each = [self._admitted(option, depth + 1) for option in options]
            said = [types for types in each if types is not None]
            if len(said) == len(each):
                found = narrowed(found, frozenset().union(*said))
        return found or frozenset(implied_types(node)) or None

    def _inner(self, node: Node, own: Inner, depth: int) -> Any:
        """The schema of a value inside of one that `node` describes: `own` of each part, put together as they are."""
        if _COMBINING.isdisjoint(node):
            return own(node)
        found = [own(node)]
        found += [self._inner(part, own, depth + 1) for part in self._parts(node, depth)]
        for options in self._options(node, depth):
            found.append(joined("anyOf", [self._inner(option, own, depth + 1) for option in options]))
        return joined("allOf", found)

    def _names(self, node: Node, depth: int) -> Iterator[str]:
        properties = node.get("properties")
        yield from map(str, properties) if isinstance(properties, Mapping) else ()
        for part in self._parts(node, depth):
            yield from self._names(part, depth + 1)
        for options in self._options(node, depth):
            for option in options:
                yield from self._names(option, depth + 1)

    def _required(self, node: Node, depth: int) -> Iterator[str]:
        yield from (key for key in listed(node, "required") if isinstance(key, str))
        for part in self._parts(node, depth):
            yield from self._required(part, depth + 1)

    def _parts(self, node: Node, depth: int) -> list[Node]:
        """The schemas that hold beside `node`."""
        if "$ref" not in node and "allOf" not in node:
            return []
        return self._counted([target(self.root, node.get("$ref")), *listed(node, "allOf")[:MAX_OPTIONS]], depth)

    def _options(self, node: Node, depth: int) -> Iterator[list[Node]]:
        """The schemas of which one holds."""
        for word in ("anyOf", "oneOf"):
            if word in node and (options := self._counted(listed(node, word), depth)):
                yield options

    def _counted(self, several: Sequence[Any], depth: int) -> list[Node]:
        """Those that are schemas: `true` says nothing, as an empty one; none where there have been too many."""
        self._left -= len(several)
        if self._left < 0 or depth >= MAX_LEVELS:
            return []
        return [{} if one is True else one for one in several if one is True or isinstance(one, Mapping)]


NO_SCHEMA = Schema({})
"""That of a tool which is not declared."""

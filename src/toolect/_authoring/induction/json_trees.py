"""Shapes of calls in JSON: the trees of JSON values with the truth put in, and their anti-unification.

Whatever its keys are called, a member that is the name of a call becomes `$name`, its arguments `$arguments`.
What is the same in all trees is a constant; what some lack is optional.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from toolect._authoring.generate.random_values import json_in
from toolect._authoring.induction.labeled_rows import Row
from toolect._message import Call, Content, Json, Message, Reasoning, same_json
from toolect._values.trees import texts_in

LAYOUTS = ("", "compact", "indented 2", "indented 4", "rows 2", "rows 4")
"""Spacings of JSON, as an entry says them; "" is the usual one."""


class TreeHole(str):
    """Hole of a tree, where a message has a value of its own."""

    __slots__ = ()


class JsonCalls(NamedTuple):
    """The calls of rows in JSON values: these values, what is said outside of them, and what they mean."""

    texts: tuple[tuple[str, ...], ...]
    outside: tuple[Row, ...]
    shape: Json
    listed: bool
    """A value holds more than one call, or content."""
    layout: str = ""


def json_calls(rows: Sequence[Row]) -> JsonCalls | None:
    """The calls of all rows, if each is in a JSON value with its name and its arguments."""
    trees: list[Json] = []
    texts: list[tuple[str, ...]] = []
    outside: list[Row] = []
    for row in rows:
        ids = frozenset(call.id for call in row.message.calls)
        left = _Unfound((*row.message.calls,), row.message.content, row.message.reasoning, ids)
        here: list[str] = []
        for start, end, value in json_in(row.whole):
            ahead = copy(left)
            tree = ahead.abstract(value)
            if not ahead.found and ahead != left:
                left = ahead
                here.append(row.whole[start:end])
                trees.append(tree)
        if left.calls:
            return None
        said = Reasoning(left.reasoning), Content(left.content)
        rest = [*(one for one in said if one.text), *([Call("x", {})] if here else [])]
        outside.append(row._replace(message=Message(rest)))
        texts.append(tuple(here))
    shape = _merged(trees)
    alone = isinstance(shape, dict) and "$content" not in _holes(shape) and not _calls_listed(shape)
    return JsonCalls(tuple(texts), tuple(outside), shape, not alone)


@dataclass
class _Unfound:
    """Values of a message that are not yet found in its JSON, and the holes of its next call that are."""

    calls: tuple[Call, ...]
    content: str
    reasoning: str
    ids: frozenset[str | None]
    found: frozenset[str] = frozenset()

    def abstract(self, value: Json) -> Json:
        """A tree with holes where it says what the message does, in order."""
        if isinstance(value, list):
            return [self.abstract(item) for item in value]
        if isinstance(value, str) and value and value in (self.content, self.reasoning):
            hole = "content" if value == self.content else "reasoning"
            setattr(self, hole, "")
            return TreeHole(f"${hole}")
        if self.calls:
            call = self.calls[0]
            if "$arguments" not in self.found and _says(value, call.arguments):
                return self.take("$arguments.text" if isinstance(value, str) else "$arguments")
            if "$name" not in self.found and value == call.name:
                return self.take("$name")
            if isinstance(value, dict) and not self.found and (tree := self.beside(value, call)):
                return tree
        if isinstance(value, dict):
            return {key: self.abstract(inner) for key, inner in value.items()}
        return TreeHole("$id") if isinstance(value, str) and value in self.ids else value

    def take(self, hole: str) -> TreeHole:
        """The hole of a part of the next call; with both, the one behind it is next."""
        self.found |= {hole.removesuffix(".text")}
        if len(self.found) == 2:
            self.calls, self.found = self.calls[1:], frozenset()
        return TreeHole(hole)

    def beside(self, value: dict[str, Json], call: Call) -> dict[str, Json]:
        """The tree of an object whose only key is the name, or in which the arguments stand beside it; else none."""
        for key, inner in value.items():
            if len(value) == 1 and key == call.name and _says(inner, call.arguments):
                return {self.take("$name"): self.take("$arguments.text" if isinstance(inner, str) else "$arguments")}
            rest = {other: one for other, one in value.items() if other != key}
            if inner == call.name and same_json(rest, call.arguments):
                return {key: self.take("$name"), TreeHole("*"): self.take("$arguments")}
        return {}


def _says(value: Json, arguments: Json) -> bool:
    """True where a value is the arguments, or their JSON."""
    try:
        return same_json(json.loads(value) if isinstance(value, str) else value, arguments)
    except (ValueError, RecursionError):
        return False


def _holes(tree: Json) -> list[str]:
    """The holes in a tree."""
    return [text for text in texts_in(tree) if isinstance(text, TreeHole)]


def _merged(trees: Sequence[Json]) -> Json:
    """The pattern that all trees are instances of, as an entry has it."""
    kinds: dict[object, list[Json]] = defaultdict(list)
    for tree in trees:
        kinds[type(tree), isinstance(tree, dict) and "$name" in _holes(tree) and not _calls_listed(tree)].append(tree)
    if len(kinds) > 1:
        return {"any": [*map(_merged, kinds.values())]}
    dicts = [tree for tree in trees if isinstance(tree, dict)]
    if not dicts:
        items = [item for tree in trees if isinstance(tree, list) for item in tree]
        parts = [[one for one in items if hole in _holes(one)] for hole in ("$name", "$content", "$reasoning")]
        found = [_merged(part) for part in parts if part]
        return trees[0] if not items else found if len(found) < 2 else {"mixed": found}
    merged: dict[str, Json] = {}
    for key in dict.fromkeys(key for one in sorted(dicts, key=len, reverse=True) for key in one):
        given = [one[key] for one in dicts if key in one and one[key] is not None]
        optional = "?" * (len(given) < len(dicts))
        solid = [one for one in given if _holes(one)]
        if solid:
            hole = _merged(solid)
            said = hole in ("$content", "$reasoning") and "$name" in _holes([*dicts])
            merged[key + ("?" if said else optional)] = hole
        elif given and all(same_json(one, given[0]) for one in given):
            merged[key + optional] = given[0]
    return merged


def _calls_listed(tree: Json) -> bool:
    """True where calls are in a list."""
    if isinstance(tree, list):
        return "$name" in _holes(tree)
    return isinstance(tree, dict) and any(map(_calls_listed, tree.values()))

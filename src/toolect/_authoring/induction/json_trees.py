"""Shapes of calls in JSON: the trees of JSON values with the truth put in, and their anti-unification.

Whatever its keys are called, a member that is the name of a call becomes `$name`, its arguments `$arguments`.
What is the same in all trees is a constant; what some lack is optional.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolect._authoring.generate.json_values import json_in
from toolect._authoring.induction.labeled_rows import Row
from toolect._message import Call, Content, Json, Message, Reasoning, same_json

DEEP = 3
"""Levels of objects inside of one another in which a name and its arguments are looked for."""
_HOLE = "\0"
Way = tuple[str, ...]


class JsonCalls(NamedTuple):
    """The calls of rows in JSON values: where these are, what is said outside of them, and what they mean."""

    places: tuple[tuple[tuple[int, int], ...], ...]
    outside: tuple[Row, ...]
    shape: Json
    layout: str
    listed: bool
    """A value holds more than one call, or content."""


def json_calls(rows: Sequence[Row]) -> JsonCalls | None:
    """The calls of all rows, if each is in a JSON value with its name and its arguments."""
    trees: list[Json] = []
    places: list[tuple[tuple[int, int], ...]] = []
    outside: list[Row] = []
    layouts: list[str | None] = []
    for row in rows:
        left = _Left(deque(row.message.calls), row.message.content, row.message.reasoning)
        here: list[tuple[int, int]] = []
        for start, end, value in json_in(row.whole):
            before = left.state()
            tree = _abstract(value, left)
            if left.state() == before:
                continue
            here.append((start, end))
            trees.append(tree)
            layouts.append(_layout(row.whole[start:end], value))
        if left.calls:
            return None
        said = Reasoning(left.reasoning), Content(left.content)
        rest = [*(one for one in said if one.text), *([Call("x", {})] if here else [])]
        outside.append(row._replace(message=Message(rest)))
        places.append(tuple(here))
    shape = _merged(trees)
    alone = isinstance(shape, dict) and "$content" not in repr(shape) and not _lists(shape)
    shown = [layout for layout in layouts if layout is not None]
    layout = max(shown, key=shown.count, default="")
    return JsonCalls(tuple(places), tuple(outside), shape, layout, not alone)


@dataclass
class _Left:
    """What of a message is not yet found in its JSON."""

    calls: deque[Call]
    content: str
    reasoning: str

    def state(self) -> tuple[int, str, str]:
        """What changes when something is found."""
        return len(self.calls), self.content, self.reasoning


def _abstract(value: Json, left: _Left) -> Json:
    """A tree with holes where it says what the message does, in order."""
    if isinstance(value, list):
        return [_abstract(item, left) for item in value]
    if isinstance(value, str) and value and value in (left.content, left.reasoning):
        hole = "content" if value == left.content else "reasoning"
        setattr(left, hole, "")
        return f"{_HOLE}${hole}"
    if not isinstance(value, dict):
        return value
    before = len(left.calls)
    tree = {key: _abstract(inner, left) for key, inner in value.items()}
    if len(left.calls) == before and left.calls and (call := _call(value, left.calls[0])) is not None:
        left.calls.popleft()
        return call
    return tree


def _call(value: dict[str, Json], call: Call) -> Json:
    """The shape of an object that is a call; None where it is not this one."""
    members = [*_members(value, ())]
    names = [way for way, inner in members if inner == call.name]
    for way, inner in members:
        text = isinstance(inner, str)
        if same_json(_decoded(inner) if text else inner, call.arguments):
            for name in names:
                if name != way[: len(name)]:
                    return _holes(value, call, (), {name: "$name", way: "$arguments.text" if text else "$arguments"})
            if len(value) == 1 and way == (call.name,):
                return {f"{_HOLE}$name": f"{_HOLE}$arguments" + ".text" * text}
    for (key,) in (name for name in names if len(name) == 1):
        rest = {other: inner for other, inner in value.items() if other != key}
        if same_json(rest, call.arguments):
            return {key: f"{_HOLE}$name", f"{_HOLE}*": f"{_HOLE}$arguments"}
    return None


def _members(value: dict[str, Json], way: Way) -> Iterator[tuple[Way, Json]]:
    for key, inner in value.items():
        yield (*way, key), inner
    for key, inner in value.items():
        if isinstance(inner, dict) and len(way) < DEEP - 1:
            yield from _members(inner, (*way, key))


def _decoded(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _holes(value: dict[str, Json], call: Call, way: Way, holes: dict[Way, str]) -> Json:
    tree: dict[str, Json] = {}
    for key, inner in value.items():
        here = (*way, key)
        if here in holes:
            tree[key] = _HOLE + holes[here]
        elif isinstance(inner, dict) and any(one[: len(here)] == here for one in holes):
            tree[key] = _holes(inner, call, here, holes)
        else:
            tree[key] = f"{_HOLE}$id" if call.id is not None and inner == call.id else inner
    return tree


def _merged(trees: Sequence[Json]) -> Json:
    """What all trees are instances of, as an entry has it."""
    dicts = [tree for tree in trees if isinstance(tree, dict)]
    lists = [tree for tree in trees if isinstance(tree, list)]
    if dicts and lists and len(dicts) + len(lists) == len(trees):
        return {"any": [_merged(dicts), _merged(lists)]}
    if lists:
        items = [item for one in lists for item in one]
        kinds = [[one for one in items if hole in repr(one)] for hole in ("$name", "$content", "$reasoning")]
        found = [_merged(kind) for kind in kinds if kind]
        return found if len(found) < 2 else {"mixed": found}
    if not dicts:
        return trees[0]
    alone = [tree for tree in dicts if "$name" in repr(tree) and not _calls_listed(tree)]
    if alone and len(alone) < len(dicts):
        return {"any": [_merged(alone), _merged([tree for tree in dicts if tree not in alone])]}
    merged: dict[str, Json] = {}
    for key in _keys(dicts):
        given = [one[key] for one in dicts if key in one and one[key] is not None]
        missing = len(given) < len(dicts)
        name, optional = key.removeprefix(_HOLE), "?" * missing
        solid = [one for one in given if _holed(one)]
        if solid and all(isinstance(one, str) for one in solid):
            hole = solid[0].removeprefix(_HOLE)
            merged[name + ("?" if hole in ("$content", "$reasoning") and "$name" in repr(dicts) else optional)] = hole
        elif solid:
            merged[name + optional] = _merged(solid)
        elif given and all(same_json(one, given[0]) for one in given):
            merged[name + optional] = given[0]
        elif "$name" in repr(dicts) and "$id" not in repr([*merged.values(), dicts]) and _are_ids(given):
            merged[name + optional] = "$id"
    return merged


def _calls_listed(tree: Json) -> bool:
    """True where calls are in a list."""
    if isinstance(tree, list):
        return "$name" in repr(tree)
    return isinstance(tree, dict) and any(map(_calls_listed, tree.values()))


def _holed(tree: Json) -> bool:
    return _HOLE in (tree if isinstance(tree, str) else repr(tree).replace("\\x00", _HOLE))


def _are_ids(given: Sequence[Json]) -> bool:
    return all(isinstance(one, str) and one and not one[0].isspace() and " " not in one for one in given)


def _keys(dicts: Sequence[dict[str, Json]]) -> list[str]:
    """The keys of all objects, in an order that is that of each of them as far as they agree."""
    keys: list[str] = []
    for one in sorted(dicts, key=len, reverse=True):
        at = 0
        for key in one:
            if key in keys:
                at = keys.index(key) + 1
            else:
                keys.insert(at, key)
                at += 1
    return keys


def _lists(shape: Json) -> bool:
    return isinstance(shape, list) or isinstance(shape, dict) and any(map(_lists, shape.values()))


def _layout(text: str, value: Json) -> str | None:
    """How the text of a value is spaced, as an entry says it; nothing for the default, None where it does not show."""
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text == compact:
        return None if compact == json.dumps(value, ensure_ascii=False) else "compact"
    for indent in range(1, 9):
        if text == json.dumps(value, ensure_ascii=False, indent=indent):
            return f"indented {indent}"
        rows = (
            (" " * indent + json.dumps(item, ensure_ascii=False) for item in value) if isinstance(value, list) else ()
        )
        if text == "[\n" + ",\n".join(rows) + "\n]":
            return f"rows {indent}"
    return ""

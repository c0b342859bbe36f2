"""Finds calls in JSON by its structure: whatever its keys are called, a name and what fits the tool's parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from toolect._values.toolset import ToolSchemas
from toolect.authoring.scaffold.json_calls import ARGUMENTS, IDS, NAMES, json_values, of_call
from toolect.authoring.scaffold.json_members import CALL, filled, further, merged, saying
from toolect.authoring.scaffold.pieces import Hole, Mark
from toolect.authoring.scaffold.seen import Seen, SeenCall
from toolect.authoring.scaffold.sighting import IDENTIFIER
from toolect.message import Json

Keys: TypeAlias = tuple[str, ...]
"""The way to a member of an object that may be inside of others."""
DEEP = 3
"""Levels of objects inside of one another in which a name and its arguments are looked for."""


class Found(NamedTuple):
    """A call in a JSON value: the object, and where its name and its arguments are."""

    value: dict[str, Json]
    name: Keys
    arguments: Keys
    text: bool = False
    """The arguments are JSON in a string."""
    keyed: bool = False
    """The name is the only key."""
    beside: bool = False
    """The arguments stand beside the name."""

    def called(self) -> SeenCall:
        """The call, without its place."""
        if self.keyed:
            return SeenCall(self.name[-1], tuple(_dict(_at(self.value, self.name))), ())
        name = str(_at(self.value, self.name))
        if self.beside:
            return SeenCall(name, tuple(key for key in self.value if key != self.name[0]), ())
        given = _at(self.value, self.arguments)
        return SeenCall(name, tuple(_dict(json.loads(given) if isinstance(given, str) else given)), ())


def structured_calls(texts: Sequence[str], tools: ToolSchemas) -> Iterator[Seen]:
    """The calls whose name and arguments are in one JSON value."""
    calls: list[list[SeenCall]] = [[] for _ in texts]
    found: list[Found] = []
    wraps: list[Json] = []
    layouts: list[str | None] = []
    for sample, text in enumerate(texts):
        for start, end, value in json_values(text):
            inside: list[Found] = []
            wrap = _wrap(value, tools, inside)
            if not inside:
                continue
            mark = Mark(start, end, Hole.JSON)
            first, *others = [one.called() for one in inside]
            calls[sample] += [first._replace(marks=(mark,), within=value), *others]
            found += inside
            wraps.append(wrap)
            layouts.append(_layout(text[start:end], value))
    if not found:
        return
    shape = _shape(found)
    if shape is not None:
        whole = filled(merged(wraps), shape)
        yield Seen(tuple(tuple(saying(one, whole) for one in here) for here in calls), None, whole, _most(layouts))


def _wrap(value: Json, tools: ToolSchemas, found: list[Found], listed: bool = False) -> Json:
    """What is around the calls in a value, with `CALL` for each of them, which are added to `found`.

    In items of a list only texts count beside them: a number may be that of the item.
    """
    if isinstance(value, list):
        inner = [_wrap(item, tools, found, listed=True) for item in value]
        calls = [item for item in inner if item is not None]
        return [calls[0]] if calls else None
    if not isinstance(value, dict):
        return None
    call = _found(value, tools)
    if call is not None:
        found.append(call)
        return CALL
    around = {key: _wrap(inner, tools, found, listed) for key, inner in value.items()}
    if not any(inner is not None for inner in around.values()):
        return None
    return {
        key if inner is not None else f"{key}?": inner or value[key]
        for key, inner in around.items()
        if inner is not None or not listed or isinstance(value[key], str)
    }


def _found(value: dict[str, Json], tools: ToolSchemas) -> Found | None:
    """The call that an object is."""
    if not tools.declared:
        return _guessed(value)
    for name, text in members_of(value):
        if name and isinstance(text, str) and text in tools:
            for given, inner in members_of(value):
                if given and given != name[: len(given)] and (fits := fitting(inner, tools, text)) is not None:
                    return Found(value, name, given, text=fits)
            others = [key for key in value if key != name[0]]
            if (
                len(name) == 1
                and next(iter(value)) == name[0]
                and fitting({k: value[k] for k in others}, tools, text) is not None
            ):
                return Found(value, name, (), beside=True)
    if len(value) == 1:
        [(key, inner)] = value.items()
        if key in tools and isinstance(inner, dict) and fitting(inner, tools, key) is not None:
            return Found(value, (key,), (), keyed=True)
    return None


def object_in(value: Json) -> dict[str, Json] | None:
    """The object that a value is, or that is JSON in a string; None for any other."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def fitting(value: Json, tools: ToolSchemas, name: str) -> bool | None:
    """Whether a value that may be the arguments of a tool is JSON in a string; None if it is none of them."""
    text = isinstance(value, str)
    given = object_in(value)
    if given is None:
        return None
    keys = tools[name].names
    return text if not keys or not given or 2 * sum(key in keys for key in given) > len(given) else None


def _guessed(value: dict[str, Json]) -> Found | None:
    """The call that an object is if no tools are declared: the names of its keys tell, or else its structure."""
    names = [
        way for way, inner in members_of(value) if way and isinstance(inner, str) and re.fullmatch(IDENTIFIER, inner)
    ]
    given = [way for way, inner in members_of(value) if way and _arguments(inner) is not None]
    known = [way for way in names if way[-1] in NAMES] or [way for way in names if way[-1] not in IDS]
    told = [way for way in given if way[-1] in ARGUMENTS]
    if not told and len(known) == 1 and len(value) <= 4:
        told = [way for way in given if len(way) == len(known[0])]
    if known and len(told) == 1 or known and told and told[0][-1] in ARGUMENTS:
        return Found(value, known[0], told[0], text=bool(_arguments(_at(value, told[0]))))
    if len(value) == 1:
        [(key, inner)] = value.items()
        if isinstance(inner, dict) and re.fullmatch(IDENTIFIER, key):
            return Found(value, (key,), (), keyed=True)
    return None


def _arguments(value: Json) -> bool | None:
    """Whether what may be arguments is JSON in a string."""
    if isinstance(value, dict):
        return False
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return True if isinstance(json.loads(value), dict) else None
        except (ValueError, RecursionError):
            return None
    return None


def members_of(value: Json, way: Keys = ()) -> Iterator[tuple[Keys, Json]]:
    """An object's members, outer ones first, through objects only."""
    inner: list[tuple[Keys, Json]] = [(way, value)]
    for _ in range(DEEP):
        yield from inner
        inner = [((*path, key), one) for path, outer in inner if isinstance(outer, dict) for key, one in outer.items()]


def _at(value: Json, way: Keys) -> Json:
    for key in way:
        value = _dict(value).get(key)
    return value


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _shape(found: Sequence[Found]) -> Json:
    """The shape of all the calls: those that are written as most of them are."""
    first = found[0]
    if first.keyed:
        return {"$name": "$arguments"} if all(one.keyed for one in found) else None
    if any(
        (one.name, one.arguments, one.text, one.beside) != (first.name, first.arguments, first.text, first.beside)
        for one in found
    ):
        return None
    if first.beside:
        return {first.name[0]: "$name", "*": "$arguments"}
    return _level(found, ())


def _level(found: Sequence[Found], way: Keys) -> Json:
    """One level of the shape: the way to the name and the arguments, ids, and what is always the same."""
    first = found[0]
    level: dict[str, Json] = {}
    objects = [_dict(_at(one.value, way)) for one in found]
    for key in dict.fromkeys(key for one in objects for key in one):
        here = (*way, key)
        if here == first.name:
            level[key] = "$name"
        elif here == first.arguments:
            level[key] = "$arguments.text" if first.text else "$arguments"
        elif here in (first.name[: len(here)], first.arguments[: len(here)]):
            level[key] = _level(found, here)
        else:
            level |= further(key, [one.get(key) for one in objects], taken="$id" in level.values())
    return of_call(level)


def _layout(text: str, value: Json) -> str | None:
    """How the text of a value is spaced, as an entry says it; nothing for the default, None where it does not show."""
    if text == json.dumps(value, ensure_ascii=False) == json.dumps(value, ensure_ascii=False, separators=(",", ":")):
        return None
    if text == json.dumps(value, ensure_ascii=False, separators=(",", ":")):
        return "compact"
    for indent in range(1, 9):
        if text == json.dumps(value, ensure_ascii=False, indent=indent):
            return f"indented {indent}"
    return ""


def _most(layouts: Sequence[str | None]) -> str:
    """The layout that most of the values have that show one."""
    shown = [layout for layout in layouts if layout is not None]
    return max(shown, key=shown.count, default="")


def named_json_calls(texts: Sequence[str], tools: ToolSchemas) -> Iterator[Seen]:
    """The calls whose arguments are JSON, with the name of a declared tool before it."""
    names = "|".join(re.escape(name) for name in sorted(tools, key=len, reverse=True))
    if not names:
        return
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")
    calls: list[list[SeenCall]] = []
    layouts: list[str | None] = []
    for text in texts:
        here: list[SeenCall] = []
        words = list(pattern.finditer(text))
        values = [(start, end, value) for start, end, value in json_values(text) if isinstance(value, dict)]
        at = 0
        for i, (start, end, value) in enumerate(values):
            before = [word for word in words if at <= word.start() and word.end() <= start]
            if not before or fitting(value, tools, before[-1][0]) is None:
                continue
            word = before[-1]
            until = values[i + 1][0] if i + 1 < len(values) else len(text)
            again = [w for w in words if end <= w.start() < until and w[0] == word[0]]
            marks = [Mark(*word.span(), Hole.NAME), Mark(start, end, Hole.JSON)]
            marks += [Mark(*again[0].span(), Hole.NAME)] if again and _closes(text, again[0]) else []
            here.append(SeenCall(word[0], tuple(value), tuple(marks)))
            layouts.append(_layout(text[start:end], value))
            at = marks[-1].end
        calls.append(here)
    if layouts:
        yield Seen(tuple(map(tuple, calls)), None, "$arguments", _most(layouts))


def _closes(text: str, word: re.Match[str]) -> bool:
    return text[: word.start()].endswith("/")

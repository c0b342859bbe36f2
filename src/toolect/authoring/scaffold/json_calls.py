"""Finds calls in JSON: values with a name and arguments in them, or arguments with the name before them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from toolect.authoring.scaffold.notations import python_value
from toolect.authoring.scaffold.pieces import Hole, Mark
from toolect.authoring.scaffold.sighting import IDENTIFIER, LOOK, MAX_STARTS, Sighting, name_mark
from toolect.authoring.scaffold.thoughts import SPEAKS_OF_THINKING
from toolect.message import Json

NAMES = ("name", "tool_name", "tool", "function_name", "function", "action", "recipient_name")
ARGUMENTS = (
    "arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "kwargs", "tool_args",
)  # fmt: skip
IDS = ("id", "call_id", "tool_call_id")
NUMBERED = re.compile(r"[^\W\d]*[-_.:]?\d+|(?=[^\W_]*\d[^\W\d_])[^\W_]+")
"""What ids look like: numbered words, and digits between letters."""
FEW = 3
"""Calls from which on what stands in all of them is no data."""


def json_calls(text: str) -> Sighting:
    """JSON values that hold calls, or arguments with the name before them."""
    marks: list[Mark] = []
    shape: Json = None
    for start, end, value in json_values(text):
        named = shape_of(value)
        if named is not None:
            shape = shape or named
            marks.append(Mark(start, end, Hole.JSON))
        elif isinstance(value, dict):
            name = _name_before(text, start, end)
            if name:
                marks += [*name, Mark(start, end, Hole.JSON)]
                if len(name) > 1:  # a tag that is the name closes after the value
                    marks[-1], marks[-2] = marks[-2], marks[-1]
            elif _keyed(value):
                shape = shape or {"$name": "$arguments"}
                marks.append(Mark(start, end, Hole.JSON))
    return Sighting(tuple(marks), shape)


def json_values(text: str, python: bool = False) -> Iterator[tuple[int, int, Json]]:
    """The JSON objects and lists of objects in a text, outermost ones only; those in the notation of Python, too, if
    that counts.
    """
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(MAX_STARTS):
        match = re.compile(r"[\[{]").search(text, at)
        if match is None:
            return
        try:
            value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            found = python_value(text, match.start()) if python else None
            if found is None:
                at = match.end()
                continue
            value, end = found
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict):
            yield match.start(), end, value
            at = end
        else:
            at = match.end()


def shape_of(value: Json) -> Json:
    """The shape of a value that holds a name and arguments; None for any other."""
    if isinstance(value, list):
        inner = shape_of(value[0]) if value else None
        if inner is None and value and _keyed(value[0]):
            inner = {"$name": "$arguments"}
        return None if inner is None else [inner]
    if not isinstance(value, dict):
        return None
    name = next((key for key in NAMES if isinstance(value.get(key), str)), None)
    given = next((key for key in ARGUMENTS if _arguments(value.get(key)) is not None), None)
    if name is not None and given is not None:
        return of_call(
            {
                _key(key, key in (name, given)): _field(key, value[key], name, given)
                for key in value
                if _kept(value, key, name, given)
            }
        )
    nested = {key: shape_of(inner) for key, inner in value.items()}
    calls = [key for key, inner in nested.items() if inner is not None]
    if len(calls) != 1:
        return None
    return {
        _key(key, key == calls[0]): nested[key] or _field(key, value[key], "", "")
        for key in value
        if key in calls or _kept(value, key, "", "")
    }


def of_call(level: dict[str, Json]) -> dict[str, Json]:
    """An object of a shape; if it is the call itself, without the texts in it, which no shape can say there."""
    if not any(hole in ("$name", "$arguments", "$arguments.text") for hole in level.values()):
        return level
    return {key: hole for key, hole in level.items() if hole not in ("$content", "$reasoning")}


def _kept(value: dict[str, Json], key: str, name: str, given: str) -> bool:
    """True for keys that a shape says something of."""
    return key in (name, given, *IDS) or member(key, [value[key]]) is not None


def member(key: str, found: Sequence[Json]) -> str | None:
    """What a member says that is no part of a call, of which `found` was seen: content, reasoning, or always the same.

    None where it may be anything: what is no text, or has digits in it that a few calls do not show to be always there.
    """
    texts = [value for value in found if isinstance(value, str)]
    if texts and (key == "content" or any(" " in text.strip() for text in texts)):
        return "$reasoning" if SPEAKS_OF_THINKING.search(key) else "$content"
    few = len(texts) < FEW and any(map(str.isdigit, "".join(texts)))
    return texts[0] if len({*texts}) == 1 and not few else None


def _key(key: str, needed: bool) -> str:
    return key if needed else f"{key}?"


def _field(key: str, value: Json, name: str, given: str) -> Json:
    if key == name:
        return "$name"
    if key == given:
        return _arguments(value)
    if key in IDS:
        return "$id"
    return member(key, [value])


def _arguments(value: Json) -> str | None:
    """The hole for arguments: an object, or one that is encoded once more."""
    if isinstance(value, dict):
        return "$arguments"
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return "$arguments.text" if isinstance(json.loads(value), dict) else None
        except (ValueError, RecursionError):
            return None
    return None


def _keyed(value: Json) -> bool:
    """True for an object whose only key may be a name, with the arguments below it."""
    return isinstance(value, dict) and len(value) == 1 and all(isinstance(inner, dict) for inner in value.values())


_BEFORE = (
    re.compile(rf"<[^<>\s=]+=({IDENTIFIER})>\s*\Z"),
    re.compile(rf"<[^<>]*?\b(?:name|tool)=\"({IDENTIFIER})\"[^<>]*>\s*\Z"),
    re.compile(
        rf"(?:\A|(?<=[\s>\]:=.]))({IDENTIFIER})(?:\s*<[|｜]?[^<>]*>(?:json|code)?|\s*\[[A-Z_]+\]|\s*```\w*)*\s*\Z"
    ),
    re.compile(
        rf"(?:\A|(?<=[\s>\]:=.]))({IDENTIFIER})\s*^[^\w\n]{{0,4}}\w[\w ]{{0,20}}[^\w\n{{]{{1,4}}\Z", re.MULTILINE
    ),
)
"""The name where it stands before its arguments, in a tag or between markers."""


def _name_before(text: str, start: int, end: int) -> list[Mark]:
    """The name before the arguments `text[start:end]`, twice when it is a tag; nothing if there is none."""
    base = max(0, start - LOOK)
    before = text[base:start]
    tag = re.search(rf"<({IDENTIFIER})>\s*\Z", before)
    if tag is not None and (close := re.match(rf"\s*</({re.escape(tag[1])})>", text[end:])):
        return [name_mark(tag, base), name_mark(close, end)]
    for pattern in _BEFORE:
        match = pattern.search(before)
        if match is not None:
            return [name_mark(match, base)]
    return []

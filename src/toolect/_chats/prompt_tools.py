"""Definitions of tools, read back from the text of a prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from toolect._message import Json
from toolect._spec.prompts import Syntax, ToolText

TEXT = "text"
"""The type of a tool of which only the text of its definition is known: `{"type": "text", "text": …}`."""
_decode = json.JSONDecoder().raw_decode
_HOLES = ("$tool", "$function", "$name", "$description", "$parameters")


def read_definition(how: ToolText | None, text: str) -> Iterator[dict[str, Any]]:
    """The tools that a text of the notation `how` tells: JSON as it is.

    Of another notation only the text is known: the tool is of the type `TEXT`, and can be written in no other chat.
    """
    values: list[Json] = []
    if in_json(how):
        at = 0
        while at < len(text):
            while at < len(text) and text[at] in " \t\r\n,[]":
                at += 1
            if at == len(text):
                break
            try:
                value, at = _decode(text, at)
            except (ValueError, RecursionError):
                values = []
                break
            values.append(value)
    pattern = "$tool" if how is None or how.tool is None else how.tool
    tools = [_read(pattern, value) for value in values]
    if tools and all(_is_tool(tool) for tool in tools):
        yield from tools
    elif text.strip():
        yield {"type": TEXT, "text": text}


def _read(pattern: Json, value: Json) -> dict[str, Any]:
    """The tool that a value is by a pattern; empty for none."""
    found: dict[str, Json] = {}
    return _tool(found) if _fit(pattern, value, found) else {}


def _is_tool(tool: dict[str, Any]) -> bool:
    """True for a tool with a name, and a schema if any, as readers of answers need."""
    function = tool.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
        return False
    return isinstance(function.get("parameters"), dict | None)


def end_of_tool(how: ToolText | None, text: str, at: int) -> int:
    """End index of the definition that begins at `at`; -1 for none, or where its end is not known."""
    if not text.startswith(("{", "["), at) or not in_json(how):
        return -1
    try:
        value, end = _decode(text, at)
    except (ValueError, RecursionError):
        return -1
    return end if _fit("$tool" if how is None or how.tool is None else how.tool, value, {}) else -1


MAX_FAILED = 200
"""Texts of one transcript that begin as definitions do and are none. Beyond it: no further definition is looked for."""


class Definitions:
    """Finds definitions in one transcript, at so many places that hostile texts cost no more than others."""

    def __init__(self, how: ToolText | None, text: str) -> None:
        self._how, self._text = how, text
        self._failed = 0

    def end(self, at: int) -> int:
        """End index of the definition that begins at `at`; -1 for none."""
        if self._failed >= MAX_FAILED:
            return -1
        end = end_of_tool(self._how, self._text, at)
        self._failed += end < 0 and self._text.startswith(("{", "["), at)
        return end

    def end_of_value(self, at: int) -> int:
        """End index of the JSON object or list that begins at `at`; -1 for none."""
        if self._failed >= MAX_FAILED or not self._text.startswith(("{", "["), at):
            return -1
        try:
            return _decode(self._text, at)[1]
        except (ValueError, RecursionError):
            self._failed += 1
            return -1


def is_json(text: str) -> bool:
    """True for a text that is JSON: where types are not written it may be read as a value."""
    try:
        msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def in_json(how: ToolText | None) -> bool:
    """True when each tool is written as JSON."""
    return how is None or how.each == "{tool}" and how.notation.spelling is Syntax.JSON


def _fit(pattern: Json, value: Json, found: dict[str, Json]) -> bool:
    match pattern:
        case str() if pattern in _HOLES:
            found[pattern] = value
            return pattern != "$tool" or isinstance(value, dict)
        case dict():
            return isinstance(value, dict) and all(
                _fit(inner, value[key], found) if key in value else inner in _HOLES for key, inner in pattern.items()
            )
        case list():
            return (
                isinstance(value, list)
                and len(value) == len(pattern)
                and all(_fit(inner, item, found) for inner, item in zip(pattern, value, strict=True))
            )
        case _:
            return bool(pattern == value)


def _tool(found: dict[str, Json]) -> dict[str, Any]:
    if isinstance(whole := found.get("$tool"), dict):
        return whole if "function" in whole else {"type": "function", "function": whole}
    if isinstance(function := found.get("$function"), dict):
        return {"type": "function", "function": function}
    return {"type": "function", "function": {hole[1:]: found[hole] for hole in _HOLES[2:] if hole in found}}

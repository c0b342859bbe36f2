"""Tools and results in texts of rows: definitions in a system text, results in elements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolect._exchange.definitions import SCHEMAS, read_tools
from toolect._message import Json, MessageError, dumps
from toolect._turns import ToolResult
from toolect._values.literals import literal_at

MAX_FAILED = 200
"""Places of one text that begin as JSON does and hold no definitions. Beyond it: no further one is looked for."""
_TOOLS = re.compile(r"<tools>\s*([\[{].*?[]}])\s*</tools>", re.DOTALL)
_BEGINS = re.compile(r"""\[\s*+\{\s*+["']|\{\s*+["']""")
_PRINTED = re.compile(r"[\[{\s]*+'")
_BETWEEN = re.compile(r"[,\s]*")
_OPENER = re.compile(r"\s*<(\w{1,40})>\s*")
_RESULT = {"tool_call_id", "name", "content"}
_JSON = json.JSONDecoder()


class EmbeddedTools(NamedTuple):
    """The tools that a text defines, and the spans of their definitions: characters `start:end` of each, in order."""

    tools: tuple[dict[str, Json], ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


def definitions_in(system: str) -> tuple[dict[str, Json], ...]:
    """The tools that a system text defines; none where a definition is invalid."""
    return embedded_tools(system).tools


def embedded_tools(system: str) -> EmbeddedTools:
    """The tools that a system text defines, with the spans of the definitions; none where one is invalid."""
    if not may_define(system):
        return EmbeddedTools()
    found = [*_found(system)]
    try:
        tools = read_tools([one for values, _ in found for one in values])
    except MessageError:
        return EmbeddedTools()
    return EmbeddedTools(tools, tuple(span for _, span in found)) if tools else EmbeddedTools()


def _found(system: str) -> Iterator[tuple[list[Json], tuple[int, int]]]:
    """The definitions that a system text holds: in an element of their own, else anywhere in the prose."""
    if (element := _TOOLS.search(system)) is not None:
        values = [*_values(element[1], 0)]
        if values and values[-1][1] == len(element[1]):
            yield [one for value, _ in values for one in _each(value)], element.span()
        return
    failed, at = 0, 0
    while failed < MAX_FAILED and (begins := _BEGINS.search(system, at)) is not None:
        tools: list[Json] = []
        for value, end in _values(system, begins.start()):
            if not all(_defines(one) for one in _each(value)):
                break
            tools += _each(value)
            at = end
        if tools:
            yield tools, (begins.start(), at)
        else:
            failed, at = failed + 1, begins.start() + 1


def _values(text: str, at: int) -> Iterator[tuple[Json, int]]:
    """The values that stand one after the other, as JSON or as Python prints them, and where the blanks behind end."""
    while at < len(text):
        try:
            value, at = _JSON.raw_decode(text, at) if _PRINTED.match(text, at) is None else literal_at(text, at)
        except (ValueError, RecursionError):
            return
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        yield value, at


def _each(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _defines(value: Json) -> bool:
    """True for the definition of a function: a name, and a schema of its parameters."""
    inner = value.get("function", value) if isinstance(value, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return False
    return any(isinstance(inner.get(key), dict) for key in SCHEMAS)


def may_define(system: str) -> bool:
    """False for a text that holds no definitions for certain."""
    return any(key in system for key in SCHEMAS)


def tells_of(system: str, tools: Iterable[Mapping[str, Json]]) -> bool:
    """True for a text that has the name of each tool, if there are any: in quotes, or before its parameters."""
    names = [tool["function"]["name"] for tool in tools]
    if not names or any(name not in system for name in names):
        return False
    each = (rf"""["'`]{re.escape(name)}["'`]|\b{re.escape(name)}\(""" for name in names)
    return all(re.search(one, system) is not None for one in each)


def one_each(text: str, calls: int) -> list[str]:
    """The results for so many calls in a text: the items of a JSON list of as many, else the text as it is."""
    if calls < 2 or text.lstrip()[:1] != "[":
        return [text]
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    return [one if isinstance(one, str) else dumps(one) for one in items] if len(items) == calls else [text]


def element_results(text: str, name: str = "") -> list[ToolResult]:
    """The results of a text that is nothing but elements of one name; none for any other text."""
    found: list[ToolResult] = []
    at, opener = 0, _OPENER.match(text)
    name = name or (opener[1] if opener else "")
    while opener is not None and opener[1] == name:
        try:
            value, end = _JSON.raw_decode(text, opener.end())
        except (ValueError, RecursionError):
            value, end = None, -1
        closer = re.compile(rf"\s*</{name}>\s*")
        if end >= 0 and (closed := closer.match(text, end)) is not None:
            found.append(_result(value, text[opener.end() : end]))
        elif (closed := closer.search(text, opener.end())) is not None:
            found.append(ToolResult("", "", text[opener.end() : closed.start()]))
        else:
            break
        at = closed.end()
        opener = _OPENER.match(text, at)
    return found if at == len(text) else []


def _result(value: Json, text: str) -> ToolResult:
    """A result in JSON: its output under `content`, or all of it."""
    if not isinstance(value, dict) or "content" not in value or not value.keys() <= _RESULT:
        return ToolResult("", "", text)
    output, name, call_id = value["content"], value.get("name"), value.get("tool_call_id")
    return ToolResult(
        call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "",
        output if isinstance(output, str) else dumps(output),
    )  # fmt: skip

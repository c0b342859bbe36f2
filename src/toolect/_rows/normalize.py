"""Normalisation of messages and tools: undoes the conversions of tables and data sets, each with a note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from toolect._chat_completion import ARGUMENTS
from toolect._chats.conversation_diff import Change
from toolect._exchange.definitions import read_tools
from toolect._exchange.embedded_tools import definitions_in
from toolect._message import Json
from toolect._rows.patterns import opened, twice
from toolect._values.type_names import json_type, with_json_types

TWICE = "arguments are the JSON text of a text"
NULLS = "arguments have nulls that the tool does not take: a table added them"
FREE_FORM = "calls of tools that take a text are those of functions with the one argument `input`"
OLD_CALL = "calls stand in the old field `function_call`"
SHORT_SCHEMA = "a tool's parameters are no JSON Schema: made one"
OTHER_TYPES = "the types of a tool's parameters are spelled otherwise, as `dict` or `STRING`: made those of JSON Schema"
NO_SCHEMA = "a tool has no parameters: made it one without"
TOOL_NULLS = "definitions of tools have nulls: a table added them"
MAX_KEPT, MAX_BYTES = 512, 1 << 17
"""Lists of tools that are kept for rows to come, and the bytes of one. Beyond it: they are read for each row."""


class Tools(NamedTuple):
    """Definitions of tools as OpenAI tool objects, their schemas by name, and notes on changes in them."""

    tools: tuple[dict[str, Json], ...]
    schemas: dict[str, Mapping[str, Json]]
    notes: tuple[Change, ...]

    def joined(self, more: Tools) -> Tools:
        """These and further ones; of two of one name the first counts."""
        new = [tool for tool in more.tools if tool["function"]["name"] not in self.schemas]
        return Tools((*self.tools, *new), more.schemas | self.schemas, (*self.notes, *more.notes))


NO_TOOLS = Tools((), {}, ())


def tools_in(given: Json) -> Tools:
    """The tools of a row, given as a list, as an object of them, or as JSON text. Raises MessageError."""
    if given is None or given == "" or given == []:
        return NO_TOOLS
    if isinstance(given, str):
        return _of_text(given) if len(given) < MAX_BYTES else _tools(given)
    try:
        key = msgspec.json.encode(given)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _tools(given)
    return _of_bytes(key) if len(key) < MAX_BYTES else _tools(given)


@lru_cache(MAX_KEPT)
def _of_text(text: str) -> Tools:
    return _tools(text)


@lru_cache(MAX_KEPT)
def _of_bytes(data: bytes) -> Tools:
    return _tools(msgspec.json.decode(data))


def _tools(given: Json) -> Tools:
    value = opened(given)
    if isinstance(value, str) and (several := definitions_in(value)):  # one after the other, as Glaive has them
        value = [*several]
    if isinstance(value, Mapping):
        value = [value]
    notes: dict[str, Change] = {}
    if isinstance(value, list):
        value = [_mended(opened(tool), notes) for tool in value]
    tools = read_tools(value)
    return Tools(tools, {one["function"]["name"]: one["function"]["parameters"] for one in tools}, (*notes.values(),))


def _mended(tool: Json, notes: dict[str, Change]) -> Json:
    """A tool whose parameters are a JSON Schema."""
    if not isinstance(tool, Mapping):
        return tool
    tool = _without_nulls(tool, notes)
    inner = tool.get("function", tool)
    if not isinstance(inner, Mapping) or not inner.get("name") or "input_schema" in inner:
        return tool
    name = next((one for one in _SCHEMAS if inner.get(one) is not None), "parameters")
    inner = {("parameters" if key == name else key): one for key, one in inner.items()}
    schema = opened(inner.get("parameters"))
    if isinstance(schema, Mapping) and schema.keys() == {"json"}:
        schema = opened(schema["json"])
    if schema is None or schema == {}:
        notes[NO_SCHEMA] = Change(NO_SCHEMA)
        schema = {"type": "object", "properties": {}}
    elif isinstance(schema, Mapping) and _is_short(schema):
        notes[SHORT_SCHEMA] = Change(SHORT_SCHEMA)
        schema = _schema(schema)
    inner = {**inner, "parameters": (made := with_json_types(schema))}
    if made != schema:
        notes[OTHER_TYPES] = Change(OTHER_TYPES)
    return {**tool, "function": inner} if "function" in tool else inner


_SCHEMAS = ("parameters", "inputSchema", "parametersJsonSchema", "parameter_definitions", "arguments")
"""Names for the parameters of a tool, in MCP, Bedrock, Gemini, Cohere and data sets."""


def _is_short(schema: Mapping[str, Json]) -> bool:
    """True for parameters by name, with no schema around them."""
    if "properties" in schema or isinstance(schema.get("type"), str) or "$ref" in schema:
        return False
    return all(isinstance(one, Mapping) for one in schema.values())


def _schema(parameters: Mapping[str, Mapping[str, Json]]) -> dict[str, Json]:
    """The JSON Schema of parameters that are each a type, maybe with `optional` behind it, and a description."""
    properties: dict[str, Json] = {}
    required = []
    for name, given in parameters.items():
        words = str(given.get("type", "")).split(",")
        base, _, inside = words[0].strip().partition("[")
        kind = json_type(base)
        one: dict[str, Json] = {key: value for key, value in given.items() if key not in ("type", "required")}
        element = json_type(inside.rstrip("] "))
        if kind == "array" and element:
            one = {"items": {"type": element}, **one}
        properties[name] = {"type": kind, **one} if kind else one
        optional = any("optional" in word for word in words[1:]) or "default" in given or given.get("required") is False
        if not optional:
            required.append(name)
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


_MEANT = frozenset(("default", "const", "enum", "examples", "example"))


def _without_nulls(value: Mapping[str, Json], notes: dict[str, Change]) -> dict[str, Json]:
    """A definition without the fields that only stand in it because a table has one set of columns."""
    found: dict[str, Json] = {}
    for key, item in value.items():
        if item is None and key not in _MEANT:
            notes[TOOL_NULLS] = Change(TOOL_NULLS)
        elif isinstance(item, Mapping) and key not in _MEANT:
            found[key] = _without_nulls(item, notes)
        else:
            found[key] = item
    return found


# Calls in messages


def mended_messages(messages: Json, tools: Tools, notes: list[Change]) -> Json:
    """Messages whose calls have arguments that can be read; messages that need nothing are the same objects."""
    return [
        one
        if type(one) is dict and not one.get("tool_calls") and not one.get("function_call")
        else _message(one, number, tools, notes)
        for number, one in enumerate(messages)
    ]


def _message(message: Json, number: int, tools: Tools, notes: list[Change]) -> Json:
    if not isinstance(message, Mapping):
        return message
    calls, legacy = message.get("tool_calls"), message.get("function_call")
    if isinstance(calls, str):
        calls = None if _says_none(calls) else opened(calls)
        message = {**message, "tool_calls": calls}
    if legacy and isinstance(legacy, str):
        legacy = None if _says_none(legacy) else opened(legacy)
        message = {**message, "function_call": legacy}
    if isinstance(calls, list) and calls:
        if isinstance(calls[0], str):  # each is JSON text
            calls = [*map(opened, calls)]
            message = {**message, "tool_calls": calls}
        mended = [*_calls(calls, number, tools, notes)]
        if any(new is not old for new, old in zip(mended, calls, strict=True)):
            message = {**message, "tool_calls": mended}
    elif isinstance(legacy, Mapping):
        notes.append(Change(OLD_CALL, number))
        message = {**message, "function_call": next(_calls([legacy], number, tools, notes))}
    return message


def _says_none(text: str) -> bool:
    """True for a text that tables have where there is nothing."""
    return text.strip() in ("", "null", "None")


def _calls(calls: Sequence[Json], turn: int, tools: Tools, notes: list[Change]) -> Iterator[Json]:
    for call in calls:
        if isinstance(call, Mapping) and call.get("type") == "custom":
            notes.append(Change(FREE_FORM, turn))
        function = call.get("function", call) if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            yield call
            continue
        other = next((name for name in ARGUMENTS if name in function), "arguments")
        if other != "arguments":
            function = {("arguments" if name == other else name): value for name, value in function.items()}
            call = {**call, "function": function} if "function" in call else function
        given = function.get("arguments")
        if isinstance(given, str) and given[:1] == '"' and twice(given):
            notes.append(Change(TWICE, turn, str(function.get("name"))))
            fixed: Json = opened(given)
        elif isinstance(given, Mapping) and given:
            fixed = _taken(given, tools.schemas.get(str(function.get("name"))))
            if fixed == given:
                yield call
                continue
            notes.append(Change(NULLS, turn, str(function.get("name"))))
        else:
            yield call
            continue
        whole = {**function, "arguments": fixed}
        yield {**call, "function": whole} if "function" in call else whole


def _taken(arguments: Mapping[str, Json], schema: Mapping[str, Json] | None) -> dict[str, Json]:
    """The arguments without the nulls that the tool cannot have been given."""
    known = schema.get("properties") if schema is not None else None
    if not isinstance(known, Mapping) or schema is None:
        return dict(arguments)
    required = schema.get("required")
    required = required if isinstance(required, list) else ()
    return {
        key: _taken(value, known[key]) if isinstance(value, Mapping) and isinstance(known.get(key), Mapping) else value
        for key, value in arguments.items()
        if value is not None or key in required or key in known and _nullable(known[key])
    }


def _nullable(schema: Json) -> bool:
    """True for a schema that may take null: also for one without known types."""
    if not isinstance(schema, Mapping):
        return True
    kind = schema.get("type")
    if kind is None or "anyOf" in schema or "oneOf" in schema:
        return True
    return kind == "null" or isinstance(kind, list) and "null" in kind

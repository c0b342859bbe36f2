"""Tool definitions, whichever API they were made for, as OpenAI tool objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from toolect._chat_completion import FREE_FORM
from toolect._message import Json, MessageError
from toolect._objects import Object, as_list, as_text, field, got, plain, word
from toolect._values.type_names import types_named

SCHEMAS = ("parameters", "input_schema")
"""Keys for the schema of a tool's parameters."""
_NO_PARAMETERS = 'of a tool without parameters write {"type": "object", "properties": {}}'


def read_tools(tools: Object, where: str = "tools") -> tuple[dict[str, Json], ...]:
    """The definitions in a list, or in its JSON text. Raises MessageError for one of no function."""
    if isinstance(tools, str):
        try:
            tools = json.loads(tools) if tools.strip() else None
        except (ValueError, RecursionError):
            raise MessageError("a list of tools or its JSON text", "a text that is no JSON", where) from None
    listed = as_list(tools, where) if tools is not None else ()
    return tuple(_tool(tool, f"{where}[{index}]") for index, tool in enumerate(listed))


def _tool(tool: Object, where: str) -> dict[str, Json]:
    """The definition: as it is if it has the shape already, else with the same keys in the order they had."""
    if not isinstance(tool, Mapping):
        tool = tool.model_dump(exclude_none=True) if hasattr(tool, "model_dump") else tool
    if not isinstance(tool, Mapping):
        raise MessageError("a tool object", got(tool), where)
    kind = tool.get("type", "function")
    if kind == "custom" and not any(key in tool for key in SCHEMAS):
        return _free_form(tool.get("custom", tool), where)
    function, at = (tool["function"], f"{where}.function") if "function" in tool else (tool, where)
    if kind not in ("function", "custom") or (kind == "custom" and "input_schema" not in tool):
        raise MessageError(
            'the type "function"', word(kind), f"{where}.type", "tools that a server runs have no place here"
        )
    if not isinstance(function, Mapping):
        raise MessageError("an object with `name` and `parameters`", got(function), at)
    if not as_text(field(function, "name"), f"{at}.name"):
        raise MessageError("a name", "none", f"{at}.name")
    as_text(field(function, "description"), f"{at}.description")
    if tool.get("type") == "function" and function.get("parameters") is None:  # of OpenAI's tools they may be left out
        function = {**function, "parameters": {"type": "object", "properties": {}}}
        tool = {**tool, **({"function": function} if "function" in tool else function)}
    key = next((key for key in SCHEMAS if function.get(key) is not None), None)
    if key is None:
        raise MessageError("a JSON Schema of the parameters", "none", f"{at}.parameters", _NO_PARAMETERS)
    _check_schema(function[key], f"{at}.{key}")
    if "function" in tool:
        whole: dict[str, Json] = plain(tool, where)
        return whole if "type" in whole else {"type": "function", **whole}
    inner = {("parameters" if k == key else k): v for k, v in plain(tool, where).items() if k != "type"}
    return {"type": "function", "function": inner}


def _free_form(tool: Object, where: str) -> dict[str, Json]:
    """The definition of a tool that takes one text, which may have a grammar: a function of one parameter."""
    if not isinstance(tool, Mapping) or not as_text(field(tool, "name"), f"{where}.name"):
        raise MessageError("an object with a `name`", got(tool), where)
    form = field(tool, "format")
    grammar = field(form, "grammar") or form if field(form, "type") == "grammar" else None
    rules = as_text(field(grammar, "definition"), f"{where}.format.definition")
    syntax = as_text(field(grammar, "syntax"), f"{where}.format.syntax") if rules else ""
    described = f"A text of this {syntax} grammar:\n{rules}" if rules else ""
    text = {"type": "string", "description": described} if described else {"type": "string"}
    description = as_text(field(tool, "description"), f"{where}.description")
    parameters = {"type": "object", "properties": {FREE_FORM: text}, "required": [FREE_FORM]}
    named = {"name": tool["name"], **({"description": description} if description else {})}
    made = FreeFormTool({"type": "function", "function": {**named, "parameters": parameters}})
    kind = field(form, "type")
    written = {"type": "grammar", "syntax": syntax, "definition": rules} if rules else {"type": kind} if kind else None
    made.custom = {**named, **({"format": written} if written else {})}
    return made


class FreeFormTool(dict[str, Json]):
    """A tool object of a free-form tool, as a function of one text; `custom` is its definition, as Responses has it."""

    custom: dict[str, Json] = {}  # noqa: RUF012  # a tool's own, set where it is made

    def as_chat(self) -> dict[str, Json]:
        """The definition as chat completions have it."""
        custom = dict(self.custom)
        form = custom.get("format")
        if isinstance(form, dict) and form.get("type") == "grammar":
            custom["format"] = {"type": "grammar", "grammar": {k: v for k, v in form.items() if k != "type"}}
        return {"type": "custom", "custom": custom}


def free_form_names(tools: Sequence[Mapping[str, Json]]) -> frozenset[str]:
    """The names of the free-form tools."""
    return frozenset(str(tool.custom.get("name")) for tool in tools if isinstance(tool, FreeFormTool))


def chat_tools(tools: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The definitions as chat completions have them."""
    return [tool.as_chat() if isinstance(tool, FreeFormTool) else dict(tool) for tool in tools]


def _check_schema(schema: Object, where: str) -> None:
    if not isinstance(schema, Mapping):
        raise MessageError("a JSON Schema", got(schema), where, _NO_PARAMETERS)
    kind = schema.get("type", "object")
    if not isinstance(kind, str) or types_named(kind) != {"object"}:  # `dict` too, which data sets are full of
        raise MessageError("a JSON Schema of type object", f"the type {word(kind)}", f"{where}.type", _NO_PARAMETERS)


def anthropic_tools(tools: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The definitions as the Messages API has them."""
    inner = (tool["function"] for tool in tools)
    return [{("input_schema" if key == "parameters" else key): value for key, value in one.items()} for one in inner]


def flat_tools(tools: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The definitions as the Responses API has them."""
    custom = {number: tool.custom for number, tool in enumerate(tools) if isinstance(tool, FreeFormTool)}
    return [
        {"type": "custom", **custom[number]} if number in custom else {"type": "function", **tool["function"]}
        for number, tool in enumerate(tools)
    ]

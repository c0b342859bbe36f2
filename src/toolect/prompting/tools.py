"""Tool definitions as a dialect writes them into the prompt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolect.ir import Json
from toolect.prompting.holes import fill, filled
from toolect.prompting.python import annotation, docstring, signature
from toolect.prompting.schemas import described, resolve
from toolect.prompting.typescript import typescript
from toolect.rendered import Unrepresentable
from toolect.spec.prompt import OPENAI_TOOL, ToolText


def write_tools(how: ToolText, tools: Iterable[Mapping[str, Any]]) -> str:
    """The text that tells a model of `tools`: OpenAI tool objects, or `{name, description, parameters}` mappings.

    Empty for no tools. Raises `Unrepresentable` for a tool that the text has no room for.
    """
    inner = [tool.get("function", tool) for tool in tools]
    if not inner:
        return ""
    told = how.between.join(fill(how.each, _holes(how, tool)) for tool in inner)
    return fill(how.text, {"tools": told, "names": ", ".join(str(tool.get("name", "")) for tool in inner)})


def _holes(how: ToolText, tool: Mapping[str, Any]) -> dict[str, str]:
    """What the holes of `how.each` stand for; only those that it has are made."""
    name, description = str(tool.get("name", "")), str(tool.get("description") or "")
    schema = tool.get("parameters") or {"type": "object", "properties": {}}
    found = {"name": name, "description": description}
    if "{tool}" in how.each:
        values = {"$name": name, "$description": description, "$parameters": schema}
        found["tool"] = _dumps(filled(OPENAI_TOOL if how.tool is None else how.tool, values), how.indent)
    if "{parameters}" in how.each:
        found["parameters"] = _dumps(schema, how.indent)
    if "{fields}" in how.each:
        found["fields"] = "".join(fill(how.parameter, hole) for hole in _fields(schema))
    if "{typescript" in how.each:
        found["typescript"] = typescript(schema)
        found["typescript/lines"] = typescript(schema, lines=True)
    if "{python}" in how.each:
        if not all(part.isidentifier() for part in name.split(".")):
            raise Unrepresentable("tool name", "it is no name in Python", name)
        found["python"] = signature(schema)
        found["docstring"] = docstring(schema, description).replace("\n", "\n    ")
    return found


def _fields(schema: Mapping[str, Any]) -> Iterable[dict[str, str]]:
    """What the holes of a parameter's text stand for, parameter by parameter."""
    fields = schema.get("properties")
    required = schema.get("required") or ()
    for name, field in fields.items() if isinstance(fields, Mapping) else ():
        inner = resolve(schema, field)
        kind = inner.get("type") if isinstance(inner, Mapping) else None
        yield {
            "name": name,
            "type": kind if isinstance(kind, str) else annotation(schema, field),
            "description": described(schema, field),
            "required": "true" if name in required else "false",
            "schema": _dumps(inner, None),
        }


def _dumps(value: Json, indent: int | None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)

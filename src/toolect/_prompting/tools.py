"""Tool definitions as a dialect writes them into the prompt."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolect._prompting.notation import bounded, fill, filled, inset, spell
from toolect._prompting.python import annotation, docstring, signature
from toolect._prompting.schemas import described, pruned
from toolect._prompting.typescript import comment, jsdoc, type_arguments, typescript
from toolect._rendered import RenderError
from toolect._spec.prompts import OPENAI_TOOL, ToolText
from toolect._values.schema_keywords import resolve

_TOLD = ("type", "description")
"""The keywords of a parameter that come first, in this order."""


def write_tools(how: ToolText, tools: Iterable[Mapping[str, Any]]) -> str:
    """The text that tells a model of `tools`: OpenAI tool objects, or `{name, description, parameters}` mappings.

    Empty for no tools. Raises `RenderError` for a tool that the text has no room for.
    """
    given = [*tools]
    if not given:
        return ""
    texts = how.between.join(fill(how.each, _holes(how, how.each, tool)) for tool in given)
    return fill(how.text, {"tools": inset(how.text, "tools", texts)})


def _holes(how: ToolText, text: str, tool: Mapping[str, Any]) -> dict[str, str]:
    """The values of the holes of `text`; only those that it has are made."""
    inner = tool.get("function", tool)
    name, description = str(inner.get("name", "")), str(inner.get("description") or "")
    given = bounded(inner.get("parameters"))
    whole = given if isinstance(given, dict) and given else {"type": "object", "properties": {}}
    schema = pruned(whole, how.notation.keywords, how.notation.upper)
    found = {"name": name, "description": description}
    if "{comment}" in text:
        found["comment"] = comment(description)
    if "{jsdoc}" in text:
        found["jsdoc"] = jsdoc(description)
    if "{described}" in text:
        is_described = description.strip() or "{comment}" not in how.described and inner.get("description") is not None
        holes = {"description": description.strip(), "comment": comment(description)}
        found["described"] = fill(how.described, holes) if is_described else ""
    if "{tool}" in text:
        values = {
            "$name": name, "$description": description, "$parameters": schema if inner.get("parameters") else None,
            "$function": inner, "$tool": tool,
        }  # fmt: skip
        pattern = filled(OPENAI_TOOL if how.tool is None else how.tool, values)
        found["tool"] = inset(text, "tool", spell(pattern, how.notation))
    if "{parameters}" in text:
        said = how.empty if how.empty and not schema.get("properties") else spell(schema, how.notation)
        found["parameters"] = inset(text, "parameters", said)
    if "{fields}" in text:
        fields = "".join(fill(how.parameter, hole) for _, hole in _fields(how, schema))
        found["fields"] = how.head + fields if fields else ""
    if "{others}" in text:
        found["others"] = _others(how, schema, ("type", "properties"))
    if "{typescript}" in text:
        found["typescript"] = typescript(schema)
    if "{typescript/arguments}" in text:
        found["typescript/arguments"] = type_arguments(schema, how.notation)
    if "{signature}" in text:
        texts = (how.argument, how.optional or how.argument)
        found["signature"] = how.comma.join(fill(texts[rank], hole) for rank, hole in _fields(how, schema))
    if "{python}" in text:
        if not all(part.isidentifier() for part in name.split(".")):
            raise RenderError("tool name", "it is no name in Python", name)
        found["python"] = signature(schema)
        found["docstring"] = re.sub(r"\n(?=[^\n])", "\n    ", docstring(schema, description))
    return {hole: escape(value) for hole, value in found.items()} if how.notation.html else found


def escape(text: str) -> str:
    """`text` as it stands in HTML, as templates write it that mix safe texts with others."""
    return html.escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def _fields(how: ToolText, schema: Mapping[str, Any]) -> Iterable[tuple[int, dict[str, str]]]:
    """For each parameter 0 where it is required, else 1, and what the holes of its text stand for."""
    fields = schema.get("properties")
    required = schema.get("required")
    needed = required if isinstance(required, list | tuple) else ()
    for name, field in fields.items() if isinstance(fields, Mapping) else ():
        inner = resolve(schema, field)
        kind = inner.get("type") if isinstance(inner, Mapping) else None
        hint = how.types.get(str(kind), how.types.get("any", "")) if how.types else annotation(schema, field)
        rank = 0 if name in needed else 1
        yield (
            rank,
            {
                "name": str(name),
                "type": kind if isinstance(kind, str) else hint,
                "hint": hint,
                "description": described(schema, field),
                "required": fill(how.required[rank], {"hint": hint}),
                "schema": spell(inner, how.notation),
                "others": _others(how, inner, ()) if isinstance(inner, Mapping) else "",
            },
        )


def _others(how: ToolText, schema: Mapping[str, Any], known: Iterable[str]) -> str:
    """The other keywords of a schema than `known`: lists and objects as JSON, all else and types as Python does."""
    keys = [*(key for key in _TOLD if key in schema), *(key for key in schema if key not in _TOLD)]
    texts = ((key, schema[key]) for key in keys if key not in known)
    return "".join(fill(how.other, {"key": key, "value": _other(key, value, how)}) for key, value in texts)


def _other(key: str, value: Any, how: ToolText) -> str:
    if key not in _TOLD and isinstance(value, Mapping | list | tuple):
        return spell(value, how.notation)
    return str(value).strip() if key in _TOLD else str(value)

"""Values written as elements: `<name>text</name>`, one inside the other where the tool's schema says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolect.engine.schema import declared_types, property_schema
from toolect.engine.text_values import read_typed, sniff
from toolect.ir import Json

MAX_ELEMENTS = 16
"""Levels of elements inside one value."""

_OPENER = re.compile(r"\s*<([A-Za-z_][\w.:-]*)>")
_LAST_LINE = re.compile(r"\n[ \t]*\Z")


def framed(text: str) -> str:
    """`text` as it is written between two tags: one of several lines in lines of its own."""
    return f"\n{text}\n" if "\n" in text else text


def unframed(text: str) -> str:
    """`text` without the line breaks that belong to the tags around it: the inverse of `framed`."""
    if not text.startswith("\n"):
        return text
    return _LAST_LINE.sub("", text[1:], count=1) if _LAST_LINE.search(text, 1) else text[1:]


def read_elements(text: str, schema: Mapping[str, Any], kind: str, depth: int = 0) -> Json:
    """The object or array (`kind`) whose members are the elements that make up `text`. Raises ValueError."""
    if depth > MAX_ELEMENTS:
        raise ValueError("nested too deep")
    members: list[tuple[str, Json]] = []
    at, until = 0, len(text.rstrip())
    while at < until:
        match = _OPENER.match(text, at)
        end = text.find(f"</{match[1]}>", match.end()) if match is not None else -1
        if match is None or end < 0:
            raise ValueError("expected elements")
        inner = _member(schema, match[1], kind)
        members.append((match[1], read_element(text[match.end() : end], inner, depth + 1)))
        at = end + len(match[1]) + 3
    if kind == "array":
        return [value for _, value in members]
    found: dict[str, Json] = {}
    for name, value in members:
        before = found.get(name)
        found[name] = before + value if isinstance(before, list) and isinstance(value, list) else value
    return found


def read_element(text: str, schema: Mapping[str, Any] | None, depth: int = 0) -> Json:
    """The value of an element by its schema: elements inside it, a list of one, or what a text of the type says."""
    text = unframed(text)
    if schema is None:
        return sniff(text)
    types = declared_types(schema)
    kind = "array" if "array" in types and "properties" not in schema else "object"
    if kind in types and "string" not in types and _OPENER.match(text) is not None:
        try:
            return read_elements(text, schema, kind, depth)
        except ValueError:
            pass  # other text in between: it is read as any text of the type
    value = read_typed(text, types)
    if types == ("array",) and not isinstance(value, list) and text.strip():
        return [read_element(text, _member(schema, "", "array"), depth + 1)] if depth < MAX_ELEMENTS else [text]
    return value


def _member(schema: Mapping[str, Any], name: str, kind: str) -> Mapping[str, Any] | None:
    """The schema of a member."""
    if kind == "object":
        return property_schema(schema, name)
    items = schema.get("items")
    return items if isinstance(items, Mapping) else None

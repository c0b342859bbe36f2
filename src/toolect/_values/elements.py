"""Values written as elements: `<name>text</name>`, one inside the other where the tool's schema says so."""

from __future__ import annotations

import re

from toolect._message import Json
from toolect._values.schema import Schema
from toolect._values.text_values import is_broken, read_typed, sniff

MAX_ELEMENTS = 16
"""Elements inside one another in one value. Beyond it: it stays text."""

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


def read_elements(text: str, schema: Schema, kind: str, depth: int = 0) -> Json:
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
        inner = schema.member(match[1]) if kind == "object" else schema.item(len(members))
        members.append((match[1], read_element(text[match.end() : end], inner, depth + 1)))
        at = end + len(match[1]) + 3
    if kind == "array":
        return [value for _, value in members]
    found: dict[str, Json] = {}
    for name, value in members:
        before = found.get(name)
        found[name] = before + value if isinstance(before, list) and isinstance(value, list) else value
    return found


def read_element(text: str, schema: Schema | None, depth: int = 0) -> Json:
    """The value of an element by its schema: elements inside it, a list of one, or what a text of the type says."""
    text = unframed(text)
    if schema is None:
        return sniff(text)
    types = schema.types
    opener = _OPENER.match(text)
    if opener is not None and "string" not in types and ("array" in types or "object" in types):
        keyed = "object" in types and ("array" not in types or schema.member(opener[1]) is not None)
        kind = "object" if keyed else "array"
        try:
            return read_elements(text, schema, kind, depth)
        except ValueError:
            pass  # other text in between: it is read as any text of the type
    value = read_typed(text, types)
    if types != ("array",) or isinstance(value, list) or not text.strip():
        return value
    item = schema.item(0)
    value = read_element(text, item, depth + 1) if depth < MAX_ELEMENTS else text
    types = item.types if item is not None and text.lstrip()[0] == "{" else ()
    return text if value is text and is_broken(text, types) else [value]

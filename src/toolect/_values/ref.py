"""Composite ids: the name of a tool and the number of the call in one text, `functions.{name}:{index}`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolect._values.toolset import ToolSchemas

_NO_NAME = re.compile(
    r"(?:functions?[.:_-]?)?(?::?\d+)?\Z|(?:call|chatcmpl(?:-tool)?|toolu|tool|fc)[_-](?:(?=\w*\d)\w{6,}|\d+)\Z"
    r"|(?=\w*\d)[0-9a-f-]{8,}\Z"
).match
"""An id as servers make them, which says no name: `call_8f3a2c1d`, `0`, `functions.:0`."""


def split_ref(template: str, text: str) -> tuple[str, str]:
    """The name in a composite id, and the id itself: the inverse of `join_ref`."""
    before, _, after = template.partition("{name}")
    name = text[len(before) :] if before and text.startswith(before) else text
    if "{index}" in after:
        sign = after.partition("{index}")[0]
        head, found, index = name.rpartition(sign)
        if found and index.isdecimal():
            name = head
    return name, text


def named_by(template: str, text: str, tools: ToolSchemas, trailing: Iterable[str] = ()) -> str:
    """The tool that a composite id names, `trailing` words aside; empty where it is one that says no name."""
    name = split_ref(template, text)[0]
    if name in tools.by_name:
        return name
    names = name, text, *(name.removesuffix(word) for word in trailing)
    tool = next((tool for tool in map(tools.called, names) if tool in tools.by_name), name)
    return "" if tool == name and _NO_NAME(text) is not None else tool


def join_ref(template: str, name: str, index: int) -> str:
    """The composite id of call number `index`."""
    return template.replace("{name}", name).replace("{index}", str(index))

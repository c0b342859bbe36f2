"""Texts with holes in braces, JSON with holes that begin with `$`, and data as it is spelled in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from toolect._message import Json
from toolect._segments import encoder
from toolect._spec.prompts import Notation, Syntax
from toolect._values.trees import is_deeper, with_sorted_keys

MAX_NESTED = 100
"""Levels of the data in a tool's definition. Beyond it: null."""
MAX_VALUES = 20_000
"""Values in a tool's definition. Beyond it: null."""

_HOLE = re.compile(r"\{([a-z][a-z/-]*)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with its holes filled, in one go: braces inside of values, and other braces, are just braces."""
    return _HOLE.sub(lambda match: values.get(match[1], match[0]), text)


def filled(pattern: Json, values: Mapping[str, Any]) -> Json:
    """`pattern` with its holes filled; a key whose hole has no value is left out."""
    match pattern:
        case dict():
            return {key: filled(item, values) for key, item in pattern.items() if not _empty(item, values)}
        case list():
            return [filled(item, values) for item in pattern]
        case str() if pattern in values:
            return values[pattern]
        case _:
            return pattern


def _empty(item: Json, values: Mapping[str, Any]) -> bool:
    return isinstance(item, str) and item in values and values[item] is None


def spell(value: object, how: Notation) -> str:
    """`value` as text; what nests too deeply in what is no plain JSON, and what comes after too much else, is null."""
    return speller(how)(value)


@cache
def speller(how: Notation) -> Callable[[object], str]:
    """The function that writes values in a notation."""
    match how.spelling:
        case Syntax.PYTHON:
            return lambda value: repr(with_sorted_keys(bounded(value)) if how.sorted else bounded(value))
        case Syntax.BARE:
            return lambda value: _bare(bounded(value), how)
    comma, colon = (",", ":") if how.compact else (", ", ": ")
    flat = encoder(ascii_only=how.ascii, sort_keys=how.sorted, comma=comma, colon=colon)
    indented = (
        None
        if how.indent is None
        else json.JSONEncoder(
            ensure_ascii=how.ascii, sort_keys=how.sorted, separators=(",", colon), indent=how.indent
        ).encode
    )

    def encode(value: object) -> str:
        try:
            text = flat(value)
            if indented is None:
                return text
            if not is_deeper(value, MAX_NESTED):
                return indented(value)
        except (TypeError, ValueError, RecursionError):  # it is no JSON, or has no end
            pass
        return (indented or flat)(bounded(value))

    return encode


def _bare(value: Json, how: Notation) -> str:
    """Keys without quotes, strings between the notation's own ones, and no blanks."""
    match value:
        case str():
            return f"{how.quote}{value}{how.quote}"
        case dict():
            keys = sorted(value) if how.sorted else value
            return "{" + ",".join(f"{key}:{_bare(value[key], how)}" for key in keys) + "}"
        case list():
            return "[" + ",".join(_bare(item, how) for item in value) + "]"
        case None:
            return how.null
        case _:
            return json.dumps(value)


def bounded(value: object) -> Json:
    """`value` as plain JSON with an end."""
    return _Bounded().plain(value, ())


class _Bounded:
    """Makes plain JSON of what may be a cycle, have no end, or be no JSON at all."""

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def plain(self, value: object, above: tuple[int, ...]) -> Json:
        self.left -= 1
        if isinstance(value, Mapping | list | tuple):
            if self.left < 0 or len(above) >= MAX_NESTED or id(value) in above:
                return None
            inner = (*above, id(value))
            if isinstance(value, Mapping):
                return {str(key): self.plain(item, inner) for key, item in value.items()}
            return [self.plain(item, inner) for item in value]
        return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def inset(text: str, hole: str, value: str) -> str:
    """`value`, whose further lines are indented as the line of `text` is that the hole begins."""
    line = re.search(rf"(?m)^([ \t]+)\{{{re.escape(hole)}\}}", text)
    return value.replace("\n", f"\n{line[1]}") if line else value

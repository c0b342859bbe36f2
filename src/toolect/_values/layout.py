"""Layout of JSON when it is written: the whitespace between its tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect._spec.codec_model import Layout, LayoutKind

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)


class Space(NamedTuple):
    """Whitespace and commas after an opening bracket, between two items, and before the closing bracket."""

    first: str
    between: str
    last: str


def space(layout: Layout, depth: int, calls: bool = False) -> Space:
    """The whitespace and commas of an object or list in `depth` others; `calls` for a list of calls."""
    match layout.kind:
        case LayoutKind.COMPACT:
            return Space("", ",", "")
        case LayoutKind.INDENTED:
            outer = "\n" + " " * (layout.indent * depth)
            inner = outer + " " * layout.indent
            return Space(inner, "," + inner, outer)
        case LayoutKind.ROWS if calls:
            row = "\n" + " " * layout.indent
            return Space(row, "," + row, "\n")
        case _:
            return Space("", ", ", "")


def colon(layout: Layout) -> str:
    """The colon between a key and its value."""
    return ":" if layout.kind is LayoutKind.COMPACT else ": "


def lay_out(text: str, layout: Layout, depth: int = 0) -> str:
    """The JSON `text` in a layout, in `depth` objects and lists. Spellings stay; `spaced` and `rows` keep all of it."""
    if layout.kind is LayoutKind.COMPACT:
        return "".join(_TOKEN.findall(text))
    if layout.kind is not LayoutKind.INDENTED:
        return text
    pieces: list[str] = []
    opened = False  # a bracket, with nothing in it so far
    for token in _TOKEN.findall(text):
        if token in ("}", "]"):
            depth -= 1
            pieces.append(token if opened else space(layout, depth).last + token)
            opened = False
            continue
        if opened:
            pieces.append(space(layout, depth - 1).first)
        opened = token in ("{", "[")
        if opened:
            depth += 1
        pieces.append(space(layout, depth - 1).between if token == "," else ": " if token == ":" else token)
    return "".join(pieces)

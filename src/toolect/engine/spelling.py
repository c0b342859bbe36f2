"""How a marker may be spelled: inner whitespace does not count, and more text may make another marker of it."""

from __future__ import annotations

from collections.abc import Callable

from toolect.compile.node import Node

MAX_LEXEME = 512
"""Characters of a terminal given by a regular expression: a name or a key."""
MIN_LEXEME = 16
"""Characters that a terminal may need before it matches: with fewer of them, more text is waited for."""
MAX_BLANK = 64
"""Whitespace characters that a blank inside a marker may be."""


def could_grow(node: Node, rest: str, spelled: Callable[[str], str]) -> bool:
    """True when `rest` may become a longer marker with more text; `spelled` says how a marker is written here."""
    if len(rest) > 128 + MAX_LEXEME:
        return False
    tight = squeeze(rest)
    for group in (node.marks, node.implied, node.graph.ends, node.graph.markers):
        for core in map(spelled, group):
            if len(core) > len(tight) and squeeze(core).startswith(tight):
                return True
    return False


def canonical(found: str, marks: dict[str, bool]) -> str:
    """The marker among `marks` that `found` is, its inner whitespace apart."""
    if found in marks:
        return found
    tight = squeeze(found)
    return next(core for core in marks if squeeze(core) == tight)


def may_be_marker(node: Node, buf: str, pos: int) -> bool:
    """True when `buf` from `pos` on may be the beginning of a marker."""
    if len(buf) - pos > node.longest + MAX_BLANK:
        return False
    tight = squeeze(buf[pos:])
    return any(squeeze(core).startswith(tight) for core in node.marks)


def longer(node: Node, found: str, rest: str) -> bool:
    """True when `rest`, which begins with the marker `found`, may turn out to be a longer marker."""
    return any(len(core) > len(found) and core.startswith(rest) for core in node.marks)


def squeeze(text: str) -> str:
    """`text` without whitespace."""
    return "".join(text.split())

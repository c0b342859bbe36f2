"""What text may become with more of it: markers without their inner whitespace, searched for one that begins so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, squeeze
from toolect._graph.symbols import is_echo
from toolect._spec.grammar_model import SlotKind


def may_be_marker(node: Node, buf: str, pos: int) -> bool:
    """True when `buf` from `pos` on may be the beginning of a marker."""
    if not node.marks or len(buf) - pos > node.longest + MAX_BLANK:
        return False
    return f"\n{squeeze(buf[pos:])}" in node.made(tightened).marks


def could_grow(node: Node, buf: str, pos: int, spelled: Callable[[str], str]) -> bool:
    """True when `buf[pos:]` may become a marker with more text: one of `node`, or one that follows where some are
    missing. `spelled` says how a marker is written here.
    """
    if len(buf) - pos > 2 * MAX_BLANK + MAX_LEXEME:
        return False
    tight, known = squeeze(buf[pos:]), node.made(tightened)
    return begins_more(known.grown, tight) or any(
        len(core) > len(tight) and squeeze(core).startswith(tight) for core in map(spelled, known.echoes)
    )


class Tight(NamedTuple):
    """Markers without inner whitespace, each between line breaks: one search tells whether any begins in some way."""

    marks: str
    """Those that may come next."""
    growing: frozenset[str]
    """Those of them that another one begins with."""
    grown: str
    """These, and all that may follow where some are missing, but for those that repeat a name or key."""
    echoes: tuple[str, ...]


def tightened(node: Node) -> Tight:
    """What may come at `node`."""
    late = node.step(SlotKind.JSON).node.marks if node.json else ()  # where the JSON is missing
    graph = node.graph
    more = dict.fromkeys((*node.marks, *late, *node.implied, *graph.ends, *graph.start.marks, *graph.markers))
    marks = _lined(node.marks)
    return Tight(
        marks,
        frozenset(core for core in node.marks if begins_more(marks, squeeze(core))),
        _lined(core for core in more if not is_echo(core)),
        tuple(filter(is_echo, more)),
    )


def _lined(cores: Iterable[str]) -> str:
    return "".join(f"\n{squeeze(core)}" for core in cores) + "\n"


def begins_more(lines: str, tight: str) -> bool:
    """True when one of `lines` begins with `tight` and goes on."""
    begin = f"\n{tight}"
    at = lines.find(begin)
    while 0 <= at < len(lines) - len(begin):
        if lines[at + len(begin)] != "\n":
            return True
        at = lines.find(begin, at + 1)
    return False

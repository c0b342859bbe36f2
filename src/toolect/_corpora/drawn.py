"""A wire text with its parse in colour: what is content, reasoning, markup, name, key and value, and each repair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolect._authoring.derivation import Branch, Derivation, Leaf, LeafKind, Tree
from toolect._message import Call, dumps
from toolect._spec.model import Role

KINDS = {
    "content": "content", "reasoning": "reasoning", "markup": "markup", "name": "name of a call", "key": "key or id",
    "arguments": "arguments", "failed": "not read",
}  # fmt: skip
"""The classes of the parts, with what they are called."""
_ROLES = {
    Role.CONTENT: "content", Role.REASONING: "reasoning", Role.NAME: "name", Role.REF: "name", Role.KEY: "key",
    Role.ID: "key", Role.MARKUP: "markup",
}  # fmt: skip
_VALUES = frozenset((
    Role.VALUE, Role.ARGUMENTS, Role.OBJECT, Role.ARRAY, Role.TUPLE, Role.STRING, Role.NUMBER, Role.TRUE, Role.FALSE,
    Role.NULL, Role.SCALAR, Role.JSON,
))  # fmt: skip


class Coloured(NamedTuple):
    """Characters `start:end` of the text, and what they are."""

    start: int
    end: int
    kind: str


class Spot(NamedTuple):
    """Text in a colour: its class, and what pointing at it says. A repair is a flag between the characters."""

    text: str
    kind: str
    tip: str


def spots(derivation: Derivation) -> list[Spot]:
    """The text of a derivation in colour."""
    text, repairs = derivation.text, derivation.repairs
    calls = [call for call in derivation.message.calls if call.span is not None]
    flags = [(r.at, Spot(f"⚑ {r.kind}", "repair", f"{r.kind} at {r.at}: {r.detail}")) for r in reversed(repairs)]
    out: list[Spot] = []
    for start, end, kind in _cut(_filled(_pieces(derivation.tree, text, calls), len(text)), [r.at for r in repairs]):
        while flags and flags[-1][0] <= start:
            out.append(flags.pop()[1])
        failed = next((c for c in calls if not c.runnable and c.span and c.span[0] <= start < c.span[1]), None)
        if failed is None:
            out.append(Spot(text[start:end], kind, KINDS[kind]))
        else:
            tip = f"{KINDS[kind]} · {failed.status}: {failed.error or ''}"
            out.append(Spot(text[start:end], kind if kind == "failed" else kind + " failed", tip))
    return [*out, *(flag for _, flag in reversed(flags))]


def _pieces(tree: Tree, text: str, calls: Sequence[Call]) -> Iterator[Coloured]:
    """The parts of the tree in order; a value is one part, whatever is in it."""
    todo = [tree]
    while todo:
        node = todo.pop()
        start, end = node.span
        if isinstance(node, Branch):
            if node.role in _VALUES:
                yield Coloured(start, end, "arguments")
            else:
                todo += reversed(node.children)
        elif start >= 0 and end > start:
            if Role.NAME in node.fills and len(node.fills) > 1:
                yield from _shaped(start, end, text, calls)
            else:
                yield Coloured(start, end, _kind(node))


def _kind(leaf: Leaf) -> str:
    if leaf.kind is LeafKind.UNREAD:
        return "failed"
    roles = [role for role in leaf.fills if role in _ROLES or role in _VALUES]
    return _ROLES.get(roles[0], "arguments") if roles else "markup"


def _shaped(start: int, end: int, text: str, calls: Sequence[Call]) -> Iterator[Coloured]:
    """The parts of JSON that holds whole calls: where name and arguments are spelled as they were read."""
    at = start
    for call in calls:
        if call.span is None or call.span[1] <= start or call.span[0] >= end or not call.name:
            continue
        for needle, kind in ((dumps(call.name), "name"), (call.arguments_text, "arguments")):
            found = text.find(needle, at, end) if len(needle) > 1 else -1
            if found >= 0:
                yield Coloured(at, found, "markup")
                yield Coloured(found, found + len(needle), kind)
                at = found + len(needle)
    yield Coloured(at, end, "markup")


def _filled(pieces: Iterable[Coloured], size: int) -> Iterator[Coloured]:
    """The pieces, and what is between them, which is markup."""
    at = 0
    for piece in pieces:
        start, end = max(piece.start, at), min(piece.end, size)
        if start > at:
            yield Coloured(at, start, "markup")
        if end > start:
            yield Coloured(start, end, piece.kind)
            at = end
        else:
            at = max(at, start)
    if at < size:
        yield Coloured(at, size, "markup")


def _cut(pieces: Iterable[Coloured], places: Sequence[int]) -> Iterator[Coloured]:
    """The pieces, cut in two wherever one of `places` is inside."""
    for piece in pieces:
        at = piece.start
        for place in sorted({p for p in places if piece.start < p < piece.end}):
            yield Coloured(at, place, piece.kind)
            at = place
        yield Coloured(at, piece.end, piece.kind)

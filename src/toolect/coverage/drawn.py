"""A wire text with its parse in colour: what is content, reasoning, markup, name, key and value, and each repair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolect.coverage.page import Html, join, tag
from toolect.derivation import Branch, Derivation, Leaf, LeafKind, Tree
from toolect.ir import Call, Repair, dumps
from toolect.spec.model import Role

KINDS = {
    "content": "content", "reasoning": "reasoning", "markup": "markup", "name": "name of a call", "key": "key or id",
    "arguments": "arguments", "failed": "not read",
}  # fmt: skip
"""The classes of the parts, with what they are called."""
_ROLES = {
    Role.CONTENT: "content", Role.REASONING: "reasoning", Role.NAME: "name", Role.REF: "name", Role.KEY: "key",
    Role.ID: "key", Role.INDEX: "key", Role.TYPE: "key", Role.MARKUP: "markup",
}  # fmt: skip
_VALUES = frozenset((
    Role.VALUE, Role.ARGUMENTS, Role.OBJECT, Role.ARRAY, Role.STRING, Role.NUMBER, Role.TRUE, Role.FALSE, Role.NULL,
    Role.SCALAR, Role.JSON,
))  # fmt: skip


class Piece(NamedTuple):
    """Characters `start:end` of the text, and what they are."""

    start: int
    end: int
    kind: str


def drawn(derivation: Derivation) -> Html:
    """The text of a derivation in colour."""
    text, message = derivation.text, derivation.message
    calls = [call for call in message.calls if call.span is not None]
    repairs = sorted((*message.repairs, *(r for call in calls for r in call.repairs)), key=lambda repair: repair.at)
    pieces = _cut(_filled(_pieces(derivation.tree, text, calls), len(text)), [repair.at for repair in repairs])
    todo = list(reversed(repairs))
    out: list[Html] = []
    for piece in pieces:
        while todo and todo[-1].at <= piece.start:
            out.append(_repair(todo.pop()))
        failed = next((c for c in calls if not c.runnable and c.span and c.span[0] <= piece.start < c.span[1]), None)
        kind = piece.kind + " failed" if failed is not None and piece.kind != "failed" else piece.kind
        tip = KINDS[piece.kind] + (f" · {failed.status}: {failed.error or ''}" if failed is not None else "")
        out.append(tag("span", text[piece.start : piece.end], class_=kind, title=tip))
    out += [_repair(repair) for repair in reversed(todo)]
    return tag("div", *out, class_="wire")


def legend() -> Html:
    """What the colours mean."""
    return tag(
        "div", join((tag("span", name, class_=kind) for kind, name in KINDS.items()), "  "), class_="wire colours"
    )


def _repair(repair: Repair) -> Html:
    return tag("span", f"⚑ {repair.kind}", class_="repair", title=f"{repair.kind} at {repair.at}: {repair.detail}")


def _pieces(tree: Tree, text: str, calls: Sequence[Call]) -> Iterator[Piece]:
    """The parts of the tree in order; a value is one part, whatever is in it."""
    todo = [tree]
    while todo:
        node = todo.pop()
        start, end = node.span
        if isinstance(node, Branch):
            if node.role in _VALUES:
                yield Piece(start, end, "arguments")
            else:
                todo += reversed(node.children)
        elif start >= 0 and end > start:
            if Role.NAME in node.fills and len(node.fills) > 1:
                yield from _shaped(start, end, text, calls)
            else:
                yield Piece(start, end, _kind(node))


def _kind(leaf: Leaf) -> str:
    if leaf.kind is LeafKind.UNREAD:
        return "failed"
    roles = [role for role in leaf.fills if role in _ROLES or role in _VALUES]
    return _ROLES.get(roles[0], "arguments") if roles else "markup"


def _shaped(start: int, end: int, text: str, calls: Sequence[Call]) -> Iterator[Piece]:
    """The parts of JSON that holds whole calls: where name and arguments are spelled as they were read."""
    at = start
    for call in calls:
        if call.span is None or call.span[1] <= start or call.span[0] >= end or not call.name:
            continue
        for needle, kind in ((dumps(call.name), "name"), (call.arguments_text, "arguments")):
            found = text.find(needle, at, end) if len(needle) > 1 else -1
            if found >= 0:
                yield Piece(at, found, "markup")
                yield Piece(found, found + len(needle), kind)
                at = found + len(needle)
    yield Piece(at, end, "markup")


def _filled(pieces: Iterable[Piece], size: int) -> Iterator[Piece]:
    """The pieces, and what is between them, which is markup."""
    at = 0
    for piece in pieces:
        start, end = max(piece.start, at), min(piece.end, size)
        if start > at:
            yield Piece(at, start, "markup")
        if end > start:
            yield Piece(start, end, piece.kind)
            at = end
        else:
            at = max(at, start)
    if at < size:
        yield Piece(at, size, "markup")


def _cut(pieces: Iterable[Piece], places: Sequence[int]) -> Iterator[Piece]:
    """The pieces, cut in two wherever one of `places` is inside."""
    for piece in pieces:
        at = piece.start
        for place in sorted({p for p in places if piece.start < p < piece.end}):
            yield Piece(at, place, piece.kind)
            at = place
        yield Piece(at, piece.end, piece.kind)

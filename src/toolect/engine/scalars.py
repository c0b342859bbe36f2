"""Scalars of a value language as one regular expression: strings, numbers, true, false, null."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolect.compile.node import Node
from toolect.compile.symbols import Op, OpCode
from toolect.engine.escaped_slot import clean_region
from toolect.engine.escapes import unescape
from toolect.engine.literals import number
from toolect.ir import Json
from toolect.spec.model import Codec, Role, SlotKind

_WORDS: dict[Role, Json] = {Role.TRUE: True, Role.FALSE: False, Role.NULL: None}
_SCALARS = frozenset((*_WORDS, Role.NUMBER, Role.STRING))


class Scalar(NamedTuple):
    """One way to write a scalar: its expression has one group, and reading goes on at `node`."""

    regex: str
    role: Role
    node: Node
    escaped: bool = False
    codec: Codec | None = None
    """How its text becomes a value, where it is not the text itself."""

    def value(self, text: str) -> Json:
        """What the text of the group stands for. Raises ValueError for a number that is none."""
        if self.role is Role.STRING:
            return unescape(text) if self.escaped else text
        return number(text) if self.role is Role.NUMBER else _WORDS[self.role]


class Scalars:
    """The scalars that may stand at a node; `match(text, pos).lastindex` tells which one does."""

    __slots__ = ("match", "ways")

    def __init__(self, ways: list[Scalar]) -> None:
        self.match = re.compile("|".join(way.regex for way in ways)).match
        self.ways = dict(enumerate(ways, 1))


def scalars(node: Node) -> Scalars | None:
    """The scalars at `node`; None where none begins."""
    ways = sorted(_ways(node), key=lambda way: len(way.regex), reverse=True)
    return Scalars(ways) if ways else None


def _ways(node: Node) -> Iterator[Scalar]:
    patterns = dict(node.patterns)
    for key in node.choices:
        role = _begins(node, key)
        if role is None:
            continue
        after = node.step(key).node
        if role is Role.STRING:
            yield from _strings(key, after)
        elif role is Role.NUMBER and key in patterns:
            yield Scalar(f"((?>{key}))", role, after)
        elif role in _WORDS:
            yield Scalar(rf"({re.escape(key)})(?!\w)", role, after)


def _begins(node: Node, key: str) -> Role | None:
    """The scalar that `key` begins at `node`; none where an argument without a name begins with it."""
    for task, _ in node.choices[key][0].trail:
        if isinstance(task, Op) and task.code is OpCode.BEGIN_ARGUMENT:
            return None
        if isinstance(task, Op) and task.code is OpCode.BEGIN_VALUE and task.role in _SCALARS:
            return task.role
    return None


def _strings(opener: str, inside: Node) -> Iterator[Scalar]:
    """The string between `opener` and its closer."""
    kind = SlotKind.ESCAPED if inside.escaped else SlotKind.TEXT
    if kind not in inside.choices:
        return
    closing = inside.step(kind).node
    closers = list(closing.marks)
    if len(closers) == 1 and not closing.arrival:
        closer, escaped = closers[0], inside.escaped
        first, rest = re.escape(closer[0]), re.escape(closer[1:])
        text = clean_region(closer) if escaped else f"(?:[^{first}]++|{first}(?!{rest}))*+"
        regex = f"{re.escape(opener)}({text}){re.escape(closer)}"
        codec = inside.text_field().codec if inside.text else None
        yield Scalar(regex, Role.STRING, closing.step(closer).node, escaped, codec)

"""Scalars of a value language as one regular expression: strings, numbers, true, false, null."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolect._building.element import in_element
from toolect._graph.node import Node
from toolect._graph.symbols import Hollow, Key, Op, OpCode, Terminal
from toolect._message import Json
from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.grammar_model import Escapes, SlotKind
from toolect._spec.model import Role
from toolect._values.cdata import SECTION
from toolect._values.codec import is_plain
from toolect._values.escapes import LEAD, unescape
from toolect._values.vocabulary import VALUE_OF, number

_SCALARS = frozenset((*VALUE_OF, Role.NUMBER, Role.STRING))
AROUND = (Role.OBJECT, Role.ARRAY)
"""The values that others are in."""


class Scalar(NamedTuple):
    """One way to write a scalar: its expression has one group, and reading goes on at `node`."""

    regex: str
    role: Role
    node: Node
    escapes: Escapes | None = None
    """Those of a string."""
    codec: Codec | None = None
    """The codec of its value; None where that is the text itself."""
    key: bool = False
    """It is the key of an object."""
    plain: bool = False
    """The text of what is declared as a string is that string."""

    def value(self, text: str) -> Json:
        """The value of the group's text. Raises ValueError for a number that is none."""
        if self.role is Role.STRING:
            return unescape(text, self.escapes) if self.escapes else text
        return number(text) if self.role is Role.NUMBER else VALUE_OF[self.role]


class Scalars:
    """The scalars that may stand at a node; `match(text, pos).lastindex` tells which one does."""

    __slots__ = ("match", "ways")

    def __init__(self, ways: list[Scalar]) -> None:
        self.match = re.compile("|".join(way.regex for way in ways)).match
        self.ways = dict(enumerate(ways, 1))


def scalars(node: Node) -> Scalars | None:
    """The scalars at `node`; None where none begins, or where a bare word may be longer than one."""
    if any(Role.STRING in node.fills(name) for name, _ in node.patterns):
        return None
    ways = sorted(_ways(node), key=lambda way: len(way.regex), reverse=True)
    return Scalars(ways) if ways else None


def _ways(node: Node) -> Iterator[Scalar]:
    if node.escaped and node.escaped_slot().field.role is Role.VALUE:
        yield from _strings("", node, False)  # its opener has been read
    for key in node.choices:
        role, named = _begins(node, key)
        if role is None:
            continue
        after = node.step(key).node
        if isinstance(key, Terminal):
            if role is Role.NUMBER and not named and not _closes(after):
                yield Scalar(f"((?>{key.regex}))", role, after)
        elif isinstance(key, SlotKind):
            continue
        elif role is Role.STRING and not node.step(key).trail:
            yield from _strings(key, after, named)
        elif role in VALUE_OF and not named and not _closes(after):
            yield Scalar(rf"({re.escape(key)})(?!\w)", role, after)


def _begins(node: Node, key: Key) -> tuple[Role | None, bool]:
    """The scalar that `key` begins at `node`, and whether that is a key of an object.

    None where an argument without a name begins with it.
    """
    named = False
    for task, _ in node.choices[key][0].trail:
        if not isinstance(task, Op):
            continue
        if task.code is OpCode.BEGIN_ARGUMENT or task.code is OpCode.BEGIN_AGAIN:
            return None, False
        if task.code is OpCode.BEGIN_VALUE and task.role in _SCALARS:
            return task.role, named
        if task.code is OpCode.BEGIN_VALUE:
            if task.role is not Role.PAIR_KEY:
                return None, False
            named = True
    return None, False


def _closes(node: Node) -> bool:
    """True when a list or object ends at `node` whatever comes next."""
    return any(
        isinstance(task, Op) and task.code is OpCode.END_VALUE and task.role in AROUND for task, _ in node.arrival
    )


def _strings(opener: str, inside: Node, named: bool) -> Iterator[Scalar]:
    """The string between `opener` and its closer."""
    kind = SlotKind.ESCAPED if inside.escaped else SlotKind.TEXT
    if kind not in inside.choices:
        return
    closing = inside.step(kind).node
    closers = list(closing.marks)
    if len(closers) == 1 and not closing.arrival:
        closer, slot = closers[0], inside.escaped_slot() if inside.escaped else None
        step = closing.step(closer)
        if step.expects or step.trail:
            return  # whitespace that is written beside it is for careful steps
        stops = [closer, *inside.graph.long_openers, *inside.graph.ends]  # the next call may begin in it
        first, rest = "".join(re.escape(core[0]) for core in stops), "|".join(map(re.escape, stops))
        text = _clean_region(slot, closer) if slot else f"(?:[^{first}]++|(?!{rest})[{first}])*+"
        if in_element(inside):
            text = f"(?!{SECTION}){text}"
        regex = f"{re.escape(opener)}({text}){re.escape(closer)}"
        codec = (slot.field if slot else inside.text_field()).codec
        escapes = slot.escapes if slot else codec.escapes if codec else None
        if slot is None and escapes is not None and LEAD[escapes] in "\\'\"":
            return  # the closer may be a part of an escape
        after = step.node
        if not _closes(after):
            yield Scalar(
                regex,
                Role.STRING,
                after,
                escapes,
                None if codec is None or codec.kind is CodecKind.TEXT else codec,
                named,
                codec is not None and is_plain(codec),
            )


def _clean_region(slot: Hollow, closer: str) -> str:
    """A regular expression for text in `slot` up to `closer`, in whole escapes, in which nothing has to be forgiven.

    What a slot refuses is a line break, which must be escaped then, or begins a value that would have to be computed.
    """
    sign = next((sign for sign in slot.refused if sign != "\n"), "")
    first, rest = re.escape(closer[0]), closer[1:]
    part = rf"|{first}(?!{re.escape(rest)})" if rest else ""
    line, escape = r"\n" if "\n" in slot.refused else "", r"\\(?s:.)"
    if len(sign) == 1:
        escape = rf"\\(?:(?={re.escape(sign)})|(?s:.))"  # it is not escaped by a backslash, but by itself
    if sign:
        line += re.escape(sign[0])
        part += rf"|{re.escape(sign[0])}(?!{re.escape(sign[1:])})" if sign[1:] else ""
    return rf"(?:[^\\{first}{line}]++|{escape}{part})*+"

"""How a stride goes over free text up to its closer: reasoning, arguments, strings."""

from __future__ import annotations

from typing import NamedTuple

from toolect._graph.node import Node
from toolect._graph.stop_plan import plan_of
from toolect._graph.symbols import is_echo
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, give_up
from toolect._reading.runs import (
    Hub,
    build,
)
from toolect._reading.striding import Striding
from toolect._spec.model import CodecKind, Role, SlotKind, Spelling
from toolect._values.codec import decode, respelled
from toolect._values.escapes import unescape
from toolect._values.schema import NO_SCHEMA
from toolect._values.text_values import sniff
from toolect.message import Json, Reasoning

_FREE = (Role.VALUE, Role.REASONING, Role.STRING)


class Closer(NamedTuple):
    """A marker that ends free text, up to its first blank."""

    text: str
    lead: str
    """The whitespace that is written before it."""
    gap: int
    """How many characters of that come before what the grammar has there."""
    echo: bool


class Text(Route):
    """Free text up to one of its closers: reasoning, the value of an argument, or a string inside of one."""

    __slots__ = (
        "_closers", "_echoes", "_gap", "_lead", "_needle", "codec", "common", "direct", "hub", "others", "role",
        "sniffs",
    )  # fmt: skip

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        field = node.text_field()
        self.role, self.codec = field.role, field.codec
        after = node.step(SlotKind.TEXT).node
        plan = plan_of(node)
        self._closers, others = [], []
        for needle in plan.needles:
            stop = needle.stop
            if stop is None or not stop.regular or stop.named or after.marks.get(str(stop.core)):
                others.append(needle)
            else:
                echo = is_echo(stop.core)
                gap = len(needle.lead) - len(stop.lead)
                self._closers.append(Closer(stop.core if echo else needle.text, needle.lead, gap, echo))
        self.hub: Hub | None = None
        mapping = field.role is Role.ARGUMENTS and field.codec is not None and field.codec.kind is CodecKind.YAML
        if not self._closers or plan.head is not None or not mapping and field.role not in _FREE:
            return
        alone = len(self._closers) == 1 and not self._closers[0].echo
        self._needle, self._lead, self._gap, _ = self._closers[0] if alone else Closer("", "", 0, False)
        kinds = (CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
        self.sniffs = (
            self.codec is not None and self.codec.kind in kinds and self.codec.untyped in kinds
            and self.codec.spelling is not Spelling.PYTHON
        )  # fmt: skip
        self._echoes = [n.stop.core for n in others if n.stop is not None and is_echo(n.stop.core)]
        self.others = _grouped([n.text for n in others if n.stop is None or not is_echo(n.stop.core)])
        self.common = common_start([n for n, _ in self.others])
        self.hub = build(after, after.choices)
        self.direct = build(node, node.choices) if field.role is Role.STRING else None
        """What a list or object begins with where a string may stand too."""

    def _first(self, to: Striding, pos: int) -> tuple[int, str, int]:
        """Where the first of several closers is at or after index `pos`, -1 for nowhere, its `lead` and `gap`."""
        first, before = -1, ("", 0)
        for text, lead, gap, echo in self._closers:
            at = to.next(to.spelled(text) if echo else text, pos)
            if at >= 0 and (first < 0 or at < first):
                first, before = at, (lead, gap)
        return first, *before

    def go(self, to: Striding) -> Route | None:
        if self.hub is None:
            return None
        if self.direct is not None and ((then := cross(to, self.direct, to.pos)) is not None or to.broken):
            return then
        text, pos, lead, gap = to.buf, to.pos, self._lead, self._gap
        if self.space:
            if not text.startswith(self.space, pos):
                return None
            pos += len(self.space)
        if self._needle:
            where = to.next(self._needle, pos)
        else:
            where, lead, gap = self._first(to, pos)
        until = where - len(lead)
        if until < pos or lead and not text.startswith(lead, until):
            return None
        if self.others and (not self.common or 0 <= to.next(self.common, pos) < where):
            for shared, words in self.others:
                if 0 <= to.next(shared, pos) < where and any(0 <= to.next(word, pos) < where for word in words):
                    return None
        if self._echoes and any(0 <= to.next(to.spelled(core), pos) < where for core in self._echoes):
            return None
        piece = text[pos:until]
        if self.codec is not None and self.codec.escapes is not None:
            piece = unescape(piece, self.codec.escapes)
        if self.role is Role.REASONING:
            if not piece:
                return cross(to, self.hub, until + gap)
            to.segments.append(Reasoning(piece, (pos + to.base, until + to.base)))
            to.after_call, before = False, to.after_call
            route = cross(to, self.hub, until + gap)
            if route is None:
                to.segments.pop()
                to.after_call = before
            return route
        if self.role is Role.ARGUMENTS:
            return self._mapping(to, piece, until)
        if self.role is Role.STRING:
            return self._string(to, piece, until)
        if not to.called or to.key is None:
            return None
        assert self.codec is not None
        try:
            if self.sniffs and not to.schemas:
                value = sniff(piece)
            else:
                schema = to.schemas.get(to.name, NO_SCHEMA).member(to.key)
                if self.codec.kind is CodecKind.ELEMENTS and schema is not None and schema.lists:
                    return None  # one of several elements, perhaps
                value = decode(self.codec, piece, schema)
        except ValueError:
            return None
        if value is not piece and respelled(self.codec, piece, value):
            return None
        to.entries.append((to.key, value))
        key, to.key = to.key, None
        route = cross(to, self.hub, until + gap)
        if route is None:
            to.entries.pop()
            to.key = key
        return route

    def _string(self, to: Striding, piece: str, until: int) -> Route | None:
        """A string, or a scalar, inside of a value, up to index `until`."""
        assert self.hub is not None
        value: Json = piece
        if self.codec is not None:
            if not piece and to.schemas:
                return None  # an empty list or object, perhaps
            try:
                value = decode(self.codec, piece, to.schema())
            except ValueError:
                return None
            if respelled(self.codec, piece, value):
                return None
        if not to.give(value):
            return give_up(to)
        to.nested = True
        route = cross(to, self.hub, until)
        return give_up(to) if route is None else route

    def _mapping(self, to: Striding, piece: str, until: int) -> Route | None:
        """All arguments, up to index `until`."""
        assert self.codec is not None and self.hub is not None
        try:
            value = decode(self.codec, piece, to.schemas.get(to.name))
        except ValueError:
            return None
        if not to.called or to.entries or not isinstance(value, dict):
            return None
        to.entries = list(value.items())
        route = cross(to, self.hub, until)
        if route is None:
            to.entries = []
        return route


def common_start(words: list[str]) -> str:
    """The longest common beginning of `words`."""
    if not words:
        return ""
    low, high = min(words), max(words)
    at = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:at]


def _grouped(words: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`words` by their first two characters, each group with its longest common beginning."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[:2], []).append(word)
    return tuple((common_start(group), tuple(group)) for group in groups.values())

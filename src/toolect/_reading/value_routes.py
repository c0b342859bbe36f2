"""How a stride takes values: scalars of a value language, and JSON."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, give_up
from toolect._reading.runs import build
from toolect._reading.scalars import Scalars, numbers
from toolect._reading.striding import NO_TRAIL, Striding
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.codec import decode, respelled
from toolect._values.json_lexemes import complete

PROOF = 4
"""Lexemes after a quote that tell whether it ends its string: see `closing`."""


class Plain(Route):
    """A scalar of a value language."""

    __slots__ = ("_hub", "_thens", "_ways", "match")

    def __init__(self, node: Node, scalars: Scalars) -> None:
        super().__init__(node)
        self.match, self._ways = scalars.match, scalars.ways
        self._hub = build(node, node.choices)
        """What begins or ends a list or an object, and keys."""
        self._thens: dict[int, Route] = {}  # the routes after them

    def go(self, to: Striding) -> Route | None:
        match = self.match(to.buf, to.pos)
        if match is None:
            return None if self._hub is None else cross(to, self._hub, to.pos)
        if to.key is None and not to.frames:
            return None
        number, end = match.lastindex, match.end()
        assert number is not None
        if not to.final and end == to.size:
            return None
        if to.ways is not None:
            to.ways.append((self, number))
        way = self._ways[number]
        piece = match[number]
        if way.role is Role.NUMBER and len(piece) > MAX_LEXEME:
            return None
        try:
            value = way.value(piece)
            if way.codec is not None and type(value) is str and not (way.plain and to.kind() == "string"):
                text, value = value, decode(way.codec, value, to.schema())
                if respelled(way.codec, text, value):
                    return None
        except ValueError:
            return None
        if way.key:
            if to.key is not None or type(value) is not str:
                return None
            to.key = value
        elif not to.give(value):
            return give_up(to)
        if way.escapes:
            to.owed, to.quote = PROOF, (way.node, end)
        elif to.owed:
            to.owed -= 1
        to.clean = False
        to.pos = to.before = end
        to.trails, to.last = NO_TRAIL, ""
        then = self._thens.get(number)
        if then is None:
            then = self._thens[number] = to.route(way.node)
        return then


class Numbers(Route):
    """A number where text may stand, too: it is one if a marker follows that may."""

    __slots__ = ("_plain", "_then")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        found = numbers(node)
        self._plain = None if found is None else Plain(node, found)
        self._then = {} if found is None else {n: build(way.node, way.node.choices) for n, way in found.ways.items()}

    def go(self, to: Striding) -> Route | None:
        match = None if self._plain is None else self._plain.match(to.buf, to.pos)
        if self._plain is None or match is None:
            return None
        hub = self._then[match.lastindex]  # type: ignore[index]  # every expression has a group
        return self._plain.go(to) if hub is not None and hub.match(to.buf, match.end()) is not None else None


class Argument(Route):
    """JSON as the value of an argument."""

    __slots__ = ("after",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.after = node.step(SlotKind.JSON).node

    def go(self, to: Striding) -> Route | None:
        text, pos = to.buf, to.pos
        if text[pos : pos + 1] in ('"', ""):
            return None
        if to.key is None and not to.frames:
            return None
        whole = complete(text, pos, to.final)
        if whole is None or whole[2]:
            return None
        value, end, _ = whole
        if not to.give(value):
            return give_up(to)
        to.pos = to.before = end
        to.trails = NO_TRAIL
        return to.route(self.after)  # type: ignore[no-any-return]  # a Route

"""How a stride goes over free text up to its closer: reasoning, arguments, strings."""

from __future__ import annotations

import re
from collections.abc import Callable

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import Key
from toolect._reading.clear_text import Clear
from toolect._reading.free_text import Found, Text, stands_twice
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, give_up, over
from toolect._reading.runs import Trace, build
from toolect._reading.striding import Striding
from toolect._spec.model import CodecKind, Role, Spelling
from toolect._values.codec import decode, decode_arguments, decode_plain, respelled
from toolect._values.schema import Schema
from toolect._values.text_values import NOTHING, is_broken, sniff
from toolect.message import Json, Reasoning


class Value(Text):
    """The value of an argument."""

    __slots__ = ("_sniffs", "_sure")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        codec, kinds = self.codec, (CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
        self._sniffs = (
            codec is not None and codec.kind in kinds and codec.untyped in kinds
            and codec.spelling in (Spelling.JSON, Spelling.JINJA)
        )  # fmt: skip
        self._sure: dict[Key, bool] = {}  # markers, and whether no clear text begins with one

    def go(self, to: Striding) -> Route | None:
        clear = self.clear
        if clear is None or to.ways is not None or not to.called or to.key is None:
            return None if self.hub is None else self.search(to)
        buf, hub, edge, key, pos, last = to.buf, clear.hub, to.edge, to.key, to.pos, to.last
        tool, plain = to.schemas.of(to.name), to.name != "" and not to.nested and not to.owed
        taken: Trace | None = None
        while (match := clear.match(buf, pos)) is not None:
            at, end = match.end(1), match.end()
            start, until = match.start(1), at - clear.size
            piece = buf[start:until]
            if (
                not self._sure.get(last, False)
                and not self._is_sure(clear, last)
                and stands_twice(last, buf, start, piece)
            ):
                break
            value = self._value(piece, tool.member(key), to.declared)
            if value is NOTHING:
                break
            to.entries.append((key, value))
            trace = hub.traces[match.lastindex]  # type: ignore[index]  # every expression has a group
            if trace.again and match[trace.again] != key:
                to.entries.pop()
                break  # another closer, which is text
            if plain and trace.next_key and trace.then is self and end - at <= MAX_LEXEME and end + hub.margin < edge:
                key, pos, last, taken = match[trace.next_key], end, trace.last, trace
                continue
            before, to.before, to.pos, to.key = to.before, until, pos, None  # where a call ends that has no more to it
            then = over(to, hub, match, at)
            if then is not None or to.broken:
                return then
            to.entries.pop()
            to.before, to.key = before, key
            break
        if taken is None:
            return self.search(to)
        to.pos, to.before, to.trails, to.last, to.key = pos, pos - taken.trail_size, taken.trails, last, key
        to.clean = taken.proven or taken.clean
        return self

    def _is_sure(self, clear: Clear, last: Key) -> bool:
        """True when no clear text begins with `last`, as after an opener that stands there twice."""
        sure = self._sure[last] = type(last) is not str or not clear.signs.isdisjoint(last)
        return sure

    def take(self, to: Striding, piece: str, until: int, end: int, match: re.Match[str] | None = None) -> Route | None:
        key = to.key
        if key is None or not to.called:
            return None
        value = self._value(piece, to.schemas.of(to.name).member(key), to.declared)
        if value is NOTHING:
            return None
        to.entries.append((key, value))
        to.key = None
        before, to.before = to.before, until  # where a call ends that has no more to it
        route = self.close(to, end, match)
        if route is None:
            to.before = before
        if route is None and not to.broken:  # what is broken is not gone on with
            to.entries.pop()
            to.key = key
        return route

    def _value(self, piece: str, schema: Schema | None, declared: bool) -> Json:
        """What `piece` stands for, `NOTHING` where it is to be read slowly. `declared`: tools are."""
        assert self.codec is not None
        if self._sniffs and not declared:
            value = sniff(piece)
        else:
            if schema is not None and (value := decode_plain(self.codec, piece, schema.types)) is not NOTHING:
                return value
            try:
                value = self._typed(piece, schema)
            except ValueError:
                return NOTHING
        return NOTHING if value is not piece and respelled(self.codec, piece, value) else value

    def _typed(self, piece: str, schema: Schema | None) -> Json:
        """The value of an argument. Raises ValueError for what is to be read slowly."""
        assert self.codec is not None
        if self.codec.spelling is Spelling.ELEMENTS and schema is not None and schema.lists:
            raise ValueError("one of several elements, perhaps")
        value = decode(self.codec, piece, schema)
        if schema is not None and isinstance(value, str) and is_broken(value, schema.types):
            raise ValueError("broken JSON")
        return value


class Thought(Text):
    """Reasoning."""

    __slots__ = ()

    def take(self, to: Striding, piece: str, until: int, end: int, match: re.Match[str] | None = None) -> Route | None:
        before, count = to.after_call, len(to.segments)
        if piece:
            to.segments.append(Reasoning(piece, (to.base + to.pos + len(self.space), to.base + until)))
        to.after_call = False
        route = self.close(to, end, match)
        if route is None:
            del to.segments[count:]
            to.after_call = before
        return route


class String(Text):
    """A string inside of a value, or what stands in its place."""

    __slots__ = ("_direct",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._direct = build(node, node.choices)  # what a list or object begins with

    def go(self, to: Striding) -> Route | None:
        if self._direct is not None and ((then := cross(to, self._direct, to.pos)) is not None or to.broken):
            return then
        return super().go(to)

    def take(self, to: Striding, piece: str, until: int, end: int, match: Found = None) -> Route | None:  # noqa: ARG002  # as others
        value: Json = piece
        if self.codec is not None:
            if not piece and to.declared:
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
        route = self.close(to, end, match)
        return give_up(to) if route is None else route


class Mapping(Text):
    """All arguments as one text."""

    __slots__ = ()

    def take(self, to: Striding, piece: str, until: int, end: int, match: Found = None) -> Route | None:  # noqa: ARG002  # as others
        assert self.codec is not None
        try:
            value = decode_arguments(self.codec, piece, to.schemas.get(to.name))
        except ValueError:
            return None
        if not to.called or to.entries:
            return None
        to.entries = list(value.items())
        route = self.close(to, end, match)
        if route is None:
            to.entries = []
        return route


_ROUTES: dict[Role, Callable[[Node], Text]] = {Role.VALUE: Value, Role.REASONING: Thought, Role.STRING: String}


def text_route(node: Node) -> Route:
    """The route at `node`, which takes free text; one that knows no step where that is not for strides."""
    field = node.text_field()
    mapping = field.role is Role.ARGUMENTS and field.codec is not None and field.codec.key is None
    made = Mapping if mapping else _ROUTES.get(field.role) if field.role is not None else None
    return Route(node) if made is None else made(node)

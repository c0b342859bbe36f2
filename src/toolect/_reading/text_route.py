"""How a stride goes over free text up to its closer: reasoning, arguments, strings."""

from __future__ import annotations

import re
from collections.abc import Callable

from toolect._graph.misspelling import TWICE
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.stop_plan import plan_of
from toolect._graph.symbols import Key
from toolect._reading.clear_text import Clear
from toolect._reading.free_text import Found, Text, stands_twice
from toolect._reading.probe import past_blank
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, give_up, over
from toolect._reading.runs import Trace, build
from toolect._reading.striding import MAX_SIGNS, Striding
from toolect._reading.value_routes import Numbers
from toolect._spec.codec_model import CodecKind, Spelling
from toolect._spec.model import Role
from toolect._values.codec import decode, decode_arguments, decode_plain, is_plain, respelled
from toolect._values.schema import Schema
from toolect._values.text_values import NOTHING, is_broken, sniff
from toolect.message import Json, Reasoning


class Value(Text):
    """The value of an argument."""

    __slots__ = ("_again", "_json", "_plain", "_sniffs")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        codec, kinds = self.codec, (CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
        self._sniffs = (
            codec is not None and codec.kind in kinds and codec.untyped in kinds
            and codec.spelling in (Spelling.JSON, Spelling.JINJA)
        )  # fmt: skip
        self._json = node.json
        """A bracket begins a JSON value here, and no text."""
        self._plain = codec is not None and is_plain(codec)
        self._again: dict[Key, str] = {}  # markers, where a clear text may begin with them once more, else nothing

    def go(self, to: Striding) -> Route | None:
        clear = self.clear
        if clear is None or to.ways is not None or not to.called or to.key is None:
            return None if self.hub is None else self.search(to)
        buf, hub, edge, key, pos, last = to.buf, clear.hub, to.edge, to.key, to.pos, to.last
        tool, plain = to.schemas.of(to.name), to.name != "" and not to.nested and not to.owed
        kinds = tool.kinds if self._plain else _NO_KINDS
        taken: Trace | None = None
        while (match := clear.match(buf, pos)) is not None:
            at, end, piece = match.end(1), match.end(), match[1]
            if clear.size:
                piece = piece[: -clear.size]
            again = self._again.get(last)
            if again is None:
                again = self._again[last] = _again(clear, last)
            looked = again and (again in piece or not piece or piece[0] == again[0] or piece[0].isspace())
            if looked and stands_twice(last, buf, match.start(1), piece):
                break
            kind = kinds.get(key)
            value = piece if kind == "string" else self._value(piece, tool, key, kind, to.declared)
            if value is NOTHING:
                break
            trace = hub.traces[match.lastindex]  # type: ignore[index]  # every expression has a group
            if trace.again and match[trace.again] != key:
                break  # another closer, which is text
            to.entries.append((key, value))
            if plain and trace.next_key and trace.then is self and end - at <= MAX_LEXEME and end + hub.margin < edge:
                key, pos, last, taken = match[trace.next_key], end, trace.last, trace
                continue
            until, before = at - clear.size, to.before
            to.before, to.pos, to.key = until, pos, None  # where a call ends that has no more to it
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

    def take(self, to: Striding, piece: str, until: int, end: int, match: re.Match[str] | None = None) -> Route | None:
        key = to.key
        if key is None or not to.called:
            return None
        tool = to.schemas.of(to.name)
        value = self._value(piece, tool, key, tool.kinds.get(key) if self._plain else None, to.declared)
        if value is NOTHING:
            return None
        to.entries.append((key, value))
        to.key = None
        route = self.close(to, until, end, match)
        if route is None and not to.broken:  # what is broken is not gone on with
            to.entries.pop()
            to.key = key
        return route

    def _value(self, piece: str, tool: Schema, key: str, kind: str | None, declared: bool) -> Json:
        """What `piece` stands for, `NOTHING` where it is to be read slowly.

        It is the argument `key` of `tool`, of this `kind` if that is plain. `declared`: tools are.
        """
        assert self.codec is not None
        if self._json and piece.lstrip()[:1] in ("{", "[", "`"):
            return NOTHING
        if kind is not None and (value := decode_plain(self.codec, piece, kind)) is not NOTHING:
            return value
        if self._sniffs and not declared:
            value = sniff(piece)
        else:
            try:
                value = self._typed(piece, tool.member(key))
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


def _again(clear: Clear, last: Key) -> str:
    return last if type(last) is str and len(last) >= TWICE and clear.signs.isdisjoint(last) else ""


class Thought(Text):
    """Reasoning."""

    __slots__ = ("signs",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.signs = plan_of(node).signs

    def take(self, to: Striding, piece: str, until: int, end: int, match: re.Match[str] | None = None) -> Route | None:
        if to.size > MAX_SIGNS and to.tired(self.signs, until):
            return None
        before, count = to.after_call, len(to.segments)
        if piece:
            to.segments.append(Reasoning(piece, (to.base + to.pos + len(self.space), to.base + until)))
        to.after_call = False
        route = self.close(to, until, end, match)
        if route is None:
            del to.segments[count:]
            to.after_call = before
        return route


class String(Text):
    """A string inside of a value, or what stands in its place."""

    __slots__ = ("_direct", "_heads", "_numbers", "_plain")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._direct = build(node, node.choices)  # what a list or object begins with
        self._plain = self.codec is not None and is_plain(self.codec)
        self._heads = [pattern.match for _, pattern in node.patterns]
        """What finds the terminals that count before the text, where what may follow them does."""
        self._numbers = Numbers(node) if node.patterns else None

    def go(self, to: Striding) -> Route | None:
        if self._numbers is not None:
            at = past_blank(to.buf, to.pos)
            if any(match(to.buf, at) is not None for match in self._heads):
                return self._numbers.go(to) if at == to.pos else None
        if self._direct is not None and ((then := cross(to, self._direct, to.pos)) is not None or to.broken):
            return then
        return super().go(to)

    def take(self, to: Striding, piece: str, until: int, end: int, match: Found = None) -> Route | None:
        value: Json = piece
        if not piece and self.codec is not None and to.declared:
            return None  # an empty list or object, perhaps
        if self.codec is not None and not (self._plain and to.kind() == "string"):
            try:
                value = decode(self.codec, piece, to.schema())
            except ValueError:
                return None
            if respelled(self.codec, piece, value):
                return None
        if not to.give(value):
            return give_up(to)
        to.nested = True
        route = self.close(to, until, end, match)
        return give_up(to) if route is None else route


class Mapping(Text):
    """All arguments as one text."""

    __slots__ = ()

    def take(self, to: Striding, piece: str, until: int, end: int, match: Found = None) -> Route | None:
        assert self.codec is not None
        try:
            value = decode_arguments(self.codec, piece, to.schemas.get(to.name))
        except ValueError:
            return None
        if not to.called or to.entries:
            return None
        to.entries = list(value.items())
        route = self.close(to, until, end, match)
        if route is None:
            to.entries = []
        return route


_NO_KINDS: dict[str, str] = {}
_ROUTES: dict[Role, Callable[[Node], Text]] = {Role.VALUE: Value, Role.REASONING: Thought, Role.STRING: String}


def text_route(node: Node) -> Route:
    """The route at `node`, which takes free text; one that knows no step where that is not for strides."""
    field = node.text_field()
    mapping = field.role is Role.ARGUMENTS and field.codec is not None and field.codec.key is None
    made = Mapping if mapping else _ROUTES.get(field.role) if field.role is not None else None
    return Route(node) if made is None else made(node)

"""How a stride goes over free text up to its closer: reasoning, arguments, strings."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from toolect._graph.misspelling import TWICE
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.stop_plan import fixed, plan_of
from toolect._graph.stops import Calls
from toolect._graph.symbols import is_echo
from toolect._reading.quotation import line_before, quoted
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, give_up
from toolect._reading.runs import Hub, build
from toolect._reading.striding import Striding
from toolect._spec.model import CodecKind, Role, SlotKind, Spelling
from toolect._values.codec import decode, decode_arguments, respelled
from toolect._values.escapes import unescape
from toolect._values.text_values import is_broken, sniff
from toolect.message import Json, Reasoning

NEAR = 256
"""Characters in which the end of most texts is: beyond them, each needle is looked for by itself, and remembered."""


_FEW = 3
"""Different beginnings that are looked for faster one by one than by one expression."""


Find: TypeAlias = Callable[[str, int, int], int]


class Closer(NamedTuple):
    """A marker that ends free text, up to its first blank."""

    text: str
    lead: str
    """The whitespace that is written before it."""
    gap: int
    """How many characters of that come before what the grammar has there."""
    echo: bool
    before: tuple[str, ...]
    """What counts in its place where it stands there, too."""
    opens: bool
    """It opens something else, which in a quotation it does not."""


class Text(Route, ABC):
    """Free text up to one of its closers."""

    __slots__ = (
        "_closers", "_common", "_echoes", "_escapes", "_near", "_others", "codec", "hub",
    )  # fmt: skip

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        field = node.text_field()
        self.codec = field.codec
        self._escapes = field.codec.escapes if field.codec is not None else None
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
                before = tuple(n.text for n in others if n.stop is not None and n.text.startswith(fixed(stop.core)))
                text = stop.core if echo else needle.text
                opens = stop.calls is not Calls.NOTHING or stop.core in node.graph.think_openers
                opens = opens and field.role is Role.REASONING
                self._closers.append(Closer(text, needle.lead, gap, echo, before, opens))
        self.hub: Hub | None = None
        if not self._closers or plan.head is not None:
            return
        self._echoes = [n.stop.core for n in others if n.stop is not None and is_echo(n.stop.core)]
        self._others = _grouped([n.text for n in others if n.stop is None or not is_echo(n.stop.core)])
        self._common = common_start([n for n, _ in self._others])
        self._near: Find = nowhere
        first = self._closers[0]
        if not self._echoes and not first.echo and len(self._closers) == 1:
            self._near = first_of([first.text, *(word for _, words in self._others for word in words)])
        self.hub = build(after, after.choices)

    def _first(self, to: Striding, pos: int) -> tuple[int, Closer]:
        """Where the first of several closers is at or after index `pos`, -1 for nowhere."""
        first, found = -1, self._closers[0]
        for closer in self._closers:
            at = to.next(to.spelled(closer.text) if closer.echo else closer.text, pos)
            if at >= 0 and (first < 0 or at < first):
                first, found = at, closer
        return first, found

    def go(self, to: Striding) -> Route | None:
        if self.hub is None:
            return None
        text, pos = to.buf, to.pos
        if self.space:
            if not text.startswith(self.space, pos):
                return None
            pos += len(self.space)
        where = self._near(text, pos, pos + NEAR)
        closer = self._closers[0]
        if where < 0 or not text.startswith(closer.text, where):
            where, closer = self._search(to, pos)
        lead = closer.lead
        until = where - len(lead)
        if until < pos or lead and not text.startswith(lead, until) or text.startswith(closer.before, where):
            return None
        if closer.opens and quoted(line_before(text, pos, where)):
            return None
        piece = text[pos:until]
        last = to.last
        if (
            type(last) is str
            and len(last) >= TWICE
            and (last in piece[: MAX_BLANK + len(last)] or text.startswith(last, pos))
        ):
            return None  # an opener that stands there twice, perhaps
        if self._escapes is not None:
            piece = unescape(piece, self._escapes)
        return self.take(to, piece, until, until + closer.gap)

    def _search(self, to: Striding, pos: int) -> tuple[int, Closer]:
        """Where the text from index `pos` on ends, -1 where that is unclear."""
        where, closer = self._first(to, pos)
        if self._others and (not self._common or 0 <= to.next(self._common, pos) < where):
            for shared, words in self._others:
                if 0 <= to.next(shared, pos) < where and any(0 <= to.next(word, pos) < where for word in words):
                    return -1, closer
        if self._echoes and any(0 <= to.next(to.spelled(core), pos) < where for core in self._echoes):
            return -1, closer
        return where, closer

    @abstractmethod
    def take(self, to: Striding, piece: str, until: int, end: int) -> Route | None:
        """Take `piece`, the text up to index `until`, and go over what ends it, at index `end`."""


class Value(Text):
    """The value of an argument."""

    __slots__ = ("_sniffs",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        codec, kinds = self.codec, (CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
        self._sniffs = (
            codec is not None and codec.kind in kinds and codec.untyped in kinds
            and codec.spelling in (Spelling.JSON, Spelling.JINJA)
        )  # fmt: skip

    def take(self, to: Striding, piece: str, until: int, end: int) -> Route | None:  # as others
        key = to.key
        if key is None or not to.called:
            return None
        try:
            value = sniff(piece) if self._sniffs and not to.schemas else self._typed(to, piece, key)
        except ValueError:
            return None
        if value is not piece and respelled(self.codec, piece, value):  # type: ignore[arg-type]  # a value has one
            return None
        to.entries.append((key, value))
        to.key = None
        before, to.before = to.before, until  # where a call ends that has no more to it
        route = cross(to, self.hub, end)  # type: ignore[arg-type]  # not where there is none
        if route is None:
            to.before = before
        if route is None and not to.broken:  # what is broken is not gone on with
            to.entries.pop()
            to.key = key
        return route

    def _typed(self, to: Striding, piece: str, key: str) -> Json:
        """The value of the argument `key`. Raises ValueError for what is to be read slowly."""
        assert self.codec is not None
        schema = to.schemas.of(to.name).member(key)
        if self.codec.spelling is Spelling.ELEMENTS and schema is not None and schema.lists:
            raise ValueError("one of several elements, perhaps")
        value = decode(self.codec, piece, schema)
        if schema is not None and isinstance(value, str) and is_broken(value, schema.types):
            raise ValueError("broken JSON")
        return value


class Thought(Text):
    """Reasoning."""

    __slots__ = ()

    def take(self, to: Striding, piece: str, until: int, end: int) -> Route | None:
        assert self.hub is not None
        before, count = to.after_call, len(to.segments)
        if piece:
            to.segments.append(Reasoning(piece, (to.base + to.pos + len(self.space), to.base + until)))
        to.after_call = False
        route = cross(to, self.hub, end)
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

    def take(self, to: Striding, piece: str, until: int, end: int) -> Route | None:  # noqa: ARG002  # as others
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
        route = cross(to, self.hub, end)
        return give_up(to) if route is None else route


class Mapping(Text):
    """All arguments as one text."""

    __slots__ = ()

    def take(self, to: Striding, piece: str, until: int, end: int) -> Route | None:  # noqa: ARG002  # as others
        assert self.codec is not None and self.hub is not None
        try:
            value = decode_arguments(self.codec, piece, to.schemas.get(to.name))
        except ValueError:
            return None
        if not to.called or to.entries:
            return None
        to.entries = list(value.items())
        route = cross(to, self.hub, end)
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


def first_of(words: list[str]) -> Find:
    """`find(text, start, end)` is the first index where one of `words` may be, -1 for none."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[:2] if word[0].isalnum() else word[0], []).append(word)  # any text has letters
    one, *more = [common_start(group) for group in groups.values()]
    if not more:
        return lambda text, start, end: text.find(one, start, end)
    if len(more) > _FEW:
        search = re.compile("|".join(map(re.escape, words))).search
        return lambda text, start, end: -1 if (match := search(text, start, end)) is None else match.start()

    def find(text: str, start: int, end: int) -> int:
        first = text.find(one, start, end)
        for other in more:
            at = text.find(other, start, end if first < 0 else first + len(other) - 1)
            if at >= 0:
                first = at
        return first

    return find


def nowhere(_text: str, _start: int, _end: int) -> int:
    """Finds nothing."""
    return -1


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

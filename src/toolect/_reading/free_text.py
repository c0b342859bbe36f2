"""Free text up to its closer, as a stride sees it, and where words are in it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from toolect._graph.misspelling import TWICE
from toolect._graph.needle import fixed
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.stop_plan import plan_of
from toolect._graph.stops import Calls
from toolect._graph.symbols import Key, is_echo
from toolect._reading.clear_text import Clear, clear_text
from toolect._reading.element import in_element
from toolect._reading.probe import past_blank
from toolect._reading.quotation import line_before, quoted
from toolect._reading.renamed import renamed
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, over
from toolect._reading.runs import Hub, Trace, build
from toolect._reading.striding import Striding
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.cdata import begins_section
from toolect._values.escapes import LEAD, hides, unescape

NEAR = 256
"""Characters in which the end of most texts is: beyond them, each needle is looked for by itself, and remembered."""


_FEW = 3
"""Different beginnings that are looked for faster one by one than by one expression."""


Find: TypeAlias = Callable[[str, int, int], int]
Found: TypeAlias = re.Match[str] | None


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
    word: bool
    """It begins as a word does, and counts where all of a call's beginning is there."""


class Text(Route, ABC):
    """Free text up to one of its closers."""

    __slots__ = (
        "_closers", "_common", "_echoes", "_element", "_escapes", "_near", "_others", "_repeating", "clear", "codec",
        "hub",
    )  # fmt: skip

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        field = node.text_field()
        self.codec = field.codec
        self._escapes = field.codec.escapes if field.codec is not None else None
        self._element = in_element(node)
        after = node.step(SlotKind.TEXT).node
        plan = plan_of(node)
        self._closers, others, ends = [], [], []
        for needle in plan.needles:
            stop = needle.stop
            word = stop is not None and stop.calls is not Calls.NOTHING and stop.core[:1].isalnum()
            loose = word and not (field.role is Role.REASONING and "\n" in needle.lead)
            if stop is None or not stop.regular or stop.named or stop.last or loose or after.marks.get(str(stop.core)):
                others.append(needle)
            else:
                echo = is_echo(stop.core)
                gap = len(needle.lead) - len(stop.lead)
                before = tuple(n.text for n in others if n.stop is not None and n.text.startswith(fixed(stop.core)))
                text = stop.core if echo else needle.text
                opens = stop.calls is not Calls.NOTHING or stop.core in node.graph.think_openers
                opens = opens and field.role is Role.REASONING
                self._closers.append(Closer(text, needle.lead, gap, echo, before, opens, word))
                ends += [] if before or opens else [stop]
        self.hub: Hub | None = None
        self.clear: Clear | None = None
        """Takes most texts at once, with the markers after them."""
        if not self._closers or plan.head is not None:
            return
        self._echoes = [n.stop.core for n in others if n.stop is not None and is_echo(n.stop.core)]
        self._repeating = (*self._echoes, *(closer.text for closer in self._closers if closer.echo))
        self._others = _grouped([n.text for n in others if n.stop is None or not is_echo(n.stop.core)])
        self._common = common_start([n for n, _ in self._others])
        self._near: Find = nowhere
        first = self._closers[0]
        if not self._echoes and not first.echo and len(self._closers) == 1:
            self._near = first_of([first.text, *(word for _, words in self._others for word in words)])
        escapes = "" if self._escapes is None else LEAD[self._escapes]
        if not any(stop.core.startswith(escapes) for stop in ends if escapes):  # what ends it may be an escape
            self.clear = clear_text(node, plan, ends, escapes + "<" * self._element, re.escape(self.space))
        lined = [needle.stop.key for needle in plan.needles if needle.stop is not None and needle.stop.last]
        self.hub = build(after, after.choices, ends=True, lined=lined)

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
        then = None if self.clear is None or to.ways is not None else self._at_once(to, self.clear)
        return then if then is not None or to.broken else self.search(to)

    def _at_once(self, to: Striding, clear: Clear) -> Route | None:
        """Go over the text, and on, if it is clear."""
        match = clear.match(to.buf, to.pos)
        if match is None:
            return None
        trace: Trace = clear.hub.traces[match.lastindex]  # type: ignore[index]  # every expression has a group
        if trace.again and match[trace.again] != to.key:
            return None  # another closer, which is text
        start, end = match.start(1), match.end(1)
        until = end - clear.size
        piece = to.buf[start:until]
        return None if stands_twice(to.last, to.buf, start, piece) else self.take(to, piece, until, end, match)

    def search(self, to: Striding) -> Route | None:
        """Look for the end of the text, and go over it, and on."""
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
        if closer.word and self.hub is not None and self.hub.match(text, until + closer.gap) is None:
            return None
        if closer.opens and quoted(line_before(text, pos, where)):
            return None
        if self._repeating and any(self._is_renamed(to, core, pos, where) for core in self._repeating):
            return None
        piece = text[pos:until]
        if self._element and begins_section(piece) is not None:
            return None
        if stands_twice(to.last, text, pos, piece):
            return None
        if self._escapes is not None:
            if hides(self._escapes, text, pos, where):
                return None
            piece = unescape(piece, self._escapes)
        return self.take(to, piece, until, until + closer.gap)

    def _is_renamed(self, to: Striding, core: str, pos: int, where: int) -> bool:
        """Does `core`, which repeats a name or a key, stand before index `where` in another spelling?"""
        text, spelled, begins = to.buf, to.spelled(core), fixed(core)
        at = text.find(begins, pos, where)
        while at >= 0 and renamed(core, spelled, text, at, final=True) is None:
            at = text.find(begins, at + 1, where)
        return at >= 0

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
    def take(self, to: Striding, piece: str, until: int, end: int, match: re.Match[str] | None = None) -> Route | None:
        """Take `piece`, the text up to index `until`, and go over what ends it, at index `end`.

        That is what `clear` has matched, if there is a `match`.
        """

    def close(self, to: Striding, until: int, end: int, match: Found) -> Route | None:
        """Go over what ends the text, at index `end`, and on. The text itself, and a call with it, ends at `until`."""
        assert self.hub is not None
        before, to.before = to.before, until
        if match is None or self.clear is None:
            then = cross(to, self.hub, end)
        else:
            then = over(to, self.clear.hub, match, end)
        if then is None:
            to.before = before
        return then


def stands_twice(last: Key, text: str, pos: int, piece: str) -> bool:
    """True when the marker `last` stands there once more, perhaps: where `piece` of `text` begins, at index `pos`."""
    if type(last) is not str or len(last) < TWICE:
        return False
    if last in piece[: MAX_BLANK + len(last)] or text.startswith(last, pos):
        return True
    return text[pos : pos + 1].isspace() and text.startswith(last, past_blank(text, pos))


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

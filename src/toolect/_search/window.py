"""The window: the text that has come, what of it has been searched, and how hypotheses are made over it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from toolect._building.quotation import line_before
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME, MAX_NAME
from toolect._search.hypothesis import Act, Action, Doubt, EdgeContext, Hypothesis, Mode, TextState
from toolect._search.island import island
from toolect._search.path import Path
from toolect._spec.costs import FAR, Costs
from toolect._values.schema import Schema
from toolect._values.toolset import ToolSchemas

LOOK: Final = 160
"""Characters that an edge of repair looks at."""
_BLANKS: Final = re.compile(r"\s*")
_NAMES: Final = 64
_INNER: Final = 8


class Window:
    """The text of one answer from character `base` on. `need` is how long it has to be before anything goes on."""

    __slots__ = (
        "_begun",
        "_begun_names",
        "_blanks",
        "_inner",
        "_order",
        "_searched",
        "base",
        "buf",
        "costs",
        "graph",
        "names",
        "need",
        "raw",
        "ref",
        "tools",
    )

    def __init__(self, graph: Graph, tools: ToolSchemas, ref: str) -> None:
        self.graph, self.tools, self.ref = graph, tools, ref
        self.costs: Costs = graph.costs
        self.buf, self.base, self.need = "", 0, 0
        self.raw: Callable[[int, int], str] = self.cut
        self._order = count()
        self._blanks = (0, -1)
        self._searched: dict[int, tuple[int, int, int | None]] = {}  # by the identity of expressions, which are kept
        self.names = tools.names
        """Finds the name of a declared tool."""
        self._begun: set[str] | None = None
        self._begun_names: re.Pattern[str] | None = None
        self._inner: frozenset[str] | None = None

    def cut(self, start: int, end: int) -> str:
        """Characters `start:end`, which are here."""
        return self.buf[start - self.base : end - self.base]

    def needs(self, characters: int) -> None:
        """Wait until so many characters of the answer are there."""
        self.need = characters

    def find(self, regex: re.Pattern[str], at: int, longest: int) -> re.Match[str] | None:
        """The first match from index `at` on; what was searched once is not searched again.

        Where a match begins in the last `longest` characters of the text, a longer one may begin before it with more.
        """
        base, size = self.base, len(self.buf)
        low, high, found = self._searched.get(id(regex), (0, -1, None))
        place = base + at
        known = low <= place <= high
        if known:
            if found is not None and found >= place:
                return regex.match(self.buf, found - base)
            at = max(at, high - base)
        match = regex.search(self.buf, at)
        first = min(low, place) if known else place
        begins = size if match is None else match.start()
        if begins > size - longest:
            self._searched[id(regex)] = first, max(base + size - longest, place), None
        else:
            self._searched[id(regex)] = first, base + begins, base + begins
        return match

    def after_blanks(self, at: int) -> int:
        """The index of the first character from index `at` on that is no blank."""
        return _BLANKS.match(self.buf, at).end()  # type: ignore[union-attr]  # matches the empty string

    def word(self, at: int, start: int) -> int:
        """The index, from character `start` on, at which the word begins that goes on at index `at`."""
        low = max(start - self.base, at - MAX_NAME, 0)
        while at > low and (self.buf[at - 1].isalnum() or self.buf[at - 1] in "_."):
            at -= 1
        return at

    def line(self, at: int, start: int) -> str:
        """The part of the line before index `at`, in the text that began at character `start`."""
        return line_before(self.buf, max(start - self.base, 0), at)

    def said(self, start: int, at: int) -> bool:
        """True when something else than blanks stands between character `start` and index `at`."""
        return bool(self.buf[max(start - self.base, 0) : at].strip())

    def begin_text(self, node: Node, context: EdgeContext, at: int) -> TextState:
        """The state of a text of `node` that begins at character `at`."""
        opener, closer = context.opener, None
        if context.key is not None and opener[:1] == "<":
            closer = island(node).respelt(opener, self.raw(max(at - LOOK, 0), at))
        return TextState(at, False, closer=closer)

    # Tools

    @property
    def begun_names(self) -> re.Pattern[str]:
        """Finds a word at the end of a text that begins with the first sign of a declared tool's name."""
        if self._begun_names is None:
            firsts = {word[0] for word in (self.ref.partition("{name}")[0], *self.tools.by_name) if word}
            begun = "|".join(sorted(map(re.escape, firsts))) or "(?!)"  # a tool may be declared without a name
            self._begun_names = re.compile(rf"(?<!\w)(?:{begun})\S*\Z")
        return self._begun_names

    def without_blanks(self, low: int, at: int) -> int:
        """The index, from `low` on, before the blanks that end at index `at`; none of them is looked at twice."""
        buf, base, (first, last), end = self.buf, self.base, self._blanks, at
        while at > low and buf[at - 1].isspace():
            at = at - 1 if first == last or at + base != last else max(first - base, low)
        if at < end and end + base >= last:
            self._blanks = at + base, end + base
        return at

    def name_begun(self, buf: str, low: int) -> int:
        """The index of `buf`, from `low` on, at which the name of a declared tool may begin that is not all there."""
        starts = (at for at in range(low, len(buf)) if not at or not (buf[at - 1].isalnum() or buf[at - 1] == "_"))
        return next((at for at in starts if self.is_name_begun(buf, at)), len(buf))

    def is_name_begun(self, buf: str, at: int) -> bool:
        """True when all of `buf` from index `at` on is the beginning of a declared tool's name."""
        if self._begun is None:
            prefix = self.ref.partition("{name}")[0]
            whole = {word for name in self.tools.by_name for word in (name, prefix + name)}
            self._begun = {word[:size] for word in whole for size in range(1, len(word) + 1)}
        return buf[at : at + MAX_LEXEME] in self._begun

    def named_near(self, at: int) -> str | None:
        """The declared tool whose name comes soon after index `at`."""
        match = self.names.search(self.buf, at, at + _NAMES) if self.tools.declared else None
        return None if match is None else match[0]

    @property
    def inner_keys(self) -> frozenset[str]:
        """The keys that are declared inside of arguments."""
        if self._inner is None:
            self._inner = frozenset(key for schema in self.tools.values() for key in _inner_keys(schema, 0))
        return self._inner

    def name_cost(self, context: EdgeContext, led: bool = False) -> int:
        """Cost of the name of the open call; one that it is `led` by is the only sign of a call."""
        costs, doubt = self.costs, context.doubt
        known = context.name in self.tools
        if led and not known and context.name in self.graph.network.spec.reserved:
            return costs.no_name
        if known or not self.tools.declared:
            return costs.in_sentence if doubt & Doubt.GLUED and not known else 0
        if self.graph.known_only or led:
            return costs.no_name
        return costs.no_name if doubt & ~Doubt.INSIDE else 0

    def skip_cost(self, one: Hypothesis) -> int:
        """Cost of skipping what cannot be read: where a call is open that may be none, it is none."""
        costs, context = self.costs, one.context
        weak = context.doubt & (Doubt.PROSE | Doubt.GLUED | Doubt.NO_OPENERS) or not context.opener
        weak = weak and context.statement is None
        return costs.skip if not weak else costs.break_off if context.name in self.tools else costs.no_name

    # Hypotheses

    def path(self, one: Hypothesis) -> Path:
        """The steps that follow a hypothesis."""
        return Path(one.node, one.context, self.ref)

    def make(self, one: Hypothesis, cost: int, pos: int, mode: Mode, state: Any, path: Path) -> Hypothesis:
        """The hypothesis at the end of a path from `one`, at character `pos`."""
        return self.follow(one, cost, pos, path.node, mode, state, path.context, *path.acts)

    def stay(self, one: Hypothesis, cost: int, pos: int, mode: Mode, state: Any, *acts: Act) -> Hypothesis:
        """The hypothesis at character `pos` that is where `one` is in the grammar."""
        return self.follow(one, cost, pos, one.node, mode, state, one.context, *acts)

    def follow(
        self, one: Hypothesis, cost: int, pos: int, node: Node, mode: Mode, state: Any, context: EdgeContext, *acts: Act
    ) -> Hypothesis:
        """The hypothesis that follows `one`, after `acts`."""
        action = Action(one.action, acts) if acts else one.action
        new = Hypothesis(one.cost + cost, pos, next(self._order), node, mode, state, context, action)
        spare = one.spare
        if spare is not None and context.call is not None and pos - spare.pos <= FAR:
            new.spare = spare if spare.context[:3] == context[:3] else None
        return new


def _inner_keys(schema: Schema, depth: int) -> list[str]:
    """The keys that are declared inside of the members of a schema."""
    found: list[str] = []
    for member in [schema.member(key) for key in schema.names[:_NAMES]] if depth < _INNER else ():
        if member is not None:
            found += [*member.names, *_inner_keys(member, depth + 1)]
    return found

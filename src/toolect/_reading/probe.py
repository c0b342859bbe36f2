"""What comes next in the text, seen from a place in the grammar, without reading it.

Whoever looks ahead sees no more than a `View`. A look ahead is bounded, and depends on the text alone: where more text
could change what comes next, the answer is to wait for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from msgspec import Struct

from toolect._graph.graph import Graph
from toolect._graph.node import STRONG, Node, Step
from toolect._graph.rivals import rivals_of
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, MIN_LEXEME, canonical, cut_off, gapped, may_grow, squeeze
from toolect._graph.symbols import ECHOES, Terminal, is_echo
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.could_grow import begins_more, may_be_marker, tightened
from toolect._spec.model import Role
from toolect._values.toolset import ToolSchemas

MAX_COMMENT = 4096
"""Characters of comments that a look-ahead goes over. Beyond it: the marker before them is text."""

_INSIDE = {"{": "\"'", "[": "{["}
"""The brackets with which JSON that holds calls begins, and what comes after each."""
_EMPTY = re.compile(rf"\{{\s{{0,{MAX_BLANK}}}\}}|\[\s{{0,{MAX_BLANK}}}\]").match
match_blank = re.compile(r"\s*").match
_BLANK = re.compile(rf"\s{{0,{MAX_BLANK}}}").match
_FENCE = re.compile(rf"(?:`{{1,3}}\w{{0,16}}\s{{0,{MAX_BLANK}}})?").match
_LONGEST_FENCE = 3 + 16 + MAX_BLANK
_LONG_BLANK = re.compile(rf"\s{{0,{MAX_COMMENT}}}").match


class View(Protocol):
    """What a look ahead may see: the text that is there, and what is known of its calls."""

    buf: str
    base: int
    """The character of the wire text that `buf[0]` is."""
    final: bool
    """Nothing more will arrive."""
    graph: Graph
    seeking: object
    """How far the last look ahead for a call in code has come, so that the next one need not begin anew."""

    @property
    def tools(self) -> ToolSchemas:
        """The tools that are declared, by name."""

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here: with the name of the open call, the key of the open argument."""


class Departed(Enum):
    """How a marker is not there as it is written."""

    MISSPELLED = 1
    """It is spelled otherwise."""
    MISSING = 2
    """It is not there at all."""
    STRAY = 3
    """Another one is there, which means nothing."""


class Lexeme(Struct, frozen=True, gc=False):
    """A marker or terminal at `buf[start:end]`."""

    key: str | Terminal
    start: int
    end: int
    departed: Departed | None = None


def next_lexeme(
    view: View, node: Node, pos: int, spelled: Callable[[str], str] | None = None, far: bool = True
) -> Lexeme | Waiting | None:
    """The lexeme at `buf[pos:]` that `node` takes: the longest marker, else a terminal; None for no lexeme.

    Of several terminals it is the first after which something comes that may; without looking so `far`, the first.
    `spelled`: how a marker that repeats a name or key is written, where that is not as in the view.
    """
    buf, n, final = view.buf, len(view.buf), view.final
    if pos == n:
        return None if final else WAIT
    for core in node.echoes:
        closer = (spelled or view.spelled)(core)
        if buf.startswith(closer, pos):
            return Lexeme(core, pos, pos + len(closer))
        if not final and cut_off(closer, buf, pos):
            return WAIT
    match = node.struct.match(buf, pos)
    if match is not None:
        found, end = match[0], match.end()
        core = found if found in node.marks else canonical(found, node.marks)
        if (
            not final
            and n - pos < node.longest + MAX_BLANK
            and core in (known := node.made(tightened)).growing
            and begins_more(known.marks, squeeze(buf[pos:]))
        ):
            return WAIT
        if not final and end == n and core.isidentifier():
            return WAIT  # perhaps a longer word
        if len(core) < STRONG and core in rivals_of(node):
            rival = _rival(view, node, core, pos)
            if rival is not Answer.NO:
                return None if rival is Answer.YES else WAIT
        return Lexeme(core, pos, end)
    if not final and may_be_marker(node, buf, pos):
        return WAIT
    first: Lexeme | None = None
    for number, (terminal, pattern) in enumerate(node.patterns, 1):
        match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
        if match is not None and match.end() > pos:
            end = match.end()
            if not final and end - pos < MAX_LEXEME and (end == n or may_grow(terminal.regex, buf, pos, n)):
                return WAIT
            lexeme = Lexeme(terminal, pos, end)
            if first is None:
                if not far or not any(other.match(buf, pos) for _, other in node.patterns[number:]):
                    return lexeme
                first = lexeme
            goes_on = _goes_on(view, node, lexeme)
            if goes_on is not Answer.NO:
                return lexeme if goes_on is Answer.YES else WAIT
    short = first is None and not final and n - pos < MAX_LEXEME
    return WAIT if short and any(may_grow(one.regex, buf, pos, n) for one, _ in node.patterns) else first


def _goes_on(view: View, node: Node, terminal: Lexeme) -> Answer:
    """Does something come after the terminal that may? The end of the text does, and whatever stands for a value."""
    probe = Probe(view, node, terminal.start)
    probe.over(terminal)
    if probe.node.text or probe.node.json or probe.node.escaped:
        return Answer.YES
    comes = probe.space()
    if comes is not Answer.YES:
        return WAIT if comes is WAIT else Answer.YES
    found = probe.next(far=False)
    return WAIT if found is WAIT else Answer.NO if found is None else Answer.YES


def _rival(view: View, node: Node, short: str, pos: int) -> Answer:
    """Does a marker stand at `buf[pos:]` that begins as `short` does: one out of place, or one with blanks in it?"""
    buf, final = view.buf, view.final
    others, own = rivals_of(node)[short]
    if others and buf.startswith(others, pos):
        return Answer.YES
    if not final and any(cut_off(other, buf, pos) for other in others):
        return WAIT
    for core in own:
        if gapped(core).match(buf, pos) is not None:
            return Answer.YES
        if not final and len(buf) - pos < MAX_LEXEME and squeeze(core).startswith(squeeze(buf[pos:])):
            return WAIT
    return Answer.NO


def past_blank(buf: str, pos: int) -> int:
    """The index after the whitespace at `buf[pos:]`, of which no more than `MAX_BLANK` characters are looked at."""
    return _BLANK(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string


def past_fence(buf: str, pos: int) -> int:
    """The index after the opening of a fence at `buf[pos:]` and the whitespace there; `pos` where none is."""
    return _FENCE(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string


def bracket_in_fence(buf: str, pos: int, final: bool) -> Answer:
    """Does a bracket stand in the fence that opens at `buf[pos]`?"""
    inside = past_fence(buf, pos)
    if inside == len(buf) and inside > pos and inside - pos < _LONGEST_FENCE and not final:
        return Answer.WAIT
    return Answer.YES if buf[inside : inside + 1] in ("{", "[") else Answer.NO


def _over_comments(view: View, pos: int) -> int | Waiting:
    """The index after the comments at `buf[pos:]` and the whitespace around them."""
    buf, final, comments = view.buf, view.final, view.graph.network.spec.comments
    start, n = pos, len(buf)
    while pos - start < MAX_COMMENT:
        opener = next((opener for opener in comments if buf.startswith(opener, pos)), None)
        if opener is None:
            return WAIT if not final and any(cut_off(opener, buf, pos) for opener in comments) else pos
        closer = comments[opener]
        at = buf.find(closer, pos + len(opener), pos + MAX_COMMENT)
        if at < 0:
            return n if final or n - pos >= MAX_COMMENT else WAIT
        pos = _LONG_BLANK(buf, at + len(closer)).end()  # type: ignore[union-attr]  # matches the empty string
    return pos


class Probe:
    """A place in the text, and where in the grammar that is; both are ahead of what has been read."""

    __slots__ = ("_said", "blank", "node", "pos", "view")

    def __init__(self, view: View, node: Node, pos: int) -> None:
        self.view, self.node, self.pos = view, node, pos
        self.blank = ""
        """The whitespace that was gone over last."""
        self._said: dict[Role, str] = {}  # names and keys on the way, which markers may repeat

    def space(self) -> Answer:
        """Go over whitespace and comments: does anything come after them?"""
        view = self.view
        end = past_blank(view.buf, self.pos)
        self.blank = view.buf[self.pos : end]
        after = _over_comments(view, end) if view.graph.network.spec.comments else end
        if after is WAIT:
            return WAIT
        self.pos = after
        if after < len(view.buf):
            return Answer.YES
        return Answer.NO if view.final else WAIT

    def next(self, far: bool = True) -> Lexeme | Waiting | None:
        """The lexeme that comes here, as `next_lexeme` says."""
        view = self.view
        found = next_lexeme(view, self.node, self.pos, self.spelled, far)
        if found is None and not view.final and self.node.patterns and len(view.buf) - self.pos < MIN_LEXEME:
            return WAIT
        return found

    def over(self, lexeme: Lexeme) -> Step:
        """Go over the lexeme that comes here."""
        step = self.node.step(lexeme.key)
        if step.field is not None and step.field.role in ECHOES:
            self._said[step.field.role] = self.view.buf[lexeme.start : lexeme.end]
        self.node, self.pos = step.node, lexeme.end
        return step

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here, with the names and keys on the way."""
        if self._said and is_echo(core):
            for role, said in self._said.items():
                core = core.replace(ECHOES[role], said)
        return self.view.spelled(core)


def lexeme_instead(view: View, node: Node, pos: int, spelled: Callable[[str], str]) -> Answer:
    """Does a marker or terminal of `node` stand at `buf[pos:]`, where JSON may stand, too, and does it go on?"""
    lexeme = next_lexeme(view, node, pos, spelled)
    if lexeme is None or lexeme is WAIT:
        return Answer.NO if lexeme is None else Answer.WAIT
    if isinstance(lexeme.key, Terminal):
        return _goes_on(view, node, lexeme)
    json = json_instead(view, node, lexeme) if view.buf[pos] in _INSIDE else Answer.NO
    return Answer.WAIT if json is Answer.WAIT else Answer.NO if json is Answer.YES else Answer.YES


def json_instead(view: View, node: Node, marker: Lexeme) -> Answer:
    """Does JSON stand where `marker` begins with a bracket? What that opens does not go on, and the bracket does."""
    buf, probe = view.buf, Probe(view, node, marker.start)
    if not isinstance(marker.key, str):
        return Answer.NO
    likely = begins_json(view, marker.start)
    if likely is not Answer.YES and not _EMPTY(buf, marker.start):
        return likely
    probe.over(marker)
    if probe.node.text or probe.node.escaped or probe.node.over:
        return Answer.NO
    comes = probe.space()
    if comes is not Answer.YES:
        return WAIT if comes is WAIT else Answer.NO
    if probe.node.json and buf[probe.pos] in _INSIDE:
        return Answer.NO
    follows = probe.next()
    return WAIT if follows is WAIT else Answer.YES if follows is None else Answer.NO


def begins_json(view: View, pos: int) -> Answer:
    """Does the bracket at `buf[pos]` go on as JSON with calls in it does?"""
    at = past_blank(view.buf, pos + 1)
    if at == len(view.buf):
        return Answer.NO if view.final else WAIT
    return Answer.YES if view.buf[at] in _INSIDE[view.buf[pos]] else Answer.NO

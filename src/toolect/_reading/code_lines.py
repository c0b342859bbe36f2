"""Goes over code, statement by statement, up to the next one that is a call; nothing of it is evaluated.

A statement ends outside of brackets, strings and comments, where the grammar says so: at a line break, a semicolon.
Lines that are indented deeper than its first one belong to it.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from toolect._graph.node import Node
from toolect._graph.spelling import cut_off
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.probe import View
from toolect._reading.statement import statement_calls

MAX_LINE = 4096
"""Characters of a line of code up to which its brackets and quotes are heeded."""
MAX_CODE = 4096
"""Characters of code after an opener among which a call is looked for."""
NEAR_CODE = 256
"""Characters of code that are looked at again and again. Beyond it: only the first statement after each opener is."""

_BLANK = re.compile(rf"\s{{0,{MAX_CODE + 1}}}").match
_INDENT = re.compile(r"[ \t]*").match


class Found(Enum):
    """What comes next in code."""

    CODE = auto()
    """More that is no call."""
    CALL = auto()
    """A statement that is a call."""
    END = auto()
    """The marker that ends the code, or the end of the text."""


class Lines:
    """Where in code the reading is."""

    __slots__ = (
        "_alone", "_code", "_column", "_fresh", "_indent", "_long", "_node", "_quote", "depth", "open", "unknown",
    )  # fmt: skip

    def __init__(self, view: View, node: Node, column: int | None, depth: int = 0, within: bool = False) -> None:
        assert view.graph.code is not None
        self._code = view.graph.code
        self._node = node  # where statements begin
        self._column = column  # of the next statement; None in the middle of a line
        self._indent: int | None = None  # of the last statement
        self._fresh = False  # a line begins
        self._quote = ""  # what ends the open string or comment
        self._alone = False  # the open statement is a comment
        self._long = False  # the line is too long to be looked into
        self.depth = depth  # open brackets
        self.open = within  # a statement is
        self.unknown: tuple[str, int] | None = None
        """What the statement that was found calls, and where, when that is no tool."""

    def go_on(self, view: View, pos: int) -> tuple[Found | Waiting, int]:
        """What `buf[pos:]` begins with, and the index where that ends; a call or an end is there."""
        return self._in_statement(view, pos) if self.open else self._between(view, pos)

    def _between(self, view: View, pos: int) -> tuple[Found | Waiting, int]:
        buf, n, code = view.buf, len(view.buf), self._code
        at = _BLANK(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if at - pos > MAX_CODE:
            return Found.END, pos
        if at == n:
            return (Found.END if view.final else WAIT), n
        if self._fresh or "\n" in buf[pos:at]:
            self._column = at - max(pos, buf.rfind("\n", pos, at) + 1)
        if any(buf.startswith(end, at) for end in (*code.closers, *code.ends)):
            return Found.END, at
        if not view.final and any(cut_off(sign, buf, at) for sign in code.signs):
            return WAIT, at
        self.unknown, self._alone = None, False
        if self._indent is None or self._column is None or self._column <= self._indent:
            self._alone = any(buf.startswith(opener, at) for opener in code.comments)
            if not self._alone:
                answer, name = statement_calls(view, self._node, at)
                if answer is not Answer.NO:
                    return (Found.CALL if answer is Answer.YES else WAIT), at
                self._indent = self._column
                self.unknown = (name, at) if name else None
        self.open, self._fresh, self._column = True, False, None
        return Found.CODE, at

    def _in_statement(self, view: View, pos: int) -> tuple[Found | Waiting, int]:
        buf, n = view.buf, len(view.buf)
        line = buf.find("\n", pos, pos + MAX_LINE + 1) + 1
        if not line and not view.final and n - pos <= MAX_LINE and not self._long:
            return WAIT, pos
        end = line or min(n, pos + MAX_LINE + 1)
        if self._long or (end - bool(line)) - pos > MAX_LINE:
            self._long = not line
            self._fresh = bool(line)
            self.open = self.open and not (line and not self.depth and not self._quote)
            return (Found.CODE, end) if end > pos else (Found.END if view.final else WAIT, end)
        if self._fresh:
            first = _INDENT(buf, pos, end).end()  # type: ignore[union-attr]  # matches the empty string
            if any(buf.startswith(closer, first) for closer in self._code.closers):
                return Found.END, first
        ends = (at for at in (buf.find(mark, pos, end) for mark in self._code.ends) if at >= 0)
        end = min(ends, default=end)
        if end == pos:
            return Found.END, end
        stop = self._over(buf, pos, end)
        self.open = stop < 0
        end = end if stop < 0 else stop
        self._fresh = buf[end - 1] == "\n"
        return Found.CODE, end

    def _over(self, buf: str, pos: int, end: int) -> int:
        """Go over `buf[pos:end]`, part of a line; the index at which the statement ends, or -1 when it goes on."""
        code = self._code
        while pos < end:
            if self._quote in code.inside:
                match = code.inside[self._quote].search(buf, pos, end)
                if match is None:
                    return -1
                pos = match.start() if match[0] == "\n" else match.end()
                if match[0] in (self._quote, "\n"):
                    self._quote = ""
                continue
            if self._quote:  # a comment
                at = buf.find(self._quote, pos, end)
                if at < 0:
                    return -1
                pos, self._quote = at + len(self._quote), ""
                if self._alone:
                    return pos
                continue
            match = code.token.search(buf, pos, end)
            if match is None:
                return -1
            sign, pos = match[0], match.end()
            if sign in code.comments and code.comments[sign] == "\n":
                at = buf.find("\n", pos, end)
                pos = end if at < 0 else at
            elif sign in code.comments or sign in code.inside:
                self._quote = code.comments.get(sign, sign)
            elif sign in "([{":
                self.depth += 1
            elif sign in ")]}":
                self.depth = max(self.depth - 1, 0)
            elif sign in code.stops and not self.depth:
                return pos
        return -1


class Seeking(NamedTuple):
    """A look ahead for a call in code: it began at character `start`, and has come to character `at`."""

    start: int
    lines: Lines
    at: int
    vain: int
    """Before this character, all that is looked at was looked at in vain."""


def call_in_code(view: View, node: Node, pos: int, short: bool) -> Answer:
    """Is one of the statements at `buf[pos:]` a call, after an opener which `node` follows?

    It has to be the first one after an opener that is `short`, which may close something else as well: a declared
    tool's; and after one among what was looked at in vain.
    """
    start, base = pos, view.base
    if short and not view.tools:
        return Answer.NO
    lines, begun, vain = Lines(view, node, 0), view.seeking, 0
    if isinstance(begun, Seeking):
        vain = begun.vain
        if begun.start == base + start:
            lines, pos = begun.lines, begun.at - base  # go on where the last chunk ended
            view.seeking = begun._replace(start=-1)  # who looks from here next begins anew: the lines have moved on
    while pos - start < MAX_CODE:
        found, at = lines.go_on(view, pos)
        if found is Found.CALL:
            return Answer.YES
        if found is WAIT:
            view.seeking = Seeking(base + start, lines, base + pos, vain)
            return WAIT
        if found is not Found.CODE:
            break
        if (short or base + start < vain) and at > start and not view.buf[start:at].isspace():
            return Answer.NO
        pos = at
    if pos - start > NEAR_CODE:
        view.seeking = Seeking(base + pos, lines, base + pos, base + pos)
    return Answer.NO

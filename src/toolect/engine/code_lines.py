"""Goes over code, statement by statement, up to the next one that is a call; nothing of it is evaluated.

A statement ends at a semicolon or a line break outside of brackets, strings and comments. Lines that are indented
deeper than its first one belong to it.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.engine.look_ahead import Ahead
from toolect.engine.statement import statement_calls

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

MAX_LINE = 4096
"""Characters of a line of code up to which its brackets and quotes are heeded."""
MAX_CODE = 4096
"""Characters of code after an opener among which a call is looked for."""

_BLANK = re.compile(r"\s*").match
_INDENT = re.compile(r"[ \t]*").match


class Found(Enum):
    """What comes next in code."""

    CODE = auto()
    """More that is no call."""
    CALL = auto()
    """A statement that is a call."""
    END = auto()
    """The marker that ends the code, or the end of the text."""
    MORE = auto()
    """More text is needed to know."""


class Lines:
    """Where in code the reading is."""

    __slots__ = (
        "_alone", "_code", "_column", "_fresh", "_indent", "_long", "_node", "_quote", "depth", "open", "unknown",
    )  # fmt: skip

    def __init__(self, machine: Machine, node: Node, column: int | None, depth: int = 0, within: bool = False) -> None:
        assert machine.graph.code is not None
        self._code = machine.graph.code
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

    def go_on(self, machine: Machine, pos: int, final: bool) -> tuple[Found, int]:
        """What `buf[pos:]` begins with, and the index where that ends; a call or an end is there."""
        return self._in_statement(machine, pos, final) if self.open else self._between(machine, pos, final)

    def _between(self, machine: Machine, pos: int, final: bool) -> tuple[Found, int]:
        buf, n, code = machine.buf, len(machine.buf), self._code
        at = _BLANK(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if at - pos > MAX_CODE:
            return Found.END, pos
        if at == n:
            return (Found.END if final else Found.MORE), n
        if self._fresh or "\n" in buf[pos:at]:
            self._column = at - max(pos, buf.rfind("\n", pos, at) + 1)
        if any(buf.startswith(end, at) for end in (*code.closers, *code.ends)):
            return Found.END, at
        if not final and any(sign.startswith(buf[at:]) for sign in code.signs):
            return Found.MORE, at
        self.unknown, self._alone = None, False
        if self._indent is None or self._column is None or self._column <= self._indent:
            self._alone = any(buf.startswith(opener, at) for opener in code.comments)
            if not self._alone:
                answer, name = statement_calls(machine, self._node, at, final)
                if answer is not Ahead.NO:
                    return (Found.CALL if answer is Ahead.YES else Found.MORE), at
                self._indent = self._column
                self.unknown = (name, at) if name else None
        self.open, self._fresh, self._column = True, False, None
        return Found.CODE, at

    def _in_statement(self, machine: Machine, pos: int, final: bool) -> tuple[Found, int]:
        buf, n = machine.buf, len(machine.buf)
        line = buf.find("\n", pos) + 1
        if not line and not final and n - pos <= MAX_LINE and not self._long:
            return Found.MORE, pos
        end = line or n
        if self._long or (end - bool(line)) - pos > MAX_LINE:
            self._long = not line
            self._fresh = bool(line)
            self.open = self.open and not (line and not self.depth and not self._quote)
            return (Found.CODE, end) if end > pos else (Found.END if final else Found.MORE, end)
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
            elif sign in "\n;" and not self.depth:
                return pos
        return -1


def call_in_code(machine: Machine, node: Node, pos: int, final: bool, short: bool) -> Ahead:
    """Is one of the statements at `buf[pos:]` a call, after an opener which `node` follows?

    After one that is `short`, which may close something else as well, it has to be the first: a declared tool's.
    """
    start, base = pos, machine.base
    if short and not machine.builder.tools:
        return Ahead.NO
    lines = Lines(machine, node, 0)
    if machine.seeking is not None and machine.seeking[0] == base + start:
        _, lines, at = machine.seeking  # go on where the last chunk ended
        pos = at - base
    while pos - start < MAX_CODE:
        found, at = lines.go_on(machine, pos, final)
        if found is Found.CALL:
            return Ahead.YES
        if found is Found.MORE:
            machine.seeking = base + start, lines, base + pos
            return Ahead.MORE
        if found is not Found.CODE:
            return Ahead.NO
        if short and at > start and not machine.buf[start:at].isspace():
            return Ahead.NO
        pos = at
    return Ahead.NO

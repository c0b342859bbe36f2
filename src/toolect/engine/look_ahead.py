"""Looks ahead from where a call may begin: does one follow, or is it prose about one?"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from toolect.compile.node import STRONG, Node, Step
from toolect.compile.symbols import Mark, Op, OpCode
from toolect.engine.comments import over_comments
from toolect.engine.spelling import MAX_LEXEME, canonical, may_be_marker
from toolect.ir import RepairKind, dumps
from toolect.spec.model import Many, Obj, OneOf, Role, Shape, SlotKind

if TYPE_CHECKING:
    from toolect.compile.stops import Stop
    from toolect.engine.machine import Machine

_BLANK = re.compile(r"\s{0,64}")
_SOLID = re.compile(r"\S").search


class Ahead(Enum):
    """Whether what was looked for lies ahead."""

    YES = 1
    NO = 2
    MORE = 3
    """More text is needed to know."""


def call_follows(machine: Machine, stop: Stop, node: Node, pos: int, final: bool, strong: bool) -> Ahead:
    """Does the text at `buf[pos:]`, after the marker `stop`, go on as a call from `node`?

    Looks at most one name and six markers ahead.
    """
    if machine.graph.code is not None and node.coding is not None and _SOLID(machine.buf, pos) is not None:
        from toolect.engine.code_lines import call_in_code  # not part of starting up: few dialects need it

        return call_in_code(machine, node.coding, pos, final, len(stop.core) < STRONG)
    way = _Way(machine, stop, node, pos, final, strong)
    for _ in range(8):
        answer = way.go_on()
        if answer is not None:
            return answer
    return Ahead.YES


class _Way:
    """How far has been looked ahead from a marker, and what came on the way."""

    __slots__ = ("due", "final", "machine", "name", "named", "node", "pos", "seen", "stop", "strong", "weak")

    def __init__(self, machine: Machine, stop: Stop, node: Node, pos: int, final: bool, strong: bool) -> None:
        self.machine, self.stop, self.node, self.pos = machine, stop, node, pos
        self.final, self.strong = final, strong
        self.seen = False  # a terminal has come
        self.named = False  # one with a name or an id has
        self.name = ""  # what may be the name of a tool
        self.due = False  # a new line that the dialect writes has not come
        self.weak = False  # only a short sign came after the name

    def go_on(self) -> Ahead | None:
        """Look at the next lexeme; None when that does not decide."""
        machine, node, buf = self.machine, self.node, self.machine.buf
        n, free = len(buf), node.text or node.escaped
        if free and not self.due:
            return Ahead.YES
        blank = _BLANK.match(buf, self.pos)
        assert blank is not None
        self.pos = pos = over_comments(machine, blank.end(), self.final)
        if pos < 0:
            return Ahead.MORE
        self.due = self.due and "\n" not in blank[0]
        if pos < n and free:  # what goes on as a line of prose is prose, unless JSON comes
            return Ahead.YES if not self.due or node.json and buf[pos] in "{[" else Ahead.NO
        if pos == n:
            if self.final:
                return Ahead.YES if self.strong else Ahead.NO
            return Ahead.MORE
        match = node.struct.match(buf, pos)
        if match is not None:
            return self._over_marker(match)
        for regex, pattern in node.patterns:
            match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
            if match is not None and match.end() > pos:
                return self._over_terminal(regex, match)
        return self._before_other("\n" in blank[0])

    def _over_marker(self, match: re.Match[str]) -> Ahead | None:
        machine, node, end = self.machine, self.node, match.end()
        at_end = end == len(machine.buf)
        core = canonical(match[0], node.marks)
        step = node.step(core)
        if at_end and self.final or self.seen and len(core) >= STRONG:
            return Ahead.YES
        self.weak = self.named and step.node.json and len(step.node.choices) == 1
        if self.named and not self.weak:
            return Ahead.YES
        if at_end and match[0].isidentifier():
            return Ahead.MORE
        if self.name and _begins_call(step):
            if not _wanted(machine, self.name):
                return Ahead.NO
            self.named = True
        self.due = self.due or "\n" in step.trail
        self.pos, self.node = end, step.node
        over = step.node is machine.graph.start
        return Ahead.YES if over or step.node.done is not None and not step.node.marks else None

    def _over_terminal(self, regex: str, match: re.Match[str]) -> Ahead | None:
        node, end = self.node, match.end()
        if end == len(self.machine.buf):
            return Ahead.MORE if not self.final else Ahead.YES if self.strong and not self.due else Ahead.NO
        roles = {c.edge.symbol.field.role for c in node.choices[regex] if not isinstance(c.edge.symbol, Mark)}
        self.seen = True
        if len(roles) == 1:
            self.named = self.named or Role.MARKUP not in roles
        self.name = match[0] if Role.NAME in roles else ""
        if self.name and self.named and not _wanted(self.machine, self.name):
            return Ahead.NO
        self.pos, self.node = end, node.step(regex).node
        return None

    def _before_other(self, broken: bool) -> Ahead:
        """What comes is neither a marker nor a terminal; the line is `broken` before it."""
        machine, node, buf, pos = self.machine, self.node, self.machine.buf, self.pos
        if node.json and not self.named and buf[pos] in "{[":
            return _json(self.stop, machine.json_field(node).shape, buf, pos, self.final, self.strong)
        if node.json and self.named:
            line = "\n" in node.choices[SlotKind.JSON][0].expects and not broken
            if buf[pos] in "{[" or not self.weak and not line:
                return Ahead.YES
        if self.named and any(buf.startswith(core, pos) for core in node.implied):
            return Ahead.YES
        rest = "".join(buf[pos : pos + 128].split())
        if self.named and not self.final and any("".join(core.split()).startswith(rest) for core in node.implied):
            return Ahead.MORE
        if any("".join(core.split()).startswith(rest) for core in node.marks):
            enough = self.strong or self.seen and len(rest) >= STRONG
            return Ahead.MORE if not self.final else Ahead.YES if enough else Ahead.NO
        return Ahead.NO


def _json(stop: Stop, shape: Shape | None, buf: str, pos: int, final: bool, strong: bool) -> Ahead:
    """Does the bracket at `buf[pos]` open JSON with a call in it?

    After a marker of the dialect it does. A marker that is a word may be just that: a list after it must be one of
    objects. Where a wrapper's opener is missing, the JSON must begin as a call does, with two keys of `shape`.
    """
    patterns = _beginning(shape)
    if strong or stop.repair is not RepairKind.IMPLIED_OPENER or patterns is None:
        if not stop.core.isalnum() or buf[pos] == "{":
            return Ahead.YES
        inside = _BLANK.match(buf, pos + 1).end()  # type: ignore[union-attr]  # matches the empty string
        if inside == len(buf):
            return Ahead.YES if final else Ahead.MORE
        return Ahead.YES if buf[inside] in "{]" else Ahead.NO
    whole, other = patterns
    until = min(len(buf), pos + MAX_LEXEME)
    if whole.match(buf, pos, until) is not None:
        return Ahead.YES
    done = final or until == pos + MAX_LEXEME or other.match(buf, pos, until) is not None
    return Ahead.NO if done else Ahead.MORE


@lru_cache(maxsize=256)
def _beginning(shape: Shape | None) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """What matches the first two keys of a call in `shape`, and what matches a first key that is none of them."""
    while isinstance(shape, Many | OneOf):
        shape = shape.item if isinstance(shape, Many) else shape.shapes[0]
    if not isinstance(shape, Obj):
        return None
    keys = "|".join(re.escape(dumps(key)) for field in shape.fields for key in field.keys)
    before = r"(?:\[\s*)?\{\s*"
    string = r'"(?:[^"\\]|\\.)*"'
    whole = rf"{before}(?:{keys})\s*:\s*{string}\s*,\s*(?:{keys})\s*:"
    return re.compile(whole), re.compile(rf'{before}(?:(?!{keys}){string}|[^\s"])|\[\s*[^\s{{]')


def headed(node: Node, buf: str, pos: int, final: bool) -> Ahead:
    """Does a call begin at `buf[pos:]` with a terminal that is not its name, and the marker after that?"""
    n = len(buf)
    for regex, pattern in node.patterns:
        if node.named(regex):
            continue
        begin = _BLANK.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        match = pattern.match(buf, begin, min(n, begin + MAX_LEXEME))
        if match is None and begin < n:
            continue
        blank = _BLANK.match(buf, match.end() if match is not None else begin)
        assert blank is not None
        if blank.end() == n:
            return Ahead.NO if final else Ahead.MORE
        inner = node.step(regex).node
        if inner.struct.match(buf, blank.end()) is not None:
            return Ahead.YES
        if not final and may_be_marker(inner, buf, blank.end()):
            return Ahead.MORE
    return Ahead.NO


def _begins_call(step: Step) -> bool:
    """True when the name before this step, which might have been another thing's, was that of a call."""
    return any(isinstance(task, Op) and task.code is OpCode.BEGIN_CALL and back > 1 for task, back in step.tasks)


def _wanted(machine: Machine, name: str) -> bool:
    """True unless policy makes content of calls of this tool."""
    unknown = machine.graph.policies.unknown_tool == "content" and machine.builder.tools
    return not unknown or name in machine.builder.tools


def announced(machine: Machine, node: Node, pos: int, final: bool) -> Ahead:
    """Does a name with its marker stand at `buf[pos:]`, where free text may stand too?"""
    buf, n = machine.buf, len(machine.buf)
    for regex, pattern in node.patterns:
        match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME)) if node.naming(regex) else None
        if match is None:
            continue
        end = match.end()
        marks = [core for core in node.step(regex).node.marks if len(core) >= STRONG]
        if any(buf.startswith(core, end) for core in marks):
            return Ahead.YES
        if not final and any(core.startswith(buf[end:]) for core in marks):
            return Ahead.MORE
    return Ahead.MORE if pos == n and not final and node.patterns else Ahead.NO

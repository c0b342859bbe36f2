"""Looks ahead from a marker that may open a call: does a call follow, or is it prose about one?"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from toolect.compile.network import Mark, Op, OpCode
from toolect.compile.node import STRONG, Node, Step
from toolect.engine.comments import over_comments
from toolect.engine.spelling import MAX_LEXEME, canonical, may_be_marker
from toolect.ir import RepairKind, dumps
from toolect.spec.model import Many, Obj, OneOf, Role, Shape, SlotKind

if TYPE_CHECKING:
    from toolect.compile.stops import Stop
    from toolect.engine.machine import Machine

_BLANK = re.compile(r"\s{0,64}")


class Probe(Enum):
    """Whether a call follows a marker."""

    YES = 1
    NO = 2
    MORE = 3
    """More text is needed to know."""


def probe(machine: Machine, stop: Stop, node: Node, pos: int, final: bool, strong: bool) -> Probe:
    """Does the text at `buf[pos:]`, after the marker `stop`, go on as a call from `node`?

    Looks at most one name and six markers ahead.
    """
    buf, n = machine.buf, len(machine.buf)
    seen, named = False, False  # a terminal has come; one with a name or an id has
    name = ""  # what may be the name of a tool
    due = False  # a new line that the dialect writes has not come
    weak = False  # only a short sign came after the name
    for _ in range(8):
        if (node.text or node.escaped) and not due:
            return Probe.YES
        blank = _BLANK.match(buf, pos)
        assert blank is not None
        pos = over_comments(machine, blank.end(), final)
        if pos < 0:
            return Probe.MORE
        due = due and "\n" not in blank[0]
        if pos < n and (node.text or node.escaped):  # what goes on as a line of prose is prose, unless JSON comes
            return Probe.YES if not due or node.json and buf[pos] in "{[" else Probe.NO
        if pos == n:
            if final:
                return Probe.YES if strong else Probe.NO
            return Probe.MORE
        match = node.struct.match(buf, pos)
        if match is not None:
            core = canonical(match[0], node.marks)
            step = node.step(core)
            if match.end() == n and final or seen and len(core) >= STRONG:
                return Probe.YES
            weak = named and step.node.json and len(step.node.choices) == 1
            if named and not weak:
                return Probe.YES
            if match.end() == n and match[0].isidentifier():
                return Probe.MORE
            if name and _begins_call(step):
                if not _wanted(machine, name):
                    return Probe.NO
                named = True
            due = due or "\n" in step.trail
            pos, node = match.end(), step.node
            if node is machine.graph.start or node.done is not None and not node.marks:
                return Probe.YES
            continue
        for regex, pattern in node.patterns:
            match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
            if match is not None and match.end() > pos:
                if match.end() == n:
                    return Probe.MORE if not final else Probe.YES if strong and not due else Probe.NO
                step = node.step(regex)
                roles = {c.edge.symbol.field.role for c in node.choices[regex] if not isinstance(c.edge.symbol, Mark)}
                seen = True
                if len(roles) == 1:
                    named = named or Role.MARKUP not in roles
                name = match[0] if Role.NAME in roles else ""
                if name and named and not _wanted(machine, name):
                    return Probe.NO
                pos, node = match.end(), step.node
                break
        else:
            if node.json and not named and buf[pos] in "{[":
                return _json(stop, machine.json_field(node).shape, buf, pos, final, strong)
            if node.json and named:
                line = "\n" in node.choices[SlotKind.JSON][0].expects and "\n" not in blank[0]
                if buf[pos] in "{[" or not weak and not line:
                    return Probe.YES
            if named and any(buf.startswith(core, pos) for core in node.implied):
                return Probe.YES
            rest = "".join(buf[pos : pos + 128].split())
            if named and not final and any("".join(core.split()).startswith(rest) for core in node.implied):
                return Probe.MORE
            if any("".join(core.split()).startswith(rest) for core in node.marks):
                enough = strong or seen and len(rest) >= STRONG
                return Probe.MORE if not final else Probe.YES if enough else Probe.NO
            return Probe.NO
    return Probe.YES


def _json(stop: Stop, shape: Shape | None, buf: str, pos: int, final: bool, strong: bool) -> Probe:
    """Does the bracket at `buf[pos]` open JSON with a call in it?

    After a marker of the dialect it does. A marker that is a word may be just that: a list after it must be one of
    objects. Where a wrapper's opener is missing, the JSON must begin as a call does, with two keys of `shape`.
    """
    patterns = _beginning(shape)
    if strong or stop.repair is not RepairKind.IMPLIED_OPENER or patterns is None:
        if not stop.core.isalnum() or buf[pos] == "{":
            return Probe.YES
        inside = _BLANK.match(buf, pos + 1).end()  # type: ignore[union-attr]  # matches the empty string
        if inside == len(buf):
            return Probe.YES if final else Probe.MORE
        return Probe.YES if buf[inside] in "{]" else Probe.NO
    whole, other = patterns
    until = min(len(buf), pos + MAX_LEXEME)
    if whole.match(buf, pos, until) is not None:
        return Probe.YES
    done = final or until == pos + MAX_LEXEME or other.match(buf, pos, until) is not None
    return Probe.NO if done else Probe.MORE


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


def headed(node: Node, buf: str, pos: int, final: bool) -> Probe:
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
            return Probe.NO if final else Probe.MORE
        inner = node.step(regex).node
        if inner.struct.match(buf, blank.end()) is not None:
            return Probe.YES
        if not final and may_be_marker(inner, buf, blank.end()):
            return Probe.MORE
    return Probe.NO


def _begins_call(step: Step) -> bool:
    """True when the name before this step, which might have been another thing's, was that of a call."""
    return any(isinstance(task, Op) and task.code is OpCode.BEGIN_CALL and back > 1 for task, back in step.tasks)


def _wanted(machine: Machine, name: str) -> bool:
    """True unless policy makes content of calls of this tool."""
    unknown = machine.graph.policies.unknown_tool == "content" and machine.builder.tools
    return not unknown or name in machine.builder.tools


def announced(machine: Machine, node: Node, pos: int, final: bool) -> Probe:
    """Does a name with its marker stand at `buf[pos:]`, where free text may stand too?"""
    buf, n = machine.buf, len(machine.buf)
    for regex, pattern in node.patterns:
        match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME)) if node.naming(regex) else None
        if match is None:
            continue
        end = match.end()
        marks = [core for core in node.step(regex).node.marks if len(core) >= STRONG]
        if any(buf.startswith(core, end) for core in marks):
            return Probe.YES
        if not final and any(core.startswith(buf[end:]) for core in marks):
            return Probe.MORE
    return Probe.MORE if pos == n and not final and node.patterns else Probe.NO

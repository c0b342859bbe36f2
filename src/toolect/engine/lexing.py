"""Reads the next marker, terminal or JSON value where the grammar takes no free text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.engine.comments import begin_comment
from toolect.engine.recovery import recover
from toolect.engine.spelling import MAX_LEXEME, MIN_LEXEME, canonical, could_grow, longer, may_be_marker
from toolect.spec.model import SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_VALUE_STARTS = frozenset("{[\"'")
match_space = re.compile(r"\s*").match


def _may_begin_json(machine: Machine, char: str) -> bool:
    """True when `char` begins a JSON value, or something broken in its place; bare JSON begins with a bracket."""
    if machine.graph.start.json and machine.builder.call is None:
        return char in "{["
    return char in _VALUE_STARTS or char.isalnum() or char == "-"


def lex(machine: Machine, node: Node, final: bool) -> bool:
    """Read the next marker, terminal or JSON value at a node that takes no free text."""
    buf, n = machine.buf, len(machine.buf)
    pos = match_space(buf, machine.pos).end()  # type: ignore[union-attr]  # matches the empty string
    if pos > machine.pos:
        if len(machine.spacing.come) <= MAX_LEXEME:
            machine.spacing.come += buf[machine.pos : pos]
        machine.pos = pos
    if pos == n:
        return False
    if machine.graph.code is not None and machine.builder.call is None and node.coding is not None:
        from toolect.engine.code_slot import begin_code  # not part of starting up: few dialects need it

        coded = begin_code(machine, node, pos, final)
        if coded is not None:
            return coded
    begun = begin_comment(machine, pos, final)
    if begun is not False:
        return begun is True
    for core in node.echoes:
        closer = machine.builder.spelled(core)
        if buf.startswith(closer, pos):
            machine.pos = pos + len(closer)
            machine.shift(core, machine.base + pos, machine.base + machine.pos, lexed=True)
            return True
        if not final and closer.startswith(buf[pos:]):
            return False
    match = node.struct.match(buf, pos)
    if match is not None:
        key = canonical(match[0], node.marks)
        if not final and n - pos < node.longest and longer(node, match[0], buf[pos:]):
            return False
        if not final and match.end() == n and key.isidentifier():
            return False
        machine.pos = match.end()
        machine.shift(key, machine.base + pos, machine.base + match.end(), lexed=True)
        return True
    if not final and node.patterns and may_be_marker(node, buf, pos):
        return False
    for regex, pattern in node.patterns:
        match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
        if match is not None and match.end() > pos:
            end = match.end()
            if end == n and not final and end - pos < MAX_LEXEME:
                return False
            machine.pos = end
            machine.shift(regex, machine.base + pos, machine.base + end, match[0], lexed=True)
            return True
    if node.json and _may_begin_json(machine, buf[pos]):
        if not machine.spacing.loose and not node.value:
            choice = node.choices[SlotKind.JSON][0]
            machine.spacing.check(machine.builder, machine.base + pos, (choice.expects,), choice.expects)
        machine.begin_json(node)
        return True
    waits = n - pos < MIN_LEXEME and node.patterns
    if not final and (waits or could_grow(node, buf[pos:], machine.builder.spelled)):
        return False
    return recover(machine, node, pos, final)


def marker_next(node: Node, buf: str, pos: int, final: bool) -> bool | None:
    """Does a marker of `node` come at `pos`, after blanks? None when more text is needed to know."""
    pos = match_space(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
    if pos == len(buf):
        return False if final else None
    if node.struct.match(buf, pos) is not None:
        return True
    return None if not final and may_be_marker(node, buf, pos) else False

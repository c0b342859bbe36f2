"""Does a quote end its string, or was it left unescaped in the middle? What follows it tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolect.compile.graph import TooDeep
from toolect.compile.node import Node
from toolect.engine.comments import over_comments
from toolect.engine.look_ahead import Ahead
from toolect.engine.spelling import MAX_BLANK, MAX_LEXEME, canonical, could_grow, longer

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

MAX_LOOK = 160
"""Characters after a doubtful quote that are looked at for an expression."""

_BLANK = re.compile(rf"\s{{0,{MAX_BLANK}}}").match
_QUOTES = frozenset("'\"`")
_EXPRESSION = re.compile(
    r"""\s{0,64}(?:[+%*]\s|\.[A-Za-z_]\w{0,63}\()    # what computes a value: operators, methods
      | \s{1,64}[A-Za-z_]\w{0,63}\s?=\s?['"\[{\d]    # the next argument, without a comma before it
    """,
    re.VERBOSE,
).match


def ends_string(machine: Machine, node: Node, pos: int, final: bool) -> Ahead:
    """Is the quote before `buf[pos]` the closer that `node` follows? Looks at most four lexemes ahead."""
    try:
        answer = _goes_on(machine, node, pos, final)
    except TooDeep:
        return Ahead.YES
    if answer is not Ahead.NO:
        return answer
    buf, n = machine.buf, len(machine.buf)
    if not final and n - pos < MAX_LOOK:
        return Ahead.MORE
    # Code that would have to be run is no string with quotes in it: the call is malformed.
    return Ahead.YES if _EXPRESSION(buf, pos, min(n, pos + MAX_LOOK)) else Ahead.NO


def _goes_on(machine: Machine, node: Node, pos: int, final: bool) -> Ahead:
    """Does the text at `buf[pos:]` go on from `node` as the grammar does?"""
    buf, n, graph = machine.buf, len(machine.buf), machine.graph
    named = False
    for i in range(4):
        if node.text or node.escaped or graph.code is not None and i and node.over:
            break
        at = _BLANK(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if at - pos == MAX_BLANK:
            break
        touching = i == 0 and at == pos
        pos = over_comments(machine, at, final)
        if pos < 0:
            return Ahead.MORE
        if pos == n:
            return Ahead.YES if final else Ahead.MORE
        match = node.struct.match(buf, pos)
        if match is not None:
            if not final and n - pos < node.longest and longer(node, match[0], buf[pos:]):
                return Ahead.MORE
            if not final and match.end() == n and match[0].isidentifier():
                return Ahead.MORE
            if named or i == 0 and match[0] == ":":
                break
            if touching and buf[pos] in _QUOTES:  # a doubled quote, rather than the next of adjacent strings
                return Ahead.NO
            node, pos = node.step(canonical(match[0], node.marks)).node, match.end()
            continue
        for regex, pattern in node.patterns:
            match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
            if match is not None and match.end() > pos:
                if match.end() == n and not final and n - pos < MAX_LEXEME:
                    return Ahead.MORE
                if touching:
                    return Ahead.NO
                node, pos, named = node.step(regex).node, match.end(), True
                break
        else:
            return _breaks_off(machine, node, pos, final)
    return Ahead.YES


def _breaks_off(machine: Machine, node: Node, pos: int, final: bool) -> Ahead:
    """The text at `buf[pos:]` is not what the grammar has next: is it what may follow where closers are missing?"""
    buf, graph = machine.buf, machine.graph
    if node.json:
        return Ahead.YES
    if any(buf.startswith(core, pos) for group in (node.implied, graph.ends, graph.closers) for core in group):
        return Ahead.YES
    if could_grow(node, buf[pos:], machine.builder.spelled):
        return Ahead.YES if final else Ahead.MORE
    return Ahead.NO if final or len(buf) - pos > 3 or not node.patterns else Ahead.MORE

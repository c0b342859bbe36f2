"""Looks ahead from a marker that may open a call: does a call follow, or is it prose about one?"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.engine.spelling import MAX_LEXEME, canonical

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_BLANK = re.compile(r"\s{0,64}")


class Probe(Enum):
    """Whether a call follows a marker."""

    YES = 1
    NO = 2
    MORE = 3
    """More text is needed to know."""


def probe(machine: Machine, node: Node, pos: int, final: bool, strong: bool) -> Probe:
    """Does the text at `buf[pos:]` go on as a call from `node`? Looks at most one name and six markers ahead."""
    buf, n = machine.buf, len(machine.buf)
    named = False
    for _ in range(8):
        if node.text or node.escaped:
            return Probe.YES
        pos = _BLANK.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if pos == n:
            if final:
                return Probe.YES if strong else Probe.NO
            return Probe.MORE
        match = node.struct.match(buf, pos)
        if match is not None:
            if named or match.end() == n and final:
                return Probe.YES
            node = node.step(canonical(match[0], node.marks)).node
            pos = match.end()
            if node is machine.graph.start or node.done is not None and not node.marks:
                return Probe.YES
            continue
        for regex, pattern in node.patterns:
            match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
            if match is not None and match.end() > pos:
                if match.end() == n:
                    return Probe.MORE if not final else Probe.YES if strong else Probe.NO
                pos, node, named = match.end(), node.step(regex).node, True
                break
        else:
            if node.json and (named or buf[pos] in "{["):
                return Probe.YES
            if named and any(buf.startswith(core, pos) for core in node.implied):
                return Probe.YES
            rest = "".join(buf[pos : pos + 128].split())
            if named and not final and any("".join(core.split()).startswith(rest) for core in node.implied):
                return Probe.MORE
            if any("".join(core.split()).startswith(rest) for core in node.marks):
                return Probe.MORE if not final else Probe.YES if strong else Probe.NO
            return Probe.NO
    return Probe.YES

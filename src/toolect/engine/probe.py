"""Looks ahead from a marker that may open a call: does a call follow, or is it prose about one?"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.engine.spelling import MAX_LEXEME, canonical
from toolect.spec.model import Role

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
    named, due = False, False  # `due`: a new line that the dialect writes has not come
    for _ in range(8):
        if (node.text or node.escaped) and not due:
            return Probe.YES
        blank = _BLANK.match(buf, pos)
        assert blank is not None
        pos = blank.end()
        due = due and "\n" not in blank[0]
        if pos < n and (node.text or node.escaped):  # what goes on as a line of prose is prose, unless JSON comes
            return Probe.YES if not due or node.json and buf[pos] in "{[" else Probe.NO
        if pos == n:
            if final:
                return Probe.YES if strong else Probe.NO
            return Probe.MORE
        match = node.struct.match(buf, pos)
        if match is not None:
            if named or match.end() == n and final:
                return Probe.YES
            step = node.step(canonical(match[0], node.marks))
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
                named = named or step.field is not None and step.field.role is not Role.MARKUP
                pos, node = match.end(), step.node
                break
        else:
            if node.json:
                return Probe.YES if named or buf[pos] in "{[" else Probe.NO
            if named and any(buf.startswith(core, pos) for core in node.implied):
                return Probe.YES
            rest = "".join(buf[pos : pos + 128].split())
            if named and not final and any("".join(core.split()).startswith(rest) for core in node.implied):
                return Probe.MORE
            if any("".join(core.split()).startswith(rest) for core in node.marks):
                return Probe.MORE if not final else Probe.YES if strong else Probe.NO
            return Probe.NO
    return Probe.YES

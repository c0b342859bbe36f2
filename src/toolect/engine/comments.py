"""Comments of a dialect that is code: they stand where whitespace may, and say nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

MAX_COMMENT = 4096
"""Characters of comments and whitespace that a look-ahead goes over."""

_BLANK = re.compile(rf"\s{{0,{MAX_COMMENT}}}").match


def begin_comment(machine: Machine, pos: int, final: bool) -> bool | None:
    """Begin the comment at `buf[pos:]`. True when one began, None when more text is needed to know."""
    for opener, closer in machine.graph.network.spec.comments.items():
        if machine.buf.startswith(opener, pos):
            machine.pos = pos + len(opener)
            machine.comment = closer
            machine.spacing.loose = True
            return True
        if not final and opener.startswith(machine.buf[pos:]):
            return None
    return False


def read_comment(machine: Machine, final: bool) -> bool:
    """Read on to the end of the open comment; False when more text is needed."""
    buf, closer = machine.buf, machine.comment
    at = buf.find(closer, machine.pos)
    if at >= 0:
        machine.pos, machine.comment = at + len(closer), ""
        return True
    machine.pos = len(buf) if final else max(machine.pos, len(buf) - len(closer) + 1)
    return False


def over_comments(machine: Machine, pos: int, final: bool) -> int:
    """The index after the comments at `buf[pos:]` and the whitespace around them; -1 when more text is needed."""
    buf, comments = machine.buf, machine.graph.network.spec.comments
    start, n = pos, len(machine.buf)
    while comments and pos - start < MAX_COMMENT:
        opener = next((opener for opener in comments if buf.startswith(opener, pos)), None)
        if opener is None:
            return -1 if not final and any(opener.startswith(buf[pos:]) for opener in comments) else pos
        closer = comments[opener]
        at = buf.find(closer, pos + len(opener), pos + MAX_COMMENT)
        if at < 0:
            return n if final or n - pos >= MAX_COMMENT else -1
        pos = _BLANK(buf, at + len(closer)).end()  # type: ignore[union-attr]  # matches the empty string
    return pos

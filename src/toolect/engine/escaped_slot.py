"""Text in which a backslash hides the next character from the closer: the inside of a quoted string."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect.compile.network import Hollow
from toolect.compile.node import Node
from toolect.engine.codec import unescape
from toolect.events import Event
from toolect.spec.model import SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine


class EscapedSlot:
    """The inside of a string being read; escapes are resolved as soon as they are whole."""

    __slots__ = ("_closer", "_region", "field", "start")

    raw_from: int | None = None
    """No character of it is asked for again."""

    def __init__(self, machine: Machine, node: Node) -> None:
        symbol = node.choices[SlotKind.ESCAPED][0].edge.symbol
        assert isinstance(symbol, Hollow)
        self.field = symbol.field
        self.start = machine.base + machine.pos
        self._closer = next(iter(node.step(SlotKind.ESCAPED).node.marks))
        self._region = re.compile(region(self._closer))
        machine.enter_slot(SlotKind.ESCAPED, self.start)
        machine.builder.text_begin(self.field, self.start)

    def quick(self, machine: Machine) -> Callable[[str], list[Event] | None]:
        """A function that takes in a chunk in which nothing is escaped and nothing ends."""
        field, first = self.field, self._closer[0]

        def take(chunk: str) -> list[Event] | None:
            if "\\" in chunk or first in chunk:
                return None
            return machine.take_piece(field, chunk)

        return take

    def read(self, machine: Machine, final: bool) -> bool:
        """Read on; False when more text is needed."""
        buf, pos, n = machine.buf, machine.pos, len(machine.buf)
        end = self._region.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        closed = buf.startswith(self._closer, end) and end < n
        safe = end
        if not closed and not final:
            safe = _whole_escapes(buf, pos, end)
            if end == n:
                kept = (k for k in range(len(self._closer) - 1, 0, -1) if buf.endswith(self._closer[:k], pos, end))
                safe = min(safe, end - next(kept, 0))
        if safe > pos:
            machine.builder.text_part(self.field, unescape(buf[pos:safe]))
            machine.pos = safe
        if closed:
            machine.builder.text_end(self.field, self.start, machine.base + end)
            machine.leave_slot(SlotKind.ESCAPED, machine.base + end)
            machine.end_text()
            return True
        if final:
            machine.pos = n
            machine.builder.cut(self.field)
            machine.end_text()
        return False


def region(closer: str) -> str:
    """A regular expression for text up to `closer`, in whole escapes."""
    first, rest = re.escape(closer[0]), re.escape(closer[1:])
    part = rf"|{first}(?!{rest})" if rest else ""
    return rf"(?:[^\\{first}]++|\\(?s:.){part})*+"


def _whole_escapes(buf: str, pos: int, end: int) -> int:
    """The end of the last escape in `buf[pos:end]` that cannot go on; `pos` is not inside of one."""
    last = buf.rfind("\\", max(pos, end - 12), end)
    if last < 0:
        return end
    if not _is_escape(buf, pos, last):
        return end
    if _OPEN_ESCAPE.fullmatch(buf, last, end) is None:
        return end
    # Half of a surrogate pair waits for the other half.
    before = last - 6
    while before >= pos and _HIGH_SURROGATE.fullmatch(buf, before, last) and _is_escape(buf, pos, before):
        last, before = before, before - 6
    return last


def _is_escape(buf: str, pos: int, at: int) -> bool:
    """True when the backslash `buf[at]` is not itself escaped; `pos` is not inside of an escape."""
    first = at
    while first > pos and buf[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 0


_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_OPEN_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}|U[0-9a-fA-F]{0,7})?")

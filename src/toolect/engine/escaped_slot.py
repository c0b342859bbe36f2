"""Text in which a backslash hides the next character from the closer: the inside of a quoted string."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.compile.symbols import Hollow
from toolect.engine.closing import ends_string
from toolect.engine.escapes import unescape
from toolect.engine.look_ahead import Ahead
from toolect.engine.recovery import broken_plan
from toolect.events import Event
from toolect.ir import RepairKind
from toolect.spec.model import SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine


class EscapedSlot:
    """The inside of a string being read; escapes are resolved as soon as they are whole."""

    __slots__ = ("_after", "_broken", "_closer", "_doubtful", "_region", "_sign", "field", "start")

    raw_from: int | None = None
    """No character of it is asked for again."""
    blank = ""
    """Nothing of it waits."""

    def __init__(self, machine: Machine, node: Node) -> None:
        symbol = node.choices[SlotKind.ESCAPED][0].edge.symbol
        assert isinstance(symbol, Hollow)
        self.field = symbol.field
        self.start = machine.base + machine.pos
        closing = node.step(SlotKind.ESCAPED).node
        self._closer = next(iter(closing.marks))
        self._after = closing.step(self._closer).node
        formatted = machine.said_before() in ("f", "F")
        self._sign = _SUBSTITUTION if self._closer == _TEMPLATE else _SUBSTITUTION[1] if formatted else ""
        self._region = re.compile(region(self._closer, sign=self._sign))
        self._doubtful = False  # a quote inside was not escaped
        self._broken = self._closer not in _ON_ONE_LINE  # line breaks are no news
        machine.enter_slot(SlotKind.ESCAPED, self.start)
        machine.builder.text_begin(self.field, self.start)

    def quick(self, machine: Machine) -> Callable[[str], list[Event] | None]:
        """A function that takes in a chunk in which nothing is escaped and nothing ends."""
        field, first, sign = self.field, self._closer[0], self._sign[:1]

        def take(chunk: str) -> list[Event] | None:
            if "\\" in chunk or first in chunk or "\n" in chunk or self._doubtful or sign and sign in chunk:
                return None
            return machine.take_piece(field, chunk)

        return take

    def read(self, machine: Machine, final: bool) -> bool:
        """Read on; False when more text is needed."""
        buf, pos, n = machine.buf, machine.pos, len(machine.buf)
        end = self._region.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if self._doubtful:
            wall = self._wall(machine, pos, end, final)
            if wall is not None:
                return wall
        closed = buf.startswith(self._closer, end) and end < n
        answer = Ahead.YES
        if closed and len(self._closer) == 1:
            answer = ends_string(machine, self._after, end + 1, final)
        safe = end
        if not closed and not final:
            safe = _whole_escapes(buf, pos, end)
            if end == n:
                kept = (k for k in range(len(self._closer) - 1, 0, -1) if buf.endswith(self._closer[:k], pos, end))
                safe = min(safe, end - next(kept, 0))
        if self._sign:
            if buf.startswith(self._sign, end):
                return self._substitutes(machine, end)
            if not final and buf.endswith(self._sign[0], pos, safe):
                safe -= 1
        self._take(machine, safe)
        if closed and answer is Ahead.NO:
            self._doubt(machine, end)
            return True
        if closed and answer is Ahead.YES:
            self._end(machine, end)
            machine.end_text()
            return True
        if final:
            machine.pos = n
            machine.builder.cut(self.field)
            machine.end_text()
        return False

    def _take(self, machine: Machine, until: int) -> None:
        """Pass on the text before index `until`."""
        buf, pos = machine.buf, machine.pos
        if until <= pos:
            return
        if not self._broken and (line := _LINE(buf, pos, until)) is not None:
            self._broken = True
            machine.builder.note(RepairKind.UNESCAPED, machine.base + line.end() - 1, "a line break")
        machine.builder.text_part(self.field, unescape(buf[pos:until]))
        machine.pos = until

    def _end(self, machine: Machine, at: int) -> None:
        """The string ends at index `at`."""
        machine.builder.text_end(self.field, self.start, machine.base + at)
        machine.leave_slot(SlotKind.ESCAPED, machine.base + at)

    def _doubt(self, machine: Machine, at: int) -> None:
        """The quote at index `at` belongs to the string."""
        if not self._doubtful:
            self._doubtful = True
            machine.builder.note(RepairKind.UNESCAPED, machine.base + at, self._closer)
        machine.builder.text_part(self.field, self._closer)
        machine.pos = at + 1

    def _substitutes(self, machine: Machine, at: int) -> bool:
        """At index `at` the string has a place for a value, which nobody computes."""
        call = machine.builder.call
        if call is not None:
            call.fail(f"a string with `{self._sign}` in it would have to be computed - at {machine.base + at}")
        self._take(machine, at + len(self._sign))
        return True

    def _wall(self, machine: Machine, pos: int, end: int, final: bool) -> bool | None:
        """After a doubtful quote, a marker that could end the call does so; None where there is none before `end`."""
        plan = broken_plan(self._after)
        buf, call = machine.buf, machine.builder.call
        at, _ = machine.search(plan).next(buf, machine.base, machine.base + pos)
        if 0 <= at < end:
            self._take(machine, at)
            if call is not None:
                call.fail(f"a string has no end - at {self.start}")
            self._end(machine, at)
            machine.end_text()
            machine.imply(self._closer, machine.base + at, RepairKind.IMPLIED_CLOSER)
            return True
        if not final and end == len(buf):
            self._take(machine, _whole_escapes(buf, pos, plan.hold_from(buf, pos)))
            return False
        return None


def region(closer: str, breaks: bool = True, sign: str = "") -> str:
    """A regular expression for text up to `closer`, in whole escapes; `breaks`: with line breaks, even unescaped.

    It ends before `sign`, too, with which a value begins.
    """
    first, rest = re.escape(closer[0]), re.escape(closer[1:])
    part = rf"|{first}(?!{rest})" if rest else ""
    line = "" if breaks else r"\n"
    if sign:
        line += re.escape(sign[0])
        part += rf"|{re.escape(sign[0])}(?!{re.escape(sign[1:])})" if sign[1:] else ""
    return rf"(?:[^\\{first}{line}]++|\\(?s:.){part})*+"


def clean_region(closer: str) -> str:
    """A regular expression for text up to `closer` in which nothing had to be forgiven."""
    return region(closer, breaks=closer not in _ON_ONE_LINE, sign=_SUBSTITUTION if closer == _TEMPLATE else "")


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


_TEMPLATE, _SUBSTITUTION = "`", "${"
"""The quote of JavaScript's template strings, and what begins a value in them; in Python's it is the brace alone."""
_ON_ONE_LINE = ("'", '"')
"""Closers of strings in which a line break must be escaped."""
_LINE = re.compile(r"(?:[^\\\n]++|\\(?s:.))*+\n").match
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_OPEN_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}|U[0-9a-fA-F]{0,7})?")

"""Code between the calls of a dialect whose calls are statements: content, or the rest of a call that failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.compile.symbols import Field
from toolect.engine.code_lines import Found, Lines
from toolect.engine.look_ahead import Ahead
from toolect.engine.recovery import expected
from toolect.engine.spelling import MAX_BLANK, canonical
from toolect.engine.statement import statement_calls
from toolect.ir import RepairKind
from toolect.spec.model import Role

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_CONTENT = Field(Role.CONTENT)
_SHOWN = 40
"""Characters of code that are shown when it cannot be read."""
_GOT = re.compile(r"[\w$.]+(?: [\w$.]+)?[(\[{]?|(?s:.)\S?").match


class CodeSlot:
    """A stretch of code being read. Whitespace at its end is layout, and so is what the answer begins with."""

    __slots__ = ("_dropped", "_lines", "_opened", "blank", "failed", "field", "node", "start")

    raw_from: int | None = None
    """No character of it is asked for again."""

    def __init__(self, machine: Machine, node: Node, within: bool = False) -> None:
        builder, come = machine.builder, machine.spacing.come
        self.node = node  # where statements begin
        self.field = _CONTENT
        self.failed = builder.call is not None
        """The rest of a statement is read, which belongs to the open call."""
        column = len(come) - come.rindex("\n") - 1 if "\n" in come else None
        self._lines = Lines(machine, node, column, machine.depth if within else 0, within)
        self._opened = False
        self._dropped = machine.graph.policies.after_calls == "drop" and builder.count > 0
        self.blank = come if builder.segments and len(come) <= MAX_BLANK else ""
        """Whitespace that is content only if something follows."""
        self.start = machine.base + machine.pos - len(self.blank)

    def quick(self, machine: Machine) -> None:
        """There is no short way: what code says has to be looked at."""

    def read(self, machine: Machine, final: bool) -> bool:
        """Read on; False when more text is needed."""
        while True:
            found, end = self._lines.go_on(machine, machine.pos, final)
            if found is Found.MORE:
                return False
            if found is not Found.CODE:
                break
            if self._lines.unknown is not None:
                name, at = self._lines.unknown
                machine.builder.note(RepairKind.UNKNOWN_TOOL, machine.base + at, name)
                self._lines.unknown = None
            self._add(machine, machine.buf[machine.pos : end])
            machine.pos = end
            if self.failed and not self._lines.open:
                break
        if self.failed and not self._lines.open:
            machine.pos = end = machine.pos - len(self.blank)  # it ended with this line
            self.blank = ""
        self._close(machine)
        machine.pos = end
        machine.end_code(self.node)
        return True

    def _add(self, machine: Machine, text: str) -> None:
        """More code; whitespace waits for what follows it."""
        text = self.blank + text
        kept = text.rstrip()
        self.blank = text[len(kept) :]
        if not kept or self.failed or self._dropped:
            return
        if not self._opened:
            self._opened = True
            machine.builder.text_begin(self.field, self.start)
        machine.builder.text_part(self.field, kept)

    def _close(self, machine: Machine) -> None:
        end = machine.base + machine.pos - len(self.blank)
        if self.failed:
            machine.builder.give_up_call(end)
        elif self._opened:
            machine.builder.text_end(self.field, self.start, end)


def begin_code(machine: Machine, node: Node, pos: int, final: bool) -> bool | None:
    """Begin the statement at `buf[pos:]`: None when it is a call, else whether to read on now."""
    buf, code, home = machine.buf, machine.graph.code, node.coding
    assert code is not None and home is not None
    if any(buf.startswith(mark, pos) for mark in (*code.closers, *code.ends)):
        return None
    match = node.struct.match(buf, pos)
    if match is not None and not node.first(canonical(match[0], node.marks)):
        return None
    if not final and any(sign.startswith(buf[pos:]) for sign in code.signs):
        return False
    answer = Ahead.NO
    if not buf.startswith(tuple(code.comments), pos):
        answer, _ = statement_calls(machine, home, pos, final)
    if answer is Ahead.MORE:
        return False
    if answer is Ahead.YES:
        machine.begin_statement(home)
        return None
    machine.text = CodeSlot(machine, home)
    return True


def skip_statement(machine: Machine, node: Node, final: bool) -> bool:
    """What comes does not belong into the open statement, at `node`: it is code up to the end of that."""
    buf, pos, home = machine.buf, machine.pos, machine.home
    assert home is not None
    got = _GOT(buf, pos, pos + _SHOWN)
    assert got is not None
    if got.end() == len(buf) and not final and got.end() - pos < _SHOWN:
        return False
    call = machine.builder.call
    if call is not None:
        call.fail(f"expected {expected(node)}, got `{got[0]}`, and code is not run - at {machine.base + pos}")
    machine.text = CodeSlot(machine, home, within=True)
    return True

"""Looks ahead from where a call may begin with its name: is it one, or prose, markup or code that looks alike?

Nothing but a name, perhaps after a short sign, announces such a call. A declared tool's name needs little besides it;
any other name has to be proved by what follows. Each look-ahead is bounded.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.compile.symbols import ECHOES, Op, OpCode
from toolect.engine.look_ahead import Ahead
from toolect.engine.spelling import MAX_LEXEME, canonical
from toolect.spec.model import CodecKind, Role, SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_BLANK = re.compile(r"\s{0,64}")
_REST_OF_LINE = re.compile(r"[ \t\r]{0,64}")
_OBJECT = re.compile(r'\{\s{0,64}(?:\}|"(?:[^"\\\n]|\\.){0,64}"\s{0,8}:)')
_OBJECT_BEGUN = re.compile(r'\{\s{0,64}(?:"(?:[^"\\\n]|\\.){0,64}(?:\\|"\s{0,8})?)?\Z')
_BARE_KEY = r"""[^\s<>{}\[\]'"#&*!|%@`:,-][^\n:<>]{0,64}"""
_ENTRY = re.compile(
    r"""\{|(?:#[^\n]{0,128}\n\s{0,64})?(?:"(?:[^"\\\n]|\\.){0,64}"|'[^'\n]{1,64}'|"""
    + _BARE_KEY
    + r")[ \t]{0,8}:(?=\s)"
)
_ENTRY_BEGUN = re.compile(
    r"""(?:#[^\n]{0,128}(?:\n\s{0,64}|\Z))?(?:"(?:[^"\\\n]|\\.){0,64}(?:\\|")?|'[^'\n]{0,64}'?|"""
    + _BARE_KEY
    + r"|):?\Z"
)


class Evidence(Enum):
    """What speaks for a call."""

    NONE = auto()
    SOME = auto()
    """Its form: enough for a tool that is declared, and where none are."""
    OBJECT = auto()
    """A JSON object right after the name: enough for every name."""
    MORE = auto()
    """More text is needed to know."""


def proof(machine: Machine, node: Node, pos: int, final: bool) -> Ahead:
    """Does a call begin with the name at `buf[pos:]`, a terminal of `node`?"""
    buf, tools = machine.buf, machine.builder.tools
    for regex, pattern in node.patterns:
        if not node.naming(regex):
            continue
        match = pattern.match(buf, pos, min(len(buf), pos + MAX_LEXEME))
        if match is None or match.end() == pos:
            continue
        name, end = match[0], match.end()
        if end == len(buf) and end - pos < MAX_LEXEME:
            return Ahead.NO if final else Ahead.MORE
        known = name in tools
        if not known and name in machine.graph.network.spec.reserved:
            return Ahead.NO
        found = Walk(machine, name, known, final).evidence(node.step(regex).node, end)
        if found is Evidence.MORE:
            return Ahead.MORE
        enough = found is Evidence.OBJECT or found is Evidence.SOME and (known or not tools)
        return Ahead.YES if enough else Ahead.NO
    return Ahead.MORE if pos == len(buf) and not final else Ahead.NO


class Walk:
    """Follows the grammar from a name on, until it is clear whether this is a call."""

    def __init__(self, machine: Machine, name: str, known: bool, final: bool) -> None:
        self.buf, self.final, self.known = machine.buf, final, known
        self.ends = machine.graph.ends
        self.name = name
        self.begun = False  # something of the call came after the name

    def evidence(self, node: Node, pos: int) -> Evidence:
        """What follows the name, which ends at `pos`."""
        buf, n = self.buf, len(self.buf)
        keyed = False
        for _ in range(8):
            if any(isinstance(task, Op) and task.code is OpCode.END_CALL for task, _ in node.arrival):
                return self.line_end(pos)
            at = _BLANK.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
            if at == n:
                return self.cut()
            slot = SlotKind.JSON if node.json else SlotKind.TEXT if node.text else None
            for core in node.step(slot).node.echoes if slot is not None else node.echoes:
                closer = core.replace(ECHOES[Role.NAME], self.name)
                if buf.startswith(closer, at):
                    return Evidence.SOME
                if closer.startswith(buf[at:]):
                    return self.cut()
            if node.json:
                expects = node.choices[SlotKind.JSON][0].expects
                spaced = self.known or "\n" not in expects or "\n" in buf[pos:at]
                return self.object(at) if spaced else Evidence.NONE
            if node.text:
                return Evidence.SOME if keyed else self.text(node, at)
            match = node.struct.match(buf, at)
            if match is not None:
                if keyed and node.value:
                    return Evidence.SOME
                node, pos = node.step(canonical(match[0], node.marks)).node, match.end()
                self.begun = True
                continue
            for regex, pattern in node.patterns:
                match = pattern.match(buf, at, min(n, at + MAX_LEXEME))
                if match is not None and match.end() > at:
                    if match.end() == n:
                        return self.cut()
                    if keyed and node.value:
                        return Evidence.SOME
                    node, pos, keyed = node.step(regex).node, match.end(), True
                    break
            else:
                if any(core.startswith(buf[at:]) for core in node.marks):
                    return self.cut()
                return Evidence.SOME if self.known and keyed else Evidence.NONE
        return Evidence.NONE

    def cut(self) -> Evidence:
        """The text ends here, before anything is decided."""
        if not self.final:
            return Evidence.MORE
        return Evidence.SOME if self.known and self.begun else Evidence.NONE

    def line_end(self, pos: int) -> Evidence:
        """A call that is complete at `pos`: nothing may follow on its line, unless the tool is known."""
        if self.known:
            return Evidence.SOME
        at = _REST_OF_LINE.match(self.buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        rest = self.buf[at : at + 64]
        if any(rest.startswith(end) for end in self.ends):
            return Evidence.SOME
        if not self.final and any(end.startswith(rest) for end in ("\n", *self.ends)):
            return Evidence.MORE
        return Evidence.SOME if rest[:1] in ("", "\n") else Evidence.NONE

    def object(self, at: int) -> Evidence:
        """The beginning of a JSON object, up to its first key."""
        buf = self.buf
        if buf[at] != "{":
            return Evidence.NONE
        if self.known or _OBJECT.match(buf, at) is not None:
            return Evidence.OBJECT
        if _OBJECT_BEGUN.match(buf, at) is None:
            return Evidence.NONE
        return Evidence.OBJECT if self.final and '"' in buf[at:] else self.cut()

    def text(self, node: Node, at: int) -> Evidence:
        """Text that holds all arguments: a mapping begins with an entry."""
        codec = node.text_field().codec
        if codec is None or codec.kind is not CodecKind.YAML or _ENTRY.match(self.buf, at) is not None:
            return Evidence.SOME
        return self.cut() if _ENTRY_BEGUN.match(self.buf, at) is not None else Evidence.NONE

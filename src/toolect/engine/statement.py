"""Looks ahead from where a statement of code may begin: is it a call of a tool?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolect.compile.node import Node
from toolect.compile.symbols import Mark
from toolect.engine.comments import over_comments
from toolect.engine.look_ahead import Ahead
from toolect.engine.spelling import MAX_LEXEME, canonical, longer, may_be_marker
from toolect.spec.model import Role

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_BLANK = re.compile(r"\s{0,64}")
_FAR = 24
"""Lexemes of a statement among which the name of a call is looked for."""
_ENOUGH = 2
"""Lexemes after the bracket of a call that must fit the grammar where no tools are declared."""


def statement_calls(machine: Machine, node: Node, pos: int, final: bool) -> tuple[Ahead, str]:
    """Is the statement at `buf[pos:]` a call from `node` on? If it calls what is no tool, the name of that too."""
    look = _Look(machine, node, pos, final)
    for _ in range(_FAR):
        answer = look.go_on()
        if answer is not None:
            return answer, look.unknown
    return Ahead.NO, ""


class _Look:
    """How far has been looked into a statement."""

    __slots__ = ("final", "left", "machine", "name", "node", "pos", "unknown")

    def __init__(self, machine: Machine, node: Node, pos: int, final: bool) -> None:
        self.machine, self.node, self.pos, self.final = machine, node, pos, final
        self.name = ""  # what may be the name of a tool
        self.unknown = ""  # what is called, and is no tool
        self.left = -1  # how many lexemes of the arguments have to fit yet; -1 before them

    def go_on(self) -> Ahead | None:
        """Look at the next lexeme; None when that does not decide."""
        node, buf = self.node, self.machine.buf
        n = len(buf)
        if self.left == 0 or self.left > 0 and (node.escaped or node.text or node.json):
            return Ahead.YES
        at = _BLANK.match(buf, self.pos).end()  # type: ignore[union-attr]  # matches the empty string
        if self.left >= 0 or self.name:
            at = over_comments(self.machine, at, self.final)
            if at < 0:
                return Ahead.MORE
        if at == n:
            return Ahead.MORE if not self.final else Ahead.YES if self.left > 0 else Ahead.NO
        match = node.struct.match(buf, at)
        if match is not None:
            grows = n - at < node.longest and longer(node, match[0], buf[at:])
            if not self.final and (grows or match.end() == n and match[0].isidentifier()):
                return Ahead.MORE
            return self._over_marker(canonical(match[0], node.marks), match.end())
        if not self.final and node.patterns and may_be_marker(node, buf, at):
            return Ahead.MORE
        for regex, pattern in node.patterns:
            match = pattern.match(buf, at, min(n, at + MAX_LEXEME))
            if match is not None and match.end() > at:
                return self._over_terminal(regex, match)
        if not self.final and may_be_marker(node, buf, at):
            return Ahead.MORE
        return Ahead.NO

    def _over_marker(self, core: str, end: int) -> Ahead | None:
        node, spec = self.node, self.machine.graph.network.spec
        calls = any(spec.roles.get(choice.edge.rule) is Role.CALL for choice in node.choices[core])
        self.node, self.pos = node.step(core).node, end
        if self.left > 0:
            self.left -= 1
        elif self.name and calls:
            tools = self.machine.builder.tools
            if self.name in tools:
                return Ahead.YES
            if self.name in spec.reserved:
                return Ahead.NO
            if tools and self.machine.graph.policies.unknown_tool == "content":
                self.unknown = self.name
                return Ahead.NO
            self.left = _ENOUGH
        return None

    def _over_terminal(self, regex: str, match: re.Match[str]) -> Ahead | None:
        node, end = self.node, match.end()
        if end == len(self.machine.buf) and not self.final and end - match.start() < MAX_LEXEME:
            return Ahead.MORE
        roles = {c.edge.symbol.field.role for c in node.choices[regex] if not isinstance(c.edge.symbol, Mark)}
        self.name = match[0] if Role.NAME in roles else ""
        self.node, self.pos = node.step(regex).node, end
        if self.left > 0:
            self.left -= 1
        return None

"""Looks ahead from where a statement of code may begin: is it a call of a tool?"""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._graph.symbols import Terminal
from toolect._reading.answer import WAIT, Answer
from toolect._reading.probe import Lexeme, Probe, View
from toolect._spec.model import Role

_FAR = 24
"""Lexemes of a statement among which the name of a call is looked for: what is awaited, called or assigned comes first,
and each sign of it is a lexeme."""
_ENOUGH = 2
"""Lexemes after the bracket of a call that must fit the grammar where no tools are declared: prose in brackets, or code
that computes its arguments, rarely has as many."""


def statement_calls(view: View, node: Node, pos: int) -> tuple[Answer, str]:
    """Is the statement at `buf[pos:]` a call from `node` on? If it calls what is no tool, the name of that too."""
    look = _Look(view, node, pos)
    for _ in range(_FAR):
        answer = look.go_on()
        if answer is not None:
            return answer, look.unknown
    return Answer.NO, ""


class _Look(Probe):
    """How far has been looked into a statement."""

    __slots__ = ("left", "name", "unknown")

    def __init__(self, view: View, node: Node, pos: int) -> None:
        super().__init__(view, node, pos)
        self.name = ""  # what may be the name of a tool
        self.unknown = ""  # what is called, and is no tool
        self.left = -1  # how many lexemes of the arguments have to fit yet; -1 before them

    def go_on(self) -> Answer | None:
        """Look at the next lexeme; None when that does not decide."""
        node, buf = self.node, self.view.buf
        if self.left == 0 or self.left > 0 and (node.escaped or node.text or node.json):
            return Answer.YES
        comes = self.space()
        if comes is not Answer.YES:
            return Answer.YES if comes is Answer.NO and self.left > 0 else comes
        lexeme = self.next()
        if lexeme is None or lexeme is WAIT:
            return lexeme or Answer.NO
        self.over(lexeme)
        if self.left > 0:
            self.left -= 1
        elif isinstance(lexeme.key, Terminal):
            self.name = buf[lexeme.start : lexeme.end] if Role.NAME in node.fills(lexeme.key) else ""
        elif self.name:
            return self._called(node, lexeme)
        return None

    def _called(self, node: Node, marker: Lexeme) -> Answer | None:
        """A marker of `node` comes after the name: if it is that of a call, is it a tool's?"""
        view, spec = self.view, self.view.graph.network.spec
        if not any(spec.roles.get(choice.edge.rule) is Role.CALL for choice in node.choices[marker.key]):
            return None
        if self.name in view.tools:
            return Answer.YES
        if self.name in spec.reserved:
            return Answer.NO
        if view.tools and view.graph.policies.unknown_tool == "content":
            self.unknown = self.name
            return Answer.NO
        self.left = _ENOUGH
        return None

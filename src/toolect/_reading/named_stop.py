"""How a stride goes over a stop that counts only where a call begins with its name."""

from __future__ import annotations

import re

from toolect._graph.needle import Needle
from toolect._graph.node import Node
from toolect._graph.stop_plan import plan_of
from toolect._graph.stops import NameLine
from toolect._reading.answer import Answer
from toolect._reading.look_ahead import opens_more
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross
from toolect._reading.runs import Hub, Trace, build
from toolect._reading.striding import Striding
from toolect._spec.grammar_model import SlotKind

_VALUE = re.compile(r"""\d{1,16}[,)]|(['"])[\w ]""").match
"""A value of any language of values, but for its end."""


class Named:
    """A stop that counts only where a call begins with its name."""

    __slots__ = ("after", "hub", "lead", "line", "longest", "reserved", "size", "textless")

    def __init__(self, node: Node, needle: Needle, at_head: bool = False, at_once: bool = False) -> None:
        """`at_head`: it stands where the text would; `at_once`: no text is before it, but whitespace perhaps."""
        stop = needle.stop
        assert stop is not None
        self.hub: Hub | None = None
        self.textless: Named | None = None
        """The same where no text is before it, if that tells more: it may go on with what is open."""
        self.lead, self.line, self.size = needle.lead, 0, len(stop.core)
        self.longest = plan_of(node).longest
        self.reserved = node.graph.network.spec.reserved
        if isinstance(stop, NameLine):
            direct = (at_head or at_once) and stop.key in node.choices
            self.line, self.size = 0 if at_head else 1, 0
            self.after = node if direct else node.step(SlotKind.TEXT).node
        elif stop.direct or stop.otherwise is not None or needle.regex is not None or stop.core[-1].isalnum():
            return
        else:
            direct, self.after = at_once, node
            for key in (*stop.path, stop.key):
                step = self.after.step(key)
                self.after = step.node
            if step.trail:
                return  # blanks before a name are for careful steps
        self.hub = build(node, [stop.key], after_text=not direct, led=not at_once)
        if not at_head and not at_once and stop.path == (SlotKind.TEXT,) and stop.key in node.choices:
            after = node.step(SlotKind.TEXT).node
            if node.step(stop.key).node is not after.step(stop.key).node:
                self.textless = Named(node, needle, at_once=True)

    def answer(self, to: Striding, at: int) -> Answer:
        """Does a call begin with the stop at index `at`?"""
        at += self.line
        end = at + self.size
        if self.hub is None or not to.final and to.size - at <= self.longest:
            return Answer.WAIT
        if (match := self.hub.match(to.buf, at)) is not None:
            trace = self.hub.traces[match.lastindex]  # type: ignore[index]  # every expression has a group
            begun = match.end() < to.size if trace.json is None else to.buf.startswith("{", match.end())
            if trace.proves and begun:
                name = match[trace.proves]
                if name in to.schemas.by_name if to.declared else self._is_form(to.buf, trace, name, match.end()):
                    return Answer.YES
            elif trace.whole and to.buf.startswith("\n", match.end()):
                name = match[trace.whole]
                if name in to.schemas.by_name if to.declared else name not in self.reserved:
                    return Answer.YES
        from toolect._reading.proof import proof  # not part of starting up: few dialects need it

        answer = proof(to, self.after, end)
        return Answer.WAIT if answer is Answer.NO and opens_more(to, self.after, end) else answer

    def _is_form(self, text: str, trace: Trace, name: str, at: int) -> bool:
        """Where no tools are declared: does a plain value stand at index `at`, after the key of the first argument?"""
        value = _VALUE(text, at) if trace.node.value and name not in self.reserved else None
        return value is not None and (value[1] is None or value[1] in trace.node.marks)

    def cross(self, to: Striding, at: int) -> Route | None:
        """Go over it, and on; None where that is not possible."""
        assert self.hub is not None
        return cross(to, self.hub, at)

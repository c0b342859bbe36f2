"""Answers in a transcript: as their dialect writes and reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolect._chats.plan import AnswerPlan
from toolect._rendering.roundtrip import tools_of, write
from toolect._spec.model import SLOTS, Expr, Ref, Repeat, Role, Rule, Spec
from toolect.compiled import Dialect
from toolect.diagnostic import Place
from toolect.message import Call, Content, Message, Reasoning
from toolect.rendered import Unrepresentable
from toolect.turns import Assistant


def plain_dialect() -> Dialect:
    """The dialect of answers that are nothing but content."""
    rules: dict[str, Expr] = {"start": Repeat(Ref("content"), 0), "content": SLOTS["TEXT"]}
    place = Place("", 1, 1)
    named = {name: Rule(name, expr, place) for name, expr in rules.items()}
    return Dialect(Spec(name="", rules=named, roles={"content": Role.CONTENT}))


_ORDER: dict[type, int] = {Reasoning: 0, Content: 1, Call: 2}


class Answers:
    """Writes and reads the answers of one chat."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def replays(self, turn: Assistant, plan: AnswerPlan) -> bool:
        """True when an answer is written as it was sampled: it is in this dialect, and the chat keeps its reasoning."""
        if turn.dialect is not None and turn.dialect != self.dialect.name:
            return False
        return plan.keeps_reasoning or not turn.message.reasoning

    def check(self, message: Message, tools: Sequence[Mapping[str, Any]]) -> None:
        """Raise Unrepresentable for an answer that would be read as another one."""
        for call in message.calls:
            if not call.runnable:
                raise Unrepresentable("call", f"a {call.status} call has no canonical spelling", call.raw)
        kinds = [_ORDER[type(segment)] for segment in message.segments]
        if kinds != sorted(kinds):
            raise Unrepresentable("answer", "expected reasoning, then content, then calls", message.content)
        if self.dialect.has_marker(message.content) or self.dialect.has_marker(message.reasoning):
            self.dialect.render(message, tools or None)

    def calls(self, message: Message, tools: Sequence[Mapping[str, Any]]) -> str:
        """The calls of an answer."""
        return self._written([Call(call.name, call.arguments, call.id) for call in message.calls], tools)

    def whole(self, message: Message, tools: Sequence[Mapping[str, Any]]) -> str:
        """All of an answer."""
        return self.dialect.render(message, tools or None)

    def _written(self, calls: Sequence[Call], tools: Sequence[Mapping[str, Any]]) -> str:
        message = Message(calls)
        return write(self.dialect, message, list(tools) or tools_of(message))

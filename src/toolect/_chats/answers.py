"""Answers in a transcript: as their dialect writes and reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolect._chats.filling import Said
from toolect._chats.guarding import any_of, markers_of
from toolect._chats.plan import Plans
from toolect._rendering.roundtrip import tools_of, write
from toolect._spec.chat_model import Thoughts
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
        self._markers: re.Pattern[str] | None = None

    def has_text(self, turn: Assistant) -> bool:
        """True when the text of an answer is at hand, in this dialect."""
        return turn.text is not None and turn.dialect in (None, self.dialect.name)

    def said(self, message: Message, plans: Plans) -> Said:
        """An answer's texts as the chat has them, and its calls."""
        segments = message.segments
        if len(segments) == 1 and isinstance(segments[0], Content) and not plans.thought_closer:
            content = segments[0].text
            return Said(message, plans.content_trim(content) if plans.content_trim else content, "", (), True)
        content = reasoning = ""
        calls: list[Call] = []
        rank, ordered = 0, True
        for segment in message.segments:
            kind = type(segment)
            if kind is Content:
                content += segment.text  # type: ignore[union-attr]
            elif kind is Reasoning:
                reasoning += segment.text  # type: ignore[union-attr]
            else:
                calls.append(segment)  # type: ignore[arg-type]
            ordered = ordered and _ORDER[kind] >= rank
            rank = _ORDER[kind]
        closer, thoughts = plans.thought_closer, plans.spec.thoughts
        if closer and thoughts is not Thoughts.KEPT and closer in content:
            before, _, content = content.rpartition(closer)
            if thoughts is Thoughts.TAKEN:
                content = content.lstrip("\n")
                if not reasoning:
                    said = before.partition(closer)[0].rstrip("\n")
                    reasoning = said.rpartition(plans.thought_opener)[2].lstrip("\n")
        if plans.content_trim is not None:
            content = plans.content_trim(content)
        return Said(message, content, reasoning, calls, ordered)

    def check(self, said: Said) -> None:
        """Raise Unrepresentable for an answer with calls that cannot be written, or in an order that cannot be."""
        for call in said.calls:
            if not call.runnable:
                raise Unrepresentable("call", f"a {call.status} call has no canonical spelling", call.raw)
        if not said.ordered:
            raise Unrepresentable("answer", "expected reasoning, then content, then calls", said.content)

    def check_texts(self, said: Said, tools: Sequence[Mapping[str, Any]]) -> None:
        """Raise Unrepresentable for an answer whose texts would be read as what they are not."""
        if self._markers is None:
            self._markers = any_of(markers_of(self.dialect))
        if self._markers.search(said.content) or self._markers.search(said.reasoning):
            self.dialect.render(said.message, tools or None)

    def calls(self, calls: Sequence[Call], tools: Sequence[Mapping[str, Any]]) -> str:
        """The calls of an answer, as the dialect writes them."""
        message = Message([Call(call.name, call.arguments, call.id) for call in calls])
        return write(self.dialect, message, list(tools) or tools_of(message))

    def whole(self, message: Message, tools: Sequence[Mapping[str, Any]]) -> str:
        """All of an answer."""
        return self.dialect.render(message, tools or None)

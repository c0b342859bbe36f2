"""Models behind a chat-completions server: with the server's own tool calls, or with a dialect's text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from toolect._chat_completion import read_arguments
from toolect._detection.guess import dialect as find
from toolect._exchange.openai_messages import messages_of
from toolect.agent.chat import Chat, ModelError
from toolect.agent.prompt import messages
from toolect.compiled import Dialect
from toolect.events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect.message import BadMessage, Call, Json, Message, Reasoning, Status
from toolect.turns import Turn


class NativeModel:
    """A model whose server reads its calls: the tools are sent along, and `tool_calls` come back."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    async def __call__(self, turns: list[Turn], tools: list[dict[str, Json]]) -> AsyncIterator[Event]:
        """The events of the answer as it arrives. Raises `ModelError`."""
        body: dict[str, Json] = {"messages": messages_of(turns)}
        if tools:
            body["tools"] = tools
        calls = _Calls()
        reason = None
        async for choice in self.chat.stream(body):
            reason = choice.get("finish_reason") or reason
            for event in _told(choice, calls):
                yield event
        for event in calls.close(cut=reason == "length"):
            yield event


def _told(choice: dict[str, Any], calls: _Calls) -> list[Event]:
    """The events of one choice: a chunk's delta, or the message of a server that does not stream."""
    delta = choice.get("delta")
    whole = delta is None
    delta = choice.get("message") if whole else delta
    if not isinstance(delta, dict):
        raise ModelError(f"expected a choice with a message or a delta, got one with {', '.join(choice) or 'nothing'}")
    events: list[Event] = []
    reasoning = delta.get("reasoning_content") or delta.get("reasoning")
    if isinstance(reasoning, str) and reasoning:
        events.append(ReasoningDelta(reasoning))
    if whole:
        try:
            message = Message.from_openai(delta)
        except BadMessage as error:
            raise ModelError(f"the server's message makes no sense: {error}") from None
        for segment in message.segments:
            if isinstance(segment, Call):
                events += calls.whole(segment)
            elif not isinstance(segment, Reasoning):
                events.append(ContentDelta(segment.text))
        return events
    if isinstance(delta.get("content"), str) and delta["content"]:
        events.append(ContentDelta(delta["content"]))
    for part in delta.get("tool_calls") or ():
        events += calls.part(part)
    return events


class _Calls:
    """The calls of an answer, which arrive in parts; one ends when the next begins."""

    def __init__(self) -> None:
        self._count = 0
        self._index: object = None
        self._id: str | None = None
        self._name = ""
        self._text: list[str] | None = None

    def part(self, part: Any) -> list[Event]:
        """The events of one item of a delta's `tool_calls`."""
        if not isinstance(part, dict):
            raise ModelError(f"expected a part of a tool call as an object, got {type(part).__name__}")
        function = part.get("function") or {}
        index, name, text = part.get("index", 0), function.get("name"), function.get("arguments")
        events: list[Event] = []
        if self._text is None or index != self._index:
            events += self.close()
            self._index, self._id, self._name, self._text = index, part.get("id"), name or "", []
            events.append(CallStart(self._count, self._id, self._name))
        if isinstance(text, str) and text:
            assert self._text is not None
            self._text.append(text)
            events.append(ArgumentsDelta(self._count, text))
        return events

    def whole(self, call: Call) -> list[Event]:
        """The events of a call that arrives whole."""
        index = self._count
        self._count += 1
        text = call.arguments_text
        return [
            CallStart(index, call.id, call.name),
            *([ArgumentsDelta(index, text)] if text else []),
            CallEnd(index, call),
        ]

    def close(self, cut: bool = False) -> list[Event]:
        """The end of the open call, if there is one; `cut` when the answer was too long."""
        if self._text is None:
            return []
        text = "".join(self._text)
        call = Call(self._name, None, self._id or None, spelling=text)
        call = msgspec.structs.replace(call, arguments={}) if not text.strip() else read_arguments(call, text)
        if cut and call.status is Status.MALFORMED:
            call = msgspec.structs.replace(
                call, status=Status.TRUNCATED, error="the answer was cut off inside the call"
            )
        if not call.name:
            call = msgspec.structs.replace(call, status=Status.MALFORMED, error="the call has no name")
        index, self._text = self._count, None
        self._count += 1
        return [CallEnd(index, call)]


class TextModel:
    """A model that writes its calls as text, in `dialect`: definitions and results are written into the prompt.

    The server must apply no tool parser of its own. `prefix` is what its chat template ends the prompt with, for
    models that begin inside of their reasoning.
    """

    def __init__(self, chat: Chat, dialect: str | Dialect, prefix: str = "") -> None:
        self.chat, self.prefix = chat, prefix
        found = find(dialect) if isinstance(dialect, str) else dialect
        if not hasattr(found, "spec"):
            raise ValueError("expected a dialect to write tools in, got 'auto', which only reads")
        self.dialect: Dialect = found

    async def __call__(self, turns: list[Turn], tools: list[dict[str, Json]]) -> AsyncIterator[str]:
        """The pieces of the wire text as they arrive. Raises `ModelError`, and `Unrepresentable` for what is told."""
        async for choice in self.chat.stream({"messages": messages(self.dialect, turns, tools)}):
            delta = choice.get("delta") or choice.get("message") or {}
            text = delta.get("content")
            if isinstance(text, str) and text:
                yield text

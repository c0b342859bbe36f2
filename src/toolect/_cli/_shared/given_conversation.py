"""Conversations that commands are given, and what of their calls could not be read."""

from __future__ import annotations

from toolect._cli._shared.io import Misuse, note
from toolect._exchange.plain_text import text_of
from toolect._message import Json, Message
from toolect._turns import Assistant, System
from toolect.conversation import Conversation, MessageError


def conversation_of(value: Json) -> Conversation:
    """The conversation of messages, or of an object that has them, with `tools` and a `system` text beside them."""
    body = value if isinstance(value, dict) and "messages" in value else {"messages": value}
    try:
        told = Conversation.from_openai(body["messages"], body.get("tools"))
        if body.get("system") is None:
            return told
        text = text_of(body["system"], "system")
        if any(isinstance(turn, System) for turn in told.turns):
            raise MessageError("one system text", "another one in `messages`", "system", "leave one of them out")
    except MessageError as error:
        raise Misuse(f"{error} - in the conversation") from None
    return Conversation([System(text), *told.turns], told.tools) if text else told


def note_unread(message: Message, where: str = "") -> bool:
    """Names the calls of an answer that must not be run; true where there are some."""
    problems = [(number, call) for number, call in enumerate(message.calls) if not call.runnable]
    for number, call in problems:
        why = f": {call.error}" if call.error else ""
        note(f"{where}call {number} (`{call.name}`) is {call.status}{why}")
    return bool(problems)


def note_all_unread(conversation: Conversation) -> bool:
    """The same of all its answers, each with the number of its turn."""
    answers = [(at, turn.message) for at, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
    return sum(note_unread(message, f"turn {at}: ") for at, message in answers) > 0

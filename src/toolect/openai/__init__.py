"""Messages and events as an OpenAI client has them."""

from __future__ import annotations

from typing import Any

from toolect._message import Json, Message, MessageError
from toolect.openai.chunks import Chunks, events_to_chunks

__all__ = ["Chunks", "MessageError", "events_to_chunks", "from_openai", "to_openai"]


def to_openai(message: Message, *, only_runnable: bool = True) -> dict[str, Json]:
    """`message.to_openai()`: the message as an assistant message."""
    return message.to_openai(only_runnable=only_runnable)


def from_openai(obj: Any) -> Message:
    """`Message.from_openai(obj)`: what an assistant message, a response or a list of tool calls says."""
    return Message.from_openai(obj)

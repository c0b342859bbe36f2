"""Calls that a server left in an answer's text, where nobody reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolect._detection.guess import parse
from toolect._message import Message
from toolect._turns import Turn
from toolect.agent.errors import UnparsedCallsError
from toolect.agent.tool_registry import ToolRegistry


def check_read(model: Any, message: Message, tools: ToolRegistry, history: Sequence[Turn]) -> None:
    """Raises `UnparsedCallsError` where the last answer, which has no calls, is the text of one of a known tool.

    That is for models whose text nobody reads: they have a `dialect`, and it is nothing.
    """
    if not len(tools) or not message.content or getattr(model, "dialect", model) is not None:
        return
    found = parse(message.content, tools.definitions())
    for call, dialect in zip(found.calls, found.dialects, strict=True):
        if call.runnable and call.name in tools:
            why = f"expected the server to read calls, got one of `{call.name}` as text, which looks like `{dialect}`"
            hint = "name that dialect, or start the server with its own parser for it"
            raise UnparsedCallsError(f"{why}: {hint}", history, dialect)

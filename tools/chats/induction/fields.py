"""Fields of an entry that no text shows by itself, chosen so that a chat writes most conversations as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import msgspec
from msgspec.structs import replace

from toolect._authoring.generate.random_conversations import ChatCase
from toolect._chats.chat_grammar import start_of
from toolect._chats.verbs import Chat
from toolect._message import Json, MessageError
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatRole, ChatSpec, Systems, Thoughts, Trim
from toolect._spec.prompts import Syntax
from toolect.chat_template import TemplateError
from tools.chats.induction.data_spellings import DAY

_ALIKE = {
    "given": ("system-text", "system"), "system-text": ("given", "system"), "system": ("given", "system-text"),
    "content": ("words",), "reasoning": ("thought",),
}  # fmt: skip
"""Facts that differ only where a text is empty, or blank."""
_NARROWER = {ChatRole.CONTENT: "words", ChatRole.REASONING: "thought", ChatRole.SYSTEM: "system-text"}
"""When a rule with a role may be written, if not always where there is what it is of."""


def rendered(chat: Chat, case: ChatCase) -> str | None:
    """A conversation as the chat writes it, whatever its texts hold; None where it refuses it."""
    day = date.fromisoformat(DAY)
    try:
        return str(chat.render(case.conversation, case.generate, thinking=case.thinking, date=day, unsafe="keep"))
    except (RenderError, MessageError):
        return None


def alike(chat: Chat, given: Sequence[ChatCase], texts: Sequence[str | TemplateError]) -> list[bool]:
    """Of each conversation, whether the chat writes it as the template does, or refuses it like that."""
    return [
        rendered(chat, case) == (text if isinstance(text, str) else None)
        for case, text in zip(given, texts, strict=True)
    ]


def fitted(
    chat: Chat, entry: dict[str, Json], given: Sequence[ChatCase], texts: Sequence[str | TemplateError]
) -> tuple[Chat, dict[str, Json]]:
    """The chat with those fields by which it writes most conversations as the template does."""
    best = sum(alike(chat, given, texts))
    for field, options in _options(chat.spec):
        for option in options:
            if best == len(given):
                return chat, entry
            value = {**getattr(chat.spec, field), **option} if isinstance(option, dict) else option
            other = Chat(replace(chat.spec, **{field: value}), chat.dialect)
            count = sum(alike(other, given, texts))
            if count > best:
                best, chat, entry = count, other, {**entry, field: msgspec.to_builtins(value)}
    return chat, entry


def _options(spec: ChatSpec) -> Iterator[tuple[str, list[Any]]]:
    """Fields, and what they may be besides what they are."""
    for word in ("user", "content", "reasoning", "result", "system", "notice"):
        if word in spec.rules or word in {*spec.roles.values()}:
            yield "trim", [{word: trim} for trim in Trim if trim is not Trim.NONE]
    for rule, guard in spec.when.items():
        for fact, others in _ALIKE.items():
            named = re.compile(rf"(?<![\w-]){fact}(?![\w-])")
            if named.search(guard):
                yield "when", [{rule: named.sub(other, guard)} for other in others]
    turns = start_of(spec).turns
    for rule, role in spec.roles.items():
        if role in _NARROWER and rule not in spec.when and rule not in turns:
            yield "when", [{rule: _NARROWER[role]}]
    yield "thoughts", [Thoughts.TAKEN, Thoughts.DROPPED]
    yield "scalars", [Syntax.PYTHON]
    yield "lists", [Syntax.PYTHON]
    yield "systems", [Systems.LAST, Systems.JOINED, Systems.GLUED]

"""What holding a chat against a template came to."""

from __future__ import annotations

from typing import NamedTuple

from toolect._authoring.generate.random_conversations import ChatCase
from tools.chats.original_templates import Template

SHARE = 0.99
"""The part of the conversations that a chat must agree on."""


class Difference(NamedTuple):
    """One case that is not the same: what the template makes of it, and the chat."""

    case: ChatCase
    template: str
    chat: str


class Compared(NamedTuple):
    """How a chat does on the conversations of a template; without a chat all are missing."""

    template: Template
    chat: str
    same: int = 0
    refused: int = 0
    """By both."""
    differences: tuple[Difference, ...] = ()
    wrong: str = ""
    """Why the template renders nothing at all."""

    left: int = 0
    """Conversations that were left out, since the template breaks on them."""

    @property
    def asks(self) -> bool:
        """True where a reason is asked for: there is no chat, or it differs somewhere."""
        return not self.chat or bool(self.wrong or self.differences)

    @property
    def agrees(self) -> bool:
        """True where they are the same often enough."""
        alike = self.same + self.refused
        return alike > 0 and alike >= SHARE * (alike + len(self.differences))

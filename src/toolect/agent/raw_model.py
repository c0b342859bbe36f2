"""A model that is given raw text: whole conversations, as its family writes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from toolect._chats.chat_registry import chat as chat_named
from toolect._message import Json
from toolect._transcript import Origin
from toolect._turns import Turn
from toolect.agent.chat import Chat
from toolect.agent.models import Asked, Definitions, Piece
from toolect.agent.outcome import Ended
from toolect.agent.prompt import with_tools
from toolect.conversation import Conversation

if TYPE_CHECKING:
    from toolect._chats.verbs import Chat as Form

MAX_TOKENS = 4096
"""Tokens that an answer may have, unless the options of the server say otherwise: servers take very few for granted."""
MAX_STOPS = 4
"""Texts that a server can be told to stop at. Beyond it: the rest is left to the model's own end token."""
_TAIL = 200
"""Characters of the end of a prompt that may belong to the answer."""


class RawModel(Asked):
    """A model behind `/v1/completions`: each prompt is the whole conversation, tools and results included.

    `form` is the chat that the model was trained on, its name or a model id; without one that of the server's model.
    `thinking` is that of `Chat.render`. Texts that would break out of their place are made harmless. Raises
    `UnknownNameError`.
    """

    def __init__(self, chat: Chat, form: str | Form | None = None, *, thinking: bool | None = None) -> None:
        if form is None and not chat.model:
            raise ValueError("expected the name of a model or of a chat, got neither: raw text needs one")
        self.form = chat_named(form or chat.model) if form is None or isinstance(form, str) else form
        self.thinking = thinking
        super().__init__(chat, self.form.dialect)

    def _prompt(self, turns: list[Turn], tools: Definitions) -> str:
        """The conversation as text; tools that the chat does not tell of stand in the system's words."""
        told = self.form.render(Conversation(turns, tools), thinking=self.thinking, unsafe="neutralise")
        if tools and not any(span.origin is Origin.TOOLS for span in told.spans):
            turns = with_tools(self.form.dialect, turns, tools)
            told = self.form.render(Conversation(turns), thinking=self.thinking, unsafe="neutralise")
        return str(told)

    async def ask(self, turns: list[Turn], tools: Definitions, choice: str = "auto") -> AsyncIterator[Piece]:
        """The pieces of the text as they arrive. Raises `ModelError`, and `RenderError` for what cannot be told."""
        await self.prepare()
        prompt = self._prompt(turns, [] if choice == "none" else tools)
        self.prefix = prompt[-_TAIL:]
        body: dict[str, Json] = {"prompt": prompt, "skip_special_tokens": False}
        if not {"max_tokens", "max_completion_tokens"} & self.chat.options.keys():
            body["max_tokens"] = MAX_TOKENS
        if self.form.spec.end:
            body["stop"] = [*self.form.spec.end[:MAX_STOPS]]
        ended, is_empty = Ended(), True
        async for part in self.chat.stream(body, "/completions"):
            ended = ended.after(part)
            text = part.get("text")
            if isinstance(text, str) and text:
                is_empty = False
                yield text
        self.check_end(ended, is_empty)
        yield ended

"""Models behind a chat-completions server: with the server's own tool calls, or with a dialect's text."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeAlias

from toolect import registry
from toolect._compiled import Dialect
from toolect._events import ContentDelta, Event
from toolect._exchange.openai_messages import messages_of
from toolect._message import Json, MessageError
from toolect._turns import Turn
from toolect.agent.chat import Chat
from toolect.agent.errors import ModelError
from toolect.agent.outcome import Ended
from toolect.agent.prompt import joined, messages
from toolect.openai import ChunkReader

Definitions: TypeAlias = list[dict[str, Json]]
Piece: TypeAlias = str | Event | Ended
"""Wire text, which is read in the model's dialect, events, and how the answer ended."""


class Asked(ABC):
    """What models of one server share: its connections, and that their calls may be forced."""

    def __init__(self, chat: Chat, dialect: str | Dialect | None, prefix: str = "") -> None:
        self.chat, self.prefix = chat, prefix
        self.name = chat.model
        self.dialect = registry.dialect(dialect) if isinstance(dialect, str) else dialect

    async def __aenter__(self) -> Asked:
        await self.chat.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.chat.__aexit__(*error)

    def __call__(self, turns: list[Turn], tools: Definitions) -> AsyncIterator[Piece]:
        """The pieces of the answer as they arrive. Raises `ModelError`."""
        return self.ask(turns, tools, "auto")

    def choosing(self, choice: str) -> Callable[[list[Turn], Definitions], AsyncIterator[Piece]]:
        """The model, made to choose: `none`, `required`, or the name of a tool."""
        return functools.partial(self.ask, choice=choice)

    @abstractmethod
    def ask(self, turns: list[Turn], tools: Definitions, choice: str) -> AsyncIterator[Piece]:
        """The pieces of the answer, with a choice of tools."""

    async def _pieces(self, body: Mapping[str, Json], tools: Definitions) -> AsyncIterator[Event | Ended]:
        """The events of an answer of chat completions, and how it ended. Raises `ModelError`."""
        reader, ended = ChunkReader(tools), Ended()
        try:
            async for choice in self.chat.stream(body):
                ended = ended.after(choice)
                for event in reader.feed_choice(choice):
                    yield event
            for event in reader.close():
                yield event
        except MessageError as error:
            raise ModelError(f"the server's message makes no sense: {error}") from None
        self.check_end(ended, reader.is_empty)
        yield ended

    def check_end(self, ended: Ended, is_empty: bool) -> None:
        """Raises `ModelError` where a server says that it failed, or nothing at all."""
        if ended.finish == "error":
            raise ModelError(f"expected a whole answer from {self.chat.base}, got one that ends with an error")
        if is_empty and ended.finish not in ("length", "content_filter"):
            raise ModelError(f"expected an answer from {self.chat.base}, got an empty one")

    async def prepare(self) -> None:
        """Ask the server for the name of its only model, where none was given. Raises `ModelError`."""
        if not self.chat.model:
            told = await self.chat.get("/models")
            listed: Any = told.get("data") if isinstance(told, dict) else None
            names = [one["id"] for one in listed or () if isinstance(one, dict) and isinstance(one.get("id"), str)]
            if len(names) != 1:
                shown = ", ".join(f"`{name}`" for name in names[:10]) or "none"
                where = f"the server at {self.chat.base} lists {shown}"
                raise ModelError(f"expected the name of a model, got none: {where}")
            self.chat.model = names[0]
        self.name = self.chat.model


class NativeModel(Asked):
    """A model whose server reads its calls: the tools are sent along, and `tool_calls` come back.

    With a `dialect`, calls that the server leaves in the content are read there.
    """

    def __init__(self, chat: Chat, dialect: str | Dialect | None = None, prefix: str = "") -> None:
        super().__init__(chat, dialect, prefix)

    async def ask(self, turns: list[Turn], tools: Definitions, choice: str = "auto") -> AsyncIterator[Piece]:
        """The pieces of the answer as they arrive. Raises `ModelError`."""
        await self.prepare()
        body: dict[str, Json] = {"messages": joined(messages_of(turns))}
        if tools:
            body["tools"] = tools
            if choice != "auto":
                named: Json = {"type": "function", "function": {"name": choice}}
                body["tool_choice"] = choice if choice in ("none", "required") else named
        async for piece in self._pieces(body, tools):
            yield piece.text if self.dialect is not None and isinstance(piece, ContentDelta) else piece


class TextModel(Asked):
    """A model that writes its calls as text, in `dialect`: definitions and results are written into the prompt.

    The server must apply no tool parser of its own. `prefix` is what its chat template ends the prompt with, for
    models that begin inside of their reasoning.
    """

    def __init__(self, chat: Chat, dialect: str | Dialect, prefix: str = "") -> None:
        super().__init__(chat, dialect, prefix)

    async def ask(self, turns: list[Turn], tools: Definitions, choice: str = "auto") -> AsyncIterator[Piece]:
        """The pieces as they arrive. Raises `ModelError`, and `RenderError` for what cannot be told."""
        await self.prepare()
        assert self.dialect is not None
        body: dict[str, Json] = {"messages": joined(messages(self.dialect, turns, [] if choice == "none" else tools))}
        # A server may take the reasoning out, or read calls all the same.
        async for piece in self._pieces({"skip_special_tokens": False, **body}, tools):
            yield piece.text if isinstance(piece, ContentDelta) else piece

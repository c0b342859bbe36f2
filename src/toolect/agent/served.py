"""A model behind a server of which nothing is known but its address: asked in the way that the server can."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from toolect import registry
from toolect._compiled import Dialect
from toolect._names import UnknownNameError
from toolect._turns import Turn
from toolect.agent.chat import Chat
from toolect.agent.errors import ToolsRefusedError
from toolect.agent.models import Asked, Definitions, NativeModel, Piece, TextModel


class Served(Asked):
    """A model that is asked with its server's own tools, and read in its dialect wherever the server leaves calls.

    A server that has no tools is asked in the text of the dialect from then on. The dialect is that of the model's
    id, else that of the chat template, where the server shows it. A chat whose model is empty has the server's only
    one.
    """

    def __init__(self, chat: Chat, prefix: str = "") -> None:
        super().__init__(chat, known(chat.model), prefix)
        self._prepared = False
        self._text = False

    async def ask(self, turns: list[Turn], tools: Definitions, choice: str = "auto") -> AsyncIterator[Piece]:
        """The pieces of the answer as they arrive. Raises `ModelError`."""
        await self._look(bool(tools))
        if not self._text:
            try:
                async for piece in NativeModel(self.chat, self.dialect).ask(turns, tools, choice):
                    yield piece
                return
            except ToolsRefusedError as error:
                if self.dialect is None:
                    hint = f"no dialect is known for the model `{self.name}`: name one, to have tools as text"
                    raise ToolsRefusedError(f"{error}; {hint}", error.status) from None
                self._text = True
        assert self.dialect is not None
        async for piece in TextModel(self.chat, self.dialect).ask(turns, tools, choice):
            yield piece

    @property
    def policies(self) -> dict[str, str]:
        """How content is read. In a form that nobody tells models of, only what names a tool is a call.

        Hosted models may be asked for JSON that looks like one.
        """
        told = self._text or self.dialect is None or self.dialect.telling.own
        return {} if told else {"unknown_tool": "content"}

    async def _look(self, tools: bool) -> None:
        """Ask the server, once, for what was not said: the name of its model, and its chat template."""
        if self._prepared:
            return
        await self.prepare()
        self.dialect = known(self.name)
        if self.dialect is None and tools:
            shown = await self.chat.get("/props", root=True)
            template = shown.get("chat_template") if isinstance(shown, dict) else None
            if isinstance(template, str) and template:
                self.dialect = await asyncio.to_thread(_of_template, template)
        self._prepared = True


def known(model: str) -> Dialect | None:
    """The dialect that a model of this id writes, if it is known."""
    try:
        return registry.dialect(model)
    except UnknownNameError:
        return None


def _of_template(template: str) -> Dialect | None:
    """The dialect that a chat template writes, if one is sure to."""
    from toolect.chat_template import TemplateError, marked, turns, verdicts

    try:
        styles = turns(template)
        found = verdicts(marked(styles), styles)
    except TemplateError:
        return None
    return registry.dialect(found[0].dialect) if found else None

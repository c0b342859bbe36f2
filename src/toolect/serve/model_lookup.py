"""Model lookup: in which chat a model is written to, and in which dialect its answers are read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from toolect import registry
from toolect._chats.chat_registry import chat as chat_named
from toolect._chats.continuing import Written
from toolect._chats.template_chat import TemplateChat
from toolect._compiled import Dialect
from toolect._errors import ToolectError
from toolect._message import Json
from toolect._names import UnknownNameError
from toolect._turns import User
from toolect.agent.completions_client import RETRIED
from toolect.conversation import Conversation
from toolect.serve.api_errors import RequestError
from toolect.serve.serve_options import ServeOptions
from toolect.serve.upstream import UNREACHED, Upstream, ask

LOG = logging.getLogger("toolect.serve.models")
MAX_WAIT = 10.0
"""Seconds within which an upstream has to show what it serves."""
MOST_KEPT = 256
"""Model ids that are kept with what was found out. Beyond it: it is found out anew."""


@dataclass(frozen=True)
class ModelForm:
    """Form of a model's requests and answers: text in its `chat`, or without one chat completions; its dialect."""

    chat: Written | None
    dialect: Dialect | None
    """None where it is unknown: each call is then read in the dialect that fits it."""


class ModelLookup:
    """The forms of models, by their ids, as far as options, known ids or the upstream itself say them."""

    def __init__(self, options: ServeOptions, upstream: Upstream) -> None:
        self._options, self._upstream = options, upstream
        self._known: dict[str, ModelForm] = {}
        self.text_refused = False
        """True once the upstream has shown that it has no completions of text."""
        dialect = registry.dialect(options.dialect) if options.dialect else None
        chat: Written | None = None
        if options.template is not None:
            chat = chat_named(template=options.template, dialect=dialect)
            chat.prompt(Conversation([User("?")]))  # one that does not render is refused at the start
        elif options.chat:
            chat = chat_named(options.chat)
        self._given = ModelForm(chat, dialect or (chat.dialect if chat else None))

    def close(self) -> None:
        """End the processes that render templates."""
        for form in (self._given, *self._known.values()):
            if isinstance(form.chat, TemplateChat):
                form.chat.close()

    async def form(self, model: str, headers: Mapping[str, str]) -> ModelForm:
        """The form of a model. Raises RequestError where it has to be text and nobody knows its chat."""
        form, mode = self._given, self._options.mode
        if form.chat is None and not (form.dialect and mode == "chat"):
            found = self._known.get(model) or await self._found(model, headers)
            form = ModelForm(found.chat, form.dialect or found.dialect)
        if mode == "chat" or (mode == "auto" and self.text_refused):
            return ModelForm(None, form.dialect)
        if form.chat is None and mode == "text":
            advice = "start the server with --chat or --template, or in the mode chat"
            raise RequestError(404, f"no chat is known for the model {model[:80]!r}: {advice}", code="model_not_found",
                               param="model")  # fmt: skip
        return form

    async def _found(self, model: str, headers: Mapping[str, str]) -> ModelForm:
        """Form by the id, else by the upstream's data; it is kept, unless the upstream could not be asked."""
        form = await asyncio.to_thread(_registered, model)
        if form is None:
            try:
                async with asyncio.timeout(MAX_WAIT):
                    form = await self._shown(model, headers)
            except (RequestError, TimeoutError):
                return ModelForm(None, None)
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[model] = form
        return form

    async def _shown(self, model: str, headers: Mapping[str, str]) -> ModelForm:
        """Form by the upstream's own data, where the id says nothing: the id that it serves, or its chat template."""
        listed = await self._page("/models", "data", headers)
        models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        found = [one for one in models if one.get("id") == model] or models[: len(models) == 1]
        for name in (name for one in found for name in (one.get("root"), one.get("id")) if isinstance(name, str)):
            if form := _registered(name):
                LOG.info("model=%r is served as %r", model[:80], name[:80])
                return form
        template = await self._page("/props", "chat_template", headers) if found else None
        if isinstance(template, str) and template:
            with suppress(ToolectError):  # it cannot be rendered here
                chat = await asyncio.to_thread(chat_named, template=template)
                LOG.info("model=%r is written to in the upstream's own template", model[:80])
                return ModelForm(chat, chat.dialect)
        return ModelForm(None, None)

    async def _page(self, path: str, key: str, headers: Mapping[str, str]) -> Json:
        """Value under a key of an upstream page; None without one. Raises RequestError where it may come later."""
        try:
            return (await ask(self._upstream, path, headers)).get(key)
        except RequestError as error:
            if error.code in UNREACHED or error.from_upstream and error.status in (401, *RETRIED):
                raise
            return None


def _registered(model: str) -> ModelForm | None:
    """The form of a known id; None where neither its chat nor its dialect is known."""
    with suppress(UnknownNameError):
        chat = chat_named(model)
        return ModelForm(chat, chat.dialect)
    with suppress(UnknownNameError):
        return ModelForm(None, registry.dialect(model))
    return None

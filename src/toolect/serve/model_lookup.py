"""Model lookup: in which chat a model is written to, and in which dialect its answers are read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from toolect import registry
from toolect._chats.chat_registry import chat as chat_named
from toolect._chats.continuing import Written
from toolect._chats.template_chat import TemplateChat
from toolect._compiled import Dialect
from toolect._errors import ToolectError
from toolect._names import UnknownNameError
from toolect.serve.api_errors import RequestError
from toolect.serve.serve_options import ServeOptions
from toolect.serve.upstream import Upstream

LOG = logging.getLogger("toolect.serve.models")
MOST_KEPT = 256
"""Model ids that are kept with what was found out. Beyond it: it is found out anew."""


@dataclass(frozen=True)
class ModelForm:
    """How a model is asked: as text in its `chat`, or without one by chat completions; what it answers in."""

    chat: Written | None
    dialect: Dialect | None
    """None where nobody knows: each call is then read in the dialect that fits it."""


class ModelLookup:
    """The forms of models, by their ids, as far as options, known ids or the upstream itself say them."""

    def __init__(self, options: ServeOptions, upstream: Upstream) -> None:
        self._options, self._upstream = options, upstream
        self._known: dict[str, ModelForm] = {}
        self.text_refused = False
        """Whether the upstream has no completions of text."""
        self._given = self._of_options()

    def _of_options(self) -> ModelForm | None:
        """What the options say. Raises ToolectError and OSError for what they name and is not there."""
        options = self._options
        dialect = registry.dialect(options.dialect) if options.dialect else None
        chat: Written | None = None
        if options.template is not None:
            chat = chat_named(template=options.template, dialect=dialect)
        elif options.chat:
            chat = chat_named(options.chat)
        if chat is None and dialect is None:
            return None
        return ModelForm(chat, dialect or (chat.dialect if chat else None))

    def close(self) -> None:
        """End the processes that render templates."""
        for form in (self._given, *self._known.values()):
            if form is not None and isinstance(form.chat, TemplateChat):
                form.chat.close()

    async def form(self, model: str, headers: Mapping[str, str]) -> ModelForm:
        """The form of a model. Raises RequestError where it has to be text and nobody knows its chat."""
        given = self._given
        if given is not None and (given.chat is not None or self._options.mode == "chat"):
            return self._as_asked(given, model)
        form = self._known.get(model)
        if form is None:
            form = await asyncio.to_thread(_registered, model)
            form = form or await self._shown(model, headers) or ModelForm(None, None)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[model] = form
        if given is not None:
            form = ModelForm(form.chat, given.dialect)
        return self._as_asked(form, model)

    def _as_asked(self, form: ModelForm, model: str) -> ModelForm:
        """The form under the mode that was chosen."""
        if self._options.mode == "chat" or (self._options.mode == "auto" and self.text_refused):
            return ModelForm(None, form.dialect)
        if form.chat is None and self._options.mode == "text":
            advice = "start the server with --chat or --template, or in the mode chat"
            raise RequestError(404, f"no chat is known for the model {model[:80]!r}: {advice}", code="model_not_found",
                               param="model")  # fmt: skip
        return form

    async def _shown(self, model: str, headers: Mapping[str, str]) -> ModelForm | None:
        """What the upstream shows of a model whose id says nothing: the id of what it serves, or its chat template."""
        try:
            listed = (await self._upstream.ask("/models", headers)).get("data")
        except RequestError:
            return None
        models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        found = [one for one in models if one.get("id") == model] or models[: len(models) == 1]
        for name in (name for one in found for name in (one.get("root"), one.get("id")) if isinstance(name, str)):
            if form := _registered(name):
                LOG.info("model=%r is served as %r", model[:80], name[:80])
                return form
        if not found:
            return None
        try:
            template = (await self._upstream.ask("/props", headers)).get("chat_template")
            if isinstance(template, str) and template:
                chat = await asyncio.to_thread(chat_named, template=template)
                LOG.info("model=%r is written to in the upstream's own template", model[:80])
                return ModelForm(chat, chat.dialect)
        except (RequestError, ToolectError):
            pass  # it shows none, or one that cannot be rendered here
        return None


def _registered(model: str) -> ModelForm | None:
    """The form of a known id; None where neither its chat nor its dialect is known."""
    chat: Written | None = None
    dialect: Dialect | None = None
    try:
        chat = chat_named(model)
    except UnknownNameError:
        pass
    try:
        dialect = registry.dialect(model)
    except UnknownNameError:
        pass
    if chat is None and dialect is None:
        return None
    return ModelForm(chat, chat.dialect if chat else dialect)

"""Model for pydantic-ai: its agents, with the calls of servers that do not parse them."""

from __future__ import annotations

from typing import Any

from toolect import _extras as extras
from toolect._compiled import Dialect
from toolect.agent.chat import Chat
from toolect.agent.models import ServedModel

try:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from toolect.agent.openai_client import DialectClient
except ImportError:
    raise extras.MissingExtraError("pydantic-ai", "pydantic-ai") from None


class DialectModel(OpenAIChatModel):
    """A model of `pydantic_ai.Agent`: `settings` and `profile` are as there, the rest is that of `DialectClient`."""

    def __init__(
        self, source: str | Chat | ServedModel, model: str = "", dialect: str | Dialect | None = None, *,
        settings: Any = None, profile: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        client = DialectClient(source, dialect, model=model, **options)
        provider = OpenAIProvider(openai_client=client)
        super().__init__(client.model.name or "model", provider=provider, settings=settings, profile=profile)

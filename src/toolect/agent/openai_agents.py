"""Model for openai-agents: its agents, with the calls of servers that do not parse them."""

from __future__ import annotations

from typing import Any

from toolect import _extras as extras
from toolect._compiled import Dialect
from toolect.agent.chat import Chat
from toolect.agent.models import ServedModel

try:
    from agents import OpenAIChatCompletionsModel

    from toolect.agent.openai_client import DialectClient
except ImportError:
    raise extras.MissingExtraError("openai-agents", "openai-agents") from None


class DialectModel(OpenAIChatCompletionsModel):
    """A model of `agents.Agent`; the arguments are those of `DialectClient`."""

    def __init__(
        self, source: str | Chat | ServedModel, model: str = "", dialect: str | Dialect | None = None, **options: Any
    ) -> None:
        client = DialectClient(source, dialect, model=model, **options)
        super().__init__(client.model.name or "model", openai_client=client)

"""Asks other packages for ids, each in an environment of its own, about the same random conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolect.conversation import Conversation
from toolect.tokens import Tokenizer
from tools.peers.environments import answers
from tools.random_conversations import MARKUP
from tools.tokens.original_tokenizers import CACHE


def quotes(conversation: Conversation) -> bool:
    """True when a text of a conversation holds markup."""
    text = json.dumps(conversation.to_openai(), ensure_ascii=False)
    return any(json.dumps(markup, ensure_ascii=False)[1:-1] in text for markup in MARKUP)


def asked(name: str, module: str, tokenizer: str, question: dict[str, Any]) -> Any:
    """The answers of a module beside this one, in the environment `name`, about a tokenizer of the cache."""
    folder = CACHE / tokenizer
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    given = {key: value for key in ("bos_token", "eos_token") if (value := config.get(key))}
    special = {key: value["content"] if isinstance(value, dict) else value for key, value in given.items()}
    whole = {"file": str(folder / "tokenizer.json"), "special": special, **question}
    return answers(name, f"tools.tokens.{module}", whole)


def said(tokenizer: Tokenizer, ids: Iterable[int]) -> str:
    """Text of ids."""
    return b"".join(map(tokenizer.piece, ids)).decode("utf-8", "replace")

"""Asks other packages for ids, each in an environment of its own, about the same random conversations."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolect._authoring.generate.random_conversations import MARKUP
from toolect.conversation import Conversation
from toolect.tokens import Tokenizer
from tools.tokens.original_tokenizers import CACHE


def quotes(conversation: Conversation) -> bool:
    """True when a text of a conversation holds markup."""
    text = json.dumps(conversation.to_openai(), ensure_ascii=False)
    return any(json.dumps(markup, ensure_ascii=False)[1:-1] in text for markup in MARKUP)


def asked(python: Path | str, script: str, tokenizer: str, question: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers of a script beside this file, to a question about a tokenizer of the cache."""
    folder = CACHE / tokenizer
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    special = {}
    for key in ("bos_token", "eos_token"):
        value = config.get(key)
        if value:
            special[key] = value["content"] if isinstance(value, dict) else value
    whole = {"file": str(folder / "tokenizer.json"), "special": special, **question}
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(python), str(Path(__file__).with_name(script))]
    done = subprocess.run(command, input=json.dumps(whole), capture_output=True, text=True, env=around, check=False)
    if done.returncode:
        raise SystemExit(f"expected an answer of {script}, got: {done.stderr[-800:]}")
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def said(tokenizer: Tokenizer, ids: Iterable[int]) -> str:
    """What ids stand for."""
    return b"".join(map(tokenizer.piece, ids)).decode("utf-8", "replace")

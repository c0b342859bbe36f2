"""Detection of the dialect of a chat template: its turns, rendered in a sandbox, are read and written in dialects."""

from __future__ import annotations

import json
from pathlib import Path

from toolect._renamed import old_names
from toolect.chat_template.sandbox import TemplateError
from toolect.chat_template.turn import Turn, turns
from toolect.chat_template.verdict import Difference, Verdict, judge, marked, verdicts

__all__ = [
    "Difference",
    "TemplateError",
    "Turn",
    "Verdict",
    "judge",
    "marked",
    "read_template",
    "special_tokens",
    "template_of",
    "turns",
    "verdicts",
]

__getattr__ = old_names(__name__)


def read_template(path: Path) -> str:
    """The template of a file, jinja or a tokenizer_config.json that holds one. Raises TemplateError, OSError."""
    try:
        return template_of(path.read_bytes().decode("utf-8", "replace"), path.suffix == ".json")
    except TemplateError as error:
        raise TemplateError(f"{error} - in {path.name}") from None


def special_tokens(path: Path) -> dict[str, str]:
    """The special tokens that a tokenizer_config.json names, which templates know as variables; else none."""
    try:
        config = json.loads(path.read_bytes()) if path.suffix == ".json" else None
    except (OSError, ValueError, RecursionError):
        return {}
    named = {key: value for key, value in config.items() if key.endswith("_token")} if isinstance(config, dict) else {}
    texts = {key: value.get("content") if isinstance(value, dict) else value for key, value in named.items()}
    return {key: text for key, text in texts.items() if isinstance(text, str)}


def template_of(source: str, is_json: bool = False) -> str:
    """The template that `source` is, or holds as JSON, which it must be if `is_json`. Raises TemplateError."""
    try:
        config = json.loads(source)
    except (ValueError, RecursionError):
        if is_json:
            raise TemplateError("expected JSON, got something else") from None
        return source
    if not (is_json or isinstance(config, dict)):
        return source
    found = config.get("chat_template") if isinstance(config, dict) else None
    if isinstance(found, list):  # several named ones: the one for tools, if there is one
        named = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
        found = named.get("tool_use") or named.get("default")
    if not isinstance(found, str):
        raise TemplateError("expected a chat template under `chat_template`, got none")
    return found

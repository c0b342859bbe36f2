"""The tokens that turns begin and end with, told from prose by how they look."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolect._chats.chat_grammar import TURNS, frame_of
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves

_TOKEN = re.compile(r"<[|｜][^|｜<>]*[|｜]>|<\|[^\s<>]*>|<[^\s<>|]*\|>|</?[a-z_]+[\w-]*>|\[/?[A-Z][A-Z_]*\]|\S+")


def tokens_of(spec: ChatSpec) -> tuple[str, ...]:
    """The control tokens in the texts that turns begin and end with, the end tokens of the model among them."""
    texts: list[str] = []
    for name, rule in spec.rules.items():
        role = spec.roles.get(name)
        if role is ChatRole.ANSWER:
            texts += frame_of(rule.expr)
        elif name == "start" or role in TURNS:
            texts += [part.text for part in leaves(rule.expr) if isinstance(part, Literal)]
    return tuple(dict.fromkeys([*spec.end, *control_tokens(texts)]))


def control_tokens(texts: Iterable[str]) -> list[str]:
    """What of texts around turns looks like a control token; their words, where nothing does."""
    found = [token for text in texts for token in _TOKEN.findall(text) if len(token) > 2]
    return [token for token in found if not token.isalnum() and token[0] in "<["] or found


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of these texts, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"(?!)")

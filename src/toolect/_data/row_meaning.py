"""What a conversation says, as a short key: two that say the same have one, however they were spelled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from toolect._chats.conversation_diff import owners
from toolect._message import Call, Content, Json, Reasoning
from toolect._turns import Assistant, Results, System, User
from toolect.conversation import Conversation

SIZE = 16
"""Bytes of a key. Two rows that differ have one by chance only beyond 2^60 rows."""


def meaning(conversation: Conversation, tools: bool = True) -> bytes:
    """The key: texts without blanks at their ends, calls with their arguments in any order, results by their calls.

    Ids do not count, nor does how the arguments were spelled; without `tools` neither do these.
    """
    parts: list[Json] = [list(_said(conversation))]
    if tools:
        parts.append(sorted(_text(dict(tool)) for tool in conversation.tools))
    return hashlib.blake2b(_text(parts).encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def _said(conversation: Conversation) -> Iterator[Json]:
    whose = iter(owners(conversation.turns))
    for turn in conversation.turns:
        match turn:
            case System(text) if text.strip():
                yield ["system", text.strip()]
            case User(text, media):
                yield ["user", text.strip(), *(one.part for one in media)]
            case Assistant(message):
                for kind, word in ((Reasoning, "thought"), (Content, "content")):
                    text = "".join(one.text for one in message.segments if isinstance(one, kind)).strip()
                    if text:
                        yield [word, text]
                yield from (_call(call) for call in message.calls)
                yield "end"
            case Results(results):
                pairs = zip(next(whose), results, strict=True)
                pictured = [one.part for result in results for one in result.media]
                yield ["results", sorted([call, one.output.strip(), one.is_error] for call, one in pairs), *pictured]


def _call(call: Call) -> Json:
    return ["call", call.name, call.arguments if call.runnable else call.arguments_text]

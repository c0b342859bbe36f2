"""Messages as whole chat completions, and the messages that streams of chunks tell."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from toolect._chat_completion import Ids, assistant_message, with_ids
from toolect._exchange.sent_calls import NOTHING_SAID, Finish, check_answer, finish_reason
from toolect._message import Json, Message
from toolect.openai.chunks import new_completion_id


def choice(
    message: Message,
    *,
    finish: Finish = NOTHING_SAID,
    index: int = 0,
    reasoning: Sequence[str] = ("reasoning_content",),
    ids: Ids | None = None,
    free_form: Collection[str] = (),
) -> dict[str, Json]:
    """The choice of a completion that says `message`: attempts that must not be run stand in `invalid_tool_calls`.

    Calls of the tools `free_form` are of type `custom`.
    """
    check_answer(message, finish)
    segments = with_ids(message.segments, ids) if ids else message.segments
    said = assistant_message(segments, free_form=free_form)
    if (thought := said.pop("reasoning_content", None)) is not None:
        said |= dict.fromkeys(reasoning, thought)
    said |= finish.extensions or {}
    return {"index": index, "message": said, "finish_reason": finish_reason(finish.reason, message.calls)}


def completion(
    message: Message | Sequence[Mapping[str, Json]],
    *,
    finish: Finish = NOTHING_SAID,
    model: str = "",
    completion_id: str | None = None,
    created: int | None = None,
    **options: Any,
) -> dict[str, Json]:
    """The `chat.completion` of a message, or of choices; `options` are those of `choice`.

    `finish` is what the engine says: a completion has the usage that it has.
    """
    is_list = isinstance(message, Sequence) and all(isinstance(one, Mapping) for one in message)
    choices = [*message] if is_list else [choice(message, finish=finish, **options)]  # type: ignore[misc, arg-type]
    body: dict[str, Json] = {
        "id": completion_id or new_completion_id(),
        "object": "chat.completion",
        "created": int(time.time()) if created is None else created,
        "model": model,
        "choices": choices,
    }
    return body if finish.usage is None else body | {"usage": dict(finish.usage)}

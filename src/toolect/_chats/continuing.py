"""What to append to what a model was given and has answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from toolect.compiled import Dialect
from toolect.conversation import Conversation
from toolect.transcript import Transcript
from toolect.turns import Assistant, Turn


class Rewritten(NamedTuple):
    """Why nothing can be appended: from character `at` on, the chat would write `now` where the model was given `was`.

    It is false, as there is no text.
    """

    reason: str
    at: int
    was: str
    now: str

    def __bool__(self) -> bool:
        return False


class Writing(Protocol):
    """A chat, as far as a continuation asks for it."""

    dialect: Dialect

    @property
    def name(self) -> str:
        """The chat's name."""


def continued(
    chat: Writing,
    conversation: Conversation,
    turns: Sequence[Turn],
    generate: bool,
    render: Callable[[Conversation, bool], Transcript],
) -> Transcript | Rewritten:
    """What `turns` add to a conversation, which ends with the answer: found by rendering both."""
    given = list(conversation.turns)
    last = given[-1] if given else None
    before = Conversation(tuple(given[:-1] if isinstance(last, Assistant) else given), conversation.tools)
    known = render(before, isinstance(last, Assistant))
    if isinstance(last, Assistant):
        text = last.text if last.text is not None else str(chat.dialect.render(last.message, conversation.tools))
        sampled = Conversation((*given[:-1], Assistant(last.message, text, last.dialect)), conversation.tools)
        base = known + text
    else:
        sampled, base = conversation, str(known)
    now = render(Conversation((*sampled.turns, *turns), conversation.tools), generate)
    if now.startswith(base):
        return now.after(len(base))
    at = next((i for i, (a, b) in enumerate(zip(base, now, strict=False)) if a != b), min(len(base), len(now)))
    reason = f"`{chat.name}` rewrites what came before: from character {at} on it would write other text"
    return Rewritten(reason, at, base[at : at + 40], now[at : at + 40])

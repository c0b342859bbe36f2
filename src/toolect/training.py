"""Training data of conversations: ids, and which of them the model wrote itself.

`examples` makes of a conversation the texts that its answers were, or will be, sampled after, each with its answers.
Where a chat rewrites what came before (reasoning of earlier turns is dropped), one conversation is several examples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolect._chats.continuing import check_chat, check_conversation
from toolect._rendered import RenderError
from toolect._tokens.adapting import adapted
from toolect._tokens.encoded_text import Encoded
from toolect._tokens.encoding import encode
from toolect._training.rollout import Rollout
from toolect._training.sampled_texts import sampled_texts
from toolect._training.taught_ids import (
    IGNORED,
    Example,
    Packed,
    Taught,
    Teach,
    example_of,
    failed_calls,
    pack,
    wanted_of,
    wish_of,
)
from toolect._transcript import Origin, Transcript
from toolect.conversation import Conversation

if TYPE_CHECKING:
    from toolect._chats.grammar_chat import Chat
    from toolect._chats.template_chat import TemplateChat

__all__ = ["IGNORED", "Example", "Packed", "Rollout", "Teach", "examples", "pack"]


def examples(
    conversation: Conversation,
    chat: Chat | TemplateChat,
    tokenizer: object,
    teach: Taught = "all",
    *,
    sampled: Mapping[int, Sequence[int]] | None = None,
    **options: Any,
) -> list[Example]:
    """Training examples of a conversation; none where it has no answer that is taught.

    `sampled` has the ids of answers by the numbers of their turns: they are kept. `options` are those of
    `Chat.render`: `thinking`, `date`, `unsafe`. Raises RenderError for what the chat cannot carry, and for an answer
    that would be taught without its calls, ValueError for turns that are no answers.
    """
    check_conversation(conversation)
    check_chat(chat)
    wish = wish_of(teach)
    wanted = wanted_of(conversation, wish)
    failed = failed_calls(conversation.turns)
    own = adapted(tokenizer)
    found = []
    for text, answers, reason in sampled_texts(conversation, chat, wanted, options):
        kept = {turn: ids for turn, ids in (sampled or {}).items() if turn in answers}
        encoded = encode(text, own, sampled=kept)
        _check_calls(encoded, text, conversation, wanted & answers, chat)
        found.append(example_of(encoded, text, chat, wish, wanted & answers, failed, reason))
    return found


def _check_calls(
    encoded: Encoded, text: Transcript, conversation: Conversation, answers: set[int], chat: Chat | TemplateChat
) -> None:
    """Raises RenderError where a text has not all calls of an answer that is taught."""
    for number in answers:
        calls = sum(call.runnable for call in conversation.turns[number].message.calls)  # type: ignore[union-attr]
        written = sum(one.kind == "call" for one in encoded.segments if one.turn == number)
        if written < calls:  # some calls are known by the tools alone
            said = "".join(
                encoded.text[start:end]
                for start, end, origin, turn in text.spans
                if (origin, turn) == (Origin.ANSWER, number)
            )
            written = len(chat.dialect.parse(said, [*conversation.tools] or None).runnable)
        if written < calls:
            counted = f"the chat `{chat.name}` writes {written} of the {calls} calls of turn {number}"
            raise RenderError("calls", f"{counted}: it would be taught without them")

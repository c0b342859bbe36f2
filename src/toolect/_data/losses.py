"""Losses of a conversion: what of a row may come out otherwise, by kind, and which kinds are refused."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from toolect._chats import conversation_diff
from toolect._chats.conversation_diff import Change
from toolect._chats.unread_text import CALLS_UNREAD, DROPPED, SKIPPED
from toolect._rows.ignored_fields import LEFT_OUT
from toolect._rows.open_row import DESCRIBED, REST_STAYS
from toolect._turns import Assistant
from toolect.conversation import Conversation


class Loss(StrEnum):
    """A kind of loss, as `--allow` and `--refuse` name it."""

    CALLS = "calls"
    """Calls, or which call a result is of."""
    TURNS = "turns"
    RESULTS = "results"
    """The texts of results, or which are errors."""
    CONTENT = "content"
    REASONING = "reasoning"
    """Reasoning, or its signature."""
    ORDER = "order"
    """Texts move before the calls that they followed."""
    TOOLS = "tools"
    PROMPT = "prompt"
    """A text of the system about tools is left out: the target tells of them itself."""
    FIELDS = "fields"
    """Fields of messages that no turn has."""
    TAIL = "tail"
    """What follows the end of an answer, or stands between turns."""
    WEIGHTS = "weights"
    MARKERS = "markers"
    """Markers in texts, made harmless."""
    OTHER = "other"


WEIGHTS_LEFT = "the weights of answers are left out"
DEFUSED = "a text held markers of the chat, which were made harmless"
SENTENCES: dict[Loss, tuple[str, ...]] = {
    Loss.CALLS: (conversation_diff.OTHER_CALLS, conversation_diff.OTHER_OWNERS, CALLS_UNREAD),
    Loss.TURNS: (conversation_diff.OTHER_TURNS,),
    Loss.RESULTS: (conversation_diff.OTHER_RESULTS, conversation_diff.NO_ERRORS),
    Loss.CONTENT: (conversation_diff.NO_CONTENT, conversation_diff.OTHER_CONTENT),
    Loss.REASONING: (conversation_diff.NO_REASONING, conversation_diff.OTHER_REASONING, conversation_diff.NO_SIGNATURE),
    Loss.ORDER: (conversation_diff.ORDER,),
    Loss.TOOLS: conversation_diff.OF_TOOLS,
    Loss.PROMPT: (DESCRIBED, REST_STAYS),
    Loss.FIELDS: (LEFT_OUT,),
    Loss.TAIL: (DROPPED, SKIPPED),
    Loss.WEIGHTS: (WEIGHTS_LEFT,),
    Loss.MARKERS: (DEFUSED,),
}
"""What is said of each kind of loss."""
REFUSED = frozenset((Loss.CALLS,))
"""The losses for which a row is refused, unless they are allowed."""
_BY_SENTENCE = {sentence: loss for loss, sentences in SENTENCES.items() for sentence in sentences}


def loss_of(change: Change) -> Loss:
    """The kind of a change."""
    return _BY_SENTENCE.get(change.what, Loss.OTHER)


def refused(changes: Iterable[Change], losses: frozenset[Loss], conversation: Conversation) -> Change | None:
    """The reason to refuse a row, the first change of a kind that is; None where there is none."""
    for change in changes:
        loss = loss_of(change)
        if loss in losses:
            unread = unread_call(conversation, change.turn) if loss is Loss.CALLS else None
            detail = unread.detail if unread is not None else change.detail
            return Change(f"not exact: {change.what}; --allow {loss} keeps it", change.turn, detail)
    return None


def unread_call(conversation: Conversation, turn: int = -1) -> Change | None:
    """The first call that could not be read, in one turn or in any, with its turn and the cause."""
    for number, one in enumerate(conversation.turns):
        if isinstance(one, Assistant) and turn in (-1, number):
            for call in one.message.calls:
                if not call.runnable:
                    cause = f": {call.error}" if call.error else ""
                    return Change(f"a {call.status} call", number, f"`{call.name or '?'}`{cause}")
    return None

"""What is so at each place of a conversation, as guards ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolect._authoring.generate.random_conversations import ChatCase
from toolect._chats.filling import SlotAnswer
from toolect._chats.turn_facts import answer_facts, following, literal_facts, turn_facts
from toolect._spec.chat_model import Fact
from toolect.conversation import Assistant, System, Turn, User
from tools.chats.induction.known_words import Atoms, Slot, is_text

ITEM_FACTS = int(Fact.FIRST_ITEM | Fact.LAST_ITEM | Fact.NAMED | Fact.HAS_ID | Fact.ARGUMENTS | Fact.IS_TEXT)
"""What is so about one of several things."""


class Facts(NamedTuple):
    """The facts of a conversation: of what stands before the turns, of each of these, and of what follows them."""

    head: int
    turns: list[int]
    tail: int


def facts_of(case: ChatCase, default: bool) -> Facts:
    """The facts of a conversation in a chat whose system text stands at the head; `default`: there is always one."""
    turns: Sequence[Turn] = [*case.conversation.turns]
    shared = literal_facts(case.thinking, case.generate) | (int(Fact.TOOLS) if case.conversation.tools else 0)
    if turns and isinstance(turns[0], System):
        shared |= int(Fact.GIVEN | Fact.SYSTEM) | (int(Fact.SYSTEM_TEXT) if turns[0].text else 0)
        turns = turns[1:]
    elif default:
        shared |= int(Fact.SYSTEM | Fact.SYSTEM_TEXT)
    said = [_said(turn) if isinstance(turn, Assistant) else None for turn in turns]
    found = turn_facts(turns, said, shared)
    own = [
        facts | (answer_facts(one.content, one.reasoning) if one else _text(turn))
        for turn, one, facts in zip(turns, said, found, strict=True)
    ]
    tail = shared | (following(turns[-1], found[-1]) if turns else int(Fact.EMPTY))
    return Facts(shared, own, tail)


def _said(turn: Assistant) -> SlotAnswer:
    message = turn.message
    return SlotAnswer(message, message.content, message.reasoning, message.calls, True)


def _text(turn: Turn) -> int:
    return int(Fact.CONTENT) if isinstance(turn, User | System) and turn.text else 0


def item_facts(item: Atoms, at: int, count: int) -> int:
    """The facts of one of several things, by what is written of it."""
    kinds = {slot.kind: slot for slot in item if isinstance(slot, Slot)}
    found = (int(Fact.FIRST_ITEM) if at == 0 else 0) | (int(Fact.LAST_ITEM) if at == count - 1 else 0)
    found |= int(Fact.HAS_ID | Fact.NAMED) if "k" not in kinds or "n" in kinds else 0
    found |= int(Fact.ARGUMENTS) if "a" in kinds or "k" in kinds else 0
    return found | (
        int(Fact.IS_TEXT)
        if any(one.kind in "vq" and is_text(one.turn, one.item, one.pair) for one in kinds.values())
        else 0
    )

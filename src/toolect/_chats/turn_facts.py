"""What is so about each turn of a conversation, as bits: the words that guards are made of."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._spec.chat_model import ChatRole, Fact
from toolect.turns import Assistant, Results, System, Turn, User

ROLES: dict[type, ChatRole] = {
    System: ChatRole.SYSTEM,
    User: ChatRole.USER,
    Assistant: ChatRole.ANSWER,
    Results: ChatRole.RESULTS,
}
"""The role of each kind of turn."""
_AFTER: dict[type, int] = {
    User: int(Fact.AFTER_USER), Assistant: int(Fact.AFTER_ANSWER), Results: int(Fact.AFTER_RESULTS), System: 0,
}  # fmt: skip
_BEFORE: dict[type, int] = {
    User: int(Fact.BEFORE_USER), Assistant: int(Fact.BEFORE_ANSWER), Results: int(Fact.BEFORE_RESULTS), System: 0,
}  # fmt: skip
_CONTENT, _REASONING, _CALLS = int(Fact.CONTENT), int(Fact.REASONING), int(Fact.CALLS)
_AFTER_CALLS, _SEVERAL, _ROUND = int(Fact.AFTER_CALLS), int(Fact.SEVERAL_CALLS), int(Fact.ROUND)
_LATEST, _FIRST, _LAST = int(Fact.LATEST), int(Fact.FIRST), int(Fact.LAST)
_FIRST_USER, _LAST_USER, _DEVELOPER = int(Fact.FIRST_USER), int(Fact.LAST_USER), int(Fact.DEVELOPER)


def turn_facts(turns: Sequence[Turn], shared: int) -> list[int]:
    """The facts of each of `turns`, `shared` among them; those of an answer's parts are added when it is written."""
    kinds = [type(turn) for turn in turns]
    users = [index for index, kind in enumerate(kinds) if kind is User]
    first_user, last_user = (users[0], users[-1]) if users else (-1, -1)
    found = []
    calls = rounds = 0
    last = len(turns) - 1
    for index, kind in enumerate(kinds):
        facts = shared | rounds
        if index:
            facts |= _AFTER[kinds[index - 1]] | calls
        else:
            facts |= _FIRST
        if index < last:
            facts |= _BEFORE[kinds[index + 1]]
        else:
            facts |= _LAST
        if index > last_user:
            facts |= _LATEST
        if index == first_user:
            facts |= _FIRST_USER
        if index == last_user:
            facts |= _LAST_USER
        calls = 0
        turn = turns[index]
        if kind is Assistant:
            count = len(turn.message.calls)  # type: ignore[union-attr]
            if count:
                calls, rounds = _AFTER_CALLS, _ROUND
                facts |= _CALLS | _SEVERAL if count > 1 else _CALLS
        elif kind is System and turn.developer:  # type: ignore[union-attr]
            facts |= _DEVELOPER
        found.append(facts)
    return found


def answer_facts(content: str, reasoning: str) -> int:
    """The facts of an answer's texts."""
    return (_CONTENT if content else 0) | (_REASONING if reasoning else 0)


def following(turn: Turn, facts: int) -> int:
    """The facts of what follows `turn`, which has `facts`."""
    found = _AFTER[type(turn)] | facts & _ROUND
    return found | (_AFTER_CALLS | _ROUND if facts & _CALLS else 0)

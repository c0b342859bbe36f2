"""What is so about each turn of a conversation, as bits: the words that guards are made of."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._chats.filling import Said
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
_WORDS, _THOUGHT, _ENDS_LINE = int(Fact.WORDS), int(Fact.THOUGHT), int(Fact.ENDS_LINE)
_AFTER_CALLS, _SEVERAL, _ROUND = int(Fact.AFTER_CALLS), int(Fact.SEVERAL_CALLS), int(Fact.ROUND)
_CALLED_ALONE, _AFTER_CONTENT = int(Fact.CALLED_ALONE), int(Fact.AFTER_CONTENT)
_TOLD, _ODD, _OUT_OF_TURN = int(Fact.TOLD), int(Fact.ODD), int(Fact.OUT_OF_TURN)
_ANSWERED, _UNANSWERED = int(Fact.ANSWERED), int(Fact.UNANSWERED)
_LAST_WORD, _LAST_ASKED = int(Fact.LAST_WORD), int(Fact.LAST_ASKED)
_KINDS: dict[type, int] = {
    User: int(Fact.USER), Assistant: int(Fact.ANSWER), Results: int(Fact.RESULTS), System: int(Fact.NOTICE),
}  # fmt: skip
_GENERATE, _THINKING, _NO_THINKING = int(Fact.GENERATE), int(Fact.THINKING), int(Fact.NO_THINKING)
_LATEST, _FIRST, _LAST = int(Fact.LATEST), int(Fact.FIRST), int(Fact.LAST)
_FIRST_USER, _LAST_USER, _DEVELOPER = int(Fact.FIRST_USER), int(Fact.LAST_USER), int(Fact.DEVELOPER)


def turn_facts(turns: Sequence[Turn], said: Sequence[Said | None], shared: int) -> list[int]:
    """The facts of each of `turns`, `shared` among them; `said` are the answers among these.

    Those of an answer's texts are added when it is written.
    """
    kinds = [type(turn) for turn in turns]
    users = [index for index, kind in enumerate(kinds) if kind is User]
    first_user, last_user = (users[0], users[-1]) if users else (-1, -1)
    final = max((i for i, one in enumerate(said) if one is not None and not one.calls), default=-1)
    if not users:
        shared |= int(Fact.UNASKED)
    heard = max((i for i, kind in enumerate(kinds) if kind is User or kind is Results), default=-1)
    found = []
    past = before = messages = spoken = 0
    last = len(turns) - 1
    for index, turn in enumerate(turns):
        kind = kinds[index]
        facts = shared | before | _KINDS[kind] | (_ODD if messages & 1 else 0)
        facts |= _AFTER[kinds[index - 1]] | past if index else _FIRST
        facts |= _BEFORE[kinds[index + 1]] if index < last else _LAST
        if index > last_user:
            facts |= _LATEST
        if index > heard:
            facts |= _LAST_WORD
        if index > final:
            facts |= _UNANSWERED
        if isinstance(turn, User):
            facts |= _LAST_ASKED if turn == turns[last_user] else 0
            facts |= (_FIRST_USER if index == first_user else 0) | (_LAST_USER if index == last_user else 0)
        past = 0
        messages += 1
        plain = True
        one = said[index]
        if one is not None:
            if one.calls:
                past, before, plain = _AFTER_CALLS, before | _ROUND, False
                before |= 0 if one.content else _CALLED_ALONE
                facts |= _CALLS | _SEVERAL if len(one.calls) > 1 else _CALLS
            else:
                before |= _ANSWERED
            if one.content:
                past |= _AFTER_CONTENT
        elif isinstance(turn, Results):
            before, plain = before | _TOLD, False
            messages += len(turn.results) - 1
        elif isinstance(turn, System) and turn.developer:
            facts |= _DEVELOPER
        if plain:
            if (kind is User) != (spoken % 2 == 0):
                facts |= _OUT_OF_TURN
            spoken += 1
        found.append(facts)
    return found


def answer_facts(content: str, reasoning: str) -> int:
    """The facts of an answer's texts."""
    said = (_CONTENT | _WORDS if content.strip() else _CONTENT) if content else 0
    if content.endswith("\n"):
        said |= _ENDS_LINE
    return said | (_REASONING | _THOUGHT if reasoning.strip() else _REASONING) if reasoning else said


def following(turn: Turn, facts: int) -> int:
    """The facts of what follows `turn`, which has `facts`."""
    found = _AFTER[type(turn)] | facts & (_ROUND | _TOLD | _ANSWERED)
    if isinstance(turn, Results):
        found |= _TOLD
    return found | (_AFTER_CALLS | _ROUND if facts & _CALLS else 0)


def literal_facts(thinking: bool | None, generate: bool) -> int:
    """The facts that a caller's wishes are."""
    facts = _GENERATE if generate else 0
    return facts if thinking is None else facts | (_THINKING if thinking else _NO_THINKING)

"""Facts about each turn of a conversation, as bits: the words that guards are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from toolect._chats.filling import SlotAnswer
from toolect._spec.chat_model import ChatRole, Fact
from toolect._turns import Assistant, Results, System, Turn, User

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
_UNASKED, _GENERATE, _THINKING, _NO_THINKING = (
    int(Fact.UNASKED), int(Fact.GENERATE), int(Fact.THINKING), int(Fact.NO_THINKING),
)  # fmt: skip
_LATEST, _FIRST, _LAST = int(Fact.LATEST), int(Fact.FIRST), int(Fact.LAST)
_FIRST_USER, _LAST_USER, _DEVELOPER = int(Fact.FIRST_USER), int(Fact.LAST_USER), int(Fact.DEVELOPER)
Thinking: TypeAlias = bool | Literal["low", "medium", "high"] | None
"""Request for reasoning: with or without it, or its effort; None where nobody says."""
_WISHES: dict[Thinking, int] = {
    None: 0, True: _THINKING, False: _NO_THINKING,
    "low": int(Fact.LOW_EFFORT), "medium": 0, "high": int(Fact.HIGH_EFFORT),
}  # fmt: skip


class TurnFacts:
    """The facts of each turn of a conversation that grows, `shared` among them.

    Those of an answer's texts are added when it is written.
    """

    def __init__(self, shared: int) -> None:
        self.facts: list[int] = []
        self._shared = shared | _UNASKED
        self._asked: dict[str, list[int]] = {}
        """Numbers of the user's turns by their text."""
        self._asking = ""
        """The text of the last user turn."""
        self._last: Turn | None = None
        self._last_user = self._final = self._heard = -1
        """The last user turn, the last answer without calls, the last turn that is no answer."""
        self._past = self._before = self._messages = self._spoken = 0

    def add(self, turn: Turn, said: SlotAnswer | None) -> int:
        """Add a turn, with `said` if it is an answer, and return the number of the first turn with other facts."""
        found, number, kind = self.facts, len(self.facts), type(turn)
        facts = self._shared | self._before | _KINDS[kind] | _LAST | (_ODD if self._messages & 1 else 0)
        facts |= _FIRST if self._last is None else _AFTER[type(self._last)] | self._past
        first = number
        if self._last is not None:
            first = number - 1
            found[first] = found[first] & ~_LAST | _BEFORE[kind]
        self._past = 0
        self._messages += len(turn.results) if isinstance(turn, Results) else 1
        plain = said is None or not said.calls
        if said is not None:
            facts |= self._answer(said)
        elif isinstance(turn, Results):
            self._before |= _TOLD
            plain = False
        elif isinstance(turn, System) and turn.developer:
            facts |= _DEVELOPER
        if plain:
            if (kind is User) != (self._spoken % 2 == 0):
                facts |= _OUT_OF_TURN
            self._spoken += 1
        found.append(facts | _LATEST | _LAST_WORD | _UNANSWERED)
        self._last = turn
        if said is not None and plain:
            first, self._final = min(first, self._without(_UNANSWERED, self._final)), number
        if isinstance(turn, User | Results):
            first, self._heard = min(first, self._without(_LAST_WORD, self._heard)), number
        return min(first, self._user(turn, number)) if isinstance(turn, User) else first

    def _answer(self, said: SlotAnswer) -> int:
        """Add an answer, and return the facts that it has by its calls."""
        if said.content:
            self._past = _AFTER_CONTENT
        if not said.calls:
            self._before |= _ANSWERED
            return 0
        self._past |= _AFTER_CALLS
        self._before |= _ROUND if said.content else _ROUND | _CALLED_ALONE
        return _CALLS | _SEVERAL if len(said.calls) > 1 else _CALLS

    def _user(self, turn: User, number: int) -> int:
        """Add a user turn, and return the number of the first turn with other facts."""
        found, first = self.facts, self._without(_LATEST, self._last_user)
        found[number] |= _LAST_USER
        if self._last_user < 0:
            self._shared &= ~_UNASKED
            found[:] = [facts & ~_UNASKED for facts in found]
            found[number] |= _FIRST_USER
            first = 0
        else:
            found[self._last_user] &= ~_LAST_USER
            first = min(first, self._last_user)
        self._last_user = number
        self._asked.setdefault(turn.text, []).append(number)
        if turn.text == self._asking:
            found[number] |= _LAST_ASKED
            return first
        lost, won = self._asked.get(self._asking, ()), self._asked[turn.text]
        for one in lost:
            found[one] &= ~_LAST_ASKED
        for one in won:
            found[one] |= _LAST_ASKED
        self._asking = turn.text
        return min(first, *lost[:1], *won[:1])

    def _without(self, fact: int, after: int) -> int:
        """Remove a fact from all turns after `after`, the last to lack it; return the number of the first of them."""
        found = self.facts
        for one in range(after + 1, len(found)):
            found[one] &= ~fact
        return after + 1


def turn_facts(turns: Sequence[Turn], said: Sequence[SlotAnswer | None], shared: int) -> list[int]:
    """The facts of each of `turns`; `said` are the answers among these."""
    found = TurnFacts(shared)
    for turn, one in zip(turns, said, strict=True):
        found.add(turn, one)
    return found.facts


def answer_facts(content: str, reasoning: str) -> int:
    """The facts of an answer's texts."""
    said = (_CONTENT | _WORDS if content.strip() else _CONTENT) if content else 0
    if content.endswith("\n"):
        said |= _ENDS_LINE
    return said | (_REASONING | _THOUGHT if reasoning.strip() else _REASONING) if reasoning else said


def following(turn: Turn, facts: int) -> int:
    """The facts of a place after `turn`, which has `facts`."""
    found = _AFTER[type(turn)] | facts & (_ROUND | _TOLD | _ANSWERED)
    if isinstance(turn, Results):
        found |= _TOLD
    return found | (_AFTER_CALLS | _ROUND if facts & _CALLS else 0)


def literal_facts(thinking: Thinking, generate: bool) -> int:
    """The facts of a caller's options. Raises ValueError for an option that there is not."""
    if thinking not in (*_WISHES,):
        raise ValueError(f"expected True, False, None, 'low', 'medium' or 'high', got {thinking!r} - at thinking")
    return _WISHES[thinking] | (_GENERATE if generate else 0)

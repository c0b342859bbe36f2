"""Which of what a model wrote it is taught, and which calls failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from toolect._turns import PendingCalls, Results, Turn
from toolect.conversation import Assistant, Conversation


@dataclass(frozen=True, slots=True)
class Teach:
    """Which of what the model wrote it is taught.

    `answers` are all, the last one, or those of these turns (their numbers in the conversation, from 0).
    """

    answers: Literal["all", "last"] | tuple[int, ...] = "all"
    content: bool = True
    reasoning: bool = True
    failed: bool = True
    """Also calls that could not be read, or whose result is an error."""
    end: bool = True
    """Also the token that ends an answer."""
    cut: tuple[int, ...] = ()
    """Answers that were cut off, by the numbers of their turns: what closes and ends them is not taught."""
    weights: Mapping[int, float] = field(default_factory=dict)
    """How much answers are taught, by the numbers of their turns: 1 for others, 0 for not at all."""


CALLS = Teach(content=False, reasoning=False)
Taught: TypeAlias = Teach | Literal["all", "last", "calls"] | Sequence[int]
"""Which answers of a conversation have a loss: all, the last, those with calls, or those with these numbers."""


def wish_of(teach: Taught) -> Teach:
    """A wish in full. Raises ValueError for what is none."""
    known = {"all": Teach(), "last": Teach("last"), "calls": CALLS}
    if isinstance(teach, str) and teach in known:
        return known[teach]
    answers = teach.answers if isinstance(teach, Teach) else teach
    if answers in ("all", "last") and isinstance(teach, Teach):
        return teach
    if isinstance(answers, str | bytes | Mapping) or not isinstance(answers, Iterable):
        raise ValueError(f"expected teach 'all', 'last', 'calls', numbers of turns or a Teach, got {teach!r}")
    return replace(teach, answers=tuple(answers)) if isinstance(teach, Teach) else Teach(tuple(answers))


def wanted_of(conversation: Conversation, wish: Teach) -> set[int]:
    """The numbers of the answers that are wanted. Raises ValueError for turns that are none."""
    said = [number for number, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
    if wish.answers in ("all", "last"):
        return (
            {number for number in said[-1:] if wish.weights.get(number, 1)}
            if wish.answers == "last"
            else {number for number in said if wish.weights.get(number, 1)}
        )
    for number in wish.answers:
        if number not in said:
            known = ", ".join(map(str, said)) or "there are none"
            raise ValueError(f"expected numbers of answers ({known}), got {number}")
    return {int(number) for number in wish.answers}


def failed_calls(turns: Sequence[Turn]) -> set[tuple[int, int]]:
    """The calls that failed: the numbers of their turn, and among the calls of that."""
    waiting = PendingCalls()
    places = {}
    failed = set()
    for number, turn in enumerate(turns):
        if isinstance(turn, Assistant):
            for index, call in enumerate(turn.message.calls):
                places[id(call)] = number, index
                if not call.runnable:
                    failed.add((number, index))
        calls = waiting.follow(turn)
        if isinstance(turn, Results):
            for asked, result in zip(calls, turn.results, strict=True):
                if asked is not None and result.is_error:
                    failed.add(places[id(asked)])
    return failed

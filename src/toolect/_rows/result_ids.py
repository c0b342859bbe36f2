"""Which calls the results of a row are of, where they say it in two ways that contradict one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolect._chats.conversation_diff import Change
from toolect._shown import cut
from toolect._turns import Assistant, PendingCalls, Results, Turn

OF_ANOTHER = "a result has the name of another tool than its call"


def results_of_others(turns: Sequence[Turn]) -> Iterator[Change]:
    """A note for each turn with results that are of a call by id, or by order, and have another name than it."""
    if not any(_is_odd(turn, turns[at - 1] if at else None) for at, turn in enumerate(turns) if type(turn) is Results):
        return
    waiting = PendingCalls()
    for number, turn in enumerate(turns):
        calls = waiting.follow(turn)
        if not isinstance(turn, Results):
            continue
        for call, result in zip(calls, turn.results, strict=True):
            if call is not None and (result.name or call.name) != call.name:
                both = f"`{cut(result.name, 40)}`, and the call is of `{cut(call.name, 40)}`"
                yield Change(OF_ANOTHER, number, both)
                break


def _is_odd(turn: Results, before: Turn | None) -> bool:
    """False for the results of the answer before, call by call."""
    calls = before.message.calls if isinstance(before, Assistant) else ()
    return [one.name for one in turn.results] != [call.name for call in calls]

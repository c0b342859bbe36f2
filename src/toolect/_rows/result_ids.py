"""Which calls the results of a row are of, where they say it in two ways that contradict one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolect._chats.comparing import Change
from toolect._shown import cut
from toolect._turns import Assistant, PendingCalls, Results, Turn

OF_ANOTHER = "a result has the name of another tool than its call"


def results_of_others(turns: Sequence[Turn]) -> Iterator[Change]:
    """A note for each turn with results that are of a call by id, or by order, and have another name than it."""
    if not any(map(_is_odd, turns, (None, *turns))):
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


def _is_odd(turn: Turn, before: Turn | None) -> bool:
    """False for what are no results, or those of the answer before, call by call."""
    if not isinstance(turn, Results):
        return False
    calls = before.message.calls if isinstance(before, Assistant) else ()
    return [one.name for one in turn.results] != [call.name for call in calls]

"""Turns as they are read one by one, in the order in which a conversation may have them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from toolect._message import Call, MessageError
from toolect._turns import PendingCalls, Results, ToolResult, Turn


class Gathering:
    """Takes in turns, each with its place for an error. Results that follow one another become one turn.

    A result that no call was made for is refused: it raises MessageError.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self._waiting = PendingCalls()
        self._results: list[tuple[ToolResult, str]] = []

    def add(self, turn: Turn) -> None:
        """Take in a turn; of results use `result`."""
        if self._results:
            self._settle()
        self._waiting.follow(turn)
        self.turns.append(turn)

    def result(self, result: ToolResult, where: str) -> None:
        """Take in what came of a call."""
        self._results.append((result, where))

    @property
    def open(self) -> int:
        """How many calls wait for a result that has not come yet."""
        return len(self._waiting.calls) - len(self._results)

    def done(self) -> tuple[Turn, ...]:
        """All that has come."""
        if self._results:
            self._settle()
        return tuple(self.turns)

    def _settle(self) -> None:
        """The results that came together are one turn, and each knows the call that it is of."""
        calls = self._waiting.follow(Results(tuple(result for result, _ in self._results)))
        known = []
        for call, (result, where) in zip(calls, self._results, strict=True):
            if call is None:
                waited = [*filter(None, calls), *self._waiting.calls]
                raise _without_call(result, waited, where)
            if not (result.call_id and result.name):
                result = replace(result, call_id=result.call_id or call.id or "", name=result.name or call.name)
            known.append(result)
        self.turns.append(Results(tuple(known)))
        self._results.clear()


def _without_call(result: ToolResult, calls: Sequence[Call], where: str) -> MessageError:
    ids = ", ".join(f"`{call.id}`" for call in calls[:8] if call.id)
    if not calls:
        return MessageError(
            "a result after the answer with its call", "one without a call", where,
            "put the answer that makes the call before it, or leave it out",
        )  # fmt: skip
    had = f"a result for the id `{result.call_id}`" if result.call_id else f"more than {len(calls)} results"
    expected = f"the result of a call that has none yet{f', one of {ids}' if ids else ''}"
    return MessageError(expected, had, where, "give it the id of its call, or leave it out")


def check(turns: Sequence[Turn]) -> None:
    """Raises MessageError where turns stand in an order that no conversation has."""
    gathering = Gathering()
    for number, turn in enumerate(turns):
        if isinstance(turn, Results):
            for index, result in enumerate(turn.results):
                gathering.result(result, f"turns[{number}].results[{index}]")
        else:
            gathering.add(turn)
    gathering.done()

"""State comparison of conversations: the calls of each turn are run, and so are the expected ones, side by side.

The rules are those that the checker of BFCL publishes for several turns: after each turn that expects calls, the state
is the expected one, and the results of the expected calls are among all that the model's calls had so far, in any
order. A turn that expects calls has some; what is called in one that expects none counts in the state of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from toolect._message import Call, Json
from toolect._scoring.expectation import Miss, Reason, shown


class World(Protocol):
    """What calls act on: `run` does one and yields its result, `state` is all that it may have changed, by part."""

    def run(self, call: Call) -> Json:
        """Do what a call asks for; its result."""

    def state(self) -> dict[str, Json]:
        """All that calls may have changed, by part."""


def turn_misses(
    turns: Sequence[Sequence[Call]], expected: Sequence[Sequence[Call]], world: Callable[[], World]
) -> Iterator[tuple[int, Miss]]:
    """What is wrong in each turn, with its number. Calls that must not be run are left out."""
    if len(turns) != len(expected):
        yield min(len(turns), len(expected)), Miss(Reason.COUNT, "", "", f"{len(expected)} turns", str(len(turns)))
    ours, theirs = world(), world()
    results: list[Json] = []
    for number, (given, wanted) in enumerate(zip(turns, expected, strict=False)):
        run = [ours.run(call) for call in given if call.runnable]
        results += run
        expected = [(call, theirs.run(call)) for call in wanted]
        if wanted and not run:
            yield number, Miss(Reason.NO_CALL, wanted[0].name, "", f"{len(wanted)} calls", "none")
        found, right = ours.state(), theirs.state()
        for part in right if wanted else ():
            if found.get(part) != right[part]:
                yield number, Miss(Reason.STATE, "", part, shown(right[part]), shown(found.get(part)))
        rest = [*results]
        for call, result in expected:
            if result in rest:
                rest.remove(result)
            else:
                yield number, Miss(Reason.RESULT, call.name, "", shown(result), "no such result")

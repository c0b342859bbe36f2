"""Call matching: the calls of an answer and the expected ones, paired in any order, and their differences.

Of several turns the calls are run, and so are the expected ones, side by side, by the rules that the checker of BFCL
publishes: after each turn that expects calls, the state is the expected one, and the results of the expected calls are
among all that the model's calls had so far, in any order. A turn that expects calls has some; what is called in one
that expects none counts in the state of the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._message import Call, Json, Message, RepairKind, Status
from toolect._scoring.argument_check import argument_misses
from toolect._scoring.expectation import Expectation, ExpectedCall, Grade, Miss, Reason, Score, members, shown, worst
from toolect._shown import counted

MAX_PAIRS = 1 << 16
"""Pairs of an expected call and one of an answer that are compared. Beyond it: the answer is wrong by its count."""


def check(calls: Sequence[Call], case: Expectation) -> tuple[Miss, ...]:
    """Differences of an answer's calls from the expected ones; none where they are those.

    Where no call is expected, an attempt that failed is none.
    """
    runnable = [call for call in calls if call.runnable]
    failed = [call for call in calls if not call.runnable]
    if case.calls == ():
        return tuple(Miss(Reason.UNWANTED, got=f"a call of `{call.name}`") for call in runnable)
    if not calls:
        wanted = "any call" if case.calls is None else counted(len(case.calls), "call")
        return (Miss(Reason.NO_CALL, case.calls[0].name if case.calls else "", expected=wanted, got="none"),)
    found = [Miss(Reason(call.status.value), call.name, got=call.error or "a call that was cut off") for call in failed]
    if case.calls is None:
        return () if runnable else tuple(found)
    return (*found, *_differences(runnable, case.calls, case, counts=not failed))


def _differences(
    calls: Sequence[Call], expected: Sequence[ExpectedCall], case: Expectation, counts: bool
) -> Iterator[Miss]:
    """Differences of calls that were read; with `counts` also that some are missing."""
    wanted, schemas = counted(len(expected), "call"), case.schemas
    if len(expected) > 1 and len(expected) * len(calls) > MAX_PAIRS:
        yield Miss(Reason.COUNT, expected=wanted, got=str(len(calls)))
        return
    wrong = [[_call_misses(one, call, schemas.get(one.name, {}), case.language) for call in calls] for one in expected]
    pairs = matched([[at for at, misses in enumerate(row) if not misses] for row in wrong])
    left = [at for at in range(len(calls)) if at not in pairs.values()]
    for at, row in enumerate(wrong):
        if at not in pairs and left:  # held against the one of those left that is nearest
            near = min(left, key=lambda one: (calls[one].name != expected[at].name, len(row[one])))
            left.remove(near)
            yield from row[near]
        elif at not in pairs and counts:
            yield Miss(Reason.COUNT, expected[at].name, "", f"{wanted}, this one among them", str(len(calls)))
    for spare in left:
        yield Miss(Reason.COUNT, "", "", wanted, f"{len(calls)}, `{calls[spare].name}` too many")


def _call_misses(expected: ExpectedCall, call: Call, schema: Mapping[str, Json], language: str) -> tuple[Miss, ...]:
    if call.name != expected.name:
        return (Miss(Reason.NAME, expected.name, "", shown(expected.name), shown(call.name)),)
    try:
        return tuple(argument_misses(expected, call.arguments, schema, language))
    except RecursionError:
        return (Miss(Reason.VALUE, expected.name, "", "values that can be compared", "too deep a nesting"),)


def matched(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """The most pairs of a row and one of the columns that fit it, each column in one (augmenting paths)."""
    pairs: dict[int, int] = {}
    owner: dict[int, int] = {}
    for start in range(len(fits)):
        came: dict[int, int] = {}  # column → the row that it is wanted by
        todo = deque([start])
        while todo:
            row = todo.popleft()
            free: int | None = None
            for column in fits[row]:
                if column not in came:
                    came[column] = row
                    if column not in owner:
                        free = column
                        todo.clear()
                        break
                    todo.append(owner[column])
            while free is not None:
                column, row = free, came[free]
                free = pairs.get(row)
                pairs[row], owner[column] = column, row
    return pairs


def judged(answer: Message, case: Expectation, dialects: Sequence[str] = ()) -> Score:
    """Score of an answer that has been read."""
    misses = check(answer.calls, case)
    grade = worst(misses)
    if grade is Grade.RIGHT and any(call.status is Status.REPAIRED for call in answer.calls):
        grade = Grade.REPAIRED
    return Score(grade, misses, tuple(dict.fromkeys(dialects)))


def _is_retyped(call: Call) -> bool:
    """True for a call with a value that has a type in its text, as one in JSON, and was given the declared one."""
    at = call.span[0] if call.span is not None else -1
    return any(repair.kind is RepairKind.COERCION and repair.at == at for repair in call.repairs)


def _as_named(call: Call) -> Call:
    """A call under the name that its text has: another spelling of a tool's name is another tool to BFCL."""
    return next((replace(call, name=one.detail) for one in call.repairs if one.kind is RepairKind.TOOL_NAME), call)


def score_text(text: str, case: Expectation, reader: Dialect | Auto) -> Score:
    """Score of a text: it is read, and its calls are held against the expected ones."""
    tools = [*case.tools]
    if case.language:  # arguments are source text, whatever is declared
        tools = [
            {
                "name": name,
                "parameters": {"properties": {key: {"type": "string"} for key in members(one.get("properties"))}},
            }
            for name, one in case.schemas.items()
        ]
    message = reader.parse(text, tools or None)
    if any(map(_is_retyped, message.calls)):
        message = reader.parse(text, tools or None, coercion="none")
    answer = Message([*map(_as_named, message.calls)])
    return judged(answer, case, getattr(message, "dialects", (reader.name,) * len(message.calls)))


# State of conversations


class World(Protocol):
    """Environment that calls act on: `run` does one and yields its result, `state` is all that may change, by part."""

    def run(self, call: Call) -> Json:
        """Do what a call asks for; its result."""

    def state(self) -> dict[str, Json]:
        """All that calls may have changed, by part."""


def turn_misses(
    turns: Sequence[Sequence[Call]], expected: Sequence[Sequence[Call]], world: Callable[[], World]
) -> Iterator[tuple[int, Miss]]:
    """Differences in each turn, with its number, from 0. Calls that must not be run are left out."""
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

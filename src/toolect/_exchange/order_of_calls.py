"""Results in the order of their calls, the only one that most notations keep, and ids as a dialect has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

from msgspec.structs import replace

from toolect._message import Call, Message, Segment
from toolect._rendering.ids import names_call, with_ids
from toolect._spec.model import Spec
from toolect._turns import Assistant, PendingCalls, Results, ToolResult, Turn
from toolect._values.ref import join_ref

Sampled = Callable[[Assistant], Sequence[str | None] | None]
"""The ids that the calls of an answer have in its text; None for one whose text is still to be written."""


def in_order_of_calls(
    turns: Sequence[Turn], spec: Spec | None = None, sampled: Sampled | None = None, size: int = 0
) -> Sequence[Turn]:
    """The turns with the results of each in the order of their calls; the same ones where they are.

    Where the dialect `spec` makes ids, calls have those that it writes, and results name them: those of an answer that
    was `sampled` are in its text. With a `size` each id has so many letters and digits, or is made anew.
    """
    made = spec is not None and (spec.ids is not None or "{index}" in spec.ref or size > 0)
    if not made and not any(type(turn) is Results and len(turn.results) > 1 for turn in turns):
        return turns
    waiting = PendingCalls()
    places: dict[int, int] = {}  # of each call, by its identity
    ids: dict[int, str] = {}
    found: list[Turn] = []
    for turn in turns:
        asked = waiting.follow(turn)
        if isinstance(turn, Assistant):
            calls = turn.message.calls
            places |= {id(call): len(places) + number for number, call in enumerate(calls)}
            if made and spec is not None and calls:
                given = sampled(turn) if sampled is not None else None
                if given is None:
                    segments = _with_ids(spec, turn.message.segments)
                    segments = _sized(size, segments, len(places) - len(calls)) if size else segments
                    turn = replace(turn, message=Message(segments, turn.message.repairs))
                    given = [call.id for call in turn.message.calls]
                ids |= {id(call): text for call, text in zip(calls, given, strict=True) if text}
        elif isinstance(turn, Results):
            turn = Results(tuple(_in_order(zip(turn.results, asked, strict=True), places, ids)))
        found.append(turn)
    return tuple(found)


def _in_order(
    answered: Iterable[tuple[ToolResult, Call | None]], places: Mapping[int, int], ids: Mapping[int, str]
) -> Iterator[ToolResult]:
    """Results by the `places` of their calls, which those of no call follow, each with the id of its call."""
    last = len(places)
    for result, call in sorted(answered, key=lambda one: last if one[1] is None else places[id(one[1])]):
        call_id = result.call_id if call is None else ids.get(id(call), result.call_id)
        yield result if call_id == result.call_id else replace(result, call_id=call_id)


def _sized(size: int, segments: Sequence[Segment], before: int) -> Sequence[Segment]:
    """The segments with ids of `size` letters and digits; `before` are the calls before them."""
    fit = {call.id for call in segments if isinstance(call, Call) and _fits(call.id, size)}
    free = (text for number in count(before) if (text := f"{number:0{size}}") not in fit)
    return [replace(one, id=next(free)) if isinstance(one, Call) and one.id not in fit else one for one in segments]


def _fits(text: str | None, size: int) -> bool:
    return text is not None and len(text) == size and text.isalnum() and text.isascii()


def _with_ids(spec: Spec, segments: Sequence[Segment]) -> Sequence[Segment]:
    """The segments with ids as the dialect writes them: those that calls have and it can carry, else new ones."""
    if "{index}" not in spec.ref:
        return with_ids(spec.ids, segments)
    calls = [one for one in segments if isinstance(one, Call)]
    taken = {call.id for call in calls if call.id is not None and names_call(spec.ref, call.id, call.name)}
    free, number = set(taken), 0
    done: list[Segment] = []
    for one in segments:
        if isinstance(one, Call):
            if one.id in free:
                free.remove(one.id)  # the first one has it
            else:
                while (text := join_ref(spec.ref, one.name, number)) in taken:
                    number += 1
                taken.add(text)
                one = replace(one, id=text)
            number += 1
        done.append(one)
    return done

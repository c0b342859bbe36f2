"""Results in the order of their calls, which is the only one that most notations tell, and ids as a dialect counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from toolect._values.ref import join_ref
from toolect.message import Call, Message, Segment
from toolect.turns import Assistant, Results, Turn, Waiting


def in_order_of_calls(turns: Sequence[Turn], ref: str = "", sampled: str = "") -> Sequence[Turn]:
    """The turns with the results of each in the order of their calls; the same ones where they are.

    Where a dialect counts its calls, as `ref` says, they have ids as it counts them, so that results name them; those
    of an answer whose text in the dialect `sampled` is at hand stay as they are.
    """
    counts = "{index}" in ref
    if not counts and not any(type(turn) is Results and len(turn.results) > 1 for turn in turns):
        return turns
    waiting = Waiting()
    places: dict[int, int] = {}  # of each call, by its identity
    ids: dict[int, str] = {}
    found: list[Turn] = []
    for turn in turns:
        asked = waiting.follow(turn)
        if isinstance(turn, Assistant):
            counted = counts and not (turn.text is not None and turn.dialect == sampled)
            for number, call in enumerate(turn.message.calls):
                places[id(call)] = len(places)
                ids[id(call)] = join_ref(ref, call.name, number) if counted else call.id or ""
            if counted:
                segments = [_with_id(one, ids) for one in turn.message.segments]
                turn = replace(turn, message=Message(segments, turn.message.repairs))
        elif isinstance(turn, Results):
            told = sorted(
                zip(turn.results, asked, strict=True),
                key=lambda one: len(places) if one[1] is None else places[id(one[1])],
            )
            named = (one if call is None or not counts else replace(one, call_id=ids[id(call)]) for one, call in told)
            turn = Results(tuple(named))
        found.append(turn)
    return tuple(found)


def _with_id(segment: Segment, ids: Mapping[int, str]) -> Segment:
    return replace(segment, id=ids[id(segment)]) if isinstance(segment, Call) else segment

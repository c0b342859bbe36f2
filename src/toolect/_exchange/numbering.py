"""Turns whose calls and results know each other by ids, as every API wants them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from toolect._exchange.plain_text import unread_text
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._turns import Assistant, PendingCalls, Results, Turn, User


def numbered(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns, where calls without an id are numbered, and each result has the id of its call.

    What is a result of no call, or of one that could not be read, is the user's turn: an error that it sees.
    """
    turns = list(turns)
    taken = {call.id for turn in turns if isinstance(turn, Assistant) for call in turn.message.calls}
    names = (f"call_{number}" for number in itertools.count(1))
    free = (name for name in names if name not in taken)
    waiting = PendingCalls()
    ids: dict[int, str] = {}  # of each call, by its identity
    for turn in turns:
        calls = waiting.follow(turn)
        if isinstance(turn, Results):
            found = [
                msgspec.structs.replace(result, call_id=ids[id(call)], name=result.name or call.name)
                for result, call in zip(turn.results, calls, strict=True)
                if call is not None and id(call) in ids
            ]
            if found:
                yield Results(tuple(found))
            pairs = zip(turn.results, calls, strict=True)
            yield from (User(one.output, one.media) for one, call in pairs if call is None or id(call) not in ids)
        elif isinstance(turn, Assistant):
            yield msgspec.structs.replace(turn, message=_with_ids(turn.message, free, ids))
        else:
            yield turn


def unread_as_text(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns, where a call that could not be read is content, in the model's words, its result the user's."""
    for turn in numbered(turns):
        if isinstance(turn, Assistant) and any(not call.runnable for call in turn.message.calls):
            message = turn.message
            texts = [message.content, *(unread_text(call) for call in message.calls if not call.runnable)]
            thoughts = [one for one in message.segments if isinstance(one, Reasoning)]
            content = Content("\n".join(filter(None, texts)))
            turn = Assistant(Message([*thoughts, content, *message.runnable]))
        yield turn


def _with_ids(message: Message, free: Iterator[str], ids: dict[int, str]) -> Message:
    """`message`, where each call that may be executed has an id of its own, which is noted in `ids`."""
    seen: set[str] = set()
    segments: list[Segment] = []
    for one in message.segments:
        if isinstance(one, Call) and one.runnable:
            chosen = ids[id(one)] = one.id if one.id and one.id not in seen else next(free)
            seen.add(chosen)
            one = msgspec.structs.replace(one, id=chosen)
        segments.append(one)
    return Message(segments, message.repairs)

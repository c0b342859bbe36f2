"""Wire text of one dialect as wire text of another, with a report of what was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from toolect.compiled import Dialect, Tools
from toolect.ir import Call, Message, Segment
from toolect.registry import dialect
from toolect.rendered import Unrepresentable


class Loss(msgspec.Struct, frozen=True):
    """Something that could not be carried over: segment number `segment`, the slot, why, and what shows it."""

    segment: int
    slot: str
    reason: str
    witness: str = ""


class Conversion(msgspec.Struct, frozen=True):
    """The converted text, the message it says, and what was left out of it."""

    text: str
    message: Message
    losses: tuple[Loss, ...] = ()


def convert(text: str, source: str, target: str, tools: Tools | None = None, prefix: str = "") -> Conversion:
    """`text` of dialect `source` in dialect `target`. Segments that the target cannot carry are left out and reported.

    Raises UnknownDialect.
    """
    given = list(tools) if tools is not None else None
    reader, writer = dialect(source), dialect(target)
    return carry(reader.parse(text, given, prefix=prefix), writer, given)


def carry(message: Message, writer: Dialect, given: Sequence[Mapping[str, Any]] | None = None) -> Conversion:
    """`message` in the dialect `writer`, without the segments that it cannot carry; `given` are tools."""
    kept: list[Segment] = []
    losses: list[Loss] = []
    for i, segment in enumerate(message.segments):
        if isinstance(segment, Call) and not segment.runnable:
            losses.append(Loss(i, "call", f"{segment.status}: {segment.error}", segment.raw[:80]))
            continue
        try:
            writer.render(Message((segment,)), given)
        except Unrepresentable as error:
            losses.append(Loss(i, error.slot, error.reason, error.witness))
        else:
            kept.append(segment)
    while True:
        try:
            return Conversion(writer.render(Message(tuple(kept)), given), message, tuple(losses))
        except Unrepresentable as error:
            # Each fits alone but not together: give up the last one, which has no place after the others.
            last = kept.pop()
            at = list(message.segments).index(last)
            losses.append(Loss(at, error.slot, error.reason, error.witness))

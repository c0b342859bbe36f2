"""Wire text of one dialect as wire text of another, with a report of what was lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, overload

import msgspec
from msgspec.structs import replace

from toolect._detection.guess import dialect
from toolect.compiled import Dialect, Tools
from toolect.message import Call, Message, Segment
from toolect.registry import AUTO
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


@overload
def convert(
    text: str, source: str = "auto", *, target: str, tools: Tools | None = None, prefix: str = ""
) -> Conversion: ...
@overload
def convert(text: str, source: str, target: str, tools: Tools | None = None, prefix: str = "") -> Conversion: ...
def convert(
    text: str, source: str = AUTO, target: str = "", tools: Tools | None = None, prefix: str = ""
) -> Conversion:
    """`text` of dialect `source` in dialect `target`. Segments that the target cannot carry are left out and reported.

    Raises UnknownDialect.
    """
    if not target:
        raise TypeError("expected a dialect to write as `target`, got none: see toolect.dialects()")
    given = list(tools) if tools is not None else None
    reader, writer = dialect(source), dialect(target)
    return carry(reader.parse(text, given, prefix=prefix), writer, given)


Write: TypeAlias = Callable[[Mapping[int, Segment]], str | Unrepresentable]
"""Segments, by their number, as a message in the other dialect, or why they are none."""


def carry(message: Message, writer: Dialect, given: Sequence[Mapping[str, Any]] | None = None) -> Conversion:
    """`message` in the dialect `writer`, without the segments that it cannot carry; `given` are tools."""

    def write(segments: Mapping[int, Segment]) -> str | Unrepresentable:
        try:
            return writer.render(Message(tuple(segments.values())), given)
        except Unrepresentable as error:
            return error

    losses: dict[int, Loss] = {}
    kept: dict[int, Segment] = {}
    for i, segment in enumerate(message.segments):
        if isinstance(segment, Call) and not segment.runnable:
            losses[i] = Loss(i, "call", f"{segment.status}: {segment.error}", segment.raw[:80])
        else:
            kept[i] = segment
    text = write(kept)
    if isinstance(text, Unrepresentable):
        _free_ids(kept, losses, write)
        text = _without_some(kept, losses, write)
    return Conversion(text, message, tuple(losses[i] for i in sorted(losses)))


def _free_ids(kept: dict[int, Segment], losses: dict[int, Loss], write: Write) -> None:
    """Take away the ids that are all that stands in the way of their calls: an id is no reason to lose a call."""
    for i, segment in kept.items():
        if not isinstance(segment, Call) or segment.id is None:
            continue
        found, free = write({i: segment}), replace(segment, id=None)
        if isinstance(found, Unrepresentable) and not isinstance(write({i: free}), Unrepresentable):
            kept[i], losses[i] = free, _loss(i, found)


def _without_some(kept: dict[int, Segment], losses: dict[int, Loss], write: Write) -> str:
    """The text without those of the `kept` segments that stand in its way, which become `losses`."""
    alone = {i: write({i: segment}) for i, segment in kept.items()}
    suspects = {i: kept.pop(i) for i, found in alone.items() if isinstance(found, Unrepresentable)}
    while isinstance(text := write(kept), Unrepresentable):
        # Each fits alone but not together: give up the last one, which has no place after the others.
        last = max(kept)
        del kept[last]
        losses[last] = _loss(last, text)
    for i, segment in suspects.items():
        # What does not fit alone may fit beside the others.
        more = dict(sorted({**kept, i: segment}.items()))
        found = write(more)
        if isinstance(found, Unrepresentable):
            why = alone[i]
            losses[i] = _loss(i, why if isinstance(why, Unrepresentable) else found)
        else:
            kept, text = more, found
    return text


def _loss(at: int, why: Unrepresentable) -> Loss:
    return Loss(at, why.slot, why.reason, why.witness)

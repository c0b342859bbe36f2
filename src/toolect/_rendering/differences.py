"""Differences between a message that was written and the one that was read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

from toolect._message import Call, Message, Segment, Status, dumps, same_json


class SegmentChange(StrEnum):
    """Change of a segment, or of a part of one."""

    LOST = "lost"
    """Nothing was read in its place."""
    ADDED = "added"
    """It was read and never written."""
    KIND = "kind"
    """A call, content or reasoning was read as another of these."""
    TEXT = "text"
    """Content or reasoning says something else."""
    NAME = "name"
    """A call has another name."""
    ARGUMENTS = "arguments"
    """A call has other arguments, or one of them another type."""
    RUNNABLE = "runnable"
    """A call that could be run no longer can, or the other way round."""
    REPAIRED = "repaired"
    """A call is read with a repair."""
    ID_LOST = "id-lost"
    """A call had an id and has none."""
    ID_MADE = "id-made"
    """A call had no id and has one."""
    ID_TAKEN = "id-taken"
    """The id that was made is another call's too."""
    ID_CHANGED = "id-changed"
    """A call has another id."""
    ORDER = "order"
    """The keys of the arguments are in another order, at any depth."""
    SPELLING = "spelling"
    """The arguments are spelled otherwise in JSON, whitespace apart."""


MEANING = frozenset(
    {
        SegmentChange.LOST,
        SegmentChange.ADDED,
        SegmentChange.KIND,
        SegmentChange.TEXT,
        SegmentChange.NAME,
        SegmentChange.ARGUMENTS,
        SegmentChange.RUNNABLE,
    }
)
"""Changes of what a message says, whoever reads it."""
IDS = frozenset({SegmentChange.ID_LOST, SegmentChange.ID_MADE, SegmentChange.ID_TAKEN, SegmentChange.ID_CHANGED})
"""Changes of ids, which many dialects have no place for."""


class SegmentDifference(NamedTuple):
    """A change of segment number `at`: the segment `old` as it was written, None if added, and `new`, None if lost."""

    change: SegmentChange
    at: int
    old: Segment | None
    new: Segment | None


def differences(message: Message, back: Message, counted: Collection[SegmentChange]) -> Iterator[SegmentDifference]:
    """The differences between a message and what was read `back`, in the order of segments, that are `counted`."""
    ids = Counter(call.id for call in back.calls)
    for at, (old, new) in enumerate(zip_longest(message.segments, back.segments)):
        for change in _changes(old, new, ids, counted):
            if change in counted:
                yield SegmentDifference(change, at, old, new)


def unchanged(message: Message, back: Message, counted: Collection[SegmentChange]) -> bool:
    """True when no `counted` change was made to the message."""
    return next(differences(message, back, counted), None) is None


def _changes(
    old: Segment | None, new: Segment | None, ids: Mapping[str | None, int], counted: Collection[SegmentChange]
) -> Iterator[SegmentChange]:
    match old, new:
        case None, _:
            yield SegmentChange.ADDED
        case _, None:
            yield SegmentChange.LOST
        case Call(), Call():
            yield from _call_changes(old, new, counted)
            if old.id is None and new.id is not None and ids[new.id] > 1:
                yield SegmentChange.ID_TAKEN
        case _ if type(old) is not type(new):
            yield SegmentChange.KIND
        case _ if old != new:
            yield SegmentChange.TEXT


def _call_changes(old: Call, new: Call, counted: Collection[SegmentChange]) -> Iterator[SegmentChange]:
    if old.name != new.name:
        yield SegmentChange.NAME
    if not same_json(old.arguments, new.arguments):
        yield SegmentChange.ARGUMENTS
    if old.runnable != new.runnable:
        yield SegmentChange.RUNNABLE
    if new.status is Status.REPAIRED:
        yield SegmentChange.REPAIRED
    if old.id != new.id:
        yield (
            SegmentChange.ID_MADE
            if old.id is None
            else SegmentChange.ID_LOST
            if new.id is None
            else SegmentChange.ID_CHANGED
        )
    # These cost as much as writing the arguments again.
    if SegmentChange.ORDER in counted and dumps(old.arguments) != dumps(new.arguments):
        yield SegmentChange.ORDER
    if SegmentChange.SPELLING in counted and "".join(old.arguments_text.split()) != "".join(new.arguments_text.split()):
        yield SegmentChange.SPELLING

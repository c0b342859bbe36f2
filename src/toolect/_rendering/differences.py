"""In what a message that was read back differs from the one that was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

from toolect._message import Call, Message, Segment, Status, dumps, same_json


class Change(StrEnum):
    """What became of a segment, or of a part of one."""

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
    {Change.LOST, Change.ADDED, Change.KIND, Change.TEXT, Change.NAME, Change.ARGUMENTS, Change.RUNNABLE}
)
"""Changes of what a message says, whoever reads it."""
IDS = frozenset({Change.ID_LOST, Change.ID_MADE, Change.ID_TAKEN, Change.ID_CHANGED})
"""Changes of ids, which many dialects have no place for."""


class SegmentDifference(NamedTuple):
    """A change of segment number `at`: the segment `old` as it was written, None if added, and `new`, None if lost."""

    change: Change
    at: int
    old: Segment | None
    new: Segment | None


def differences(message: Message, back: Message, counted: Collection[Change]) -> Iterator[SegmentDifference]:
    """The differences between a message and what was read `back`, in the order of segments, that are `counted`."""
    ids = Counter(call.id for call in back.calls)
    for at, (old, new) in enumerate(zip_longest(message.segments, back.segments)):
        for change in _changes(old, new, ids, counted):
            if change in counted:
                yield SegmentDifference(change, at, old, new)


def unchanged(message: Message, back: Message, counted: Collection[Change]) -> bool:
    """True when no `counted` change was made to the message."""
    return next(differences(message, back, counted), None) is None


def _changes(
    old: Segment | None, new: Segment | None, ids: Mapping[str | None, int], counted: Collection[Change]
) -> Iterator[Change]:
    match old, new:
        case None, _:
            yield Change.ADDED
        case _, None:
            yield Change.LOST
        case Call(), Call():
            yield from _call_changes(old, new, counted)
            if old.id is None and new.id is not None and ids[new.id] > 1:
                yield Change.ID_TAKEN
        case _ if type(old) is not type(new):
            yield Change.KIND
        case _ if old != new:
            yield Change.TEXT


def _call_changes(old: Call, new: Call, counted: Collection[Change]) -> Iterator[Change]:
    if old.name != new.name:
        yield Change.NAME
    if not same_json(old.arguments, new.arguments):
        yield Change.ARGUMENTS
    if old.runnable != new.runnable:
        yield Change.RUNNABLE
    if new.status is Status.REPAIRED:
        yield Change.REPAIRED
    if old.id != new.id:
        yield Change.ID_MADE if old.id is None else Change.ID_LOST if new.id is None else Change.ID_CHANGED
    # These cost as much as writing the arguments again.
    if Change.ORDER in counted and dumps(old.arguments) != dumps(new.arguments):
        yield Change.ORDER
    if Change.SPELLING in counted and "".join(old.arguments_text.split()) != "".join(new.arguments_text.split()):
        yield Change.SPELLING

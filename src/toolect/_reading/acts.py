"""What matching a run of markers does: acts, each at a place of the text that was matched."""

from __future__ import annotations

from typing import NamedTuple

# Plain integers: an enum's members cost a look-up each where they are run.
KEY, BEGIN_CALL, END_CALL, NAME, REF, ID, NAME_AGAIN, KEY_AGAIN, BEGIN_LIST, BEGIN_OBJECT, END_VALUE = range(11)


class Action(NamedTuple):
    """An act and its place: the group it takes, or `offset` characters after the end of `group` (0: the start)."""

    act: int
    group: int
    offset: int

"""An object or list that is open while calls in JSON are read."""

from __future__ import annotations

from toolect._message import Json
from toolect._shapes.narrowing import NOWHERE, Members, ValuePlace
from toolect._shapes.shape_events import Repaired


class ShapeFrame:
    """An object or list that is open, what it may be, and the call it is or is a part of."""

    __slots__ = (
        "begun", "beside", "called", "hidden", "identity", "is_object", "item", "keys", "losing", "lost", "members",
        "others", "owner", "renamed", "start", "strange", "untold",
    )  # fmt: skip

    def __init__(self, is_object: bool, members: Members, item: ValuePlace, start: int) -> None:
        self.is_object = is_object
        self.members = members  # what the object may be
        self.item = item  # what an item of the list may be
        self.start = start
        self.owner: ShapeFrame | None = None  # the frame of the call that this may be a part of
        self.begun = False  # it is a call
        self.beside: list[str] = []  # keys of its call that are not in the shape
        self.called = False  # a call is one of its items
        self.identity: Json = None  # the id that came before that was known
        self.keys: list[str] = []  # all that have come
        self.others: list[str] = []  # those that stand for one of the shape, as they are spelled
        self.renamed: list[Repaired] = []  # what is noted of such keys in the call
        self.strange = False  # one of them is not in the shape
        self.lost = -1  # where the value at such a key begins: the arguments may be lost in it
        self.hidden = False  # it is an object
        self.losing = -1, -1  # the part of the call that has that key
        self.untold: tuple[str, Json, int, int] | None = None  # a text: its key, it, and where it stands


IN_OBJECT = ShapeFrame(True, NOWHERE.object, NOWHERE, -1)
"""An object inside arguments."""
IN_LIST = ShapeFrame(False, NOWHERE.object, NOWHERE, -1)
"""A list inside arguments."""

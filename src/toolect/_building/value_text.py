"""The JSON text of values in a value language, written while they are read."""

from __future__ import annotations

from toolect._building.draft import Draft
from toolect._building.frame import Frame
from toolect._message import dumps
from toolect._spec.model import Role


class ValueText:
    """Writes each piece of a value as soon as it has been read."""

    __slots__ = ("_draft",)

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, text: str) -> None:
        """More of the text."""
        self._draft.write(text)

    def begin(self, owner: Frame | None) -> None:
        """A value begins, inside of `owner`: write its key, or the comma between items."""
        if owner is None:
            if self._draft.call is not None:
                self._draft.write_key(self._draft.call)
        elif owner.role is Role.ARRAY:
            self.write(", " if owner.items else "[")
        elif owner.role is Role.OBJECT and owner.member:
            self.write((", " if owner.entries else "{") + dumps(owner.key) + ": ")

    def string(self, frame: Frame, text: str) -> None:
        """More of a string."""
        self.write(dumps(text)[:-1] if not frame.said else dumps(text)[1:-1])
        frame.said = True

    def item(self, owner: Frame) -> None:
        """The key that came last is an item of a set."""
        self.write((", " if owner.items else "[") + dumps(owner.alone))

    def key(self, owner: Frame) -> None:
        """The next key of the outermost object is known; its value decides what is written of it."""

    def end(self, frame: Frame) -> None:
        """A value inside of another is complete."""
        self.write(frame.closing)

    def finish(self, frame: Frame) -> None:
        """The outermost value is complete."""
        self.write(frame.closing)


class LateText(ValueText):
    """Writes an entry of the outermost object when the next key has come: before it, the value may become a list."""

    __slots__ = ()

    def write(self, text: str) -> None:
        """Write nothing: the text is in the middle of an entry."""

    def begin(self, owner: Frame | None) -> None:
        """Write nothing before a value."""

    def key(self, owner: Frame) -> None:
        """Write the last entry, unless the next has the same key; a value that is one argument waits for its end."""
        call = self._draft.call
        if call is not None and call.key is None and owner.entries and owner.entries[-1][0] != owner.key:
            self._entry(owner)

    def finish(self, frame: Frame) -> None:
        """Write what has waited."""
        call = self._draft.call
        if call is None:
            return
        if frame.role is Role.OBJECT and frame.entries and call.key is None:
            self._entry(frame)
            self._draft.write("}")
        else:
            self._draft.write_key(call)
            self._draft.write(dumps(frame.value))

    def _entry(self, owner: Frame) -> None:
        key, value = owner.entries[-1]
        self._draft.write((", " if owner.said else "{") + dumps(key) + ": " + dumps(value))
        owner.said = True

"""Who is told how a text is read: of every lexeme, and of what could not be read."""

from __future__ import annotations

from toolect._graph.symbols import Key
from toolect._spec.grammar_model import SlotKind


class Watcher:
    """Is told of each step of reading before it is taken; here it does nothing. Offsets are characters of the text."""

    def shifted(self, key: Key, start: int, end: int) -> None:
        """A marker or terminal is gone over, characters `start:end`."""

    def implied(self, core: str, at: int) -> None:
        """A marker is gone over that is missing at character `at`."""

    def slot_begun(self, kind: SlotKind, at: int) -> None:
        """A slot begins at character `at`."""

    def slot_ended(self, end: int) -> None:
        """The slot that began last ends at character `end`."""

    def lost(self, at: int, expected: tuple[str, ...]) -> None:
        """Nothing that may come next, which would be `expected`, is at character `at`."""

    def restarted(self) -> None:
        """Reading begins again at the start of the grammar, whatever is open."""

    def gave_back(self, start: int, end: int) -> None:
        """Characters `start:end`, which looked like a call, are free text."""

"""A log of reading: the lexemes of a text, and where it could not be read on."""

from __future__ import annotations

from msgspec import Struct

from toolect._graph.node import Node
from toolect._graph.symbols import Key
from toolect._reading.course import expectations
from toolect._reading.watcher import Watcher
from toolect._spec.grammar_model import SlotKind


class Lexeme(Struct):
    """A marker, terminal or slot that was gone over: its `key` in the network, and characters `start:end`.

    `fresh`: reading began again at the start of the grammar, whatever was open. `end` is -1 for a slot that the end of
    the input cut off.
    """

    key: Key
    start: int
    end: int
    implied: bool = False
    fresh: bool = False


class Trouble(Struct, frozen=True):
    """A character at which nothing that the grammar has next could be read, and what that would have been."""

    at: int
    expected: tuple[str, ...]


class Log(Watcher):
    """Writes down the lexemes that are gone over, and the troubles."""

    def __init__(self) -> None:
        self.lexemes: list[Lexeme] = []
        self.troubles: list[Trouble] = []
        self._fresh = False  # reading has begun again, and nothing was read since

    def shifted(self, key: Key, start: int, end: int) -> None:
        """A marker or terminal."""
        self._add(key, start, end)

    def implied(self, core: str, at: int) -> None:
        """A marker that is missing."""
        self._add(core, at, at, implied=True)

    def slot_begun(self, kind: SlotKind, at: int) -> None:
        """A slot begins."""
        self._add(kind, at, -1)

    def slot_ended(self, end: int) -> None:
        """It ends."""
        self.lexemes[-1].end = end

    def lost(self, at: int, expected: tuple[str, ...]) -> None:
        """Nothing that was expected came."""
        self.troubles.append(Trouble(at, expected))

    def restarted(self) -> None:
        """The next lexeme is read at the start of the grammar."""
        self._fresh = True

    def open_ends(self, node: Node) -> tuple[str, ...]:
        """What the end of the input cut off, at `node`: what would have had to come."""
        last = self.lexemes[-1] if self.lexemes else None
        if last is not None and last.end < 0 and last.key in node.choices:
            after = node.step(last.key).node
            rest = ("the rest of a JSON value",) if last.key is SlotKind.JSON else ()
            return rest or tuple(expectations(after))
        return tuple(expectations(node))

    def _add(self, key: Key, start: int, end: int, implied: bool = False) -> None:
        self.lexemes.append(Lexeme(key, start, end, implied, self._fresh))
        self._fresh = False

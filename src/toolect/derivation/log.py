"""A machine that writes down what it takes: the lexemes of a text, and where it could not read on."""

from __future__ import annotations

from msgspec import Struct

from toolect.compile.graph import Graph
from toolect.compile.node import Node
from toolect.engine.builder import Builder
from toolect.engine.code_slot import CodeSlot
from toolect.engine.escaped_slot import EscapedSlot
from toolect.engine.machine import Machine
from toolect.engine.recovery import expectations
from toolect.engine.text_slot import TextSlot
from toolect.ir import RepairKind
from toolect.spec.model import SlotKind


class Lexeme(Struct):
    """A marker, terminal or slot that was gone over: its `key` in the network, and characters `start:end`.

    `fresh`: reading began again at the start of the grammar, whatever was open. `end` is -1 for a slot that the end of
    the input cut off.
    """

    key: str
    start: int
    end: int
    implied: bool = False
    fresh: bool = False


class Trouble(Struct, frozen=True):
    """A character at which nothing that the grammar has next could be read, and what that would have been."""

    at: int
    expected: tuple[str, ...]


class LoggingMachine(Machine):
    """Reads as any machine does, and keeps a log."""

    __slots__ = ("_begun", "_slot", "lexemes", "troubles")

    def __init__(self, graph: Graph, builder: Builder) -> None:
        self.lexemes: list[Lexeme] = []
        self.troubles: list[Trouble] = []
        self._begun = graph.start
        super().__init__(graph, builder)

    @property
    def text(self) -> TextSlot | EscapedSlot | CodeSlot | None:
        """The text slot that is open."""
        return self._slot

    @text.setter
    def text(self, slot: TextSlot | EscapedSlot | CodeSlot | None) -> None:
        self._slot = slot
        if isinstance(slot, TextSlot) and slot.skip:
            expected = ("less nesting",) if self._gave_up else tuple(expectations(slot.node))
            self.troubles.append(Trouble(slot.start, expected))
        elif isinstance(slot, CodeSlot) and slot.failed:
            self.troubles.append(Trouble(self.base + self.pos, tuple(expectations(self.node))))

    def enter_slot(self, kind: SlotKind, at: int) -> None:
        """Begin a slot."""
        self._log(Lexeme(kind, at, -1))
        super().enter_slot(kind, at)

    def leave_slot(self, kind: SlotKind, end: int) -> None:
        """End a slot."""
        self.lexemes[-1].end = end
        super().leave_slot(kind, end)

    def shift(self, key: str, start: int, end: int, text: str = "", lexed: bool = False) -> None:
        """Go over a marker or terminal."""
        self._log(Lexeme(key, start, end))
        super().shift(key, start, end, text, lexed)

    def imply(self, core: str, at: int, repair: RepairKind) -> None:
        """Go over a marker that is missing."""
        self._log(Lexeme(core, at, at, implied=True))
        super().imply(core, at, repair)

    def open_ends(self) -> tuple[str, ...]:
        """What the end of the input cut off: what would have had to come."""
        node: Node = self.node
        last = self.lexemes[-1] if self.lexemes else None
        if last is not None and last.end < 0 and last.key in node.choices:
            after = node.step(last.key).node
            rest = ("the rest of a JSON value",) if last.key == SlotKind.JSON else ()
            return rest or tuple(expectations(after))
        return tuple(expectations(node))

    def _log(self, lexeme: Lexeme) -> None:
        if self._gave_up:
            lexeme.fresh = True
            self._begun = self.graph.start
        self.lexemes.append(lexeme)

    @property
    def _gave_up(self) -> bool:
        """True when the graph was started afresh under a text that nests too deep, and nothing was read since."""
        return self.graph.start is not self._begun and self.node is self.graph.start

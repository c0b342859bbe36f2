"""The parse trace: the lexemes of the reading that won, and where the grammar could not go on."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from toolect._graph.expectations import expectations
from toolect._graph.node import Node
from toolect._graph.symbols import Key
from toolect._spec.grammar_model import SlotKind


class Lexeme(Struct):
    """A marker, terminal or slot that was gone over: its `key` in the network, and characters `start:end`.

    `fresh`: reading began again, whatever was open. `end` is -1 for a slot that the end of the input cut off.
    """

    key: Key
    start: int
    end: int
    implied: bool = False
    fresh: bool = False


class DeadEnd(NamedTuple):
    """A character at which nothing that the grammar has next could be read, and what that would have been."""

    at: int
    expected: tuple[str, ...]


class Trace:
    """The lexemes and the troubles, each in the order of the text."""

    def __init__(self) -> None:
        self.lexemes: list[Lexeme] = []
        self.troubles: list[DeadEnd] = []

    def open_ends(self, node: Node) -> tuple[str, ...]:
        """The symbols that the end of the input cut off, at `node`."""
        last = self.lexemes[-1] if self.lexemes else None
        if last is not None and last.end < 0 <= last.start and last.key in node.choices:
            after = node.step(last.key).node
            rest = ("the rest of a JSON value",) if last.key is SlotKind.JSON else ()
            return rest or tuple(expectations(after))
        return tuple(expectations(node))

    def read_from(self, at: int) -> None:
        """The next lexeme begins at character `at`: one that was given up before its end ends there."""
        lexemes = self.lexemes
        while lexemes and (lexemes[-1].end > at or lexemes[-1].end < 0 <= lexemes[-1].start):
            if lexemes[-1].start < at:
                lexemes[-1].end = at
            else:
                lexemes.pop()

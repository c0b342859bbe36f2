"""JSON states: what is open in a JSON value, what may come next, and what of it has been passed on."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from toolect._search.actions import PutJson, RawJson, StringJson
from toolect._search.hypothesis import Act


class Next(IntEnum):
    """Token that may come next, or the string that is open."""

    VALUE = 1
    VALUE_OR_END = 2
    VALUE_AFTER_COMMA = 3
    KEY = 4
    KEY_OR_END = 5
    COLON = 6
    AFTER_VALUE = 7
    IN_STRING = 8
    IN_KEY = 9


IN_TEXT: Final = (Next.IN_STRING, Next.IN_KEY)


class Slips:
    """Slips, as bits, that one who makes them once makes again: they cost once in a value."""

    NONE: Final = 0
    QUOTE: Final = 1
    KEY: Final = 2
    WORD: Final = 4
    NEWLINE: Final = 8
    WIDE: Final = 16
    COMMENT: Final = 32
    COMMA: Final = 64
    COLON: Final = 128
    REOPEN: Final = 256
    OTHER: Final = 512
    FENCED: Final = 1024
    """A fence is open around it."""
    QUOTED: Final = 2048
    """The arguments stand between quotes that are not escaped in them."""
    ODD: Final = 4096
    """An odd number of quotes was taken for the last string's own."""


LOOSE: Final = Slips.QUOTE | Slips.KEY | Slips.WORD | Slips.NEWLINE
"""Slips that are none in a value language."""


class JsonState:
    """The state of one JSON value; states that are equal read on alike. Places are characters of the answer."""

    __slots__ = (
        "after_string", "bare", "depth", "delimiter", "empty", "evidence", "expects", "flat", "found", "key",
        "last_quote", "name", "past", "pending", "piece", "quote", "reopened", "sole", "stack", "start", "string",
        "styles", "emitted", "unit", "wrapped",
    )  # fmt: skip

    def __init__(self, start: int, bare: bool) -> None:
        self.stack = ""
        """The brackets that are open."""
        self.expects = Next.VALUE
        self.start = self.emitted = self.string = self.unit = self.past = self.after_string = start
        """Characters: the beginning of the value, the end of the emitted part, the beginnings of the last string and
        object, the end of the search for the value's end in a string, and the end of the last string.
        """
        self.pending = ""
        """JSON that is put in before what comes next."""
        self.last_quote: int | None = None
        """The character of the last string's closing quote, until that is emitted."""
        self.quote = '"'
        """Closing sign of the string that is open, or of the last one."""
        self.key = self.name = ""
        """The last key, and the name of the call that the value says."""
        self.flat = False
        """Any key beside that name is an argument."""
        self.sole = False
        """The string that is open is the only argument, in the place of all."""
        self.bare = bare
        """It stands without markers, and is only perhaps a call."""
        self.found = 0
        """Bits: a call's name (1) and its arguments (2) have come."""
        self.depth = 0
        """Number of brackets around the arguments."""
        self.styles: int = Slips.NONE
        self.reopened = self.piece = 0
        """Quotes that were taken for the string's own, and the character after the last of them."""
        self.evidence = 0
        self.empty: tuple[str, ...] = ()
        """Of a value of a value language: the markers for which it stands."""
        self.wrapped = False
        """It is an object of all arguments, where the dialect has them one by one."""
        self.delimiter = ""
        """The quote of that language, where it is no sign of JSON."""

    def _identity(self) -> tuple[object, ...]:
        last = self.quote if self.expects in IN_TEXT else self.last_quote
        return self.stack, self.expects, self.bare, self.found, self.depth, self.start, last

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JsonState) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def copy(self) -> JsonState:
        """A state of its own."""
        new = JsonState(self.start, self.bare)
        new.after_string, new.bare, new.depth, new.delimiter = self.after_string, self.bare, self.depth, self.delimiter
        new.empty, new.evidence, new.expects, new.found = self.empty, self.evidence, self.expects, self.found
        new.key, new.last_quote, new.past, new.pending = self.key, self.last_quote, self.past, self.pending
        new.piece, new.quote, new.reopened, new.stack = self.piece, self.quote, self.reopened, self.stack
        new.start, new.string, new.styles, new.emitted = self.start, self.string, self.styles, self.emitted
        new.unit, new.name, new.sole, new.wrapped = self.unit, self.name, self.sole, self.wrapped
        new.flat = self.flat
        return new

    @property
    def loose(self) -> bool:
        """True when the grammar has no JSON here."""
        return self.wrapped or bool(self.empty)

    @property
    def in_object(self) -> bool:
        """True inside an object."""
        return self.stack.endswith("{")

    @property
    def even(self) -> bool:
        """True when the quotes of the string that was read last are even without one that ends it."""
        return bool(self.styles & Slips.ODD) and self.piece > self.string

    @property
    def called(self) -> bool:
        """True when the name and the arguments of a call have come."""
        return self.found == 3

    def closers(self) -> str:
        """The brackets that close all that is open."""
        return closers(self.stack)


def closers(stack: str) -> str:
    """The brackets that close these, the innermost first."""
    return "".join("}" if bracket == "{" else "]" for bracket in reversed(stack))


class EmittedValue:
    """Emission of a value, in order: strings as JSON has them, all else as it is. It changes the state."""

    __slots__ = ("acts", "state")

    def __init__(self, state: JsonState) -> None:
        self.state = state
        self.acts: list[Act] = []

    def upto(self, at: int) -> None:
        """Pass on all up to character `at`, which is in no string."""
        state, acts = self.state, self.acts
        if state.last_quote is not None:
            acts.append(StringJson(state.emitted, state.last_quote, state.quote, '"'))
            state.last_quote, state.emitted = None, state.after_string
        if state.pending:
            acts.append(PutJson(state.pending, state.emitted))
            state.pending = ""
        if at > state.emitted:
            acts.append(RawJson(state.emitted, at))
            state.emitted = at

    def string_upto(self, at: int) -> None:
        """Pass on the string that is open up to character `at`."""
        state = self.state
        if at > state.emitted:
            self.acts.append(StringJson(state.emitted, at, state.quote, ""))
            state.emitted = at

    def between(self) -> tuple[str, int]:
        """The signs between tokens that are to be emitted, with those put in, and the character they begin at."""
        state = self.state
        return state.pending, max(state.emitted, state.after_string if state.last_quote is not None else 0)

    def __iter__(self) -> Iterator[Act]:
        return iter(self.acts)

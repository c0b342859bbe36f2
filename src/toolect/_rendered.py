"""Rendered wire text, which knows its parts, and the error for what a dialect cannot carry."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from toolect._errors import ToolectError


class RenderError(ToolectError, ValueError):
    """The dialect cannot carry a value: `slot` names the place, `reason` says why, `witness` shows it."""

    __module__ = "toolect"

    def __init__(self, slot: str, reason: str, witness: str = "") -> None:
        shown = f": {witness[:80]!r}" if witness else ""
        super().__init__(f"{slot}: {reason}{shown}")
        self.slot, self.reason, self.witness = slot, reason, witness

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.slot, self.reason, self.witness)


class BreakOutError(RenderError):
    """A text would break out of its place, and no other form of it is looked for."""

    __module__ = "toolect"

    def __init__(self, slot: str, reason: str, witness: str = "", at: Sequence[Any] = ()) -> None:
        """`at` are the texts that may be the reason, the likeliest first."""
        super().__init__(slot, reason, witness)
        self.at = at


class Part(StrEnum):
    """Kind of a stretch of rendered text."""

    MARKUP = "markup"
    CONTENT = "content"
    REASONING = "reasoning"
    NAME = "name"
    ID = "id"
    KEY = "key"
    VALUE = "value"
    ARGUMENTS = "arguments"


class PartSpan(NamedTuple):
    """Characters `start:end` of the rendered text are `part`, of segment number `segment` (-1 for none)."""

    start: int
    end: int
    part: Part
    segment: int


class Rendered(str):
    """Wire text with the provenance of its characters, markup or a part of a segment: `spans` tile it.

    `dialect` is the one that it is in, where that is known.
    """

    __slots__ = ("dialect", "spans")
    spans: tuple[PartSpan, ...]
    dialect: Any

    def __new__(cls, text: str, spans: tuple[PartSpan, ...] = (), dialect: Any = None) -> Rendered:
        self = super().__new__(cls, text)
        self.spans = spans
        self.dialect = dialect
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Rendered, (str(self), self.spans, self.dialect)

"""Writes JSON values in a value language, whose rules are named after what they hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Final

from toolect._graph.symbols import split_space
from toolect._message import Json, dumps
from toolect._rendered import Part, RenderError
from toolect._rendering.output import Later, OutputPiece, RenderedOutput
from toolect._rendering.walk import DataCursor, Leaf, Walk
from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Slot, SlotKind
from toolect._spec.leaves import leaves
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Spec
from toolect._values.codec import encode, faithful
from toolect._values.escapes import LEAD
from toolect._values.trees import is_finite

_HOLDS: dict[str, Callable[[Json], bool]] = {
    Role.OBJECT: lambda v: isinstance(v, dict),
    Role.PAIR: lambda v: isinstance(v, tuple),
    Role.PAIR_KEY: lambda v: isinstance(v, str),
    Role.ARRAY: lambda v: isinstance(v, list),
    Role.TUPLE: lambda _: False,  # lists are written as such
    Role.STRING: lambda v: isinstance(v, str),
    Role.NUMBER: lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    Role.TRUE: lambda v: v is True,
    Role.FALSE: lambda v: v is False,
    Role.NULL: lambda v: v is None,
    Role.SCALAR: lambda v: not isinstance(v, dict | list) or not v,
    Role.JSON: lambda _: True,
}
"""Rule → the values it can hold. Other rules only lead to these."""


_WORDS: Final = (Role.NUMBER, Role.TRUE, Role.FALSE, Role.NULL)
_SPELLED: Final = (Role.NUMBER, Role.PAIR_KEY, Role.STRING, Role.SCALAR)
"""Rules whose values a terminal may spell."""


class ValueWriter(Walk):
    """Writes one value. An object's items are its pairs, a pair's its key and its value."""

    def __init__(self, spec: Spec, whole: RenderedOutput, markers: Sequence[str]) -> None:
        super().__init__(spec, RenderedOutput(), markers)
        self.whole = whole

    def write(self, name: str, cursor: DataCursor) -> None:
        """Write the next value as rule `name`. Containers inside others wait their turn: depth costs no stack."""
        left: list[OutputPiece | Later] = []
        self.out.rewind(0)
        self.rule(name, cursor)
        while left or self.out.pieces:
            left += reversed(self.out.pieces)
            self.out.rewind(0)
            piece = left.pop()
            if isinstance(piece, Later):
                self.container(piece.rule, piece.value)
            else:
                self.whole.write(piece.text, piece.part)

    def part(self, part: Leaf, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write a rule, a number, a bare key, or the text of a string."""
        match part:
            case Ref(name, again):
                self.rule(name, DataCursor(cursor.items[:1]) if again else cursor, closer)
            case Pattern(regex, name):
                self.terminal(regex, name, inside, cursor, closer)
            case Slot():
                self.slot(part, inside, cursor, closer)

    def part_takes(self, part: Leaf, inside: str, cursor: DataCursor) -> bool:
        """True when `part` can hold the next value."""
        match part:
            case Ref(name):
                return self.rule_takes(name, cursor)
            case Pattern():
                return inside in _SPELLED and not cursor.done
            case Slot():
                return inside in (Role.SCALAR, Role.JSON) or isinstance(cursor.next, str)

    def rule(self, name: str, cursor: DataCursor, closer: str = "") -> None:
        """Write rule `name` with the next value; `closer` is the marker that follows it."""
        expr = self.spec.rules[name].expr
        if name not in _HOLDS:
            self.expr(expr, name, cursor, closer)
            return
        value = cursor.take(name)
        if not _HOLDS[name](value):
            raise RenderError(name, "has no place for this value", dumps(value))
        match name:
            case Role.OBJECT | Role.ARRAY:
                self.out.wait(name, value)
            case Role.PAIR:
                self.expr(expr, name, DataCursor(value))
            case Role.TRUE | Role.FALSE | Role.NULL:
                self.expr(_first(expr), name, DataCursor(()))
            case _:
                self.expr(expr, name, DataCursor([value]), closer)

    def container(self, name: str, value: Json) -> None:
        """Write an object or array as rule `name`: all of its items must find a place."""
        items = list(value.items()) if isinstance(value, dict) else value
        cursor = DataCursor(sorted(items) if self.sort and isinstance(value, dict) else items)
        self.expr(_first(self.spec.rules[name].expr), name, cursor)
        if not cursor.done:
            raise RenderError(name, f"no place for all items, expected {cursor.at}, got {len(items)}")

    def rule_takes(self, name: str, cursor: DataCursor) -> bool:
        """True when rule `name` can hold the next value."""
        if name in _HOLDS:
            return not cursor.done and _HOLDS[name](cursor.next)
        return self.takes(self.spec.rules[name].expr, name, cursor)

    def terminal(self, regex: str, name: str, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write a number, a bare key or a bare word; other terminals only decorate."""
        if inside not in _SPELLED:
            raise RenderError(name, "nothing in a value fills this terminal")
        value = cursor.take(inside)
        if inside in (Role.STRING, Role.SCALAR):
            codec = said_of(self.spec.codecs, inside, name) or Codec(CodecKind.JSON_OR_TEXT)
            self.check_bare(codec, inside, value)
            self.fits(regex, self.escaped(name, inside, self.text(codec, inside, value), closer), inside, Part.VALUE)
        elif inside == Role.PAIR_KEY:
            self.fits(regex, self.escaped(name, inside, value, closer), "object key", Part.VALUE)
        elif isinstance(value, float) and not math.isfinite(value):
            raise RenderError("number", "expected a finite number", str(value))
        else:
            self.fits(regex, dumps(value), "number", Part.VALUE)

    def check_bare(self, codec: Codec, inside: str, word: Json) -> None:
        """Refuse a text that, as a bare word, is a number, true, false or null, or another value by its codec."""
        if not isinstance(word, str):
            return
        parts = (part for name in _WORDS if name in self.spec.rules for part in leaves(self.spec.rules[name].expr))
        other = any(
            isinstance(part, Literal)
            and word in part.texts
            or isinstance(part, Pattern)
            and re.fullmatch(part.regex, word)
            for part in parts
        )
        typed = inside == Role.SCALAR and codec.kind is not CodecKind.SCHEMA
        if other or typed and not faithful(codec, word, None):
            raise RenderError(inside, "would be read back as another value", dumps(word))

    def slot(self, slot: Slot, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write the text of a string, scalar or key, or a JSON value."""
        kind, value = slot.kind, cursor.take(inside)
        if not is_finite(value):
            raise RenderError(inside, "expected finite numbers", dumps(value))
        codec = self.spec.codecs.get(f"{inside}/{kind}") or Codec(CodecKind.JSON_OR_TEXT)
        if inside == Role.SCALAR:
            self.check_bare(codec, inside, value)
        text = dumps(value) if kind is SlotKind.JSON else self.text(codec, inside, value)
        text = self.escaped(slot, inside, text, closer)
        core = split_space(closer)[1]
        hidden = codec.escapes is not None and core.startswith(LEAD[codec.escapes])
        if core and kind is SlotKind.TEXT and core in text and not hidden:
            raise RenderError("string", "holds the marker that ends it", core)
        self.out.write(text, Part.VALUE)

    def text(self, codec: Codec, inside: str, value: Json) -> str:
        """The text of a string or scalar; an empty container is no text at all."""
        if isinstance(value, dict | list):
            return ""
        try:
            return encode(codec, value)
        except ValueError as error:
            raise RenderError(inside, str(error), dumps(value)) from None


def _first(expr: Expr) -> Expr:
    """The canonical one of several spellings."""
    return expr.items[0] if isinstance(expr, Alt) else expr

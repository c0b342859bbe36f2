"""Walks the expressions of a grammar and writes them: literals as they stand, the rest from data."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

from toolect._graph.symbols import split_space
from toolect._rendered import Part, RenderError
from toolect._rendering.output import RenderedOutput
from toolect._spec.codec_model import Layout
from toolect._spec.grammar_model import Alt, Escapes, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.map_keys import said_of
from toolect._spec.model import Computed, Role, Spec
from toolect._values.cdata import in_section, is_closing
from toolect._values.escapes import escape

NOTHING = object()
Leaf: TypeAlias = Ref | Pattern | Slot
"""Expression without parts, which holds data."""


class DataCursor:
    """The data that a stretch of grammar is filled from, in order; `key` is the argument's when it is a value."""

    __slots__ = ("at", "items", "key")

    def __init__(self, items: Sequence[Any], key: str | None = None) -> None:
        self.items, self.at, self.key = items, 0, key

    @property
    def next(self) -> Any:
        """The next item, or NOTHING."""
        return self.items[self.at] if self.at < len(self.items) else NOTHING

    @property
    def done(self) -> bool:
        """True when no item is left."""
        return self.at >= len(self.items)

    def take(self, what: str) -> Any:
        """The next item, for `what`; there must be one."""
        if self.done:
            raise RenderError(what, "expected one here, got nothing")
        self.at += 1
        return self.items[self.at - 1]


class Walk(ABC):
    """Writes expressions. What rules, terminals and slots stand for is the subclass's to say: in `part`."""

    def __init__(self, spec: Spec, out: RenderedOutput, markers: Sequence[str] = ()) -> None:
        self.spec, self.out = spec, out
        self.markers = markers
        """Markers that may end a text of the dialect, wherever it stands."""
        self.sort = spec.policies.key_order == "sorted"
        self.passed_over: RenderError | None = None
        """Error of the last alternative that was passed over."""

    @abstractmethod
    def part(self, part: Leaf, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write `part` of rule `inside` with data from `cursor`; `closer` is the marker that follows it."""

    @abstractmethod
    def part_takes(self, part: Leaf, inside: str, cursor: DataCursor) -> bool:
        """True when `part` of rule `inside` needs what `cursor` has next."""

    def expr(self, expr: Expr, inside: str, cursor: DataCursor, closer: str = "") -> None:
        """Write `expr` of rule `inside`, taking data from `cursor`; `closer` is the marker that follows it."""
        match expr:
            case Literal(text):
                self.out.write(text)
            case Seq(items):
                for item, after in zip(items, (*items[1:], None), strict=False):
                    self.expr(item, inside, cursor, after.text if isinstance(after, Literal) else closer)
            case Repeat():
                self.repeat(expr, inside, cursor)
            case Alt(items):
                self.choose(items, inside, cursor, closer)
            case Pattern(regex, name) if (written := self.written(inside, name, cursor)) is not None:
                what = self.spec.written.get(f"{inside}/{name}") or self.spec.written[name]
                if what == Computed.LENGTH:
                    why = "says how long something is, which nothing computes: write such a call with code of your own"
                    raise RenderError(name, why)
                self.fits(regex, written, what.removeprefix("$"), Part.MARKUP)
            case Ref() | Pattern() | Slot():
                self.part(expr, inside, cursor, closer)

    def repeat(self, expr: Repeat, inside: str, cursor: DataCursor) -> None:
        """Write the item for as long as there is data for it."""
        done = 0
        while done < expr.least or self.takes(expr.item, inside, cursor):
            at = cursor.at
            self.expr(expr.item, inside, cursor)
            done += 1
            if expr.once or cursor.at == at:
                break

    def choose(self, items: Sequence[Expr], inside: str, cursor: DataCursor, closer: str) -> None:
        """Write the first of `items` that takes data; when none does, the first that can be written."""
        items = [item for item in items if not self._is_unwritten(item)] or items
        options = [item for item in items if self.takes(item, inside, cursor)] or items
        idle: Expr | None = None
        for option in options:
            mark, at = self.out.mark(), cursor.at
            try:
                self.expr(option, inside, cursor, closer)
            except RenderError as error:
                self.passed_over = error
            else:
                if cursor.done or cursor.at > at:
                    self.passed_over = None
                    return
                idle = idle or option
            self.out.rewind(mark)
            cursor.at = at
        if idle is None:
            assert self.passed_over is not None
            raise self.passed_over
        self.expr(idle, inside, cursor, closer)

    def _is_unwritten(self, item: Expr) -> bool:
        """True for an alternative with a rule that is read, and never written."""
        parts = item.items if isinstance(item, Seq) else (item,)
        return any(isinstance(part, Ref) and part.rule in self.spec.unwritten for part in parts)

    def takes(self, expr: Expr, inside: str, cursor: DataCursor) -> bool:
        """True when the first thing that `expr` needs is what `cursor` has next."""
        match expr:
            case Literal():
                return False
            case Seq(items):
                for item in items:
                    if self.takes(item, inside, cursor):
                        return True
                    if not self.is_fixed(item, inside, cursor) and not (isinstance(item, Repeat) and item.least == 0):
                        return False
                return False
            case Alt(items):
                return any(self.takes(item, inside, cursor) for item in items)
            case Repeat(item):
                return self.takes(item, inside, cursor)
            case Pattern(_, name) if self.written(inside, name, cursor) is not None:
                return False
            case Ref() | Pattern() | Slot():
                return self.part_takes(expr, inside, cursor)

    def is_fixed(self, expr: Expr, inside: str, cursor: DataCursor) -> bool:
        """True for what is written alike whatever the data."""
        return isinstance(expr, Literal) or (
            isinstance(expr, Pattern) and self.written(inside, expr.name, cursor) is not None
        )

    def written(self, inside: str, name: str, cursor: DataCursor) -> str | None:  # noqa: ARG002  # what it is may depend on it
        """Text written for terminal `name` of rule `inside`; None when that carries data."""
        written = self.spec.written
        return written.get(f"{inside}/{name}", written.get(name))

    def role(self, inside: str, name: str) -> Role | None:
        """Role of terminal or slot `name` of rule `inside`, if any."""
        roles = self.spec.roles
        return said_of(roles, inside, name) or roles.get(inside)

    def layout(self, inside: str) -> Layout:
        """Layout of the JSON slot of rule `inside`."""
        codec = self.spec.codecs.get(f"{inside}/{SlotKind.JSON}")
        return Layout() if codec is None else codec.layout

    def escaped(self, part: Slot | str, inside: str, text: str, closer: str) -> str:
        """`text` with the escapes of `part` of rule `inside`, a slot or a terminal's name, which `closer` follows."""
        name = part.kind.value if isinstance(part, Slot) else part
        codec = said_of(self.spec.codecs, inside, name)
        escapes, only = (None, None) if codec is None else (codec.escapes, codec.escaped)
        if isinstance(part, Slot) and part.kind is SlotKind.ESCAPED:
            return escape(text, [split_space(closer)[1]], part.escapes, only)
        if escapes is not None:
            ends = [split_space(closer)[1] or closer, *(marker for marker in self.markers if marker in text)]
            ends += ["<"] * (escapes is Escapes.ENTITIES and not closer)  # as XML has it between tags
            text = escape(text, ends, escapes, only)
        return in_section(text) if isinstance(part, Slot) and is_closing([closer]) else text

    def fits(self, regex: str, text: str, what: str, part: Part) -> None:
        """Write `text`, which a terminal must match whole."""
        if re.fullmatch(regex, text) is None:
            raise RenderError(what, f"does not match /{regex}/", text or "''")
        self.out.write(text, part)

"""JSON in a shape: `unfit` writes calls and texts as one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from toolect._message import Call, Content, Reasoning, Segment, dumps
from toolect._rendered import Part, RenderError
from toolect._shapes.alternatives import is_unit
from toolect._spec.codec_model import Layout
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Member, Obj, OneOf, Shape
from toolect._values.layout import colon, lay_out, space

Spell: TypeAlias = Callable[[Call], str]
_TEXTS: dict[HoleKind, tuple[type[Content | Reasoning], Part]] = {
    HoleKind.CONTENT: (Content, Part.CONTENT),
    HoleKind.REASONING: (Reasoning, Part.REASONING),
}

_CONTENT = Hole(HoleKind.CONTENT)


class JsonPiece(NamedTuple):
    """A stretch of JSON text: what it is, and the number of the segment that is next there."""

    text: str
    part: Part = Part.MARKUP
    segment: int = 0


def unfit(
    shape: Shape, segments: Sequence[Segment], at: int, spell: Spell, layout: Layout
) -> tuple[list[JsonPiece], int]:
    """The text of `segments` from number `at` on, as many as `shape` has room for, and the number of the next.

    `spell` gives the JSON text of arguments. Raises RenderError when there is no room for the first.
    """
    writer = _Unfit(segments, at, spell, layout)
    writer.write(shape, 0)
    return writer.pieces, writer.at


class _Unfit:
    """Writer of a shape's text; `segments[at]` is the next to be written."""

    def __init__(self, segments: Sequence[Segment], at: int, spell: Spell, layout: Layout) -> None:
        self.segments, self.at, self.spell, self.layout = segments, at, spell, layout
        self.colon = colon(layout)
        self.pieces: list[JsonPiece] = []
        self.within = False  # inside the shape of a call

    def put(self, text: str, part: Part = Part.MARKUP) -> None:
        """Write `text`."""
        self.pieces.append(JsonPiece(text, part, self.at))

    def write(self, shape: Shape, depth: int) -> None:
        """Write `shape`, in `depth` others."""
        if is_unit(shape) and not self.within:
            self.within = True
            try:
                self.one(shape, depth)
            finally:
                self.within = False
            self.at += 1
        else:
            self.one(shape, depth)

    def one(self, shape: Shape, depth: int) -> None:
        """Write `shape`; at the end of a call's shape the call is still next."""
        match shape:
            case Hole(kind):
                self.hole(kind, depth)
            case Const(value):
                self.put(dumps(value))
            case Keyed(inner):
                around = space(self.layout, depth)
                self.put("{" + around.first)
                self.hole(HoleKind.NAME, depth)
                self.put(self.colon)
                self.write(inner, depth + 1)
                self.put(around.last + "}")
            case Obj():
                self.object(shape, depth)
            case Many(item):
                self.many(item, depth)
            case OneOf(shapes):
                self.best(shapes, depth)

    def object(self, shape: Obj, depth: int) -> None:
        """Write an object with all fields that there is something for."""
        around = space(self.layout, depth)
        before = "{" + around.first
        for field in (field for field in shape.fields if field.written):
            pieces, at = len(self.pieces), self.at
            if self.is_absent(field):
                continue
            self.put(before + dumps(field.keys[0]) + self.colon)
            if field.optional and field.shape == _CONTENT and not self.is_next(Content):
                self.put("null")
                before = around.between
                continue
            try:
                self.write(field.shape, depth + 1)
            except RenderError:
                if not field.optional or isinstance(field.shape, Hole):
                    raise
                del self.pieces[pieces:]
                self.at = at
                continue
            before = around.between
        if shape.rest:
            self.rest(shape, before)
            before = around.between
        self.put(around.last + "}" if before == around.between else "{}")

    def rest(self, shape: Obj, before: str) -> None:
        """Write the arguments beside the other keys."""
        call = self.call()
        if not call.arguments or any(key in call.arguments for field in shape.fields for key in field.keys):
            raise RenderError("arguments", "expected some, with other keys than the call has", dumps(call.arguments))
        self.put(before)
        self.put(self.spell(call).strip()[1:-1].strip(), Part.ARGUMENTS)

    def many(self, item: Shape, depth: int) -> None:
        """Write a list of all segments that are next and have a place in it."""
        around = space(self.layout, depth, calls=True)
        first = self.at
        while self.at < len(self.segments):
            pieces, at = len(self.pieces), self.at
            self.put(around.between if at > first else "[" + around.first)
            try:
                self.write(item, depth + 1)
            except RenderError:
                if at == first:
                    raise
                self.at = at
            if self.at == at:
                del self.pieces[pieces:]
                break
        if self.at == first:
            raise RenderError("list", "nothing to fill it with")
        self.put(around.last + "]")

    def best(self, shapes: Sequence[Shape], depth: int) -> None:
        """Write the alternative that has room for the most segments, the first of several."""
        pieces, at = self.pieces, self.at
        found: tuple[int, list[JsonPiece]] | None = None
        problem: RenderError | None = None
        for shape in shapes:
            self.pieces, self.at = [], at
            try:
                self.write(shape, depth)
            except RenderError as error:
                problem = problem or error
                continue
            if found is None or self.at > found[0]:
                found = self.at, self.pieces
        self.pieces, self.at = pieces, at
        if found is None:
            raise problem or RenderError("call", "no place for it here")
        self.at = found[0]
        pieces += found[1]

    # Holes

    def hole(self, kind: HoleKind, depth: int) -> None:
        """Write a hole of the next segment."""
        match kind:
            case HoleKind.NAME:
                self.put(dumps(self.call().name), Part.NAME)
            case HoleKind.ID:
                self.put(dumps(self.call().id), Part.ID)
            case HoleKind.ARGUMENTS:
                self.put(lay_out(self.spell(self.call()), self.layout, depth), Part.ARGUMENTS)
            case HoleKind.ARGUMENTS_TEXT:
                self.put(dumps(self.spell(self.call())), Part.ARGUMENTS)
            case _:
                self.text(kind)

    def text(self, kind: HoleKind) -> None:
        """Write content or reasoning, if it is next."""
        type_, part = _TEXTS[kind]
        segment = self.segments[self.at] if self.is_next(type_) else None
        if not isinstance(segment, Content | Reasoning):
            raise RenderError(part, f"expected {part} here")
        self.put(dumps(segment.text), part)
        self.at += 1

    def call(self) -> Call:
        """The next segment, which must be a call."""
        segment = self.segments[self.at] if self.at < len(self.segments) else None
        if not isinstance(segment, Call):
            raise RenderError("call", "expected a call here")
        return segment

    def is_absent(self, field: Member) -> bool:
        """True for an optional field that there is nothing for. Content is written as null: the API asks for it."""
        if not field.optional or not isinstance(field.shape, Hole):
            return False
        kind = field.shape.kind
        if kind is HoleKind.ID:
            return self.call().id is None
        return kind is HoleKind.REASONING and not self.is_next(Reasoning)

    def is_next(self, kind: type[Content | Reasoning]) -> bool:
        """True when a text of this kind is next."""
        return self.at < len(self.segments) and isinstance(self.segments[self.at], kind)

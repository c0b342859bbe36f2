"""The value of a JSON slot taken at once: its calls and texts as segments, where nothing in it needs a repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolect._graph.node import Node
from toolect._graph.symbols import Field
from toolect._reading.learned import One, Spelling, learned
from toolect._reading.probe import past_blank
from toolect._shapes.shape_events import Arguments, ArgumentText, CallBegins, CallEnds, Emit, Filled, Rest, ShapeEvent
from toolect._spec.holes import holes
from toolect._spec.shape_model import Hole, HoleKind, Shape
from toolect._values.json_lexemes import Broken, decode, members
from toolect._values.toolset import NO_TOOLS, ToolSchemas
from toolect.message import Call, Content, Json, Reasoning, Segment

if TYPE_CHECKING:
    from toolect._shapes.json_reader import JsonReader

_MAX_SPELLINGS = 6
"""Spellings that are tried to be learned of one slot: to compile one costs as much as to read some fifty calls."""


class JsonCalls:
    """Takes values of the JSON slot of `field`, in whatever order of keys and with whatever blanks.

    How calls are spelled is remembered: what is spelled as one before it is taken by that.
    """

    __slots__ = ("_bare", "_shape", "_spellings", "_tries", "named")

    def __init__(self, field: Field) -> None:
        self._shape: Shape = field.shape or Hole(HoleKind.ARGUMENTS)
        self._bare = self._shape == Hole(HoleKind.ARGUMENTS)
        self.named = HoleKind.NAME in holes(self._shape)
        """The name of a call is in the value."""
        self._spellings: list[Spelling] = []  # the one that fitted last is the first
        self._tries = 0 if self._bare else _MAX_SPELLINGS

    def one(self, text: str, pos: int, tools: ToolSchemas = NO_TOOLS, tentative: bool = False) -> One | None:
        """The one call in the value at `text[pos]`; None when it must be read slowly. Otherwise as `take`."""
        if self._bare:
            found = members(text, pos)
            return None if found is None else (pos, found[1], "", found[0], None, text[pos : found[1]])
        if self._spellings and not (spelling := self._spellings[0]).texts:
            head = spelling.first(text, pos)
            if head is not None and (one := spelling.call(text, head, alone=True)) is not None:
                return one
        segments: list[Segment] = []
        end = self.take(text, pos, tools, segments, tentative)
        if end < 0 or len(segments) != 1 or not isinstance(call := segments[0], Call):
            return None
        assert call.span is not None
        return call.span[0], end, call.name, call.arguments, call.id, call.spelling

    def refuses(self, text: str, pos: int, tools: ToolSchemas) -> bool:
        """True when the value at `text[pos]` is complete and has no call in it."""
        reader = _reader(self._shape, lambda _: None, tools)
        try:
            reader.feed(text, pos, 0, True)
        except (Broken, RecursionError):
            return False
        return reader.done and not reader.called

    def take(self, text: str, pos: int, tools: ToolSchemas, segments: list[Segment], tentative: bool = False) -> int:
        """Append the calls and texts in the value at `text[pos]`; where it ends.

        -1, and nothing is appended, when it must be read slowly: it is broken or not complete, it has no call in it, or
        something is noted of one. A `tentative` value must be one that can only be a call: it stands in free text.
        """
        if text[pos : pos + 1] not in ("{", "["):
            return -1
        if tentative and text[pos] == "[" and not text.startswith("{", past_blank(text, pos + 1)):
            return -1  # what begins otherwise is text, up to the call
        if self._bare:
            one = self.one(text, pos)
            if one is None:
                return -1
            _, end, _, arguments, _, spelled = one
            segments.append(Call("", arguments, None, spelled, text[pos:end], (pos, end)))
            return end
        for at, spelling in enumerate(self._spellings):
            end = spelling.take(text, pos, segments)
            if end >= 0:
                if at:
                    self._spellings = [spelling, *(other for other in self._spellings if other is not spelling)]
                return end
        events: list[ShapeEvent] = []
        reader = _reader(self._shape, events.append, tools)
        try:
            end = reader.feed(text, pos, 0, True)
        except (Broken, RecursionError):
            return -1
        if not reader.done or (tentative or self.named) and not reader.called:
            return -1
        found = _segments(text, events, "" if isinstance(self._shape, Hole) else None, (pos, end))
        if found is None:
            return -1
        segments += found
        if self._tries and reader.called:
            self._tries -= 1
            if (new := learned(text, pos, end, events)) is not None:
                self._spellings = [new, *self._spellings]
        return end


def _reader(shape: Shape, emit: Emit, tools: ToolSchemas) -> JsonReader:
    from toolect._shapes.json_reader import JsonReader  # not part of starting up: most spellings are learned once

    return JsonReader(shape, emit, tools=tools)


def _segments(text: str, events: list[ShapeEvent], name: str | None, span: tuple[int, int]) -> list[Segment] | None:
    """The calls and texts that `events` tell of, or None when there are no calls or something is wrong with one.

    `name` is that of a call which is nothing but arguments.
    """
    found: list[Segment] = []
    called = False
    start, identity, spelling = span[0], None, None
    arguments: dict[str, Json] | None = None
    for event in events:
        kind = type(event)
        if kind is ArgumentText:
            continue
        if kind is Filled:
            assert isinstance(event, Filled)
            value = event.value
            if event.kind is HoleKind.NAME:
                if name or not isinstance(value, str) or not value:
                    return None
                name = value
            elif event.kind is HoleKind.ID:
                if identity is not None or value is not None and not isinstance(value, str):
                    return None
                identity = value
            elif isinstance(value, str) and value:
                segment = Content if event.kind is HoleKind.CONTENT else Reasoning
                found.append(segment(value, (event.start, event.end)))
        elif isinstance(event, Arguments):
            if event.odd or event.doubled or not isinstance(event.value, dict):
                return None
            arguments, spelling = event.value, event.text
        elif isinstance(event, CallBegins):
            start, name, identity, arguments, spelling = event.at, "", None, None, None
        elif isinstance(event, CallEnds):
            told = found[-1].span if found else None
            if not name or arguments is None or event.beside or told is not None and start < told[1]:
                return None
            found.append(Call(name, arguments, identity, spelling, text[start : event.at], (start, event.at)))
            called, name = True, None
        elif isinstance(event, Rest):
            whole, _, doubled = decode(text, event.start)
            if doubled:
                return None
            arguments = {key: item for key, item in whole.items() if key not in event.named}
        else:
            return None
    if name == "" and arguments is not None:
        found.append(Call("", arguments, None, spelling, text[span[0] : span[1]], span))
        called = True
    return found if called else None


def json_calls(node: Node) -> JsonCalls:
    """What takes the JSON at `node`."""
    return node.made(_json_calls)


def _json_calls(node: Node) -> JsonCalls:
    return JsonCalls(node.json_field())

"""Messages and events as styled pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolect._cli._shared.drawing import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Styled, block
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, Repair, dumps
from toolect._shown import one_line, visible


def draw(message: Message) -> Iterator[Styled]:
    """A message, one labelled block per segment."""
    readers = iter(getattr(message, "dialects", ()))
    for segment in message.segments:
        if isinstance(segment, Call):
            yield from _call(segment, next(readers, ""))
        else:
            content = isinstance(segment, Content)
            yield LABEL, "content\n" if content else "reasoning\n"
            yield PLAIN if content else QUIET, block(segment.text)
    yield from _repairs(message.repairs)


def _call(call: Call, reader: str = "") -> Iterator[Styled]:
    yield LABEL, "call "
    yield NAME, one_line(call.name) or "?"
    yield QUIET, f"  {reader}" if reader else ""
    yield from _status(call)
    if call.runnable and isinstance(call.arguments, dict):
        for key, value in call.arguments.items():
            yield KEY, f"  {one_line(key)}"
            yield from _value(value)
    else:
        yield PLAIN, block((call.raw or call.arguments_text).strip("\n"))
    yield from _repairs(call.repairs)


def _value(value: Json) -> Iterator[Styled]:
    """An argument's value on its key's line; a text of many lines gets a block."""
    yield QUIET, ": "
    if isinstance(value, str) and "\n" in value:
        yield QUIET, "text\n"
        yield PLAIN, block(value, "    ")
    else:
        yield PLAIN, one_line(dumps(value)) + "\n"


def _status(call: Call) -> Iterator[Styled]:
    yield QUIET, "  " + one_line(call.id) if call.id else ""
    yield STATUS[call.status], f"  {call.status}"
    yield PLAIN, (f": {one_line(call.error)}" if call.error else "") + "\n"


def _repairs(repairs: Iterable[Repair]) -> Iterator[Styled]:
    for repair in repairs:
        detail = f": {one_line(repair.detail)}" if repair.detail else ""
        yield STATUS["repaired"], f"  {repair.kind} at {repair.at}{detail}\n"


class Live:
    """Draws events as they happen."""

    def __init__(self) -> None:
        self._open: tuple[type[Event], int] | None = None

    def feed(self, event: Event) -> Iterator[Styled]:
        """What `event` adds to the screen."""
        match event:
            case ContentDelta(text):
                yield from self._text(type(event), 0, [(LABEL, "content")], PLAIN, text)
            case ReasoningDelta(text):
                yield from self._text(type(event), 0, [(LABEL, "reasoning")], QUIET, text)
            case CallStart(index, id, name):
                label = [(LABEL, "call "), (NAME, one_line(name)), (QUIET, "  " + one_line(id) if id else "")]
                yield from self._text(ArgumentsDelta, index, label, PLAIN, "")
            case ArgumentsDelta(index, text):
                yield from self._text(type(event), index, [(LABEL, f"call {index}")], PLAIN, text)
            case CallEnd(index, call):
                if self._open == (ArgumentsDelta, index):
                    yield from self.close()
                    yield LABEL, "end"
                    yield from _status(call)
                    yield from _repairs(call.repairs)
                else:
                    yield from self.close()
                    yield from _call(call)

    def close(self) -> Iterator[Styled]:
        """Ends the line that is still open."""
        if self._open is not None:
            yield PLAIN, "\n"
        self._open = None

    def _text(self, kind: type[Event], index: int, label: list[Styled], style: str, text: str) -> Iterator[Styled]:
        if self._open != (kind, index):
            yield from self.close()
            yield from label
            yield PLAIN, "\n  "
            self._open = kind, index
        yield style, visible(text).replace("\n", "\n  ")

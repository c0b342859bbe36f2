"""Messages and events as styled pieces, and as JSON: what `parse` writes and `render` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolect._cli.terminal import STATUS, Styled, TerminalStyle, block
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, Repair, dumps
from toolect._shown import one_line


def draw(message: Message, dialects: Iterable[str] | None = None) -> Iterator[Styled]:
    """A message, one labelled block per segment; `dialects` are those that its calls were read in, if not its own."""
    readers = iter(getattr(message, "dialects", ()) if dialects is None else dialects)
    for segment in message.segments:
        if isinstance(segment, Call):
            yield from _call(segment, next(readers, ""))
        else:
            content = isinstance(segment, Content)
            yield TerminalStyle.LABEL, "content\n" if content else "reasoning\n"
            yield TerminalStyle.PLAIN if content else TerminalStyle.QUIET, block(segment.text)
    yield from _repairs(message.repairs)


def _call(call: Call, reader: str = "") -> Iterator[Styled]:
    yield TerminalStyle.LABEL, "call "
    yield TerminalStyle.NAME, one_line(call.name) or "?"
    yield TerminalStyle.QUIET, f"  {reader}" if reader else ""
    yield from _status(call)
    if call.runnable and isinstance(call.arguments, dict):
        for key, value in call.arguments.items():
            yield TerminalStyle.KEY, f"  {one_line(key)}"
            yield from _value(value)
    else:
        yield TerminalStyle.PLAIN, block((call.raw or call.arguments_text).strip("\n"))
    yield from _repairs(call.repairs)


def _value(value: Json) -> Iterator[Styled]:
    """An argument's value on its key's line; a text of many lines gets a block."""
    yield TerminalStyle.QUIET, ": "
    if isinstance(value, str) and "\n" in value:
        yield TerminalStyle.QUIET, "text\n"
        yield TerminalStyle.PLAIN, block(value, "    ")
    else:
        yield TerminalStyle.PLAIN, one_line(dumps(value)) + "\n"


def _status(call: Call) -> Iterator[Styled]:
    yield TerminalStyle.QUIET, "  " + one_line(call.id) if call.id else ""
    yield STATUS[call.status], f"  {call.status}"
    yield TerminalStyle.PLAIN, (f": {one_line(call.error)}" if call.error else "") + "\n"


def _repairs(repairs: Iterable[Repair]) -> Iterator[Styled]:
    for repair in repairs:
        detail = f": {one_line(repair.detail)}" if repair.detail else ""
        yield STATUS["repaired"], f"  {repair.kind} at {repair.at}{detail}\n"


class Live:
    """Draws events as they happen."""

    def __init__(self) -> None:
        self._open: tuple[type[Event], int] | None = None

    def feed(self, event: Event) -> Iterator[Styled]:
        """Draw what `event` adds to the screen."""
        match event:
            case ContentDelta(text):
                yield from self._text(type(event), 0, [(TerminalStyle.LABEL, "content")], TerminalStyle.PLAIN, text)
            case ReasoningDelta(text):
                yield from self._text(type(event), 0, [(TerminalStyle.LABEL, "reasoning")], TerminalStyle.QUIET, text)
            case CallStart(index, id, name):
                label: list[Styled] = [
                    (TerminalStyle.LABEL, "call "),
                    (TerminalStyle.NAME, one_line(name)),
                    (TerminalStyle.QUIET, "  " + one_line(id) if id else ""),
                ]
                yield from self._text(ArgumentsDelta, index, label, TerminalStyle.PLAIN, "")
            case ArgumentsDelta(index, text):
                yield from self._text(
                    type(event), index, [(TerminalStyle.LABEL, f"call {index}")], TerminalStyle.PLAIN, text
                )
            case CallEnd(index, call):
                if self._open == (ArgumentsDelta, index):
                    yield from self.close()
                    yield TerminalStyle.LABEL, "end"
                    yield from _status(call)
                    yield from _repairs(call.repairs)
                else:
                    yield from self.close()
                    yield from _call(call)

    def close(self) -> Iterator[Styled]:
        """Ends the line that is still open."""
        if self._open is not None:
            yield TerminalStyle.PLAIN, "\n"
        self._open = None

    def _text(self, kind: type[Event], index: int, label: list[Styled], style: str, text: str) -> Iterator[Styled]:
        if self._open != (kind, index):
            yield from self.close()
            yield from label
            yield TerminalStyle.PLAIN, "\n  "
            self._open = kind, index
        yield style, text.replace("\n", "\n  ")


# JSON


def message_of(form: Json) -> Message:
    """The message that `form` holds, be it `Message.to_dict`'s or the shape of the chat-completions API."""
    ours = isinstance(form, Mapping) and "segments" in form
    return Message.from_dict(form) if ours else Message.from_openai(form)


def event_form(event: Event) -> dict[str, Json]:
    """`event` as one JSON object."""
    form: dict[str, Json] = {"type": event.__struct_config__.tag}
    for field in event.__struct_fields__:
        value = getattr(event, field)
        form[field] = value.to_dict() if isinstance(value, Call) else value
    return form

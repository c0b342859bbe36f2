"""Call forwarding: the calls of an answer as they are sent to a client, and its finish reason."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias, overload

import msgspec

from toolect._chat_completion import BROKEN_OFF, Ids, arguments_text, free_form_text, invalid_call
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, Reasoning, Status, kind_of

CallEvent: TypeAlias = CallStart | ArgumentsDelta | CallEnd


class Finish(msgspec.Struct, frozen=True):
    """End of an answer as an engine reports it: its own finish reason, and its usage in tokens.

    `reason` is a chat completion's: `stop`, `length`, `tool_calls` or `content_filter`; None where nobody says.
    `usage` has `prompt_tokens` and `completion_tokens`. `stop_sequence` is the stop text of the request that was met.
    """

    reason: str | None = None
    usage: Mapping[str, Json] | None = None
    stop_sequence: str | None = None
    extensions: Mapping[str, Json] | None = None
    """Fields that no API has, for the end of the answer."""


NOTHING_SAID = Finish()
"""The end of an answer on which the engine reports nothing."""


def check_answer(message: object, finish: object) -> None:
    """Raises TypeError unless given a message and the end of an answer."""
    for given, kind, example in ((message, Message, "dialect.parse(text)"), (finish, Finish, 'Finish("stop")')):
        if not isinstance(given, kind):
            raise TypeError(f"expected a {kind.__name__}, such as `{example}`, got {repr(given)[:60]}")


def check_open(closed: bool) -> None:
    """Raises ValueError where an answer is over."""
    if closed:
        raise ValueError("expected no event after close: another answer has an encoder of its own")


def finish_reason(engine: str | None, calls: Iterable[Call]) -> str:
    """Finish reason of an answer with these attempts at calls.

    An answer that was cut off is `length`, and one that was filtered `content_filter`. Else a call that is truncated
    makes it `length`, but not where the engine says that the answer is whole and another call may be executed; one
    that may makes it `tool_calls`.
    """
    calls = [*calls]
    if engine == "content_filter" or engine in BROKEN_OFF:
        return "length" if engine in BROKEN_OFF else engine
    is_runnable = any(call.runnable for call in calls)
    if any(call.status is Status.TRUNCATED for call in calls) and not (engine and is_runnable):
        return "length"
    return "tool_calls" if is_runnable else "stop"


def extensions_of(calls: Iterable[Call], finish: Finish) -> dict[str, Json]:
    """The fields that no API has: the attempts that must not be executed, and those of `finish`."""
    invalid = [invalid_call(call) for call in calls if not call.runnable]
    return ({"invalid_tool_calls": invalid} if invalid else {}) | dict(finish.extensions or {})


class SentCalls:
    """The calls of one answer as a client is sent them: numbered without gaps, each with an id of its own.

    What was sent cannot be taken back: with `hold` a call is sent when it is complete and may be executed, else as it
    arrives. The arguments of calls of the tools `free_form` are their text, which comes with its end.
    """

    def __init__(self, hold: bool = False, ids: Ids | None = None, free_form: Collection[str] = ()) -> None:
        self._hold, self._ids, self._free_form = hold, ids or Ids(), free_form
        self._held: set[int] = set()  # the numbers of events whose calls are of free-form tools
        self._open: dict[int, tuple[int, str]] = {}  # the event's index → the client's, and the id
        self._sent = 0
        self._calls: list[Call] = []

    def feed(self, event: CallEvent) -> list[CallEvent]:
        """Events to send to the client for an event; a call that the client has the beginning of ends with its id."""
        match event:
            case CallStart(index, wire_id, name):
                if name in self._free_form:
                    self._held.add(index)
                return [] if self._hold else [self._start(index, wire_id, name)]
            case ArgumentsDelta(index, text):
                is_sent = index in self._open and index not in self._held and text
                return [ArgumentsDelta(self._open[index][0], text)] if is_sent else []
            case CallEnd(index, call):
                self._calls.append(call)
                started: list[CallEvent] = []
                if call.runnable and index not in self._open:
                    text = free_form_text(call) if call.name in self._free_form else arguments_text(call)
                    started.append(self._start(index, call.id, call.name))
                    started.append(ArgumentsDelta(self._open[index][0], text))
                if index not in self._open:
                    return []
                number, call_id = self._open.pop(index)
                if index in self._held and not started and call.runnable:
                    started.append(ArgumentsDelta(number, free_form_text(call)))
                return [*started, CallEnd(number, msgspec.structs.replace(call, id=call_id))]
            case _:
                raise TypeError(f"expected an event of `dialect.stream`, got {kind_of(event)}")

    def finish(self, finish: Finish) -> tuple[str, dict[str, Json]]:
        """The finish reason of the answer, after all of its events, and the fields that no API has."""
        return finish_reason(finish.reason, self._calls), extensions_of(self._calls, finish)

    def _start(self, index: int, wire_id: str | None, name: str) -> CallStart:
        number, call_id = self._open[index] = self._sent, self._ids.give(wire_id)
        self._sent += 1
        return CallStart(number, call_id, name)


def events_of(message: Message) -> Iterator[Event]:
    """The events of a message that is whole: of a call its end alone."""
    for index, segment in enumerate(message.segments):
        match segment:
            case Call():
                yield CallEnd(index, segment)
            case Reasoning(text):
                yield ReasoningDelta(text)
            case Content(text):
                yield ContentDelta(text)


class Encoder(Protocol):
    """Makes an API's objects of the events of one answer."""

    def feed(self, event: Event) -> list[dict[str, Json]]:
        """The objects that an event makes."""

    def close(self, finish: Finish = NOTHING_SAID) -> list[dict[str, Json]]:
        """The last objects."""


class NamedEvents(ABC):
    """Turns events into those of an API's stream as they happen, each of which has a `type` of its own."""

    _calls: SentCalls
    _started = _closed = False

    def open(self) -> list[dict[str, Json]]:
        """The first events, once."""
        if self._started:
            return []
        self._started = True
        return self._first()

    def feed(self, event: Event) -> list[dict[str, Json]]:
        """The stream events that `event` makes. Raises ValueError after `close`."""
        check_open(self._closed)
        made = self.open()
        if isinstance(event, ContentDelta | ReasoningDelta):
            made += self._text(event) if event.text else ()
        else:
            for sent in self._calls.feed(event):
                made += self._call(sent)
        return made

    def close(self, finish: Finish = NOTHING_SAID) -> list[dict[str, Json]]:
        """The last events, with the finish reason, the usage and the attempts that must not be run."""
        if self._closed:
            return []
        self._closed = True
        return [*self.open(), *self._last(finish, *self._calls.finish(finish))]

    @abstractmethod
    def _first(self) -> list[dict[str, Json]]: ...
    @abstractmethod
    def _text(self, event: ContentDelta | ReasoningDelta) -> Iterable[dict[str, Json]]: ...
    @abstractmethod
    def _call(self, event: CallEvent) -> Iterable[dict[str, Json]]: ...
    @abstractmethod
    def _last(self, finish: Finish, reason: str, extensions: dict[str, Json]) -> Iterable[dict[str, Json]]: ...


class EventReader(Protocol):
    """Reads one answer: a stream of a dialect, or of `auto`."""

    def feed(self, chunk: str) -> list[Event]:
        """The events of one more piece."""

    def close(self) -> list[Event]:
        """The last events."""


Piece: TypeAlias = str | Finish
"""Item of a source: a piece of a model's text, or at the end perhaps the engine's report on it."""


@overload
def encode(source: Iterable[Piece], reader: EventReader, encoder: Encoder) -> Iterator[dict[str, Json]]: ...
@overload
def encode(source: AsyncIterable[Piece], reader: EventReader, encoder: Encoder) -> AsyncIterator[dict[str, Json]]: ...
def encode(source: Any, reader: EventReader, encoder: Encoder) -> Any:
    """The objects of an answer whose text `source` yields: an iterator, or an async one of an async source."""
    if not hasattr(reader, "feed"):
        raise TypeError(f"expected the stream of a dialect, such as `dialect.stream(tools=tools)`, got {reader!r}")
    work = _EventEncoding(reader, encoder)
    if isinstance(source, AsyncIterable):
        return _encode_async(source, work)
    if not isinstance(source, Iterable):
        raise TypeError(f"expected a source of text, sync or async, got {kind_of(source)}")
    return _encode([source] if isinstance(source, str) else source, work)


class _EventEncoding:
    """The work on one answer."""

    def __init__(self, reader: EventReader, encoder: Encoder) -> None:
        self._reader, self._encoder, self._finish = reader, encoder, NOTHING_SAID

    def take(self, piece: Piece) -> list[dict[str, Json]]:
        """The objects of one more piece."""
        if isinstance(piece, Finish):
            self._finish = piece
            return []
        return [made for event in self._reader.feed(piece) for made in self._encoder.feed(event)]

    def end(self) -> list[dict[str, Json]]:
        """The last objects."""
        made = [one for event in self._reader.close() for one in self._encoder.feed(event)]
        return made + self._encoder.close(self._finish)


def _encode(source: Iterable[Piece], work: _EventEncoding) -> Iterator[dict[str, Json]]:
    for piece in source:
        yield from work.take(piece)
    yield from work.end()


async def _encode_async(source: AsyncIterable[Piece], work: _EventEncoding) -> AsyncIterator[dict[str, Json]]:
    async for piece in source:
        for made in work.take(piece):
            yield made
    for made in work.end():
        yield made

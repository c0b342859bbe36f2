"""Events of an arriving answer: something started, a new part of it, its end."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from toolect._message import Call, Json, Message

MAX_DELTA = 4096
"""Characters of an event that more text of the same chunk is joined to. Beyond it: it is another event."""


class ContentDelta(msgspec.Struct, frozen=True, gc=False, tag="content"):
    """The next part of the content."""

    text: str


class ReasoningDelta(msgspec.Struct, frozen=True, gc=False, tag="reasoning"):
    """The next part of the reasoning; `opaque` is what its provider wants back with it: see `Reasoning.opaque`."""

    text: str
    opaque: dict[str, Json] | None = None


class CallStart(msgspec.Struct, frozen=True, gc=False, tag="call-start"):
    """Call number `index` of this answer, counted from 0, has a name. `id` is the wire's, if it came first."""

    index: int
    id: str | None
    name: str


class ArgumentsDelta(msgspec.Struct, frozen=True, gc=False, tag="arguments"):
    """The next part of the JSON text of call `index`'s arguments; the parts join to `call.arguments_text`."""

    index: int
    text: str


class CallEnd(msgspec.Struct, frozen=True, tag="call-end"):
    """Call `index` is over, well or not: `call` is the authoritative result."""

    index: int
    call: Call


Event: TypeAlias = ContentDelta | ReasoningDelta | CallStart | ArgumentsDelta | CallEnd

M_co = TypeVar("M_co", bound=Message, covariant=True)


class IncrementalReader(Protocol[M_co]):
    """Parser that reads one answer, chunk by chunk."""

    def feed(self, chunk: str) -> list[Event]:
        """Return the events of `chunk`."""

    def close(self) -> list[Event]:
        """Return the events of the end of the answer."""

    @property
    def message(self) -> M_co:
        """The message so far."""


class EventStream(Generic[M_co]):
    """The events of an answer as its chunks arrive: iterate once; `message` is what has been read."""

    def __init__(self, reader: IncrementalReader[M_co], chunks: Iterable[str]) -> None:
        self._reader, self._chunks = reader, chunks

    @property
    def message(self) -> M_co:
        """The message so far; final after the last event."""
        return self._reader.message

    def __iter__(self) -> Iterator[Event]:
        for chunk in self._chunks:
            yield from self._reader.feed(chunk)
        yield from self._reader.close()


class AsyncEventStream(Generic[M_co]):
    """The events of an answer as its chunks arrive: `async for` once; `message` is what has been read."""

    def __init__(self, reader: IncrementalReader[M_co], chunks: AsyncIterable[str]) -> None:
        self._reader, self._chunks = reader, chunks

    @property
    def message(self) -> M_co:
        """The message so far; final after the last event."""
        return self._reader.message

    async def __aiter__(self) -> AsyncIterator[Event]:
        async for chunk in self._chunks:
            for event in self._reader.feed(chunk):
                yield event
        for event in self._reader.close():
            yield event


def events_of(
    reader: IncrementalReader[M_co], chunks: Iterable[str] | AsyncIterable[str]
) -> EventStream[M_co] | AsyncEventStream[M_co]:
    """The events of what `reader` reads of chunks. Raises TypeError for what yields no text."""
    if isinstance(chunks, AsyncIterable):
        return AsyncEventStream(reader, chunks)
    if isinstance(chunks, str):
        return EventStream(reader, [chunks])
    given = chunks[0] if isinstance(chunks, list | tuple) and chunks else ""
    if not isinstance(chunks, Iterable) or not isinstance(given, str):
        hint = ": give tools=…" if isinstance(given, dict) else ""
        raise TypeError(f"expected chunks of text, got {type(chunks).__name__} of {type(given).__name__}{hint}")
    return EventStream(reader, chunks)

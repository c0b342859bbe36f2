"""Messages and events as an OpenAI client has them: whole completions, and chunks of streamed ones.

A server of its own needs `completion` and `stream`; what it must ask of its engine is on the page about engines.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, overload

from toolect._exchange.sent_calls import EventReader, Finish, Piece, encode, finish_reason
from toolect._message import Json, Message, MessageError
from toolect._renamed import old_names
from toolect.openai.chunk_reader import ChunkReader, chunks_to_events
from toolect.openai.chunks import Chunks, choice, completion, events_to_chunks

__all__ = [
    "ChunkReader",
    "Chunks",
    "Finish",
    "MessageError",
    "choice",
    "chunks_to_events",
    "completion",
    "events_to_chunks",
    "finish_reason",
    "from_openai",
    "stream",
    "to_openai",
]  # fmt: skip

__getattr__ = old_names(__name__)


def to_openai(message: Message, *, only_runnable: bool = True) -> dict[str, Json]:
    """`message.to_openai()`: the message as an assistant message. Raises TypeError for anything else."""
    if not isinstance(message, Message):
        raise TypeError(f"expected a Message, such as `dialect.parse(text)`, got {message!r}")
    return message.to_openai(only_runnable=only_runnable)


def from_openai(obj: Any) -> Message:
    """The message of an assistant message, a response, a list of tool calls, or the chunks of a stream.

    Raises `MessageError`.
    """
    if isinstance(obj, Mapping | str | bytes) or hasattr(obj, "model_dump") or not isinstance(obj, Iterable):
        return Message.from_openai(obj)
    items = [*obj]
    if not items or not hasattr(items[0], "choices") and not (isinstance(items[0], Mapping) and "choices" in items[0]):
        return Message.from_openai(items)
    reader = ChunkReader()
    for chunk in items:
        reader.feed(chunk)
    reader.close()
    return reader.message


@overload
def stream(source: Iterable[Piece], reader: EventReader, **options: Any) -> Iterator[dict[str, Json]]: ...
@overload
def stream(source: AsyncIterable[Piece], reader: EventReader, **options: Any) -> AsyncIterator[dict[str, Json]]: ...
def stream(source: Any, reader: EventReader, **options: Any) -> Any:
    """The chunks of an answer, as `source` yields its text: iterate, or `async for` of an async source.

    `reader` is a fresh stream of the model's dialect. The source may yield a `Finish` with the engine's own finish
    reason and usage. `options` are those of `Chunks`: servers want `hold=True`.
    """
    return encode(source, reader, Chunks(**options))

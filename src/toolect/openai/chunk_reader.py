"""Chunk reader: the events of a streamed chat completion, and the message that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from toolect._chat_completion import CUT, THOUGHTS, cut_off
from toolect._events import CallEnd, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment, dumps
from toolect._objects import MAX_OPAQUE, opaque_in
from toolect.openai.call_assembler import CallAssembler, typed


class MessageAccumulator:
    """The message that events make, as they arrive."""

    def __init__(self) -> None:
        self._opaque: dict[int, dict[str, Json]] = {}
        """Opaque fields, which providers want back, by the number of the part."""
        self._parts: list[Call | tuple[type[Content] | type[Reasoning], list[str]]] = []

    def add(self, event: Event) -> None:
        """Add an event; a call counts by its end."""
        if isinstance(event, CallEnd):
            self._parts.append(event.call)
        elif isinstance(event, ContentDelta | ReasoningDelta):
            kind = Content if isinstance(event, ContentDelta) else Reasoning
            last = self._parts[-1] if self._parts else None
            if isinstance(last, tuple) and last[0] is kind:
                last[1].append(event.text)
            else:
                self._parts.append((kind, [event.text]))
            if isinstance(event, ReasoningDelta) and event.opaque:
                _join(self._opaque.setdefault(len(self._parts) - 1, {}), event.opaque)

    @property
    def is_empty(self) -> bool:
        """True as long as it has nothing in it."""
        return not self._parts

    @property
    def message(self) -> Message:
        """The message so far."""
        segments: list[Segment] = [one if isinstance(one, Call) else one[0]("".join(one[1])) for one in self._parts]
        for number, opaque in self._opaque.items():
            segments[number] = replace(segments[number], opaque=opaque)
        return Message(segments)


def _join(opaque: dict[str, Json], more: Mapping[str, Json]) -> None:
    """Add what comes later of opaque fields: lists are one after the other, of anything else the last counts."""
    for name, value in more.items():
        had = opaque.get(name)
        opaque[name] = had + value if isinstance(had, list) and isinstance(value, list) else value
    if len(dumps(opaque)) > MAX_OPAQUE:
        raise MessageError(f"at most {MAX_OPAQUE:,} characters that a provider wants back", "more", "delta")


class ChunkReader:
    """Reads one answer of a chat-completions server, chunk by chunk; a whole response is read, too.

    `tools` are OpenAI tool objects, as for the request; `index` is the choice that is read. Raises `MessageError` for
    what is no chunk.
    """

    def __init__(self, tools: Iterable[Mapping[str, Any]] | None = None, *, index: int = 0) -> None:
        self.finish: str | None = None
        """Finish reason of the answer, in the server's word."""
        self._calls, self._accumulator, self._index = CallAssembler(tools), MessageAccumulator(), index

    @property
    def message(self) -> Message:
        """The message so far; its calls are those that have ended."""
        return self._accumulator.message

    @property
    def is_empty(self) -> bool:
        """True as long as nothing was said: no text, no reasoning, no call that has ended."""
        return self._accumulator.is_empty

    def feed(self, chunk: Any) -> list[Event]:
        """The events of a chunk: a mapping, or an object of the official client."""
        found = as_chunk(chunk).get("choices")
        events = []
        for choice in typed(found or [], list, "choices"):
            if isinstance(choice, dict) and (choice.get("index") or 0) == self._index:
                events += self.feed_choice(choice)
        return events

    def feed_choice(self, choice: Mapping[str, Any]) -> list[Event]:
        """The events of one choice: a chunk's delta, or the message of a server that does not stream.

        Raises MessageError.
        """
        if isinstance(finish := choice.get("finish_reason"), str):
            self.finish = finish
        delta, message = choice.get("delta"), choice.get("message")
        if delta is None and message is None:
            if "usage" in choice or "delta" in choice:
                return []
            raise MessageError(
                "a choice with a message or a delta", f"one with {', '.join(choice) or 'nothing'}", "choices"
            )
        events = (
            self._message(typed(message, dict, "message"))
            if delta is None
            else self._delta(typed(delta, dict, "delta"))
        )
        for event in events:
            self._accumulator.add(event)
        return events

    def close(self, was_cut: bool | None = None) -> list[Event]:
        """The events of the calls that are still open; `was_cut` where the answer was, by its finish reason or none."""
        cut = self.finish is None or self.finish in CUT
        events = self._calls.close(cut if was_cut is None else was_cut)
        for event in events:
            self._accumulator.add(event)
        return events

    def _delta(self, delta: Mapping[str, Any]) -> list[Event]:
        events: list[Event] = []
        thought = next((text for key in THOUGHTS if isinstance(text := delta.get(key), str) and text), "")
        if (opaque := opaque_in(delta, "message", "delta")) or thought:
            events.append(ReasoningDelta(thought, opaque))
        content, parts, legacy = (delta.get(key) for key in ("content", "tool_calls", "function_call"))
        if isinstance(content, list):  # of parts, thoughts among them
            events += self._whole({"role": "assistant", "content": content})
        elif content:
            events.append(ContentDelta(typed(content, str, "content")))
        if refusal := delta.get("refusal"):
            events.append(ContentDelta(typed(refusal, str, "refusal")))
        for part in typed(parts or [], list, "tool_calls"):
            events += self._calls.part(typed(part, dict, "tool_calls[]"))
        if legacy and not parts:
            events += self._calls.part({"function": legacy})
        return events

    def _message(self, message: dict[str, Json]) -> list[Event]:
        """The events of a message, but for what was streamed before it."""
        before = self.message
        said = (ContentDelta(before.content), ReasoningDelta(before.reasoning))
        return [event for event in self._whole(message) if event not in said]

    def _whole(self, message: dict[str, Json]) -> list[Event]:
        """The events of a message that does not stream."""
        events: list[Event] = []
        segments = Message.from_openai(message).segments
        for segment in cut_off(segments) if self.finish in CUT else segments:
            if isinstance(segment, Call):
                events += self._calls.whole(segment)
            elif isinstance(segment, Reasoning):
                events.append(ReasoningDelta(segment.text, segment.opaque))
            else:
                events.append(ContentDelta(segment.text))
        return events


def as_chunk(value: Any) -> Mapping[str, Any]:
    """A response or a chunk as a mapping; clients have classes of their own. Raises `MessageError`."""
    value = value.model_dump() if hasattr(value, "model_dump") else value
    if not isinstance(value, Mapping):
        raise MessageError("a chat completion or a chunk of one", f"`{type(value).__name__}`", "$")
    return value


def chunks_to_events(chunks: Iterable[Any], tools: Iterable[Mapping[str, Any]] | None = None) -> Iterator[Event]:
    """The events of a whole stream of chunks, as a client gives them, one after the other. Raises `MessageError`."""
    reader = ChunkReader(tools)
    for chunk in chunks:
        yield from reader.feed(chunk)
    yield from reader.close()

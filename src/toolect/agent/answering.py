"""Answer of the model: it is read as it arrives, and its calls are executed as soon as they are complete."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, nullcontext
from contextvars import Context as Surroundings
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from msgspec.structs import replace

from toolect._chat_completion import Ids
from toolect._compiled import Dialect
from toolect._detection.guess import reader as find
from toolect._events import CallEnd, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, MessageError, RepairKind
from toolect._turns import Assistant, Results, ToolResult, Turn
from toolect.agent import sse
from toolect.agent.errors import ModelError
from toolect.agent.outcome import AgentEvent, Ended
from toolect.openai.chunk_reader import ChunkReader, MessageAccumulator, as_chunk
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


class TextReading(NamedTuple):
    """Reading of wire text: its dialect, the end of the prompt, and policies other than the dialect's own."""

    dialect: Dialect | Auto
    prefix: str = ""
    policies: Mapping[str, Any] = MappingProxyType({})

    @classmethod
    def of(cls, model: Any, dialect: Dialect | Auto | None = None, prefix: str = "") -> TextReading:
        """The reading of the text of `model`: as it says itself, but for what is given."""
        own: Dialect | Auto | str = dialect or getattr(model, "dialect", None) or AUTO
        found = find(own) if isinstance(own, str) else own
        return cls(found, prefix or getattr(model, "prefix", ""), getattr(model, "policies", {}))

    def parse(self, text: str, tools: list[dict[str, Json]]) -> Message:
        """The message of a whole text."""
        return self.dialect.parse(text, tools=tools, prefix=self.prefix, **self.policies)

    def parse_again(self, text: str, message: Message, tools: list[dict[str, Json]]) -> Message:
        """The `message` of a whole text, or the same with its reasoning apart.

        A text that closes reasoning which it has not opened began inside of it: nobody said how its prompt ends.
        """
        strays = [repair for repair in message.repairs if repair.kind is RepairKind.STRAY_MARKER]
        if self.prefix or not strays or not isinstance(self.dialect, Dialect):
            return message
        for opener in (*self.dialect._graph().think_openers, *self.dialect.spec.prefill):
            other = self._replace(prefix=opener).parse(text, tools)
            same = [(c.name, c.arguments) for c in other.calls] == [(c.name, c.arguments) for c in message.calls]
            if same and other.reasoning and len(other.repairs) < len(message.repairs):
                return other
        return message

    def stream(self, tools: list[dict[str, Json]]) -> Any:
        """A fresh stream."""
        return self.dialect.stream(tools=tools, prefix=self.prefix, **self.policies)

    def without_end(self, text: str) -> str:
        """Sampled text without its end token, which belongs to the turn."""
        spec = getattr(self.dialect, "spec", None)
        return text.removesuffix(max(filter(text.endswith, spec.end if spec else ()), key=len, default=""))


class PieceReader:
    """Reads the pieces of an answer: wire text, events, chunks of chat completions, and how it ended.

    `reading` is asked how wire text is read when the first of it arrives. A message of text alone keeps its spans and
    repairs.
    """

    def __init__(self, tools: list[dict[str, Json]], reading: Callable[[], TextReading]) -> None:
        self.ended = Ended()
        self.text: str | None = None
        """The wire text, where the answer was nothing else."""
        self._tools, self._reading_of = tools, reading
        self._chunks, self._accumulator = ChunkReader(tools), MessageAccumulator()
        self._reading: TextReading | None = None
        self._stream: Any = None
        self._texts: list[str] = []
        self._is_mixed = False
        self._whole: Message | None = None

    @property
    def message(self) -> Message:
        """The message so far."""
        if self._whole is not None:
            return self._whole
        is_text = self._stream is not None and not self._is_mixed
        message: Message = self._stream.message if is_text else self._accumulator.message
        return message

    def feed(self, piece: Any) -> list[Event]:
        """The events of a piece. Raises `ModelError` for a chunk that makes no sense, else `MessageError`."""
        if isinstance(piece, Ended):
            self.ended = piece
            return []
        if isinstance(piece, str):
            if self._reading is None:
                self._reading = self._reading_of()
                self._stream = self._reading.stream(self._tools)
            self._texts.append(piece)
            return self._added(self._stream.feed(piece))
        self._is_mixed = True
        return self._added([piece] if isinstance(piece, Event) else self._chunk_events(piece))

    def _chunk_events(self, chunk: Any) -> list[Event]:
        events = []
        try:
            for choice in sse.choices(as_chunk(chunk)):
                self.ended = self.ended.after(choice)
                events += self._chunks.feed_choice(choice)
        except MessageError as error:
            if not isinstance(chunk, dict | list):
                raise  # it is nothing that a server sent
            raise ModelError(f"the server's message makes no sense: {error}") from None
        return events

    def close(self) -> list[Event]:
        """The events at the end of the answer."""
        rest = self._stream.close() if self._stream is not None else []
        events = self._added([*rest, *self._chunks.close(self.ended.finish == "length")])
        if self._reading is not None and not self._is_mixed:
            text = "".join(self._texts)
            self.text = self._reading.without_end(text)
            self._whole = self._reading.parse_again(text, self._stream.message, self._tools)
        return events

    def read_whole(self, answer: Any) -> list[Event]:
        """The events of an answer that does not stream: wire text, a message, an OpenAI-shaped message or response."""
        if isinstance(answer, str):
            self._reading = self._reading_of()
            self.text = self._reading.without_end(answer)
            self._whole = self._reading.parse_again(answer, self._reading.parse(answer, self._tools), self._tools)
        else:
            self._whole = answer if isinstance(answer, Message) else Message.from_openai(answer)
            choices = [] if isinstance(answer, Message | list | tuple) else sse.choices(as_chunk(answer))
            self.ended = Ended().after(choices[0]) if choices else self.ended
        return [*events_of(self._whole)]

    def _added(self, events: list[Event]) -> list[Event]:
        for event in events:
            self._accumulator.add(event)
        return events


def events_of(message: Message) -> list[Event]:
    """The events of a whole message."""
    events: list[Event] = []
    calls = 0
    for segment in message.segments:
        match segment:
            case Call():
                events.append(CallEnd(calls, segment))
                calls += 1
            case Content(text):
                events.append(ContentDelta(text))
            case _:
                events.append(ReasoningDelta(segment.text, segment.opaque))
    return events


class Execute(Protocol):
    """Executes call number `index` of an answer."""

    def __call__(self, index: int, call: Call, call_id: str, /) -> Awaitable[ToolResult]: ...


class Answer:
    """One answer, and its calls while they run: in the context variables `surroundings`."""

    def __init__(
        self, reader: PieceReader, tell: Callable[[AgentEvent], None], execute: Execute, surroundings: Surroundings
    ) -> None:
        self.results: list[ToolResult] = []
        self.calls: list[Call] = []
        self._reader, self._tell, self._execute, self._surroundings = reader, tell, execute, surroundings
        self._tasks: list[asyncio.Task[ToolResult]] = []
        self._ids: dict[int, str] = {}
        self._unique = Ids()

    @property
    def message(self) -> Message:
        """The message so far."""
        return self._reader.message

    @property
    def ended(self) -> Ended:
        """The end of the answer."""
        return self._reader.ended

    async def read(self, answer: Any) -> None:
        """Read what the model returns or yields."""
        if inspect.isawaitable(answer):
            answer = await answer
        if not isinstance(answer, AsyncIterator):
            self._take(self._reader.read_whole(answer))
            return
        # What is left in the middle, as a server's stream, is closed at once; not every iterator can be.
        async with aclosing(answer) if isinstance(answer, AsyncGenerator) else nullcontext():
            async for piece in answer:
                self._take(self._reader.feed(piece))
        self._take(self._reader.close())

    def _take(self, events: list[Event]) -> None:
        for event in events:
            self._tell(event)
            if isinstance(event, CallEnd):
                index = len(self.calls)
                # A call that could not be read is no call in the next request: its result has no id.
                self._ids[index] = self._unique.give(event.call.id) if event.call.runnable else ""
                self.calls.append(event.call)
                work = self._run(index, event.call)
                self._tasks.append(asyncio.create_task(work, context=self._surroundings.copy()))

    async def _run(self, index: int, call: Call) -> ToolResult:
        return await self._execute(index, call, self._ids[index])

    def cancel(self) -> None:
        """Cancel the calls that are running."""
        for task in self._tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait for the calls; when this wait is cancelled so are they, and each has a result all the same."""
        try:
            if self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            self.cancel()
            self.results = [self._result(i, task) for i, task in enumerate(self._tasks)]

    def _result(self, index: int, task: asyncio.Task[ToolResult]) -> ToolResult:
        if task.done() and not task.cancelled():
            return task.result()
        said = "the call was cancelled, and may have been executed"
        return ToolResult(self._ids[index], self.calls[index].name, said, True)

    def remember(self, history: list[Turn]) -> None:
        """Add the answer, and what came of its calls, to the conversation."""
        message, text = self.message, self._reader.text
        if message.segments or text:
            count = iter(range(len(message.segments)))
            segments = [
                replace(one, id=self._ids.get(next(count)) or None) if isinstance(one, Call) else one
                for one in message.segments
            ]
            history.append(Assistant(Message(segments, message.repairs), text))
        if self.results:
            history.append(Results(tuple(self.results)))

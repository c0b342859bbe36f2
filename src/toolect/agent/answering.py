"""One answer of the model: it is read as it arrives, and its calls are executed as soon as they are complete."""

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
from toolect._events import CallEnd, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, MessageError, RepairKind
from toolect._turns import Assistant, Results, ToolResult, Turn
from toolect.agent import sse
from toolect.agent.errors import ModelError
from toolect.agent.outcome import AgentEvent, Ended
from toolect.openai.chunk_reader import ChunkReader, MessageAccumulator, as_chunk

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


class Reader(NamedTuple):
    """How wire text is read: its dialect, the end of the prompt, and policies other than the dialect's own."""

    dialect: Dialect | Auto
    prefix: str = ""
    policies: Mapping[str, Any] = MappingProxyType({})

    def parse(self, text: str, tools: list[dict[str, Json]]) -> Message:
        """The message of a whole text."""
        return self.dialect.parse(text, tools=tools, prefix=self.prefix, **self.policies)

    def again(self, text: str, read: Message, tools: list[dict[str, Json]]) -> Message:
        """What was `read` of a whole text, or the same with its thoughts told apart.

        A text that closes thoughts which it has not opened began inside of them: nobody said how its prompt ends.
        """
        strays = [repair for repair in read.repairs if repair.kind is RepairKind.STRAY_MARKER]
        if self.prefix or not strays or not isinstance(self.dialect, Dialect):
            return read
        for opener in (*self.dialect.graph().think_openers, *self.dialect.spec.prefill):
            other = self._replace(prefix=opener).parse(text, tools)
            same = [(call.name, call.arguments) for call in other.calls] == [(c.name, c.arguments) for c in read.calls]
            if same and other.reasoning and len(other.repairs) < len(read.repairs):
                return other
        return read

    def stream(self, tools: list[dict[str, Json]]) -> Any:
        """A fresh stream."""
        return self.dialect.stream(tools=tools, prefix=self.prefix, **self.policies)


class Execute(Protocol):
    """Executes call number `index` of an answer."""

    def __call__(self, index: int, call: Call, call_id: str, /) -> Awaitable[ToolResult]: ...


class Answer:
    """One answer, and the calls in it while they run.

    `reader` is asked how wire text is read when the first of it arrives.
    `surroundings` are those that calls run in.
    """

    def __init__(
        self, tools: list[dict[str, Json]], reader: Callable[[], Reader],
        tell: Callable[[AgentEvent], None], execute: Execute, surroundings: Surroundings,
    ) -> None:  # fmt: skip
        self.message = Message()
        self.text: str | None = None
        self.ended = Ended()
        self.results: list[ToolResult] = []
        self.calls: list[Call] = []
        self._tools, self._reader, self._tell, self._execute = tools, reader, tell, execute
        self._surroundings = surroundings
        self._tasks: list[asyncio.Task[ToolResult]] = []
        self._ids: dict[int, str] = {}
        self._unique = Ids()

    async def read(self, answer: Any) -> None:
        """Read what the model returns or yields."""
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, AsyncIterator):
            await self._read_pieces(answer)
        elif isinstance(answer, str):
            reader = self._reader()
            self.text = _without_end(answer, reader.dialect)
            self._read_whole(reader.parse(answer, self._tools))
        else:
            self._read_whole(answer if isinstance(answer, Message) else Message.from_openai(answer))
            self.ended = _ended(answer)

    async def _read_pieces(self, pieces: AsyncIterator[Any]) -> None:
        """Events are taken as they are, text is read; a message of text alone keeps its spans and repairs."""
        stream, gathered, texts, mixed = None, MessageAccumulator(), list[str](), False
        chunks = ChunkReader(self._tools)
        # What is left in the middle, as a server's stream, is closed at once; not every iterator can be.
        async with aclosing(pieces) if isinstance(pieces, AsyncGenerator) else nullcontext():
            async for piece in pieces:
                if isinstance(piece, Ended):
                    self.ended = piece
                    continue
                if isinstance(piece, str):
                    if stream is None:
                        reader = self._reader()
                        stream = reader.stream(self._tools)
                    texts.append(piece)
                    events = stream.feed(piece)
                else:
                    mixed = True
                    events = self._events(piece, chunks)
                self._take_all(events, gathered)
                self.message = gathered.message if mixed or stream is None else stream.message
        rest = chunks.close(self.ended.finish == "length")
        self._take_all([*(stream.close() if stream is not None else ()), *rest], gathered)
        self.message = gathered.message if mixed or stream is None else stream.message
        if stream is not None:
            whole = "".join(texts)
            self.text = None if mixed else _without_end(whole, reader.dialect)
            self.message = self.message if mixed else reader.again(whole, self.message, self._tools)

    def _events(self, piece: Any, chunks: ChunkReader) -> list[Event]:
        """The events of a piece that is no text: itself, or those of a chunk of chat completions.

        Raises `ModelError` for a chunk that makes no sense, `MessageError` for anything else.
        """
        if isinstance(piece, Event):
            return [piece]
        events = []
        for choice in sse.choices(as_chunk(piece)):
            self.ended = self.ended.after(choice)
            try:
                events += chunks.feed_choice(choice)
            except MessageError as error:
                raise ModelError(f"the server's message makes no sense: {error}") from None
        return events

    def _take_all(self, events: list[Event], gathered: MessageAccumulator) -> None:
        for event in events:
            gathered.add(event)
            self._take(event)

    def _read_whole(self, message: Message) -> None:
        self.message = message
        for segment in message.segments:
            match segment:
                case Call():
                    self._take(CallEnd(len(self.calls), segment))
                case Content(text):
                    self._take(ContentDelta(text))
                case _:
                    self._take(ReasoningDelta(segment.text))

    def _take(self, event: Event) -> None:
        self._tell(event)
        if isinstance(event, CallEnd):
            index = len(self.calls)
            # What could not be read is no call for anybody else: its result is told without an id.
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
        return ToolResult(self._ids[index], self.calls[index].name, "the call was cancelled", True)

    def remember(self, history: list[Turn]) -> None:
        """Add the answer, and what came of its calls, to the conversation."""
        if self.message.segments or self.text:
            history.append(Assistant(_with_ids(self.message, self._ids), self.text))
        if self.results:
            history.append(Results(tuple(self.results)))


def _without_end(text: str, dialect: Dialect | Auto) -> str:
    """Sampled text without its end token, which belongs to the turn."""
    spec = getattr(dialect, "spec", None)
    return text.removesuffix(max(filter(text.endswith, spec.end if spec else ()), key=len, default=""))


def _ended(answer: Any) -> Ended:
    """How a whole answer ended, where an OpenAI-shaped response says it."""
    choices = [] if isinstance(answer, Message | list | tuple) else sse.choices(as_chunk(answer))
    return Ended().after(choices[0]) if choices else Ended()


def _with_ids(message: Message, ids: Mapping[int, str]) -> Message:
    """`message` with the id of its call number `i`, counted from 0, as `ids[i]` says."""
    count = iter(range(len(message.segments)))
    segments = [replace(s, id=ids.get(next(count)) or None) if isinstance(s, Call) else s for s in message.segments]
    return Message(segments, message.repairs)

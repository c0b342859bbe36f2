"""The loop: ask the model, run the calls it makes, tell it what came of them, until it answers without a call."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from toolect._chat_completion import Ids
from toolect._detection.guess import dialect as find
from toolect.agent.gathered import Gathered, with_ids
from toolect.agent.tool_registry import ToolRegistry
from toolect.compiled import Dialect
from toolect.events import CallEnd, ContentDelta, Event, ReasoningDelta
from toolect.message import Call, Content, Json, Message
from toolect.registry import AUTO
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


class Model(Protocol):
    """What answers: any async function of the turns so far and the tools on offer, as OpenAI tool objects.

    It returns a `Message`, an OpenAI-shaped message, or wire text; or it yields events, or pieces of wire text.
    """

    def __call__(self, turns: list[Turn], tools: list[dict[str, Json]], /) -> Awaitable[Any] | AsyncIterator[Any]: ...


class ToolStarted(msgspec.Struct, frozen=True, tag="tool-started"):
    """Call `index` of this answer is being executed."""

    index: int
    call: Call


class ToolFinished(msgspec.Struct, frozen=True, tag="tool-finished"):
    """What came of call `index` of this answer; results may come in any order."""

    index: int
    result: ToolResult


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """The model has finished an answer; with calls in it, another one will follow."""

    message: Message


AgentEvent: TypeAlias = Event | ToolStarted | ToolFinished | Answered

Approve: TypeAlias = Callable[[Call], Any]
"""Asked before a call is executed, sync or async: False refuses it, a text refuses it and says why."""
Watch: TypeAlias = Callable[[Call, ToolResult], Any]
"""Told of each result, sync or async; a `ToolResult` that it returns takes the place of the other."""


class AgentError(Exception):
    """The agent stopped without an answer; `history` is what was said until then."""

    def __init__(self, message: str, history: list[Turn]) -> None:
        super().__init__(message)
        self.history = history


class MaxIterations(AgentError):  # what happened
    """The model was asked as often as it may be, and still makes calls."""


class Unreadable(AgentError):  # what happened
    """The model wrote calls that cannot be read, again and again."""


class Aborted(AgentError):  # what happened
    """The run was cancelled."""


class ToolUseAgent:
    """A model with tools. It keeps the conversation in `history`; one run at a time.

    `dialect` reads what models return as text; without one, the model's own `dialect` if it has one. `max_repairs` is
    how many answers in a row may have nothing but calls that cannot be read.
    """

    def __init__(
        self, model: Model, registry: ToolRegistry, dialect: str | Dialect | None = None, system_prompt: str = "",
        max_iterations: int = 15, *, max_repairs: int = 3, before: Approve | None = None, after: Watch | None = None,
    ) -> None:  # fmt: skip
        if max_iterations < 1:
            raise ValueError(f"expected at least 1 for max_iterations, got {max_iterations}")
        self.model, self.registry = model, registry
        chosen: str | Dialect = dialect or getattr(model, "dialect", None) or AUTO
        self.dialect: Dialect | Auto = find(chosen) if isinstance(chosen, str) else chosen
        self.prefix: str = getattr(model, "prefix", "")
        """What the prompt ends with, for models that begin inside of their reasoning."""
        self.max_iterations, self.max_repairs = max_iterations, max_repairs
        self._before, self._after = before, after
        self._running = False
        self.history: list[Turn] = [System(system_prompt)] if system_prompt else []

    async def run(self, message: str, cancel: asyncio.Event | None = None) -> str:
        """The content of the answer to `message`.

        Raises `MaxIterations`, `Unreadable` or `Aborted`, and what the model raises.
        """
        answer = Message()
        async for event in self.stream(message, cancel):
            if isinstance(event, Answered):
                answer = event.message
        return answer.content

    async def stream(self, message: str, cancel: asyncio.Event | None = None) -> AsyncIterator[AgentEvent]:
        """What happens on the way to the answer to `message`, as it happens. Raises as `run` does.

        A call is executed as soon as it is complete, while the model goes on writing.
        """
        if self._running:
            raise RuntimeError("expected one run at a time, got another one: give each conversation its own agent")
        self._running = True
        self.history.append(User(message))
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        work = asyncio.create_task(self._work(queue.put_nowait))
        work.add_done_callback(lambda _: queue.put_nowait(None))
        stop = asyncio.create_task(cancel.wait()) if cancel is not None else None
        if stop is not None:
            stop.add_done_callback(lambda done: None if done.cancelled() else work.cancel() and None)
        try:
            while (event := await queue.get()) is not None:
                yield event
            try:
                await work
            except asyncio.CancelledError:
                if cancel is not None and cancel.is_set():
                    raise Aborted("the run was cancelled", self.history) from None
                raise
        finally:
            for task in (work, stop):
                if task is not None and not task.done():
                    task.cancel()
                    await asyncio.wait({task})
            self._running = False

    async def _work(self, tell: Callable[[AgentEvent], None]) -> None:
        """The loop itself."""
        unread = 0
        for _ in range(self.max_iterations):
            answer = _Answer(self, tell)
            try:
                await answer.read(self.model([*self.history], self.registry.definitions()))
                done = not answer.tasks
            except BaseException:
                answer.cancel()
                raise
            finally:
                await answer.settle()
                answer.remember(self.history)
            tell(Answered(answer.message))
            if done:
                return
            unread = 0 if any(call.runnable for call in answer.message.calls) else unread + 1
            if unread > self.max_repairs:
                why = f"expected a call that can be read, got {unread} answers in a row without one"
                raise Unreadable(why, self.history)
        limit = f"{self.max_iterations} answer{'s' * (self.max_iterations > 1)}"
        raise MaxIterations(f"expected an answer without calls after {limit}, got calls again", self.history)

    async def execute(self, call: Call, call_id: str) -> ToolResult:
        """What came of one call, asked for and told of by the hooks."""
        if self._before is not None and call.runnable:
            verdict = await _awaited(self._before(call))
            if verdict is False or isinstance(verdict, str):
                why = verdict or "nobody approved it"
                return ToolResult(call_id, call.name, f"the call was not executed: {why}", True)
        result = await self.registry.execute(call, call_id=call_id)
        if self._after is not None:
            other = await _awaited(self._after(call, result))
            result = other if isinstance(other, ToolResult) else result
        return result


class _Answer:
    """One answer of the model, and the calls in it while they run."""

    def __init__(self, agent: ToolUseAgent, tell: Callable[[AgentEvent], None]) -> None:
        self.agent, self.tell = agent, tell
        self.message = Message()
        self.text: str | None = None
        self.tasks: list[asyncio.Task[ToolResult]] = []
        self.results: list[ToolResult] = []
        self._calls: list[Call] = []
        self._ids: dict[int, str] = {}
        self._unique = Ids()
        self._gate = asyncio.Semaphore(agent.registry.parallel)

    async def read(self, answer: Any) -> None:
        """Read what the model returns or yields."""
        if isinstance(answer, AsyncIterator):
            await self._read_pieces(answer)
            return
        said = await _awaited(answer)
        if isinstance(said, AsyncIterator):
            await self._read_pieces(said)
        elif isinstance(said, str):
            self.text = said
            tools = self.agent.registry.definitions()
            self._read_whole(self.agent.dialect.parse(said, tools=tools, prefix=self.agent.prefix))
        else:
            self._read_whole(said if isinstance(said, Message) else Message.from_openai(said))

    async def _read_pieces(self, pieces: AsyncIterator[Any]) -> None:
        stream = self.agent.dialect.stream(tools=self.agent.registry.definitions(), prefix=self.agent.prefix)
        gathered, texts = Gathered(), []
        async for piece in pieces:
            if isinstance(piece, str):
                texts.append(piece)
                for event in stream.feed(piece):
                    self._take(event)
                self.message = stream.message
            else:
                gathered.add(piece)
                self._take(piece)
                self.message = gathered.message
        if texts:
            for event in stream.close():
                self._take(event)
            self.message, self.text = stream.message, "".join(texts)

    def _read_whole(self, message: Message) -> None:
        self.message = message
        for segment in message.segments:
            match segment:
                case Call():
                    self._take(CallEnd(len(self.tasks), segment))
                case Content(text):
                    self._take(ContentDelta(text))
                case _:
                    self._take(ReasoningDelta(segment.text))

    def _take(self, event: Event) -> None:
        self.tell(event)
        if isinstance(event, CallEnd):
            index = len(self.tasks)
            # What could not be read is no call for anybody else: its result is told without an id.
            self._ids[index] = self._unique.give(event.call.id) if event.call.runnable else ""
            self._calls.append(event.call)
            self.tasks.append(asyncio.create_task(self._execute(index, event.call)))

    async def _execute(self, index: int, call: Call) -> ToolResult:
        async with self._gate:
            self.tell(ToolStarted(index, call))
            result = await self.agent.execute(call, self._ids[index])
            self.tell(ToolFinished(index, result))
            return result

    def cancel(self) -> None:
        """Cancel the calls that are running."""
        for task in self.tasks:
            task.cancel()

    async def settle(self) -> None:
        """Wait for the calls; when this wait is cancelled so are they, and each has a result all the same."""
        try:
            if self.tasks:
                await asyncio.wait(self.tasks)
        finally:
            self.cancel()
            self.results = [self._result(i, task) for i, task in enumerate(self.tasks)]

    def _result(self, index: int, task: asyncio.Task[ToolResult]) -> ToolResult:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            return ToolResult(self._ids[index], self._calls[index].name, f"a hook failed: {error}", True)
        if task.done() and not task.cancelled():
            return task.result()
        return ToolResult(self._ids[index], self._calls[index].name, "the call was cancelled", True)

    def remember(self, history: list[Turn]) -> None:
        """Add the answer, and what came of its calls, to the conversation."""
        if self.message.segments or self.text:
            history.append(Assistant(with_ids(self.message, self._ids), self.text))
        if self.results:
            history.append(Results(tuple(self.results)))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value

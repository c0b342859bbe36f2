"""Agent: a model with tools, and a conversation that goes on from run to run."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from msgspec.structs import replace

from toolect._compiled import Dialect
from toolect._detection.guess import reader as find
from toolect._exchange.openai_messages import read_messages
from toolect._message import Json, MessageError, kind_of
from toolect._turns import Assistant, PendingCalls, Results, System, ToolResult, Turn, User
from toolect.agent.answering import TextReading
from toolect.agent.chat import Chat
from toolect.agent.errors import AbortedError, ToolDefinitionError
from toolect.agent.loop import Approve, Loop, Model, Rules, ToolSource, Watch
from toolect.agent.models import NATIVE, RawModel, model_of
from toolect.agent.outcome import AgentEvent, Around, Done, Result
from toolect.agent.tool import Handler, Tool
from toolect.agent.tool_registry import ToolRegistry
from toolect.agent.typed_output import TypedOutput
from toolect.conversation import Conversation
from toolect.registry import AUTO

if TYPE_CHECKING:
    import httpx
    from typing_extensions import TypeVar

    from toolect._detection.auto import Auto

    T = TypeVar("T", default=str)
else:
    from typing import TypeVar

    T = TypeVar("T")


Tools: TypeAlias = ToolRegistry | Iterable[Tool | Handler | ToolSource | ToolRegistry]
"""Tools, functions that become tools, and sources that are open for a run; of a registry its bounds count, too."""
History: TypeAlias = Conversation | Iterable[Turn | Mapping[str, Any]]
"""A conversation, its turns, or chat-completions messages."""

UNANSWERED = "the call has no result, and may have been executed"
"""The result of a call that a conversation ends with."""
GO_ON = "Go on exactly where you stopped, without a word about it."
"""The user's words to a model whose answer was cut off."""


class Agent(Generic[T]):
    """A model with tools.

    `source` is a server's address, such as `http://localhost:8000/v1`, whose `model` it is, or the server's only one;
    with `/completions` at its end it is asked in raw text, as a `RawModel`. Or it is a `Chat`, or any async function
    that is a `Model`. `tools` are functions, `Tool`s and `McpServer`s, or a registry of tools.

    `dialect` is what the model writes; tools are then text in it, too, and `prefix` is the end of the prompt,
    for models that begin inside of their reasoning. Without a dialect a server is asked with its own tools, and what
    it leaves unread is read in the dialect of the model's id, or of the server's template; `native` leaves all to the
    server. Any other model says it by its own `dialect`, or is read in whatever fits.

    `output` is the type of the final answer; without one it is text. `tool_choice` is `auto`, `none`, or, until the
    first call of a run, `required` or the name of a tool. `max_iterations` bounds the answers of a run, `max_repairs`
    those in a row that are of no use. `before`, `after` and `around` are hooks. `history` is how the conversation
    begins, as turns or as chat-completions messages. The rest is that of a `Chat`.
    """

    def __init__(
        self, source: str | Chat | Model, tools: Tools = (), dialect: str | Dialect | None = None,
        system_prompt: str = "", max_iterations: int = 15, *, model: str = "", output: type[T] | None = None,
        tool_choice: str = "auto", max_repairs: int = 3, prefix: str = "", history: History = (),
        before: Approve | None = None, after: Watch | None = None, around: Around | None = None,
        api_key: str | None = None, headers: Mapping[str, str] | None = None, client: httpx.AsyncClient | None = None,
        options: Mapping[str, Json] | None = None, timeout: float = 120.0, limit: float = 900.0, retries: int = 4,
    ) -> None:  # fmt: skip
        if not isinstance(max_iterations, int) or max_iterations < 1:
            raise ValueError(f"expected at least 1 for max_iterations, got {max_iterations!r}")
        if not isinstance(source, str | Chat) and not callable(source):
            raise TypeError(f"expected a URL, a Chat or an async function as a model, got {kind_of(source)}")
        if not isinstance(system_prompt, str):
            raise TypeError(f"expected a system_prompt as str, got {kind_of(system_prompt)}")
        dialect = None if dialect == AUTO else dialect
        if isinstance(source, str):
            source = Chat(
                source, model, api_key, timeout=timeout, limit=limit, retries=retries, options=options,
                headers=headers, client=client,
            )  # fmt: skip
        self.model: Model = model_of(source, dialect, prefix) if isinstance(source, Chat) else source
        self.registry, self.sources = _parted(tools)
        self.tool_choice, self.system_prompt = tool_choice, system_prompt
        own = dialect is None or dialect == NATIVE or isinstance(self.model, RawModel)
        self._dialect = None if own else find(dialect) if isinstance(dialect, str) else dialect
        self._prefix = prefix
        self._output = TypedOutput(output) if output is not None else None
        self._rules = Rules(max_iterations, max_repairs, before, after, around)
        self._open: list[AsyncExitStack] = []
        self._begun: _Begun | None = None
        self.history: list[Turn] = self._turns(history)
        """The conversation. A run that is given no other goes on with it; one run at a time does."""
        self._check(tool_choice)

    def __repr__(self) -> str:
        return f"<Agent of {getattr(self.model, 'name', self.model)!r} with {len(self.registry)} tools>"

    async def __aenter__(self) -> Agent[T]:
        """Keeps the connections from run to run."""
        async with AsyncExitStack() as open_:
            opened: tuple[Any, ...] = (self.model, *self.sources)
            for one in opened:
                if hasattr(one, "__aenter__"):
                    await open_.enter_async_context(one)
            self._open.append(open_.pop_all())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.pop().aclose()

    @property
    def dialect(self) -> Dialect | Auto:
        """The dialect that reads the text of the model."""
        return self._reading().dialect

    async def run(
        self, message: str | None = None, cancel: asyncio.Event | None = None, *, history: History | None = None,
        context: Any = None, tool_choice: str | None = None,
    ) -> Result[T]:  # fmt: skip
        """The result of a run on `message`.

        Without a message the run goes on where the conversation stands: after an error it asks again, after an answer
        that was cut off it asks for the rest. With a `history` it is on that conversation, and the agent's own stays
        as it is; any number of such runs may go on at a time. Tools get `context` by their `Context`. Setting `cancel`
        ends the run.

        Raises an `AgentError`, such as `MaxIterationsError` or `ModelError`, and what a model of your own raises.
        """
        events = self.stream(message, cancel, history=history, context=context, tool_choice=tool_choice)
        async with aclosing(events):
            last = [event async for event in events if isinstance(event, Done)]
        result: Result[T] = last[0].result
        return result

    def run_sync(
        self, message: str | None = None, *, history: History | None = None, context: Any = None,
        tool_choice: str | None = None,
    ) -> Result[T]:  # fmt: skip
        """As `run`, for programs that are not asynchronous, and for notebooks."""
        return finish(self.run(message, history=history, context=context, tool_choice=tool_choice))

    async def stream(
        self, message: str | None = None, cancel: asyncio.Event | None = None, *, history: History | None = None,
        context: Any = None, tool_choice: str | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:  # fmt: skip
        """The events of a run as they happen, and `Done` at the end. Arguments and errors as for `run`.

        A call is executed as soon as it is complete, while the model goes on writing. A stream that is left ends its
        run: at once when it is closed, else when the next run of the conversation begins.
        """
        choice = self.tool_choice if tool_choice is None else tool_choice
        self._check(choice)
        if history is None and self._begun is not None:
            await self._begun.leave()
        turns = self.history if history is None else self._turns(history)
        _say(turns, message)
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        loop = Loop(
            self.model, self.registry, self.sources, self._reading, self._rules, turns,
            context=context, choice=choice, output=self._output, tell=queue.put_nowait,
        )  # fmt: skip
        begun = _Begun(asyncio.create_task(loop.run(message)), queue)
        if history is None:
            self._begun = begun
        stop = asyncio.create_task(cancel.wait()) if cancel is not None else None
        if stop is not None:
            stop.add_done_callback(lambda done: None if done.cancelled() else begun.work.cancel() and None)
        try:
            while (event := await begun.next()) is not None:
                yield event
            try:
                await begun.work
            except asyncio.CancelledError:
                if cancel is not None and cancel.is_set():
                    raise AbortedError("the run was cancelled", turns) from None
                if begun.left:
                    raise RuntimeError("expected a stream to be read to its end, got another run before it") from None
                raise
        finally:
            await begun.end()
            if stop is not None:
                stop.cancel()
                await asyncio.wait({stop})
            if self._begun is begun:
                self._begun = None

    def _reading(self) -> TextReading:
        """The reading of the model's text."""
        return TextReading.of(self.model, self._dialect, self._prefix)

    def _turns(self, history: History) -> list[Turn]:
        """A conversation as turns of its own, which begin with a system turn if the agent has one and it does not."""
        turns = _read(history)
        if self.system_prompt and not (turns and isinstance(turns[0], System)):
            turns.insert(0, System(self.system_prompt))
        return turns

    def _check(self, choice: str) -> None:
        if choice not in ("auto", "none", "required") and choice not in self.registry and not self.sources:
            known = ", ".join(f"`{tool.name}`" for tool in self.registry) or "none"
            raise ValueError(
                f"expected auto, none, required or a tool as tool_choice, got {choice!r}: tools are {known}"
            )


class _Begun:
    """A run that has begun, and whoever listens to it."""

    def __init__(self, work: asyncio.Task[None], queue: asyncio.Queue[AgentEvent | None]) -> None:
        self.work, self._queue = work, queue
        self._waited_for = self.left = False
        work.add_done_callback(lambda _: queue.put_nowait(None))

    async def next(self) -> AgentEvent | None:
        """The next event; nothing at the end."""
        self._waited_for = True
        try:
            return await self._queue.get()
        finally:
            self._waited_for = False

    async def leave(self) -> None:
        """Ends a run to which nobody listens any more. Raises RuntimeError where somebody does."""
        if self._waited_for and not self.work.done():
            hint = "give each conversation its own agent, or each run its history"
            raise RuntimeError(f"expected one run at a time, got another one: {hint}")
        self.left = True
        await self.end()

    async def end(self) -> None:
        """Ends the work, if it has not come to its end."""
        if not self.work.done():
            self.work.cancel()
            await asyncio.wait({self.work})


def _parted(tools: Tools) -> tuple[ToolRegistry, list[ToolSource]]:
    """The tools that are known, and the sources of more."""
    if isinstance(tools, ToolRegistry):
        return tools, []
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise ToolDefinitionError(f"expected a list of tools or functions, got {str(tools)[:80]!r}")
    registry, plain, sources = None, list[Tool | Handler](), list[ToolSource]()
    for tool in tools:
        if isinstance(tool, AbstractAsyncContextManager):
            sources.append(tool)
        elif not isinstance(tool, ToolRegistry):
            plain.append(tool)
        elif registry is None:
            registry = tool
        else:
            plain += tool
    return ToolRegistry(plain) if registry is None else registry.plus(*plain), sources


def _say(turns: list[Turn], message: object) -> None:
    """Add what the user says to the turns; without words, what makes the model go on. Raises ValueError, TypeError.

    Calls that wait for a result get one: nobody knows what became of them.
    """
    waiting = PendingCalls()
    for turn in turns:
        waiting.follow(turn)
    results = [ToolResult(one.id or "", one.name, UNANSWERED, True) for one in waiting.calls]
    if results and isinstance(turns[-1], Results):
        turns[-1] = replace(turns[-1], results=(*turns[-1].results, *results))
    elif results:
        turns.append(Results(tuple(results)))
    last = turns[-1] if turns else None
    if isinstance(message, str):
        turns.append(User(message))
    elif message is not None:
        hint = ": give a list of messages as history=…" if isinstance(message, list | dict) else ""
        raise TypeError(f"expected a message as str, got {kind_of(message)}{hint}")
    elif last is None or isinstance(last, System):
        raise ValueError("expected a message, got none in a conversation that has not begun")
    elif isinstance(last, Assistant):
        turns.append(User(GO_ON))


def _read(history: History) -> list[Turn]:
    """Turns as they are, or those of messages. Raises `MessageError` for anything else."""
    if isinstance(history, str | Mapping) or not isinstance(history, Iterable | Conversation):
        raise MessageError("turns or a list of messages", kind_of(history), "history")
    given = [*(history.turns if isinstance(history, Conversation) else history)]
    turns = [turn for turn in given if isinstance(turn, System | User | Assistant | Results)]
    return turns if len(turns) == len(given) else [*read_messages(given, "history")]


# A background event loop, in a thread of its own: coroutines for programs that are not asynchronous


Value = TypeVar("Value")


def finish(work: Coroutine[Any, Any, Value]) -> Value:
    """The value of `work`, or its error; an interrupted wait cancels it.

    It runs in a loop that all such waits share, so that connections last; also where another loop is running.
    """
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="toolect-background", daemon=True).start()
    return loop

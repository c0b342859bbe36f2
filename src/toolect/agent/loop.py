"""Agent loop: ask the model, run the calls it makes, give it their results, until it answers without a call."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from toolect._detection.guess import parse
from toolect._message import Call, Json, Message
from toolect._turns import ToolResult, Turn, User
from toolect.agent.answering import Answer, PieceReader, TextReading
from toolect.agent.errors import (
    MaxIterationsError,
    ModelError,
    RetryLimitError,
    UnparsedCallsError,
    UnreadableCallsError,
)
from toolect.agent.executing import Output, described
from toolect.agent.outcome import (
    AgentEvent,
    Answered,
    Around,
    Done,
    ModelStep,
    Result,
    RunStep,
    Step,
    ToolFinished,
    ToolStarted,
    ToolStep,
    Usage,
)
from toolect.agent.tool import Context, Tool
from toolect.agent.tool_registry import ToolRegistry, result
from toolect.agent.typed_output import Refused, TypedOutput


class Model(Protocol):
    """A model: any async function of the turns so far and the tools on offer, as OpenAI tool objects.

    It returns a `Message`, an OpenAI-shaped message or response, or wire text; or it yields events, or pieces of wire
    text, and at the end perhaps an `Ended`. Of an object, `dialect` and `prefix` say what its text is, `name` what it
    is called; `choosing(choice)` is the model made to choose a tool; as a context manager it is open during runs.
    """

    def __call__(self, turns: list[Turn], tools: list[dict[str, Json]], /) -> Awaitable[Any] | AsyncIterator[Any]: ...


ToolSource: TypeAlias = AbstractAsyncContextManager[Iterable[Tool]]
"""Context manager that gives tools as long as it is open, such as an `McpServer`."""
Approve: TypeAlias = Callable[[Call], Any]
"""Asked before a call is executed, one at a time, sync or async: False refuses it, a text does and says why."""
Watch: TypeAlias = Callable[[Call, ToolResult], Any]
"""Called with each result, sync or async; a `ToolResult` that it returns takes the place of the other."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The bounds and hooks of runs: see `Agent`."""

    max_iterations: int
    max_repairs: int
    before: Approve | None
    after: Watch | None
    around: Around | None


class Loop:
    """One run, on the conversation `history`, which it adds to."""

    def __init__(
        self, model: Model, tools: ToolRegistry, sources: Sequence[ToolSource],
        reading: Callable[[], TextReading], rules: Rules,
        history: list[Turn], *, context: Any, choice: str, output: TypedOutput | None,
        tell: Callable[[AgentEvent], None],
    ) -> None:  # fmt: skip
        self.model, self.rules, self.history = model, rules, history
        self.tools = tools.plus(output.tool) if output else tools
        self._sources = sources
        self._reading, self._context, self._choice, self._output, self._tell = reading, context, choice, output, tell
        self._gate, self._asking = asyncio.Semaphore(tools.parallel), asyncio.Lock()
        self._usage = Usage()
        self._calls: list[Call] = []
        self._results: list[ToolResult] = []
        self._sent_back: set[str] = set()
        """The calls of this answer that their tools sent back, by id."""
        self._value: Any = None
        self._answered = False
        """True once `_value` is the answer."""

    async def run(self, message: str | None) -> None:
        """The loop itself; `Done` is its last event. Raises as `Agent.run` does."""
        step = RunStep(message)
        with self._step(step):
            try:
                async with AsyncExitStack() as open_:
                    model: Any = self.model
                    if hasattr(model, "__aenter__"):
                        await open_.enter_async_context(model)
                    for source in self._sources:
                        self.tools = self.tools.plus(*await open_.enter_async_context(source))
                    step.result = await self._until_done()
            except ModelError as error:
                error.history = [*self.history]
                raise
            self._tell(Done(step.result))

    async def _until_done(self) -> Result[Any]:
        wasted = 0
        for _ in range(self.rules.max_iterations):
            answer = await self._ask()
            why = "" if self._answered else self._verdict(answer)
            last = self._answered or not answer.calls and not why
            self._tell(Answered(answer.message, last, answer.ended.finish))
            if last:
                output = self._value if self._answered else answer.message.content
                return Result(
                    output, answer.message, [*self.history], tuple(self._calls), tuple(self._results), self._usage,
                    answer.ended.finish,
                )  # fmt: skip
            if why and not answer.calls:
                self.history.append(User(why))
            read = any(call.runnable for call in answer.calls)
            wasted = wasted + 1 if why else 0
            if wasted > self.rules.max_repairs:
                if answer.calls and not read:
                    what = f"expected a call that can be read, got {wasted} answers in a row without one"
                    raise UnreadableCallsError(what, self.history)
                raise RetryLimitError(
                    f"expected another answer, got {wasted} in a row that were sent back: {why}", self.history
                )
        limit = f"{self.rules.max_iterations} answer{'s' * (self.rules.max_iterations > 1)}"
        raise MaxIterationsError(f"expected an answer without calls after {limit}, got calls again", self.history)

    async def _ask(self) -> Answer:
        """One answer, with the results of its calls."""
        definitions = self.tools.definitions()
        self._sent_back.clear()
        surroundings = contextvars.copy_context()  # a call belongs to the run, not to the request that is open
        reader = PieceReader(self.tools.readable(), self._reading)
        answer = Answer(reader, self._tell, self._execute, surroundings)
        step = ModelStep(getattr(self.model, "name", ""), [*self.history], definitions)
        try:
            with self._step(step):
                await answer.read(self._chosen()([*self.history], definitions))
                step.name = getattr(self.model, "name", "")
                step.message, step.ended = answer.message, answer.ended
        except BaseException:
            answer.cancel()
            raise
        finally:
            try:
                await answer.settle()
            finally:  # also where this wait is cancelled: a call that has begun is not forgotten
                answer.remember(self.history)
                self._usage += answer.ended.usage
                self._calls += answer.calls
                self._results += answer.results
        return answer

    def _chosen(self) -> Model:
        """The model, made to choose as long as it has not."""
        forced = self._choice == "none" or self._choice != "auto" and not self._calls
        chosen: Model = self.model.choosing(self._choice) if forced and hasattr(self.model, "choosing") else self.model
        return chosen

    def _verdict(self, answer: Answer) -> str:
        """The message for a model of whose answer nothing is of use; else nothing."""
        if answer.calls:
            left = [r for r in answer.results if r.call_id and r.call_id not in self._sent_back]
            return "" if left else next(r.output for r in answer.results)
        if answer.ended.finish == "length":
            return ""
        if self._choice != "none":
            _check_parsed(self.model, answer.message, self.tools, self.history)
        if self._choice not in ("auto", "none") and not any(call.runnable for call in self._calls):
            what = "a tool" if self._choice == "required" else f"`{self._choice}`"
            return f"Call {what} now."
        if self._output is None:
            return ""
        try:
            self._value, self._answered = self._output.from_text(answer.message.content), True
        except Refused as refused:
            return str(refused)
        return ""

    async def _execute(self, index: int, call: Call, call_id: str) -> ToolResult:
        """The result of one call, with the hooks before and after it."""
        start = time.perf_counter()
        try:
            async with self._gate:
                output = await self._output_of(index, call, call_id)
            came = result(call, call_id, output, start)
            final = self._output is not None and call.name == self._output.tool.name
            if self.rules.after is not None and not output.refused and not final:
                other = await _awaited(self.rules.after(call, came))
                came = other if isinstance(other, ToolResult) else came
            if output.sent_back:
                self._sent_back.add(call_id)
        except Exception as error:  # whatever a hook raises
            came = result(
                call, call_id, Output(f"a hook failed: {described(error, self.tools.show_exceptions)}", True), start
            )
        self._tell(ToolFinished(index, came))
        return came

    async def _output_of(self, index: int, call: Call, call_id: str) -> Output:
        ready = self.tools.ready(call, Context(self._context, call, call_id, tuple(self.history)))
        if isinstance(ready, str):
            return Output(ready, True)
        if self._choice == "none":
            return Output("the call was not executed: tools may not be called now", True, True)
        if self._output and ready.tool is self._output.tool:
            return self._finished(call)
        if self.rules.before is not None:
            async with self._asking:
                verdict = await _awaited(self.rules.before(call))
            if verdict is False or isinstance(verdict, str):
                return Output(f"the call was not executed: {verdict or 'nobody approved it'}", True, refused=True)
        step = ToolStep(call, call_id)
        self._tell(ToolStarted(index, call))
        with self._step(step):
            start = time.perf_counter()
            output = await self.tools.run(ready)
            step.result = result(call, call_id, output, start)
        return output

    def _finished(self, call: Call) -> Output:
        """The final answer, by the tool that takes it; the first one counts."""
        assert self._output is not None
        try:
            value = self._output.from_arguments(call.arguments)
        except Refused as refused:
            return Output(str(refused), True, True)
        if not self._answered:
            self._value, self._answered = value, True
        return Output("the answer is taken")

    def _step(self, step: Step) -> AbstractContextManager[Any]:
        return self.rules.around(step) if self.rules.around is not None else nullcontext()


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _check_parsed(model: Any, message: Message, tools: ToolRegistry, history: Sequence[Turn]) -> None:
    """Raises `UnparsedCallsError` where the last answer, which has no calls, is the text of one.

    That is for models whose text nobody reads, whose `dialect` is nothing, and for markers of another dialect.
    """
    known = getattr(model, "dialect", model)
    if not len(tools) or not message.content or known is model or known is not None and not message.leaks:
        return
    found = parse(message.content, tools.definitions())
    for call, dialect in zip(found.calls, found.dialects, strict=True):
        if call.runnable:
            wanted = "the server to read calls" if known is None else f"calls of `{known.name}`"
            why = f"expected {wanted}, got one of `{call.name}` as text, which looks like `{dialect}`"
            hint = "name that dialect, or start the server with its own parser for it"
            raise UnparsedCallsError(f"{why}: {hint}", history, dialect)

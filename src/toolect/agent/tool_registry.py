"""The tools of an agent, and running their calls: whatever happens is a result, nothing raises."""

from __future__ import annotations

import asyncio
import contextvars
import difflib
import inspect
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar, overload

from toolect.agent.tool import Handler, Tool
from toolect.agent.validation import BadTool
from toolect.message import Call, Json, dumps
from toolect.turns import ToolResult

F = TypeVar("F", bound=Handler)

MAX_OUTPUT = 1 << 20
"""Characters of output that a result keeps; the rest is cut, and the cut is said."""


class ToolRegistry:
    """Tools by name. `timeout` is in seconds, for tools without one of their own; `parallel` calls run at a time."""

    def __init__(self, tools: Iterable[Tool] = (), *, timeout: float | None = 60.0, parallel: int = 8) -> None:
        self.timeout, self.parallel = timeout, parallel
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self.register(tool)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    @overload
    def register(self, tool: Tool) -> Tool: ...
    @overload
    def register(self, tool: F) -> F: ...
    def register(self, tool: Any) -> Any:
        """Add a tool, or a function as one; also as a decorator. Raises `BadTool` for a name that is taken."""
        made = tool if isinstance(tool, Tool) else Tool.from_function(tool)
        if made.name in self._tools:
            raise BadTool(f"expected a new name for a tool, got `{made.name}`, which is registered already")
        self._tools[made.name] = made
        return tool

    def definitions(self) -> list[dict[str, Json]]:
        """The tools as OpenAI tool objects, in the order they were registered."""
        return [tool.definition() for tool in self]

    async def execute(self, call: Call, *, call_id: str | None = None) -> ToolResult:
        """What came of one call. It never raises, but for the cancellation of the task that waits for it."""
        start = time.perf_counter()
        output, failed = await self._output(call)
        took = 1e3 * (time.perf_counter() - start)
        return ToolResult(call_id if call_id is not None else _id(call), call.name, output, failed, took)

    async def execute_all(self, calls: Iterable[Call]) -> list[ToolResult]:
        """What came of several calls, in their order; `parallel` of them run at a time."""
        gate = asyncio.Semaphore(self.parallel)

        async def one(call: Call) -> ToolResult:
            async with gate:
                return await self.execute(call)

        return [*await asyncio.gather(*(one(call) for call in calls))]

    def refusal(self, call: Call) -> str:
        """Why the call cannot be executed, in words a model can act on; empty when it can."""
        if not call.runnable:
            why = call.error or "it could not be read"
            return f"the call was not executed because it is {call.status}: {why}; write the whole call again"
        tool = self._tools.get(call.name)
        if tool is None:
            near = difflib.get_close_matches(call.name, self._tools, 1)
            known = ", ".join(self._tools) or "none"
            hint = f"; did you mean {near[0]}?" if near else ""
            return f"there is no tool `{call.name}`: the tools are {known}{hint}"
        wrong = "; ".join(map(str, tool.violations(call.arguments)))
        return f"the arguments of `{call.name}` are wrong: {wrong}" if wrong else ""

    async def _output(self, call: Call) -> tuple[str, bool]:
        """The output, and whether it tells an error."""
        if refused := self.refusal(call):
            return refused, True
        tool = self._tools[call.name]
        try:
            args, kwargs = tool.bind(call.arguments)
        except (ValueError, TypeError, RecursionError) as error:
            return f"the arguments of `{call.name}` are wrong: {_said(error)}", True
        timeout = self.timeout if tool.timeout is None else tool.timeout
        task = asyncio.ensure_future(_called(tool.handler, args, kwargs))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # given up, it may fail in silence
        try:
            # Not wait_for: a handler that does not let itself be cancelled must not hold the agent up.
            done, _ = await asyncio.wait({task}, timeout=timeout)
            if not done:
                task.cancel()
                return f"`{call.name}` took longer than {timeout:g} seconds and was given up", True
            return _text(task.result()), False
        except asyncio.CancelledError:
            if not task.done():
                task.cancel()
                raise
            return f"`{call.name}` was cancelled", True
        except Exception as error:  # whatever the handler raises is its result
            return f"`{call.name}` failed: {_said(error)}", True


def _id(call: Call) -> str:
    return call.id or f"call_{os.urandom(12).hex()}"


async def _called(handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What a handler returns: a coroutine's result, or that of a function in a thread of its own."""
    if inspect.iscoroutinefunction(handler):
        return await handler(*args, **kwargs)
    value = await _in_thread(lambda: handler(*args, **kwargs))
    return await value if isinstance(value, Awaitable) else value


async def _in_thread(function: Callable[[], Any]) -> Any:
    """What `function` returns or raises, run in a daemon thread: one that never ends keeps no program from ending."""
    future: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(context.run(function))
        except StopIteration:
            future.set_exception(RuntimeError("StopIteration"))  # a future refuses to hold one
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:  # SystemExit: it must not end the thread in silence
            future.set_exception(RuntimeError(f"{type(error).__name__}: {error}"))

    threading.Thread(target=work, name="toolect-tool", daemon=True).start()
    return await asyncio.wrap_future(future)


def _text(value: Any) -> str:
    """A handler's value as text: a string as it is, else JSON. Raises ValueError for what JSON cannot say."""
    if isinstance(value, str):
        return _cut(value)
    try:
        return _cut(dumps(value))
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        from pydantic_core import to_jsonable_python

        return _cut(dumps(to_jsonable_python(value)))  # models, data classes, dates, sets
    except Exception as error:  # pydantic has errors of its own
        raise ValueError(f"expected a value that JSON can say, got {type(value).__name__} ({_said(error)})") from None


def _cut(text: str) -> str:
    if len(text) <= MAX_OUTPUT:
        return text
    return f"{text[:MAX_OUTPUT]}… (cut: {len(text) - MAX_OUTPUT} more characters)"


def _said(error: BaseException) -> str:
    """An exception as a sentence."""
    text = str(error).strip()
    name = type(error).__name__
    return f"{name}: {text[:2000]}" if text else name

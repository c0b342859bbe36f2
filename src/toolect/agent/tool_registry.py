"""Tool registry: tools by name, and the execution of their calls: whatever happens is a result, nothing raises."""

from __future__ import annotations

import asyncio
import difflib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, overload

from toolect._chat_completion import read_arguments
from toolect._message import Call, Json, Message, Status, dumps, kind_of
from toolect._turns import ToolResult
from toolect.agent.errors import ToolDefinitionError
from toolect.agent.executing import Output, described, output_of
from toolect.agent.tool import Context, Handler, Tool

F = TypeVar("F", bound=Handler)


class Ready(NamedTuple):
    """A call that fits its tool, and what the tool's handler gets."""

    tool: Tool
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class ToolRegistry:
    """Tools by name. `timeout` is in seconds, for tools without one of their own; `parallel` calls run at a time.

    `tools` are `Tool`s, or functions, which are made into tools. The model reads the class of an exception that a tool
    raises, and with `show_exceptions` its text, too: that may hold what is not the model's to know.

    Raises `ToolDefinitionError` for what is no tool, ValueError for no time and no calls.
    """

    def __init__(
        self, tools: Iterable[Tool | Handler] = (), *, timeout: float | None = 60.0, parallel: int = 8,
        show_exceptions: bool = False,
    ) -> None:  # fmt: skip
        if timeout is not None and not (isinstance(timeout, int | float) and timeout >= 0):
            raise ValueError(f"expected seconds or None for timeout, got {timeout!r}")
        if not isinstance(parallel, int) or parallel < 1:
            raise ValueError(f"expected at least 1 for parallel, got {parallel!r}")
        self.timeout, self.parallel, self.show_exceptions = timeout, parallel, show_exceptions
        self._tools: dict[str, Tool] = {}
        if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
            raise ToolDefinitionError(f"expected a list of tools or functions, got {str(tools)[:80]!r}")
        for tool in tools:
            self.register(tool)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool:
        """The tool of this name. Raises `ToolDefinitionError`."""
        if name not in self._tools:
            raise ToolDefinitionError(self._unknown(name))
        return self._tools[name]

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or whose server calls it so, if there is one."""
        found = self._tools.get(name)
        return found or next((tool for tool in self if tool.wire_name == name), None)

    @overload
    def register(
        self, tool: F, *, name: str | None = None, description: str | None = None, timeout: float | None = None,
        overwrite: bool = False,
    ) -> F: ...  # fmt: skip
    @overload
    def register(
        self, *, name: str | None = None, description: str | None = None, timeout: float | None = None,
        overwrite: bool = False,
    ) -> Callable[[F], F]: ...  # fmt: skip
    @overload
    def register(self, tool: Tool, *, overwrite: bool = False) -> Tool: ...
    def register(
        self, tool: Any = None, *, name: str | None = None, description: str | None = None,
        timeout: float | None = None, overwrite: bool = False,
    ) -> Any:  # fmt: skip
        """Add a tool, or a function as one; also as a decorator, with arguments or without.

        Raises `ToolDefinitionError` for a name that is taken, unless it is to `overwrite` what has it.
        """
        if tool is None:
            return lambda function: self.register(
                function, name=name, description=description, timeout=timeout, overwrite=overwrite
            )
        if isinstance(tool, Tool):
            if (name, description, timeout) != (None, None, None):
                raise ToolDefinitionError(
                    f"expected a function to name and describe, got {tool}, which is a tool already"
                )
            made = tool
        else:
            made = Tool.from_function(tool, name, description, timeout)
        if made.name in self._tools and not overwrite:
            hint = "say overwrite=True to replace it"
            raise ToolDefinitionError(
                f"expected a new name for a tool, got `{made.name}`, which is registered already: {hint}"
            )
        self._tools[made.name] = made
        return tool

    def unregister(self, name: str) -> Tool:
        """Take a tool away, and return it. Raises `ToolDefinitionError` where there is none of this name."""
        tool = self[name]
        del self._tools[name]
        return tool

    def plus(self, *tools: Tool | Handler) -> ToolRegistry:
        """A registry with these tools besides, and all else alike."""
        if not tools:
            return self
        more = ToolRegistry(timeout=self.timeout, parallel=self.parallel, show_exceptions=self.show_exceptions)
        for tool in (*self, *tools):
            more.register(tool)
        return more

    def definitions(self) -> list[dict[str, Json]]:
        """The tools as OpenAI tool objects, in the order they were registered."""
        return [tool.definition() for tool in self]

    def readable(self) -> list[dict[str, Json]]:
        """The tools as a parser needs them: also by the names that their servers have for them."""
        renamed = [tool for tool in self if tool.wire_name != tool.name and tool.wire_name not in self._tools]
        return [*self.definitions(), *(tool.definition(tool.wire_name) for tool in renamed)]

    @overload
    async def execute(self, call: Call, *, call_id: str | None = None, context: Any = None) -> ToolResult: ...
    @overload
    async def execute(
        self, call: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None,
        context: Any = None,
    ) -> ToolResult: ...  # fmt: skip
    async def execute(
        self, call: Call | str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None,
        context: Any = None,
    ) -> ToolResult:  # fmt: skip
        """The result of one call, or of a tool's name and its arguments, as a mapping or its JSON text.

        `context` is the value that a tool's `Context` has. It never raises, but for the cancellation of the task that
        waits for it.
        """
        start = time.perf_counter()
        call = call if isinstance(call, Call) else _call(call, arguments)
        call_id = call_id if call_id is not None else call.id or f"call_{os.urandom(12).hex()}"
        ready = self.ready(call, Context(context, call, call_id))
        output = Output(ready, True) if isinstance(ready, str) else await self.run(ready)
        return result(call, call_id, output, start)

    async def execute_all(self, calls: Iterable[Call], *, context: Any = None) -> list[ToolResult]:
        """The results of several calls, in their order; `parallel` of them run at a time.

        Each result has an id of its own, as of `Message.with_ids`: that of its call, unless an earlier one has it.
        Raises TypeError for what is no call, before any runs.
        """
        calls = [*calls]
        for call in calls:
            if not isinstance(call, Call):
                raise TypeError(
                    f"expected calls to execute, got {kind_of(call)}: those of a message are `message.calls`"
                )
        gate = asyncio.Semaphore(self.parallel)

        async def one(call: Call) -> ToolResult:
            async with gate:
                return await self.execute(call, context=context)

        return [*await asyncio.gather(*(one(call) for call in Message(calls).with_ids().calls))]

    def refusal(self, call: Call) -> str:
        """Reason why the call cannot be executed, in words a model can act on; empty when it can."""
        ready = self.ready(call, Context(None, call))
        return ready if isinstance(ready, str) else ""

    def ready(self, call: Call, context: Context[Any]) -> Ready | str:
        """The call with its tool and what the handler gets, or why it cannot be executed."""
        if not call.runnable:
            return refusal_of(call)
        tool = self.get(call.name)
        if tool is None:
            return self._unknown(call.name)
        try:
            wrong = "; ".join(map(str, tool.violations(call.arguments)))
            args, kwargs = ((), {}) if wrong else tool.bind(call.arguments)
        except Exception as error:  # a schema and the types of a handler may have checks of their own
            wrong = described(error, True)
        if wrong:
            return f"the arguments of `{call.name}` are wrong: {wrong}"
        return Ready(tool, args, kwargs | {tool.context: context} if tool.context else kwargs)

    async def run(self, ready: Ready) -> Output:
        """The output of a call that is ready."""
        tool, args, kwargs = ready
        timeout = self.timeout if tool.timeout is None else tool.timeout
        return await output_of(tool.name, tool.handler, args, kwargs, timeout, self.show_exceptions)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._tools, 1)
        known = ", ".join(self._tools) or "none"
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"there is no tool `{name}`: the tools are {known}{hint}"


def result(call: Call, call_id: str, output: Output, start: float) -> ToolResult:
    """An output as the result of a call, which began at `start` of `time.perf_counter`."""
    spent = 1e3 * (time.perf_counter() - start)
    return ToolResult(call_id, call.name, output.text, output.is_error, spent, output.media)


def refusal_of(call: Call) -> str:
    """Reason for not running a call that could not be read, for the model."""
    why = call.error or "it could not be read"
    return f"the call was not executed because it is {call.status}: {why}; write the whole call again"


def _call(name: str, arguments: Mapping[str, Any] | str | None) -> Call:
    if isinstance(arguments, Mapping):
        return Call(name, dict(arguments))
    try:
        text = arguments if isinstance(arguments, str) else dumps(arguments or {})
    except (TypeError, ValueError, RecursionError) as error:
        return Call(name, None, spelling="", status=Status.MALFORMED, error=described(error, True))
    return read_arguments(Call(name, None, spelling=text), text) if text.strip() else Call(name, {})

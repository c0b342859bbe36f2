"""`toolect chat run`: execute the calls that somebody made; and tools as options."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from toolect._cli.input_files import InputError
from toolect._cli.message_text import message_of
from toolect._cli.options import SECONDS, Form, Texts, form_for, format_option, texts
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, aside, block, emit_json, note
from toolect._compiled import Dialect
from toolect._message import Json, Message, MessageError
from toolect._shown import one_line
from toolect._turns import PendingCalls
from toolect.agent import McpServer, ToolRegistry, ToolResult
from toolect.agent.errors import ToolDefinitionError
from toolect.agent.tool import Tool
from toolect.conversation import Conversation
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


F = TypeVar("F", bound=Callable[..., Any])


def _collect(_ctx: click.Context, _param: click.Parameter, source: str | None) -> ToolRegistry:
    if source is None:
        return ToolRegistry()
    with aside():
        return collect(source)


def tool_options(command: F) -> F:
    """The options for tools: a module of functions, and servers that have them."""
    servers = click.option(
        "--mcp", "servers", multiple=True, metavar="SERVER", callback=_servers,
        help="Also the tools of this MCP server: a command in quotes, or a URL.  Can be repeated.",
    )(command)  # fmt: skip
    return click.option(
        "--tools", "registry", metavar="MODULE", callback=_collect,
        help="Code that is run: a Python file or module, its ToolRegistry, Tools, or functions with docstrings.",
    )(servers)  # fmt: skip


def _servers(_ctx: click.Context, _param: click.Parameter, sources: tuple[str, ...]) -> list[McpServer]:
    return [McpServer(source) for source in sources]


@contextmanager
def all_tools(registry: ToolRegistry, servers: Iterable[McpServer]) -> Iterator[tuple[asyncio.Runner, ToolRegistry]]:
    """The tools of a module and of servers, and what runs them: the servers are open as long as this is.

    What the tools print goes to standard error. Raises `AgentError` for a server that cannot be reached, and
    `ToolDefinitionError` where two tools have one name.
    """
    with aside(), asyncio.Runner() as runner:
        open_ = AsyncExitStack()
        try:
            for server in servers:
                registry = registry.plus(*runner.run(open_.enter_async_context(server)))
            yield runner, registry
        finally:
            runner.run(open_.aclose())


def draw_result(result: ToolResult) -> Iterator[Styled]:
    """Draw the result of a call, with the time it took."""
    yield TerminalStyle.LABEL, "result "
    yield TerminalStyle.NAME, one_line(result.name) or "?"
    yield TerminalStyle.QUIET, f"  {result.duration_ms:.0f} ms"
    yield (STATUS["malformed"], "  error\n") if result.is_error else (TerminalStyle.PLAIN, "\n")
    yield TerminalStyle.PLAIN, block(result.output)


@click.command()
@tool_options
@texts("dialect", "jsonl", "field")
@click.option("--timeout", type=SECONDS, default=60.0, show_default=True, metavar="S",
              help="Seconds that a tool may take.")  # fmt: skip
@format_option("the results", Form.JSON, Form.TEXT)
def command(source: Texts, registry: ToolRegistry, servers: list[McpServer], timeout: float, form: str | None) -> int:
    """Execute the calls of a message and write what came of them, in their order.

    FILE is text in --dialect, a message as `parse` writes it, or messages of the chat-completions API: of a
    conversation those calls are executed that have no result yet.

    Tools are the functions of a module, those of an MCP server, or both. Calls that are truncated or malformed, of
    unknown tools or with wrong arguments are not executed: their results say why. The json format is one result a line.
    Of files of many messages, .jsonl and .parquet, the "results" of each are written beside its other columns, one
    message after the other. What tools print goes to standard error.
    """
    registry.timeout, registry.show_exceptions = timeout, True  # whoever runs it reads the results
    if not len(registry) and not servers:
        raise Misuse("expected tools to run, got none: name a module with --tools, or a server with --mcp")
    dialect = source.dialect
    assert dialect is not None
    with all_tools(registry, servers) as (runner, tools):
        if source.many:
            return replace(source, jobs=1).each(partial(_record, runner, tools, dialect, source.field))
        results = runner.run(tools.execute_all(_message(source.read(), tools, dialect).calls))
    if not results:
        note("found no call to execute")
    if form_for(form) == Form.TEXT:
        pen = Pen()
        for result in results:
            pen.write(draw_result(result))
    else:
        for result in results:
            emit_json(msgspec.to_builtins(result))
    return int(any(result.is_error for result in results))


def _message(text: str, registry: ToolRegistry, source: Dialect | Auto) -> Message:
    """The message of the input: JSON as `parse` writes it or OpenAI's, else wire text."""
    if source.name == AUTO:
        value: Json = None
        try:
            value = json.loads(text)
            return message_of(value)
        except (ValueError, RecursionError, MessageError):
            pass  # it is no message: a conversation, or the text itself, may hold one
        try:
            if (waiting := _waiting(value)) is not None:
                return waiting
        except MessageError as error:
            raise Misuse(f"{error} - in the conversation") from None
    return source.parse(text, tools=registry.definitions())


def _waiting(value: Json) -> Message | None:
    """The calls of a conversation's messages that have no result yet; None for what is none. Raises MessageError."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list) or not any(isinstance(one, dict) and "role" in one for one in messages):
        return None
    waiting = PendingCalls()
    for turn in Conversation.from_openai(messages).turns:
        waiting.follow(turn)
    return Message(waiting.calls)


def _record(
    runner: asyncio.Runner, registry: ToolRegistry, source: Dialect | Auto, field: str, record: Json
) -> tuple[dict[str, Json], bool]:
    """The results of the calls in a line or row, beside its other columns."""
    from toolect._cli.many import beside, text_of

    taken = ""
    try:
        message = message_of(record)
    except MessageError:
        try:
            text, taken = text_of(record, field)
        except InputError:
            waiting = None if field else _waiting(record)
            if waiting is None:
                raise
            message = waiting
        else:
            message = source.parse(text, tools=registry.definitions())
    results = runner.run(registry.execute_all(message.calls))
    shown = [msgspec.to_builtins(result) for result in results]
    return {**beside(record, taken), "results": shown}, not any(result.is_error for result in results)


# Tools out of a Python module: what its author registered, or else its public functions


def collect(source: str) -> ToolRegistry:
    """The tools of a module, given by its dotted name or by its file. The module is run, as any import is.

    They are a `ToolRegistry` in it, or else the `Tool`s, or else its own public functions with a docstring. Raises
    `ToolDefinitionError` when there is no such module, when it fails, or when it has no tools.
    """
    module = _module(source)
    values = [value for name, value in vars(module).items() if not name.startswith("_")]
    for value in values:
        if isinstance(value, ToolRegistry):
            return value
    tools = [value for value in values if isinstance(value, Tool)]
    found = ToolRegistry(tools or (Tool.from_function(function) for function in _functions(module, values)))
    if not len(found):
        raise ToolDefinitionError(
            f"expected tools in `{source}`, got none: write functions with type hints and docstrings"
        )
    return found


def _functions(module: ModuleType, values: list[Any]) -> Iterator[Any]:
    """The functions that the module itself defines and describes."""
    for value in values:
        if inspect.isfunction(value) and value.__module__ == module.__name__ and inspect.getdoc(value):
            yield value


def _module(source: str) -> ModuleType:
    try:
        if not (source.endswith(".py") or "/" in source):
            sys.path.insert(0, "")
            try:
                return importlib.import_module(source)
            finally:
                sys.path.remove("")
        path = Path(source)
        if not path.is_file():
            raise ToolDefinitionError(f"expected a Python file, got nothing at `{source}`: check the path")
        name = f"toolect_tools_{path.stem}"  # a name that no other module has
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ToolDefinitionError(f"expected a Python file, got `{source}`: its name should end in .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # type hints are looked up there
        spec.loader.exec_module(module)
        return module
    except ToolDefinitionError:
        raise
    except ModuleNotFoundError as error:
        why = f"there is no module `{error.name}`"
        raise ToolDefinitionError(f"expected a module with tools, got `{source}`: {why}") from None
    except (Exception, SystemExit) as error:  # whatever the module raises
        why = f"{type(error).__name__}: {error}"
        raise ToolDefinitionError(f"expected a module with tools, got `{source}`, which fails: {why}") from None

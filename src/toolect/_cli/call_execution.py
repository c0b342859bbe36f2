"""`toolect chat run`: execute the calls that somebody made; and tools as options."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from toolect._cli.input_files import InputError
from toolect._cli.message_json import message_of
from toolect._cli.options import SECONDS, Form, Texts, form_for, format_option, texts
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, aside, block, emit_json, note
from toolect._cli.tool_module import collect
from toolect._compiled import Dialect
from toolect._message import Json, Message, MessageError
from toolect._shown import one_line
from toolect._turns import PendingCalls
from toolect.agent import McpServer, ToolRegistry, ToolResult
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
    """What came of a call, with the time it took."""
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

"""Tools that a command runs, and how their calls and results look."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TypeVar

import click

from toolect._cli._shared.drawing import LABEL, NAME, PLAIN, QUIET, STATUS, Styled, block
from toolect._cli._shared.io import Misuse
from toolect._cli._shared.streams import aside
from toolect._cli._shared.tool_module import collect
from toolect._shown import one_line
from toolect.agent import AgentError, McpServer, ToolDefinitionError, ToolRegistry, ToolResult

F = TypeVar("F", bound=Callable[..., Any])


def _collect(_ctx: click.Context, _param: click.Parameter, source: str | None) -> ToolRegistry:
    if source is None:
        return ToolRegistry()
    try:
        with aside():
            return collect(source)
    except ToolDefinitionError as error:
        raise Misuse(str(error)) from None
    except ImportError as error:
        raise Misuse(str(error)) from None


def tool_options(command: F) -> F:
    """The options for tools: a module of functions, and servers that have them."""
    servers = click.option(
        "--mcp", "servers", multiple=True, metavar="SERVER", callback=_servers,
        help="Also the tools of this MCP server: a command in quotes, or a URL.  Can be repeated.",
    )(command)  # fmt: skip
    return click.option(
        "--tools", "registry", metavar="MODULE", callback=_collect,
        help="A Python file or module: its ToolRegistry, its Tools, or its functions with docstrings.",
    )(servers)  # fmt: skip


def _servers(_ctx: click.Context, _param: click.Parameter, sources: tuple[str, ...]) -> list[McpServer]:
    try:
        return [McpServer(source) for source in sources]
    except ImportError as error:
        raise Misuse(str(error)) from None


@contextmanager
def all_tools(registry: ToolRegistry, servers: Iterable[McpServer]) -> Iterator[tuple[asyncio.Runner, ToolRegistry]]:
    """The tools of a module and of servers, and what runs them: the servers are open as long as this is.

    What the tools print goes to standard error.
    Raises `Misuse` for a server that cannot be reached, and where two tools have one name.
    """
    with aside(), asyncio.Runner() as runner:
        open_ = AsyncExitStack()
        try:
            for server in servers:
                registry = registry.plus(*runner.run(open_.enter_async_context(server)))
            yield runner, registry
        except (AgentError, ToolDefinitionError) as error:
            raise Misuse(str(error)) from None
        finally:
            runner.run(open_.aclose())


def draw_result(result: ToolResult) -> Iterator[Styled]:
    """What came of a call, with the time it took."""
    yield LABEL, "result "
    yield NAME, one_line(result.name) or "?"
    yield QUIET, f"  {result.duration_ms:.0f} ms"
    yield (STATUS["malformed"], "  error\n") if result.is_error else (PLAIN, "\n")
    yield PLAIN, block(result.output)

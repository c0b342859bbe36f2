"""Tools that a command runs, and how their calls and results look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from toolect._shown import one_line
from toolect.agent import BadTool, ToolRegistry, ToolResult
from toolect.agent.collect import collect
from toolect.cli._shared.drawing import LABEL, NAME, PLAIN, QUIET, STATUS, Styled, block
from toolect.cli._shared.io import Misuse

F = TypeVar("F", bound=Callable[..., Any])


def _collect(_ctx: click.Context, _param: click.Parameter, source: str | None) -> ToolRegistry:
    if source is None:
        return ToolRegistry()
    try:
        return collect(source)
    except BadTool as error:
        raise Misuse(str(error)) from None
    except ImportError as error:
        raise Misuse(str(error)) from None


def collection_option(required: bool = True) -> Callable[[F], F]:
    """The option for a module of tools."""
    return click.option(
        "--tools", "registry", metavar="MODULE", callback=_collect, required=required,
        help="A Python file or module: its ToolRegistry, its Tools, or its functions with docstrings.",
    )  # fmt: skip


def draw_result(result: ToolResult) -> Iterator[Styled]:
    """What came of a call, with the time it took."""
    yield LABEL, "result "
    yield NAME, one_line(result.name) or "?"
    yield QUIET, f"  {result.duration_ms:.0f} ms"
    yield (STATUS["malformed"], "  error\n") if result.is_error else (PLAIN, "\n")
    yield PLAIN, block(result.output)

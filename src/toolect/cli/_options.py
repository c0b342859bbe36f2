"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toolect.cli._io import Misuse, read_json
from toolect.ir import Json

if TYPE_CHECKING:
    from toolect.compiled import Dialect

F = TypeVar("F", bound=Callable[..., Any])
MEBIBYTE = 1 << 20


def _load(ctx: click.Context, param: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    import toolect

    for path in paths:
        try:
            toolect.load(path)
        except OSError as error:
            raise Misuse(f"expected a spec, got `{error.strerror}` at `{path}`: check the path") from None
        except ValueError as error:
            raise Misuse(f"expected a spec that compiles, got in `{path}`: {error}") from None
    return paths


file_argument = click.argument("file", required=False, default="-", metavar="[FILE]")
# Eager: the dialects of a spec must be known before another option names one.
spec_option = click.option(
    "--spec", multiple=True, metavar="FILE", callback=_load, is_eager=True, expose_value=False,
    help="Also load the dialects of this YAML file; the grammars lie beside it.",
)  # fmt: skip
max_bytes_option = click.option(
    "--max-bytes", type=click.IntRange(min=1), default=64 * MEBIBYTE, metavar="N",
    help="Refuse longer input, or with --jsonl a longer line.  [default: 64 MiB]",
)  # fmt: skip
jsonl_option = click.option(
    "--jsonl", is_flag=True, help="Read many messages as JSON lines and write one object a line."
)


def source_option(help: str) -> Callable[[F], F]:
    """`--from DIALECT`."""
    return click.option("--from", "source", required=True, metavar="DIALECT", callback=_dialect, help=help)


def target_option(help: str) -> Callable[[F], F]:
    """`--to DIALECT`."""
    return click.option("--to", "target", required=True, metavar="DIALECT", callback=_dialect, help=help)


def _dialect(ctx: click.Context, param: click.Parameter, name: str) -> Dialect:
    return find(name)


def find(name: str) -> Dialect:
    """The dialect called `name`."""
    import toolect

    try:
        return toolect.dialect(name)
    except toolect.UnknownDialect as error:
        raise Misuse(f"{error}; `toolect list` shows them all") from None
    except ValueError as error:
        raise Misuse(f"expected a spec that compiles, got for `{name}`: {error}") from None


def tools_option() -> Callable[[F], F]:
    """`--tools FILE`, read and checked."""
    return click.option(
        "--tools", metavar="FILE", callback=_tools,
        help="The tools on offer, as JSON: argument types are read by their schemas.",
    )  # fmt: skip


def _tools(ctx: click.Context, param: click.Parameter, path: str | None) -> list[Json] | None:
    if path is None:
        return None
    value = read_json(path, 64 * MEBIBYTE, "a list of tools")
    if isinstance(value, dict) and "tools" in value:
        value = value["tools"]
    try:
        return checked_tools(value)
    except ValueError as error:
        raise Misuse(f"{error} of `{path}`: mend the file") from None


def checked_tools(value: Json) -> list[Json]:
    """`value`, if it is a list of tool objects or `{name, parameters}` mappings."""
    if not isinstance(value, list):
        raise ValueError(f"expected a list of tools, got `{type(value).__name__}` at `$`")
    for i, tool in enumerate(value):
        nested = isinstance(tool, dict) and "function" in tool
        inner, at = (tool["function"], f"$[{i}].function") if nested else (tool, f"$[{i}]")
        if not isinstance(inner, dict):
            raise ValueError(f"expected a tool as an object, got `{type(inner).__name__}` at `{at}`")
        if not isinstance(inner.get("name"), str):
            raise ValueError(f"expected a tool with a name, got none at `{at}.name`")
        if not isinstance(inner.get("parameters", {}), dict | None):
            raise ValueError(f"expected a schema, got `{type(inner['parameters']).__name__}` at `{at}.parameters`")
    return value

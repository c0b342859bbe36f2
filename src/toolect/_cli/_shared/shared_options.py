"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

import toolect
from toolect import registry
from toolect._cli._shared.io import InputError, Misuse, check, holds_many, read_json
from toolect._cli._shared.streams import output
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Json
from toolect._shown import counted
from toolect._values.toolset import tool_schemas
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._detection.auto import Auto

F = TypeVar("F", bound=Callable[..., Any])
MEBIBYTE = 1 << 20


def files(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Completes the name of a file."""
    return [CompletionItem(begun, type="file")]


def dialect_names(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Completes the name or the alias of a dialect, with what it is."""
    found = []
    for name in registry.dialects():
        spec = registry.spec(name)
        found += [CompletionItem(word, help=spec.about) for word in (name, *spec.aliases) if word.startswith(begun)]
    return found


def _load(_ctx: click.Context, _param: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        check(path)  # a file that cannot be read is said as everywhere
        try:
            toolect.load(path)
        except SpecError as error:
            raise _bad_spec(error, f"`{path}`") from None
    return paths


def read_tools(_ctx: click.Context, _param: click.Parameter, path: str | None) -> list[Json] | None:
    if path is None:
        return None
    if path.endswith(".py"):
        check(path)
        raise Misuse(
            f"expected a list of tools in JSON, got a Python module at `{path}`: `run` and `agent` take one;"
            " `ToolRegistry.definitions()` says the same as JSON"
        )
    value = read_json(path, 64 * MEBIBYTE, "a list of tools")
    if isinstance(value, dict) and "tools" in value:
        value = value["tools"]
    try:
        return checked_tools(value)
    except ValueError as error:
        raise Misuse(f"{error} of `{path}`: mend the file") from None


file_argument = click.argument("file", required=False, default="-", metavar="[FILE]", shell_complete=files)
given_file_argument = click.argument("file", required=False, metavar="[FILE]", shell_complete=files)
# Eager: the dialects of a spec must be known before another option names one.
spec_option = click.option(
    "--spec", multiple=True, metavar="FILE", callback=_load, is_eager=True, expose_value=False, shell_complete=files,
    help="Also load the dialects of this YAML file, or the chats of a `chats.yaml`; the grammars lie beside it.",
)  # fmt: skip
max_bytes_option = click.option(
    "--max-bytes", type=click.IntRange(min=1), default=64 * MEBIBYTE, metavar="N",
    help="Refuse longer input, or with --jsonl a longer line.  [default: 64 MiB]",
)  # fmt: skip
jsonl_option = click.option(
    "--jsonl/--no-jsonl", default=None,
    help="Read many messages as JSON lines and write one object a line.  [default: by the name of FILE]",
)  # fmt: skip
_jobs = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N",
    help="Processes to use for many messages.  [default: one a core for long files]",
)  # fmt: skip
field_option = click.option(
    "--field", default="", metavar="COLUMN",
    help="With many messages, the column that holds the text.  [default: the first of text, completion, output,"
    " response, content]",
)  # fmt: skip


def many_options(command: F) -> F:
    """`--jsonl` and `--jobs`."""
    return jsonl_option(_jobs(command))


def reads_many(file: str, jsonl: bool | None) -> bool:
    """True when the input is many messages: because it is said, or by its name."""
    return holds_many(file) if jsonl is None else jsonl


prefix_option = click.option(
    "--prefix", default="", metavar="TEXT",
    help="The end of the prompt, for a model that answers in the middle of a segment.",
)  # fmt: skip
tools_option = click.option(
    "--tools", metavar="FILE", callback=read_tools, shell_complete=files,
    help="The tools on offer, as JSON: argument types are read by their schemas.",
)  # fmt: skip


def format_option(what: str, *forms: str) -> Callable[[F], F]:
    """`--format FORM`, one of `forms`; without it, see `form_for`."""
    default = f"[default: text on a terminal, else {forms[0]}]"
    return click.option("--format", "form", type=click.Choice(forms), help=f"How to write {what}.  {default}")


def form_for(form: str | None, elsewhere: str = "json") -> str:
    """The form that is asked for; else text on a terminal, and another one elsewhere."""
    return form or ("text" if output().isatty() else elsewhere)


ANY_NAME = "The dialect of the text: a name, an alias or a model id. auto reads whatever fits, call by call."


def source_option(text: str = ANY_NAME) -> Callable[[F], F]:
    """`--from DIALECT`; without it, whatever fits."""
    return click.option(
        "--from", "source", default=AUTO, show_default=True, metavar="DIALECT", callback=_reader, help=text,
        shell_complete=dialect_names,
    )  # fmt: skip


def target_option(text: str) -> Callable[[F], F]:
    """`--to DIALECT`."""
    return click.option(
        "--to", "target", required=True, metavar="DIALECT", callback=_dialect, help=text, shell_complete=dialect_names
    )


def _reader(_ctx: click.Context, _param: click.Parameter, name: str) -> Dialect | Auto:
    return toolect.auto if name == AUTO else find(name)


def _dialect(_ctx: click.Context, _param: click.Parameter, name: str) -> Dialect:
    return find(name)


def find(name: str) -> Dialect:
    """The dialect called `name`."""
    if name == AUTO:
        raise Misuse(f"expected a dialect, got `{name}`, which only reads: `toolect list` shows them all")
    try:
        return toolect.dialect(name)
    except toolect.UnknownNameError as error:
        near = f"did you mean {' or '.join(f'`{n}`' for n in error.near)}?" if error.near else "none is like it;"
        raise Misuse(f"expected a dialect, got `{name}`: {near} `toolect list` shows them all") from None
    except SpecError as error:
        raise _bad_spec(error, f"`{name}`") from None


def _bad_spec(error: SpecError, where: str) -> Misuse:
    """The misuse that a broken spec is; what is wrong with it is drawn at once."""
    click.echo(str(error), err=True)
    return Misuse(
        f"expected a spec that compiles, got {counted(len(error.diagnostics), 'problem')} in {where}: see above"
    )


def checked_tools(value: Json) -> list[Json]:
    """`value`, if it is a list of tool objects or `{name, parameters}` mappings."""
    if not isinstance(value, list):
        raise InputError(f"expected a list of tools, got `{type(value).__name__}` - at `$`")
    tool_schemas(value)
    return value

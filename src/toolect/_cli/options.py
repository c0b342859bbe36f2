"""Options: each declared once, with one meaning in every command; and the values that they stand for."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

import toolect
from toolect import _extras as extras
from toolect import registry
from toolect._cli.input_files import InputError, check, holds_many, read, read_json
from toolect._cli.terminal import Misuse, complain, output
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Json
from toolect._shown import counted
from toolect._values.toolset import tool_schemas
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._cli.many import DrawRow, TextWork, Work
    from toolect._detection.auto import Auto

F = TypeVar("F", bound=Callable[..., Any])
MEBIBYTE = 1 << 20


class Form(StrEnum):
    """The forms of output."""

    TEXT = "text"
    """Drawn for a reader."""
    JSON = "json"
    """One JSON object, or of several results one a line."""
    OPENAI = "openai"
    """The shapes of the chat-completions API."""
    CONCISE = "concise"
    """A line for each finding."""
    SARIF = "sarif"
    """One SARIF log."""
    GITHUB = "github"
    """Workflow commands of GitHub."""


# Values


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


def find(name: str) -> Dialect:
    """The dialect called `name`."""
    if name == AUTO:
        raise Misuse(f"expected a dialect, got `{name}`, which only reads: `toolect list` shows them all")
    try:
        return toolect.dialect(name)
    except toolect.UnknownNameError as error:
        near = did_you_mean(error.near) or "none is like it;"
        raise Misuse(f"expected a dialect, got `{name}`: {near} `toolect list` shows them all") from None
    except SpecError as error:
        raise _bad_spec(error, f"`{name}`") from None


def did_you_mean(near: Iterable[str]) -> str:
    """The question whether one of the names is meant; empty where there are none."""
    names = " or ".join(f"`{name}`" for name in near)
    return f"did you mean {names}?" if names else ""


def _reader(_ctx: click.Context, _param: click.Parameter, name: str) -> Dialect | Auto:
    return toolect.auto if name == AUTO else find(name)


def _load(_ctx: click.Context, _param: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        check(path)
        try:
            toolect.load(path)
        except SpecError as error:
            raise _bad_spec(error, f"`{path}`") from None
    return paths


def _bad_spec(error: SpecError, where: str) -> Misuse:
    """The misuse that a broken spec is; its diagnostics are drawn at once."""
    complain(str(error))
    return Misuse(
        f"expected a spec that compiles, got {counted(len(error.diagnostics), 'problem')} in {where}: see above"
    )


def _read_schemas(_ctx: click.Context, _param: click.Parameter, path: str | None) -> list[Json] | None:
    if path is None:
        return None
    if path.endswith(".py"):
        check(path)
        raise Misuse(
            f"expected a list of tools in JSON, got a Python module at `{path}`: `agent` and `chat run` take one with"
            " --tools; `ToolRegistry.definitions()` gives the same as JSON"
        )
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
        raise InputError(f"expected a list of tools, got `{type(value).__name__}` - at `$`")
    tool_schemas(value)
    return value


def _writable_page(_ctx: click.Context, _param: click.Parameter, path: str | None) -> str | None:
    """The path. Raises Misuse when the page could not be written: that must not be found out after an hour."""
    if path is None:
        return None
    if find_spec("jinja2") is None:
        raise Misuse(extras.missing("jinja2", "report", "to write a page"))
    there = Path(path).exists()
    try:
        with open(path, "ab"):
            pass
        if not there:
            Path(path).unlink()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise Misuse(f"expected to write the report, got `{why}` at `{path}`: name another file") from None
    return path


def write_page(path: str | None, draw: Callable[[str], str]) -> None:
    """Write the page that `draw` makes, given the command as it was typed, if one is asked for."""
    if path is not None:
        called = Path(sys.argv[0])
        name = called.parent.name if called.stem == "__main__" else called.stem
        typed = shlex.join([name, *sys.argv[1:]]) if name == extras.NAME else ""  # empty where a program runs it
        Path(path).write_text(draw(typed), encoding="utf-8")


# Options

FOLDER = click.Path(file_okay=False)
_COUNT = click.IntRange(min=1)
SECONDS = click.FloatRange(min=0, min_open=True)

OPTIONS: dict[str, Callable[[F], F]] = {  # each takes any command
    "file": click.argument("file", default="-", metavar="[FILE]", shell_complete=files),
    "dialect": click.option(
        "--dialect", default=AUTO, show_default=True, metavar="DIALECT", callback=_reader, shell_complete=dialect_names,
        help="The dialect of the text: a name, an alias or a model id. auto reads whatever fits, call by call.",
    ),
    "to": click.option(
        "--to", "target", required=True, metavar="DIALECT", callback=lambda _ctx, _param, name: find(name),
        shell_complete=dialect_names, help="The dialect to write: a name, an alias or a model id.",
    ),
    "schemas": click.option(
        "--schemas", "tools", metavar="FILE", callback=_read_schemas, shell_complete=files,
        help="The tools on offer, as JSON: argument types are read by their schemas.",
    ),
    "prefix": click.option(
        "--prefix", default="", metavar="TEXT",
        help="The end of the prompt, for a model that answers in the middle of a segment.",
    ),
    "jsonl": click.option(
        "--jsonl/--no-jsonl", default=None,
        help="Read many messages as JSON lines and write one object a line.  [default: by the name of FILE]",
    ),
    "jobs": click.option(
        "--jobs", type=_COUNT, metavar="N", help="Processes to use.  [default: one a core where it is worth it]"
    ),
    "field": click.option(
        "--field", default="", metavar="COLUMN",
        help="Of many messages, the column that holds the text; `coverage` takes a path to it, too, such as"
        " `choices.0.message`.  [default: the first of text, completion, output, response, content]",
    ),
    # Eager: the dialects of a spec must be known before another option names one.
    "spec": click.option(
        "--spec", multiple=True, metavar="FILE", callback=_load, is_eager=True, expose_value=False,
        shell_complete=files,
        help="Also load the dialects of this YAML file, or the chats of a `chats.yaml`; the grammars lie beside it.",
    ),
    "max-bytes": click.option(
        "--max-bytes", type=_COUNT, default=64 * MEBIBYTE, metavar="N",
        help="Refuse longer input; of many messages, those that are longer.  [default: 64 MiB]",
    ),
    "limit": click.option(
        "-n", "--limit", type=click.IntRange(min=0), metavar="N", help="Results to write at most."
    ),
    "matrix": click.option(
        "--matrix", is_flag=True, help="Write a table of texts and dialects instead, of the first --limit texts."
    ),
    "strict": click.option(
        "--strict", is_flag=True, help="Relax nothing: accept only what the dialect's template writes."
    ),
    "html": click.option(
        "--html", metavar="FILE", callback=_writable_page,
        help="Write a report to look at, in one file; needs the extra `report`.",
    ),
    "template": click.option(
        "--template", metavar="FILE", shell_complete=files,
        help="A chat template instead: a jinja file, or a tokenizer_config.json.",
    ),
    "tokenizer": click.option(
        "--tokenizer", metavar="DIR", type=FOLDER, help="The folder of a model's tokenizer.json."
    ),
    "teach": click.option(
        "--teach", type=click.Choice(["all", "last", "calls"]), default="all", help="Which answers are taught."
    ),
    "thinking": click.option(
        "--thinking/--no-thinking", default=None, help="Enable or disable reasoning, in chats that know both."
    ),
    "date": click.option("--date", metavar="DATE", help="Today, for chats that write it."),
    "unsafe": click.option(
        "--unsafe", type=click.Choice(["refuse", "neutralise", "keep"]), default="refuse", show_default=True,
        help="What to do with a text that would break out of its place.",
    ),
}  # fmt: skip
"""The options by their names, which are those of the command line."""


def options(*added: str | Callable[[Any], Any]) -> Callable[[F], F]:
    """The shared options of these names, and others among them."""

    def add(command: F) -> F:
        for one in reversed(added):
            command = (OPTIONS[one] if isinstance(one, str) else one)(command)
        return command

    return add


def format_option(what: str, *forms: Form, default: Form | None = None) -> Callable[[F], F]:
    """`--format`, one of `forms`; without a default it is text on a terminal, see `form_for`."""
    shown = default or f"text on a terminal, else {forms[0]}"
    return click.option(
        "--format", "form", type=click.Choice([*map(str, forms)]), default=None if default is None else str(default),
        help=f"How to write {what}.  [default: {shown}]",
    )  # fmt: skip


def form_for(form: str | None) -> str:
    """The form that is asked for; else text on a terminal, and JSON elsewhere."""
    return form or (Form.TEXT if output().isatty() else Form.JSON)


@dataclass(frozen=True, slots=True)
class Texts:
    """The text, or the file of many, that a command is given, and how it is read."""

    file: str
    max_bytes: int
    field: str = ""
    jsonl: bool | None = None
    jobs: int | None = None
    prefix: str = ""
    tools: list[Json] | None = None
    dialect: Dialect | Auto | None = None

    @property
    def many(self) -> bool:
        """True when the input is many messages: because it is said, or by its name."""
        return holds_many(self.file) if self.jsonl is None else self.jsonl

    @property
    def options(self) -> dict[str, Any]:
        """Options of reading one text; a line or row may have its own."""
        return {"tools": self.tools, "prefix": self.prefix}

    def read(self) -> str:
        """The one text."""
        return read(self.file, self.max_bytes)

    def each(self, work: Work, draw: DrawRow | None = None) -> int:
        """Runs `work` over the many, and writes or draws what it makes; the exit status."""
        from toolect._cli.many import each

        return each(self.file, self.max_bytes, work, self.jobs, draw)

    def each_text(self, work: TextWork, reading: dict[str, Any], draw: DrawRow | None = None) -> int:
        """The same, where `work` takes the text of a message and how it is read; the other columns are kept."""
        from toolect._cli.many import on_text

        return self.each(partial(on_text, work, reading, self.field), draw)


def gathered(kind: type, name: str, *added: str | Callable[[Any], Any]) -> Callable[[F], F]:
    """The same options, handed to the command as one `kind` under a name."""

    def add(command: F) -> F:
        @wraps(command)
        def run(**given: Any) -> Any:
            found = {field.name: given.pop(field.name) for field in fields(kind) if field.name in given}
            return command(**{name: kind(**found)}, **given)

        add_options: Callable[[Any], F] = options(*added)
        return add_options(run)

    return add


def texts(*names: str) -> Callable[[F], F]:
    """`FILE`, `--max-bytes`, `--spec`, and the shared options of these names, handed to the command as one `Texts`."""
    return gathered(Texts, "source", "file", *names, "spec", "max-bytes")

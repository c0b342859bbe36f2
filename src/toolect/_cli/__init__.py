"""Command line: one command per module, imported when it is called; options, terminal and input are shared."""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import click

from toolect import _extras as extras
from toolect._cli.moved import moved_command, moved_option
from toolect._cli.terminal import abandon_output, note, stand_in, unwritten
from toolect._errors import ToolectError
from toolect._version import build

COMMANDS = {
    "parse": "parse", "render": "render", "convert": "convert", "detect": "detect", "coverage": "coverage",
    "list": "show:list_dialects", "show": "show", "new": "new", "lint": "lint", "eval": "eval", "agent": "agent",
    "serve": "serve", "play": "play", "demo": "demo",
    "chat parse": "transcripts:parse", "chat render": "transcripts:render", "chat convert": "transcripts:convert",
    "chat run": "call_execution", "chat list": "show:list_chats",
    "data convert": "dataset", "data tokens": "tokens",
    "spec checks": "spec:checks", "spec features": "feature_matrix", "spec generate": "spec:generate",
    "spec schema": "spec:schema",
}  # fmt: skip
"""The commands, and where they are: a module and its attribute, `command` if none is named."""
GROUPS = {
    "chat": "Conversations: write, read and convert transcripts, run the calls that wait; the chats there are.",
    "data": "Data sets: convert them, show their tokens.",
    "spec": "The spec language: checks, features, generated messages, JSON Schema.",
}
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""The errors of output that cannot be written, whoever wrote it."""
_ENDED = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class Stopped(BaseException):
    """The signal that ends a command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = signal.Signals(number)


class Commands(click.Group):
    """Commands by name; a failure of any of them is one sentence on standard error."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        start = f"{self.name} " if self.name in GROUPS else ""
        return [*dict.fromkeys(path.removeprefix(start).split()[0] for path in COMMANDS if path.startswith(start))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as above
        path = f"{self.name} {cmd_name}" if self.name in GROUPS else cmd_name
        if path in GROUPS:
            return Commands(path, help=GROUPS[path], short_help=GROUPS[path])
        if path not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[path].partition(":")
        command: click.Command = getattr(import_module(f"toolect._cli.{module}"), attribute or "command")
        command.name, command.epilog = cmd_name, _epilog(path)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            moved = None if self.name in GROUPS else moved_command(args[0], args[1:])
            raise click.UsageError(moved or f"expected a command ({', '.join(names)}), got `{args[0]}`", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; a reader that has gone away ends it in silence."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            abandon_output()
            return 0
        except KeyboardInterrupt:
            raise Stopped(signal.SIGINT) from None

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]  # always exits
        """Exits 0 when all is clean, 1 when problems were found and reported, 2 on misuse, 128 + N by signal N."""
        stand_in()
        try:
            with _stopped_by_signals():
                code = super().main(args, prog_name, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            code = 2
        except click.Abort:
            code = _stopped(signal.SIGINT)
        except Stopped as error:
            code = _stopped(error.number)
        except (click.ClickException, ToolectError, ImportError, OSError) as error:
            sentence = _sentence(error)
            if sentence is None:
                raise
            note(sentence)
            code = 2
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Meanwhile SIGTERM ends a command as Ctrl-C does: what it has begun is put away."""

    def stop(number: int, _frame: object) -> None:
        raise Stopped(number)

    before = None
    with suppress(ValueError):  # in another thread than the main one
        before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _stopped(number: signal.Signals) -> int:
    """Says that a signal ended the command; the exit status."""
    with suppress(OSError):
        sys.stdout.flush()
    note(f"{_ENDED[number]} by {number.name}")
    return 128 + number


def _sentence(error: Exception) -> str | None:
    """The sentence for an error; None for one that nobody can mend at the command line."""
    match error:
        case click.ClickException():
            context = error.ctx if isinstance(error, click.UsageError) else None
            text = _one_sentence(error.format_message())
            if context is not None and isinstance(error, click.NoSuchOption):
                path = context.command_path.removeprefix(context.find_root().command_path).strip()
                text = moved_option(path, error.option_name) or text
            return f"{text}; see `{context.command_path} --help`" if context is not None else text
        case ToolectError():  # what a command leaves to be said here, the user can mend
            return _one_sentence(str(error))
        case ModuleNotFoundError():
            found = extras.extra_with((error.name or "").partition(".")[0])
            return None if found is None else extras.missing(str(error.name), found)
        case OSError() if error.errno in _UNWRITTEN:
            return unwritten(error).format_message()
    return None


def _one_sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


@cache
def examples() -> dict[str, tuple[str, ...]]:
    """Command lines by the command that they show: lines of `examples.txt`."""
    found: dict[str, tuple[str, ...]] = {}
    for line in files(__package__).joinpath("examples.txt").read_text("utf-8").splitlines():
        name, _, shown = line.partition(": ")
        found[name] = (*found.get(name, ()), shown)
    return found


def _epilog(path: str) -> str:
    """The examples of a command, as its help ends."""
    lines = examples().get(path, ())
    return "\b\n" + "\n".join([f"Example{'s' * (len(lines) > 1)}:", *(f"  {line}" for line in lines)]) if lines else ""


@click.command(
    "toolect", cls=Commands, context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="toolect", message=f"%(prog)s %(version)s ({build()})")
def main() -> None:
    """Read and write the tool-call dialects of language models.

    FILE is the text as the model wrote it; without one, or with "-", standard input is read. Packed files (gzip,
    Zstandard) and files of many messages (.jsonl, .parquet) are read as what they are.

    `eval "$(_TOOLECT_COMPLETE=bash_source toolect)"` lets your shell complete commands, options and dialects (for zsh
    and fish: zsh_source, fish_source).

    Exit status: 0 clean, 1 problems found and reported, 2 misuse, 130 interrupted, 143 terminated.
    """

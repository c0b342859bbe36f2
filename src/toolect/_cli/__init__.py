"""The command line: one command per module or package, imported when it is called; `_shared` has what they share."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from toolect import _extras as extras
from toolect._cli._shared import examples
from toolect._cli._shared.io import unwritten
from toolect._cli._shared.streams import abandon_output, stand_in
from toolect._version import build

COMMANDS = (
    "parse", "render", "convert", "talk", "detect", "list", "show", "lint", "new", "generate", "coverage", "dataset",
    "eval", "run", "agent", "serve", "tokens", "play", "completion",
)  # fmt: skip

_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""The errors of output that cannot be written, whoever wrote it."""


class Commands(click.Group):
    """The commands by name; a failure of any of them is one sentence on standard error."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return [*COMMANDS]  # the name `list` is the command here, once its module is imported

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"toolect._cli.{cmd_name}").command
        command.name = cmd_name
        command.epilog = examples.shown(cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"expected a command ({', '.join(COMMANDS)}), got `{args[0]}`", ctx)
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

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]  # always exits
        """Exits 0 when all is clean, 1 when problems were found and reported, 2 on misuse."""
        stand_in()
        try:
            code = super().main(args, prog_name, **{**extra, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            code = 2
        except click.ClickException as error:
            click.echo(f"toolect: {_sentence(error)}".encode(errors="backslashreplace"), err=True)
            code = 2
        except extras.MissingExtraError as error:
            click.echo(f"toolect: {error}", err=True)
            code = 2
        except ModuleNotFoundError as error:
            found = extras.extra_with((error.name or "").partition(".")[0])
            if found is None:
                raise
            click.echo(f"toolect: {extras.missing(str(error.name), found)}", err=True)
            code = 2
        except OSError as error:
            if error.errno not in _UNWRITTEN:
                raise
            click.echo(f"toolect: {unwritten(error)}", err=True)
            code = 2
        except click.Abort:
            code = 130
        sys.exit(code if isinstance(code, int) else 0)


def _sentence(error: click.ClickException) -> str:
    text = " ".join(error.format_message().split()).rstrip(".")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text += f"; see `{error.ctx.command_path} --help`"
    return text


@click.command(
    "toolect", cls=Commands, context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="toolect", message=f"%(prog)s %(version)s ({build()})")
def main() -> None:
    """Read and write the tool-call dialects of language models.

    FILE is the text as the model wrote it; without one, or with "-", standard input is read. Packed files (gzip,
    Zstandard) and files of many messages (.jsonl, .parquet) are read as what they are.

    `toolect completion --install` lets your shell complete commands, options and dialects.

    Exit status: 0 clean, 1 problems found and reported, 2 misuse.
    """

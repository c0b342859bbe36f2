"""`toolect completion`: commands, options, dialects and files, completed by the shell."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from toolect._cli._shared.io import Misuse, note

SHELLS = ("bash", "zsh", "fish")
NAME = "toolect"
_ZSH = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
"""The completion of zsh has to be on before one can be added."""


@click.command()
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Install it for every new shell, instead of writing it.")
@click.pass_context
def command(ctx: click.Context, shell: str | None, install: bool) -> int:
    """Complete commands, options, dialects and files in your shell.

    Writes the script for bash, zsh or fish, or with --install puts it where new shells find it. Without SHELL it is
    the one that you use.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    make = get_completion_class(shell)
    if shell not in SHELLS or make is None:
        raise Misuse(f"expected one of the shells {', '.join(SHELLS)}, got `{shell}`: name the one that you use")
    script = (_ZSH if shell == "zsh" else "") + make(
        ctx.find_root().command, {}, NAME, f"_{NAME.upper()}_COMPLETE"
    ).source()
    if not install:
        click.echo(script)
        return 0
    try:
        done = _install(shell, script)
    except OSError as error:
        raise Misuse(f"expected to write `{error.filename}`, got `{error.strerror}`: check its permissions") from None
    note(f"completion for {shell} is installed in {done}: open a new shell to use it")
    return 0


def _install(shell: str, script: str) -> Path:
    """Write the script where the shell finds it, or where a line of its start file does; once, however often."""
    home = Path("~").expanduser()
    if shell == "fish":
        path = _folder("XDG_CONFIG_HOME", home / ".config") / "fish" / "completions" / f"{NAME}.fish"
    else:
        path = _folder("XDG_DATA_HOME", home / ".local" / "share") / NAME / f"completion.{shell}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, "utf-8")
    if shell != "fish":
        start = home / ".bashrc" if shell == "bash" else _folder("ZDOTDIR", home) / ".zshrc"
        quoted = shlex.quote(str(path))
        line = f"[ -r {quoted} ] && . {quoted}"
        before = start.read_text("utf-8", "surrogateescape") if start.exists() else ""
        if line not in before.splitlines():
            with start.open("a", encoding="utf-8") as file:
                file.write(("" if not before or before.endswith("\n") else "\n") + line + "\n")
    return path


def _folder(variable: str, usual: Path) -> Path:
    return Path(os.environ.get(variable) or usual)

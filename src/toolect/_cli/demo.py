"""`toolect demo`: a tour of commands on answers that come with toolect, in `demo.txt`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from toolect._cli.terminal import Pen, TerminalStyle, note

NEXT = """
Now yours: save what a model wrote, and

  toolect parse answer.txt        # what it says
  toolect detect answer.txt       # which dialect it is in, and why
  toolect list qwen               # the dialect of a model
  toolect --help                  # all commands
"""


@click.command()
def command() -> int:
    """Show toolect at work: read, stream, detect and convert a few answers of models.

    The commands are real ones; each is printed before it runs.
    """
    *parts, steps = re.split(
        r"^=== (.+)\n", files(__package__).joinpath("demo.txt").read_text("utf-8"), flags=re.MULTILINE
    )[1:]
    pen, status = Pen(), 0
    with TemporaryDirectory() as folder:
        for name, text in zip(parts[:-1:2], parts[1::2], strict=True):
            Path(folder, name).write_text(text.removesuffix("\n"), "utf-8")
        for line in re.findall(r"^[#$].*\n(?:\[exit.*\n)?", steps, re.MULTILINE):
            typed, _, rest = line.partition("\n")
            if typed[0] == "#":
                pen.write([(TerminalStyle.QUIET, f"\n{typed}\n")])
                continue
            pen.write([(TerminalStyle.LABEL, f"\n{typed}\n")])
            sys.stdout.flush()
            words = shlex.split(typed)[2:]
            got = subprocess.run([sys.executable, "-m", "toolect", *words], cwd=folder, check=False).returncode
            pen.write([(TerminalStyle.PLAIN, "" if got == 0 else f"[exit {got}]\n")])
            if (rest or "[exit 0]\n") != f"[exit {got}]\n":
                note(f"expected another exit status than {got} of `{typed[2:]}`")
                status = 1
    pen.write([(TerminalStyle.PLAIN, NEXT)])
    return status

"""The command line in a process of its own, and on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

RUN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # background jobs of a shell ignore it
    "from toolect._cli import main; main(prog_name='toolect')"
)
"""The program that is the command."""


def on_terminal(words: Sequence[str], folder: Path | None = None, errors: bool = False) -> str:
    """What a command writes when standard output is a terminal; with `errors` standard error is it as well."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-c", RUN, *words]
    stderr = theirs if errors else subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdout=theirs, stderr=stderr, env=environment) as child:
        os.close(theirs)
        out = b""
        try:
            while data := os.read(ours, 1 << 16):
                out += data
        except OSError:  # the terminal is gone when the child is
            pass
        child.wait(timeout=300)
    os.close(ours)
    return out.decode()

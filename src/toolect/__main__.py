"""`python -m toolect` is the command `toolect`."""

from __future__ import annotations

from toolect._cli import main

main(prog_name="python -m toolect")

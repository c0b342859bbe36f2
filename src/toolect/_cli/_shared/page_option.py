"""The option of commands that write their report as a page, too."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click

from toolect import _extras as extras
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.io import Misuse
from toolect._extras import NAME

F = TypeVar("F", bound=Callable[..., Any])


def _checked(_ctx: click.Context, _param: click.Parameter, path: str | None) -> str | None:
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


def given_command() -> str:
    """The command as it was typed, for a report to tell how it was made; empty where a program runs it."""
    called = Path(sys.argv[0])
    name = called.parent.name if called.stem == "__main__" else called.stem
    return shlex.join([name, *sys.argv[1:]]) if name == NAME else ""


def write_page(path: str | None, draw: Callable[[str], str]) -> None:
    """Write what `draw` makes, given the command, if a page is asked for."""
    if path is not None:
        Path(path).write_text(draw(given_command()), encoding="utf-8")


html_option = click.option(
    "--html", metavar="FILE", callback=_checked,
    help="Write a report to look at, in one file; needs the extra `report`.",
)  # fmt: skip
_json = click.option("--json", "as_json", is_flag=True, help="Write the report as one JSON object.")
_jobs = click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use.  [default: one a core]")
_max_bytes = click.option(
    "--max-bytes", type=click.IntRange(min=1), default=64 * shared.MEBIBYTE, metavar="N",
    help="Leave out longer lines, rows and records, and say so.  [default: 64 MiB]",
)  # fmt: skip


def report_options(command: F) -> F:
    """`--html`, `--json`, `--jobs`, `--spec` and `--max-bytes`: what commands have that report on whole files."""
    return html_option(_json(_jobs(shared.spec_option(_max_bytes(command)))))

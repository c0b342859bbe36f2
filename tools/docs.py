"""Writes the generated pages of the documentation; with --check, fails when one is out of date."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from toolect.cli import main as toolect

ROOT = Path(__file__).resolve().parent.parent


def cli() -> str:
    """The command line's own help, page by page."""
    intro = "# The command line\n\nWritten by `tools/docs.py` from `--help`.\n"
    return intro + "".join(f"\n## {path}\n\n```\n{text}\n```\n" for path, text in _helps(toolect, "toolect"))


def _helps(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    with click.Context(command, info_name=path, terminal_width=100) as context:
        yield path, command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                if found is not None:
                    yield from _helps(found, f"{path} {name}")


PAGES: tuple[tuple[str, Callable[[], str]], ...] = (("docs/cli.md", cli),)
"""Each generated page, and what writes it."""


def outdated(root: Path = ROOT) -> list[str]:
    """The pages that do not say what they would if they were written now."""
    found = []
    for name, generate in PAGES:
        page = root / name
        if not page.is_file() or page.read_text(encoding="utf-8") != generate():
            found.append(name)
    return found


def main(arguments: list[str]) -> int:
    """Writes the pages, or says which are out of date."""
    if arguments not in ([], ["--check"]):
        print(f"expected --check or nothing, got {' '.join(arguments)}", file=sys.stderr)
        return 2
    stale = outdated()
    for name in stale:
        if arguments:
            print(f"{name} is out of date: run `python tools/docs.py`", file=sys.stderr)
            continue
        (ROOT / name).parent.mkdir(exist_ok=True)
        (ROOT / name).write_text(dict(PAGES)[name](), encoding="utf-8")
        print(f"wrote {name}")
    return 1 if stale and arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

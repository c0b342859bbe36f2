"""Writes the generated pages of the documentation; with --check, fails when one is out of date.

A page is generated whole, or in the part between `<!-- name -->` and `<!-- /name -->`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import click

from toolect import registry
from toolect.authoring.editor_schema import chat_schema, editor_schema
from toolect.authoring.lint import catalogue
from toolect.cli import main as toolect
from tools.bench import speed_tables
from tools.fuzz import fuzz
from tools.pages import check_pages, dialect_pages, feature_matrix, headlines
from tools.pages.markdown_text import code, table
from tools.peers import peer_figures

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "toolect"


def cli() -> str:
    """The command line's own help, page by page."""
    intro = "# The command line\n\nWritten by `tools/pages/docs.py` from `--help`.\n"
    return intro + "".join(f"\n## {path}\n\n```\n{text}\n```\n" for path, text in _helps(toolect, "toolect"))


def _helps(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    names = ["-h", "--help"]  # a command remembers those that it was asked by first
    with click.Context(command, info_name=path, terminal_width=100, help_option_names=names) as context:
        yield path, command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                if found is not None:
                    yield from _helps(found, f"{path} {name}")


KNOWN = (
    "hermes", "qwen3-coder", "llama3-json", "mistral-v13", "deepseek-v3.1", "kimi-k2", "glm-4.5", "harmony", "gemma4",
    "minimax-m2", "anthropic-xml", "openai-chat",
)  # fmt: skip
"""The dialects that most people look for first."""


def readme() -> str:
    """The README with its table of well-known dialects, and its figures."""
    rows = [("dialect", "one call", "models")]
    for name in KNOWN:
        link = f"[`{name}`]({dialect_pages.FOLDER}/{name}.md)"
        rows.append((link, code(dialect_pages.sample(name)), dialect_pages.models(name)))
    return _filled(_filled(_read("README.md"), "dialects", table(rows)), "figures", headlines.text())


_LIMIT = re.compile(r"(.+?)\. ((?:Beyond it|With fewer): .+?)\.(?: |$)")


def limits() -> str:
    """The reference of dialects with its table of limits: constants whose docstrings say what is `Beyond it`."""
    rows = [("limit", "value", "what it bounds", "beyond it")]
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for name, doc in _documented(path):
            if said := _LIMIT.match(" ".join(doc.split())):
                value = getattr(import_module(module), name)
                shown = f"`{module.removeprefix('toolect.')}.{name}`"
                rows.append((shown, f"{value:,.0f}", said[1], said[2].removeprefix("Beyond it: ")))
    return _filled(_read("docs/guide/dialects.md"), "limits", table(rows))


def _documented(path: Path) -> Iterator[tuple[str, str]]:
    """The constants of a module with the docstrings below them."""
    for defined, text in pairwise(ast.parse(path.read_text(encoding="utf-8")).body):
        match defined, text:
            case ast.Assign(targets=[ast.Name(name)]), ast.Expr(ast.Constant(str(doc))):
                yield name, doc


def _read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def _filled(page: str, name: str, text: str) -> str:
    """The page with `text` between the comments that name it."""
    before, found, rest = page.partition(f"<!-- {name} -->\n")
    _, closed, after = rest.partition(f"<!-- /{name} -->")
    if not found or not closed:
        raise SystemExit(f"expected `<!-- {name} -->` and `<!-- /{name} -->` in the page that begins `{page[:40]}`")
    return f"{before}{found}{text}\n{closed}{after}"


PAGES: tuple[tuple[str, Callable[[], str]], ...] = (
    ("docs/guide/cli.md", cli),
    ("README.md", readme),
    ("docs/guide/dialects.md", limits),
    ("dialects.schema.json", lambda: json.dumps(editor_schema(), indent=2) + "\n"),
    ("chats.schema.json", lambda: json.dumps(chat_schema(), indent=2) + "\n"),
    ("docs/reports/matrix.md", feature_matrix.page),
    ("docs/reports/fuzz.md", fuzz.page),
    ("docs/reports/speed.md", speed_tables.page),
    ("docs/reports/peers.md", peer_figures.page),
    (f"{dialect_pages.FOLDER}/README.md", dialect_pages.index),
    *((f"{dialect_pages.FOLDER}/{name}.md", partial(dialect_pages.page, name)) for name in registry.dialects()),
    ("docs/checks/README.md", check_pages.index),
    *((f"{check_pages.FOLDER}/{name}.md", partial(check_pages.page, name)) for name in catalogue.names()),
)
"""Each generated page, and what writes it."""


def left(root: Path = ROOT) -> list[str]:
    """Pages of dialects and checks that there are no more."""
    known = {dialect_pages.FOLDER: {"README", *registry.dialects()}, check_pages.FOLDER: {"README", *catalogue.names()}}
    pages = [(folder, page) for folder in known for page in sorted((root / folder).glob("*.md"))]
    return [f"{folder}/{page.name}" for folder, page in pages if page.stem not in known[folder]]


def outdated(root: Path = ROOT) -> list[str]:
    """The pages that do not say what they would if they were written now."""
    found = left(root)
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
            print(f"{name} is out of date: run `python -m tools.pages.docs`", file=sys.stderr)
            continue
        generate = dict(PAGES).get(name)
        if generate is None:
            (ROOT / name).unlink()
            print(f"removed {name}")
            continue
        (ROOT / name).parent.mkdir(exist_ok=True)
        (ROOT / name).write_text(generate(), encoding="utf-8")
        print(f"wrote {name}")
    return 1 if stale and arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

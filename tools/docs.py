"""Writes the generated pages of the documentation; with --check, fails when one is out of date.

A page is generated whole, or in the part between `<!-- name -->` and `<!-- /name -->`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import check_pages
import click
import dialect_pages
import matrix
from markdown_text import code, table

from toolect import registry
from toolect.chat_template import sandbox
from toolect.cli import main as toolect
from toolect.compile import graph, node
from toolect.detection import ranking, trial
from toolect.engine import (
    closing,
    comments,
    elements,
    json_lexemes,
    loose_json,
    open_call,
    spelling,
    subschema,
    yaml_text,
)
from toolect.lint import catalogue
from toolect.prompting import notation, schemas
from toolect.spec import document, grammar, lalr, source

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


SHOWN = 2
"""Models named in the table; the page of a dialect names them all."""


def readme() -> str:
    """The README with its table of dialects."""
    rows = [("dialect", "one call", "models")]
    for name in registry.dialects():
        models = registry.spec(name).models
        more = f", {len(models) - SHOWN} more" if len(models) > SHOWN else ""
        link = f"[`{name}`]({dialect_pages.FOLDER}/{name}.md)"
        rows.append((link, code(dialect_pages.sample(name)), ", ".join(map(code, models[:SHOWN])) + more))
    return _filled("README.md", "dialects", table(rows))


LIMITS = (
    ("MAX_DEPTH", json_lexemes.MAX_DEPTH, "open brackets of a JSON value", "`malformed`"),
    (
        "MAX_STACK",
        graph.MAX_STACK,
        "grammar rules open at a time, which bounds the depth of value languages",
        "`malformed`",
    ),
    (
        "MAX_DIGITS",
        json_lexemes.MAX_DIGITS,
        "characters of an integer in JSON",
        "`malformed`; in raw text it stays text",
    ),
    (
        "MAX_LEXEME",
        spelling.MAX_LEXEME,
        "characters of a terminal given by a regular expression: a name, a key, an id, a number of a value language",
        "`malformed`",
    ),
    (
        "MAX_BLANK",
        spelling.MAX_BLANK,
        "whitespace characters that a blank inside a marker may be",
        "the marker is text",
    ),
    (
        "MAX_COMMENT",
        comments.MAX_COMMENT,
        "characters of comments that a look-ahead goes over",
        "the marker before them is text",
    ),
    ("MAX_LOOK", closing.MAX_LOOK, "characters after a doubtful quote that are looked at for code", "none"),
    ("MAX_REPAIR", open_call.MAX_REPAIR, "characters of broken JSON that a repair is tried on", "`malformed`"),
    ("MAX_YAML", yaml_text.MAX_YAML, "characters of arguments in YAML", "`malformed`"),
    ("MAX_ELEMENTS", elements.MAX_ELEMENTS, "elements inside one another in one value", "it stays text"),
    ("MAX_GUESS", loose_json.MAX_GUESS, "characters of broken bare JSON that may be a call", "content"),
    (
        "MAX_GUESSES",
        loose_json.MAX_GUESSES,
        "how often in one text broken bare JSON is taken for a call and is none",
        "content",
    ),
    (
        "MAX_OPTIONS",
        subschema.MAX_OPTIONS,
        "alternatives of one JSON Schema, and references in a row, that are followed",
        "the value has no schema",
    ),
    (
        "MAX_DEPTH (types)",
        schemas.MAX_DEPTH,
        "schemas inside one another that a printed type tells of",
        "`unknown`, `Any`",
    ),
    ("MAX_PARTS", schemas.MAX_PARTS, "schemas that one printed type tells of", "`unknown`, `Any`"),
    ("MAX_NESTED", notation.MAX_NESTED, "levels of the data in a tool's definition", "null"),
    ("MAX_VALUES", notation.MAX_VALUES, "values in a tool's definition", "null"),
    ("PLACES", ranking.PLACES, "places of a text at which `detect` looks for dialects", "none"),
    (
        "PATIENCE",
        trial.PATIENCE,
        "characters for which reading without a dialect waits for one that does not know yet",
        "it goes on without that one",
    ),
    ("LENGTH", sandbox.LENGTH, "characters that a chat template may write", "`BadTemplate`"),
    ("SECONDS", int(sandbox.SECONDS), "seconds that a chat template may take", "`BadTemplate`"),
    ("MEMORY", sandbox.MEMORY, "bytes of memory that a chat template may take", "`BadTemplate`"),
    ("MAX_NODES", graph.MAX_NODES, "nodes kept of one dialect's graph", "none: the graph starts afresh"),
    ("STRONG", node.STRONG, "characters that a marker needs to be implied or to stop a slot it does not close", "none"),
    ("MAX_COPIES", grammar.MAX_COPIES, "the numbers in a grammar's `~ n..m`", "diagnostic `unsupported-grammar`"),
    ("MAX_SPELLINGS", grammar.MAX_SPELLINGS, "spellings of one named marker", "it becomes a pattern"),
    ("MAX_RULES", lalr.MAX_RULES, "rules of a grammar that is tried as an LALR(1) parser", "warning `too-large`"),
    ("MAX_IMPORTS", source.MAX_IMPORTS, "grammars that import one another in a row", "diagnostic `import-cycle`"),
    ("MAX_DEPTH (YAML)", document.MAX_DEPTH, "levels of nesting in the YAML file", "diagnostic `yaml-syntax`"),
)
"""What is bounded, by how much, and what going beyond it leads to."""


def limits() -> str:
    """The reference of dialects with its table of limits."""
    rows = [("limit", "value", "what it bounds", "beyond it")]
    rows += [(f"`{name}`", f"{value:,}", bounds, then) for name, value, bounds, then in LIMITS]
    return _filled("docs/dialects.md", "limits", table(rows))


def _filled(page: str, name: str, text: str) -> str:
    """The page with `text` between the comments that name it."""
    written = (ROOT / page).read_text(encoding="utf-8")
    before, found, rest = written.partition(f"<!-- {name} -->\n")
    _, closed, after = rest.partition(f"<!-- /{name} -->")
    if not found or not closed:
        raise SystemExit(f"expected `<!-- {name} -->` and `<!-- /{name} -->` in {page}")
    return f"{before}{found}{text}\n{closed}{after}"


PAGES: tuple[tuple[str, Callable[[], str]], ...] = (
    ("docs/cli.md", cli),
    ("README.md", readme),
    ("docs/dialects.md", limits),
    ("docs/matrix.md", matrix.page),
    (f"{dialect_pages.FOLDER}/README.md", dialect_pages.index),
    *((f"{dialect_pages.FOLDER}/{name}.md", partial(dialect_pages.page, name)) for name in registry.dialects()),
    ("docs/checks.md", check_pages.index),
    *((f"{check_pages.FOLDER}/{name}.md", partial(check_pages.page, name)) for name in catalogue.names()),
)
"""Each generated page, and what writes it."""


def left(root: Path = ROOT) -> list[str]:
    """Pages of dialects and checks that there are no more."""
    known = {dialect_pages.FOLDER: {"README", *registry.dialects()}, check_pages.FOLDER: {*catalogue.names()}}
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
            print(f"{name} is out of date: run `python tools/docs.py`", file=sys.stderr)
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

"""`toolect lint`: what is wrong with specs, shown."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from pathlib import Path

import click

import toolect
from toolect import registry
from toolect._chats import chat_registry
from toolect._cli._shared.diagnostic_text import coloured
from toolect._cli._shared.drawing import Pen
from toolect._cli._shared.io import Misuse
from toolect._cli._shared.progress import progress
from toolect._diagnostic import Diagnostic, SpecError
from toolect._files import holds_chats
from toolect._shown import one_line
from toolect.registry import shipped

FORMATS = ("full", "concise", "json", "sarif", "github")


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC…]")
@click.option("--only", multiple=True, metavar="DIALECT", help="Look at this entry of the file alone; may be repeated.")
@click.option("--check", "checks", multiple=True, metavar="CHECK", help="Run this check alone; may be repeated.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="full", show_default=True, help="How to report.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Use N processes.  [default: one a processor]")
@click.option(
    "--update", is_flag=True, help="First write what is read now below the cases of the corpus that say nothing."
)
@click.option(
    "--accept", is_flag=True, help="With --update: also change what cases say, and mark what is read with repairs."
)
@click.option("--watch", is_flag=True, help="Look again whenever a file changes, until it is interrupted.")
@click.option(
    "--explain", metavar="CHECK", help="Tell what a check is about, and how to mend what it finds; `all` lists them."
)
@click.option(
    "--schema",
    is_flag=False,
    flag_value="dialects",
    type=click.Choice(("dialects", "chats")),
    help="Print the JSON Schema of files with dialects, or with chats, for editors, and look at nothing.",
)
def command(
    specs: tuple[str, ...], only: tuple[str, ...], checks: tuple[str, ...], form: str, jobs: int | None,
    update: bool, accept: bool, watch: bool, explain: str | None, schema: str | None,
) -> int:  # fmt: skip
    """Check specs: grammars, entries, corpora, chats, and how dialects get on with each other.

    SPEC is a YAML file, a folder of such files, a grammar that entries use, or the name of a dialect or chat, or of
    both, that comes with toolect. Without one it is `dialects.yaml` and `chats.yaml` here if there are such files, else
    all that come with toolect.
    """
    from toolect._authoring.lint.catalogue import pages
    from toolect._authoring.lint.subject import changes

    if schema is not None:
        return _schema(schema)
    if explain is not None:
        return _explain(explain)
    for name in checks:
        if name not in pages():
            raise Misuse(_unknown(name))
    if accept and not update:
        raise Misuse("expected `--update` with `--accept`: it says which of its changes are made")
    status = 0
    with suppress(KeyboardInterrupt):
        for _ in changes(_targets(specs, only)) if watch else (None,):
            targets = _targets(specs, only)
            for path, names in targets.items() if update else ():
                if holds_chats(path):
                    continue
                _update(path, names, accept)
            status = _report(targets, checks, form, jobs)
    return status


def _report(targets: dict[Path, list[str]], checks: tuple[str, ...], form: str, jobs: int | None) -> int:
    """Lint, and write what is found; the exit status."""
    from toolect._authoring.lint.formats import FORMATS as WRITERS
    from toolect._authoring.lint.runner import lint
    from toolect._authoring.processes import collect_less, cores
    from toolect._rows.row_fields import holds_rows, lint_rows

    collect_less()
    found: list[Diagnostic] = []
    looked: set[str] = set()
    for path, names in targets.items():
        if holds_rows(path):
            looked |= {*names}
            found += lint_rows(path)
            continue
        with progress(unit="dialects") as told:
            report = lint(path, names, checks, jobs or cores(), told)
        looked |= {*report.dialects}
        found += report.diagnostics
    for path, names in targets.items():
        for name in names:
            if name not in looked:
                raise Misuse(f"expected an entry of `{path}`, got `{name}`: its entries are what `--only` takes")
    drawn = form == "full" and sys.stdout.isatty()
    for piece in WRITERS[form](found):
        if drawn:
            Pen().write(coloured(piece))
        else:
            click.echo(piece.encode("utf-8", "backslashreplace"), nl=False)
    if form == "full" and not found:
        click.echo("no problems found")
    return 1 if found else 0


def _schema(kind: str) -> int:
    from toolect._authoring.editor_schema import chat_schema, editor_schema

    click.echo(json.dumps(chat_schema() if kind == "chats" else editor_schema(), indent=2))
    return 0


def _targets(specs: tuple[str, ...], only: tuple[str, ...]) -> dict[Path, list[str]]:
    """The YAML files with the entries to look at, none for all of them."""
    from toolect._authoring.lint.subject import MAIN, of_folder, of_grammar

    if not specs:
        here = [file for file in of_folder(Path()) if file.name in (MAIN, "chats.yaml")]
        return {file: [*only] for file in here or (shipped(), chat_registry.shipped())}
    targets: dict[Path, list[str]] = {}
    for spec in specs:
        path = Path(spec)
        if path.is_dir():
            files = of_folder(path)
            if not files:
                raise Misuse(f"expected a folder with YAML files, got none in `{spec}`: name another one")
            found = {file: [*only] for file in files}
        elif path.suffix == ".lark" and path.is_file():
            found = of_grammar(path)
            if not found:
                raise Misuse(
                    f"expected a grammar that some entry uses, got `{spec}`: name the YAML file with its entry"
                )
        elif spec == "-":
            raise Misuse("expected a YAML file or a dialect, got standard input: a spec is more than one file")
        elif re.search(r"\.(ya?ml|lark)$|[/\\]", spec) or path.exists():
            if not path.is_file():
                raise Misuse(f"expected a YAML file, got nothing at `{spec}`: check the path")
            found = {path: [*only]}
        else:
            found = _resolved(spec)
        for file, names in found.items():
            targets.setdefault(file, []).extend(names)
    return targets


def _update(path: Path, names: list[str], accept: bool) -> None:
    from toolect._authoring.lint.update import CaseUpdate, update_corpus

    def is_meant(change: CaseUpdate) -> bool:
        if accept or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return accept
        return click.confirm(f"{change.path}:{change.line}: {one_line(change.done)}. Write it?", err=True)

    try:
        for change in update_corpus(path, names, is_meant):
            click.echo(f"{change.path}:{change.line}: {one_line(change.done)}", err=True)
    except OSError as error:
        raise Misuse(f"expected a corpus that can be written, got `{error.strerror}` at `{error.filename}`") from None


def _resolved(name: str) -> dict[Path, list[str]]:
    """The file and the name of a dialect, and of a chat if it has that very name or there is no such dialect."""
    found: dict[Path, list[str]] = {}
    unknown = None
    try:
        found[registry.file_of(name)] = [registry.match(name).dialect]
    except toolect.UnknownNameError as error:
        unknown = error
    with suppress(toolect.UnknownNameError, SpecError):  # of a spec that does not load, linting tells
        if unknown or name in toolect.chats():
            found[chat_registry.file_of(name)] = [toolect.chat(name).name]
    if unknown and not found:
        near = (
            f"did you mean {' or '.join(f'`{n}`' for n in unknown.near)}?"
            if unknown.near
            else "`toolect list` shows them"
        )
        raise Misuse(f"expected a YAML file or a dialect, got `{name}`: {near}") from None
    return found


def _explain(name: str) -> int:
    from toolect._authoring.lint.catalogue import pages

    if name == "all":
        width = max(map(len, pages()))
        for check, page in pages().items():
            click.echo(f"{check:{width}}  {page.finds}")
        return 0
    if name not in pages():
        raise Misuse(_unknown(name))
    Pen().markdown(f"# {name}\n\n{pages()[name]}\n")
    return 0


def _unknown(name: str) -> str:
    from toolect._authoring.lint.catalogue import pages
    from toolect._spec.problems import near

    return f"expected a check, got `{name}`: {near(name, pages()) or '`toolect lint --explain all` lists them'}"

"""`toolect lint`: what is wrong with specs, shown."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

import toolect
from toolect import registry
from toolect._chats import chat_registry
from toolect._cli.options import Form, did_you_mean, files, format_option, options
from toolect._cli.terminal import Misuse, Pen, Styled, TerminalStyle, complain, emit, output, progress
from toolect._diagnostic import Diagnostic, SpecError
from toolect._files import holds_chats
from toolect._shown import one_line
from toolect.registry import shipped

FORMS = (Form.TEXT, Form.CONCISE, Form.JSON, Form.SARIF, Form.GITHUB)


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC…]", shell_complete=files)
@click.option("--only", multiple=True, metavar="NAME", help="Look at this entry of the file alone; may be repeated.")
@click.option("--check", "checks", multiple=True, metavar="CHECK", help="Run this check alone; may be repeated.")
@format_option("what is found", *FORMS, default=Form.TEXT)
@options("jobs")
@click.option(
    "--update", is_flag=True, help="First write what is read now below the cases of the corpus that say nothing."
)
@click.option(
    "--accept", is_flag=True, help="With --update: also change what cases say, and mark what is read with repairs."
)
@click.option("--watch", is_flag=True, help="Look again whenever a file changes, until it is interrupted.")
def command(
    specs: tuple[str, ...], only: tuple[str, ...], checks: tuple[str, ...], form: str, jobs: int | None,
    update: bool, accept: bool, watch: bool,
) -> int:  # fmt: skip
    """Check specs: grammars, entries, corpora, chats, and how dialects get on with each other.

    SPEC is a YAML file, a folder of such files, a grammar that entries use, or the name of a dialect or chat, or of
    both, that comes with toolect. Without one it is `dialects.yaml` and `chats.yaml` here if there are such files, else
    all that come with toolect.
    """
    from toolect._authoring.lint.catalogue import pages
    from toolect._authoring.lint.subject import changes

    for name in checks:
        if name not in pages():
            raise unknown_check(name)
    if accept and not update:
        raise Misuse("expected `--update` with `--accept`: it says which of its changes are made")
    status = 0
    for _ in changes(_targets(specs, only)) if watch else (None,):
        targets = _targets(specs, only)
        for path, names in targets.items() if update else ():
            if not holds_chats(path):
                _update(path, names, accept)
        status = _report(targets, checks, form, jobs)
    return status


def _report(targets: dict[Path, list[str]], checks: tuple[str, ...], form: str, jobs: int | None) -> int:
    """Lint, and write what is found; the exit status."""
    from toolect._authoring.lint.formats import FORMATS as WRITERS
    from toolect._authoring.lint.runner import GARBAGE, lint
    from toolect._processes import collect_less, cores
    from toolect._rows.row_fields import holds_rows, lint_rows

    collect_less(GARBAGE)
    found: list[Diagnostic] = []
    looked: set[str] = set()
    for path, names in targets.items():
        if holds_rows(path):
            looked |= {*names}
            found += lint_rows(path)
            continue
        with progress(unit="dialects") as advance:
            report = lint(path, names, checks, jobs or cores(), advance)
        looked |= {*report.dialects}
        found += report.diagnostics
    for path, names in targets.items():
        for name in names:
            if name not in looked:
                raise Misuse(f"expected an entry of `{path}`, got `{name}`: its entries are what `--only` takes")
    drawn = form == Form.TEXT and output().isatty()
    for piece in WRITERS[form](found):
        if drawn:
            Pen().write(coloured(piece))
        else:
            emit(piece)
    if form == Form.TEXT and not found:
        emit("no problems found\n")
    return 1 if found else 0


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
            complain(f"{change.path}:{change.line}: {one_line(change.done)}")
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
        near = did_you_mean(unknown.near) or "`toolect list` shows them"
        raise Misuse(f"expected a YAML file or a dialect, got `{name}`: {near}") from None
    return found


def unknown_check(name: str) -> Misuse:
    """The misuse that a check is which there is not."""
    from toolect._authoring.lint.catalogue import pages
    from toolect._spec.problems import near

    return Misuse(f"expected a check, got `{name}`: {near(name, pages()) or '`toolect spec checks` lists them'}")


# Drawing

ERROR, WARNING = "bold red", "bold yellow"
_HEAD = re.compile(r"(error|warning)(\[[\w-]+\])(.*)")
_SIDE = re.compile(r"(\s*(?:-->|:::|= [\w ]+:))(.*)")
_MARKED = re.compile(r"(\s*\| )( *)(\^+|-+)(.*)")
_LINE = re.compile(r"(\s*\d* \|)(.*)")


def coloured(text: str) -> Iterator[Styled]:
    """A drawn diagnostic in styled pieces: the check stands out, the lines of files step back."""
    style = ERROR
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\n")
        if found := _HEAD.fullmatch(body):
            style = ERROR if found[1] == "error" else WARNING
            yield from ((style, found[1] + found[2]), (TerminalStyle.LABEL, found[3]))
        elif found := _MARKED.fullmatch(body):
            yield from (
                (TerminalStyle.QUIET, found[1]),
                (TerminalStyle.PLAIN, found[2]),
                (style if found[3][0] == "^" else TerminalStyle.KEY, found[3] + found[4]),
            )
        elif found := _SIDE.fullmatch(body) or _LINE.fullmatch(body):
            yield from ((TerminalStyle.QUIET, found[1]), (TerminalStyle.PLAIN, found[2]))
        else:
            yield TerminalStyle.PLAIN, body
        yield TerminalStyle.PLAIN, line[len(body) :]

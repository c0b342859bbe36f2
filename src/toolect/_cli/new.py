"""`toolect new`: a dialect from answers and what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

import toolect
from toolect._cli.input_files import all_pieces, read, shown
from toolect._cli.options import FOLDER, options
from toolect._cli.terminal import Misuse, emit, note
from toolect._shown import counted
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._authoring.induction import Induced, Row
    from toolect._message import Json

MAX_BYTES = 1 << 23
"""Bytes of a file of rows, or of a chat template."""


@click.command()
@click.argument("name", required=False)
@click.argument("file", required=False, metavar="[ROWS]")
@click.option("--draft", metavar="SAMPLES", help="Print rows for these answers, to be corrected, and make nothing.")
@click.option(
    "-o", "--out", default=".", metavar="DIR", type=FOLDER, help="The folder for the files.  [default: the current one]"
)
@click.option("--anyway", is_flag=True, help="Go on even if a known dialect reads the rows.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
@options("schemas", "template", "spec")
def command(
    name: str | None, file: str | None, tools: list[Json] | None, draft: str | None, template: str | None, out: str,
    anyway: bool, force: bool,
) -> int:  # fmt: skip
    """Make a dialect called NAME from answers and what they say.

    ROWS is a file of JSON lines, each with the `text` of an answer, character for character, and what it says:
    `content`, `reasoning`, and `calls` with `name`, `arguments` and, if there is one, `id`; `prefix` is the end of a
    prompt that has begun the answer. Five rows will often do: two with several calls, two with content before a call,
    two with reasoning if there is any. What the texts have beside what they say is
    markup, and the grammar. Written are NAME.yaml with the entry, grammars/NAME.lark, and corpus/NAME.txt with the
    rows as cases. Nothing is overwritten, but with --force.

    Without rows, --draft prints some for pasted answers: one a line as JSON with `text`, or apart by lines of `===`.
    Correct what they say, and give them back.

    With --template, rows are what the chat template writes for known words. With --schemas, the tools are declared;
    else they are those that the rows call.

    Exit code 0: every row is read as it says, whole and streamed, and written back, each also by a dialect that is made
    of the others. 1: not so, or a known dialect does; it is said which.
    """
    from toolect._authoring.induction import check_rows, read_rows

    if draft is not None:
        return _draft(draft, tools or [])
    if name is None or (file is None) == (template is None):
        raise Misuse("expected NAME and a file of rows, or NAME and --template: without rows, --draft prints some")
    _check_name(name)
    if template is None:
        return _begin(name, read_rows(_text(str(file))), tools, Path(out), anyway, force)
    return _begin(name, check_rows(_template_rows(template)), tools, Path(out), anyway, force, asked=True)


def _draft(path: str, tools: Sequence[Json]) -> int:
    from toolect._authoring.induction.drafting import draft_row, split_samples
    from toolect._message import dumps

    for text in split_samples(_text(path)):
        emit(dumps(draft_row(text, tools)) + "\n")
    note("these rows are guesses: correct what they say, then `toolect new NAME ROWS`")
    return 0


def _begin(
    name: str, rows: Sequence[Row], tools: list[Json] | None, into: Path, anyway: bool, force: bool, asked: bool = False
) -> int:
    """Write the files of a dialect, unless a known one reads all; rows that were `asked` for show all there is."""
    from toolect._authoring.induction import files_of, induce
    from toolect._message import Message
    from toolect._rendering.roundtrip import tools_of
    from toolect.chat_template.probes import TOOLS

    declared = tools or (TOOLS if asked else tools_of(Message([call for row in rows for call in row.message.calls])))
    if not anyway and (known := _known(rows, declared)):
        reads = f"`toolect parse --dialect {known}`"
        note(f"the dialect `{known}` reads this already: {reads}; --anyway makes one from nothing")
        return 1
    made = induce(rows, declared, name, left_out=not asked)
    if made.spec is None or not made.proof.read:
        note(f"no dialect is made: {made.why}")
        return 1
    write(files_of(made, name, into, rows, declared), force)
    proof = made.proof
    same = f", {proof.same} of them to the character" if proof.same < proof.back else ""
    emit(f"{proof.read} of {counted(len(rows), 'row')} read as they say, {proof.back} written back{same}\n")
    return _tell(made, into / f"{name}.yaml")


def _tell(made: Induced, spec: Path) -> int:
    """Note what the rows and the law of round trips say about the dialect; the exit code."""
    from toolect._authoring.lint import lint

    if made.why:
        note(made.why)
    for line in made.unproven:
        note(line)
    for marker in made.spec.entry.get("lines", ()) if made.spec is not None else ():
        note(f"`{marker.strip()}` is a marker where it begins a line, as in all rows, and text elsewhere: see `lines`")
    wrong = [] if made.why else lint(spec, checks=["broken-round-trip"]).diagnostics
    for one in wrong:
        note(f"{one.message}: {next((text.text for text in one.texts if text.label == 'written'), '')!r}")
    emit(f"next: toolect lint {spec}\n")
    return 0 if made.claimed and not wrong else 1


def _text(path: str) -> str:
    return "".join(all_pieces(path, MAX_BYTES, "five rows will often do")).removeprefix("\ufeff")


def _template_rows(file: str) -> list[Row]:
    """Rows of the texts that the template of a jinja file, or of a tokenizer_config.json, writes for known words."""
    from toolect._authoring.induction.drafting import template_rows
    from toolect.chat_template import TemplateError, template_of

    try:
        return template_rows(template_of(read(file, MAX_BYTES), file.endswith(".json")))[0]
    except TemplateError as error:
        raise Misuse(f"{error} - in {shown(file)}") from None


def _check_name(name: str) -> None:
    from toolect._spec.entry import NAME

    if not NAME.fullmatch(name) or name == AUTO:
        raise Misuse(f"expected a name of lower-case letters, digits, `.`, `_` and `-`, got `{name}`: choose another")


def _known(rows: Sequence[Row], tools: Sequence[Json]) -> str | None:
    """The dialect that reads all rows, if there is one."""
    from toolect._authoring.induction import prove

    names = dict.fromkeys(found.dialect for row in rows for found in toolect.detect(row.whole, limit=1))
    return next((name for name in names if prove(toolect.dialect(name), rows, tools).clean == len(rows)), None)


def write(files: Mapping[Path, str], force: bool = False) -> None:
    """Writes all files, or none: what is there stays as it is, but by `force`."""
    for path in () if force else files:
        if path.exists():
            advice = "choose another name, or write over it with --force"
            raise Misuse(f"expected to write a new file, got one that is there at `{path}`: {advice}")
    written: list[Path] = []
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w" if force else "x", encoding="utf-8", newline="") as file:
                written += [] if force else [path]
                file.write(text)
            click.echo(f"wrote {path}")
    except (OSError, UnicodeError) as error:
        for path in written:
            with suppress(OSError):
                path.unlink()
        why = getattr(error, "strerror", None) or error
        raise Misuse(f"expected to write `{path}`, got `{why}`: choose another folder") from None

"""`toolect new`: a dialect from what a model wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

import toolect
from toolect._shown import counted
from toolect.cli._shared import shared_options as shared
from toolect.cli._shared.io import Misuse, note, read
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect.authoring.scaffold import Sample, Scaffold, Told
    from toolect.compiled import Dialect
    from toolect.message import Json

MAX_SAMPLE = 1 << 16
"""Bytes of a sample: more than an answer has that a person would paste."""


@click.command()
@click.argument("name")
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option(
    "--template",
    metavar="FILE",
    help="Take what this chat template writes as samples: a jinja file, or a tokenizer_config.json.",
)
@shared.tools_option
@click.option(
    "--name", "names", multiple=True, metavar="WORD", help="A tool that is called in the answers; repeatable."
)
@click.option("--key", "keys", multiple=True, metavar="WORD", help="An argument in the answers; repeatable.")
@click.option("--like", "base", metavar="DIALECT", help="Write an entry that extends this dialect, and no grammar.")
@click.option("--append", metavar="YAML", help="Append the entry to this file, and put the others beside it.")
@click.option(
    "--into", default=".", metavar="FOLDER", help="Write the files into this folder.  [default: the current one]"
)
@click.option("--anyway", is_flag=True, help="Go on even if a known dialect reads the samples.")
@click.option("--no-chat", is_flag=True, help="With --template: look for the dialect of its answers alone.")
@shared.spec_option
def command(
    name: str, files: tuple[str, ...], template: str | None, tools: list[Json] | None, names: tuple[str, ...],
    keys: tuple[str, ...], base: str | None, append: str | None, into: str, anyway: bool, no_chat: bool,
) -> int:  # fmt: skip
    """Begin a dialect called NAME from what a model wrote.

    Each FILE is one answer, character for character. Three files are written: NAME.yaml with the entry,
    grammars/NAME.lark, and corpus/NAME.txt with the answers and what the new dialect reads in them. Nothing is
    overwritten. What they do not show is made up in the corpus, and said.

    The tools that were declared say which words are names and keys, so that what is left is markup: give them with
    --tools, or the words with --name and --key. On a terminal they are asked for where they are not plain to see.

    With --template, whole conversations are looked at, too: a chat is proposed that writes them as the template does,
    in NAME.chats.yaml and grammars/chats/NAME.lark. It is tried on conversations that it was not made of.

    Exit code 0: every answer is read, with calls, and the chat writes what the template writes. 1: some are not, or it
    does not, or a known dialect and chat do already; it is said which.
    """
    from toolect.cli.new.template import begin_chat, source_of, told

    spec = _spec(name, append, into)
    given = source_of(template) if template is not None else None
    answers, further = told(given, needed=no_chat or bool(files)) if given is not None else ([], [])
    begun = Begun(0, None)
    if files or answers or template is None:
        begun = _begin(name, files, answers, further, [*(tools or [])], (names, keys), base, spec, append, anyway)
    if given is None or no_chat:
        return begun.status
    chats = spec.with_name(f"{name}.chats.yaml")
    status = begin_chat(name, given, chats, begun.dialect, write)
    return max(status or 0, begun.status if status is None or not begun.known else 0)


class Begun(NamedTuple):
    """What became of the dialect: the exit code, the dialect if there is one, and whether it is known already."""

    status: int
    dialect: Dialect | None
    known: bool = False


def _begin(
    name: str, files: tuple[str, ...], answers: list[Told], further: list[Told], tools: list[Json],
    words: tuple[tuple[str, ...], tuple[str, ...]], base: str | None, spec: Path, append: str | None, anyway: bool,
) -> Begun:  # fmt: skip
    """Write the files of a dialect, unless a known one reads all."""
    from toolect.authoring.scaffold import Sample, like, scaffold, scaffold_told
    from toolect.chat_template.probes import TOOLS
    from toolect.cli.new.shown_trials import watched
    from toolect.cli.new.words import asked, asks, worded

    samples = [Sample(one.title, one.text.removesuffix("\n")) for one in answers]
    samples += [_sample(file, number) for number, file in enumerate(files or (() if samples else ("-",)), 1)]
    tools += worded(*words)
    declared = [*tools, *(TOOLS if answers else ())] if tools else []
    if base is None and not anyway and (known := _known(samples, declared)):
        note(
            f"the dialect `{known}` reads this already: `toolect parse --from {known}`;"
            f" --like {known} begins a variant of it, --anyway a dialect from nothing"
        )
        return Begun(1, toolect.dialect(known), known=True)
    if base is not None:
        made = like(name, shared.find(base).name, samples, spec)
    elif answers and not files:
        with watched():
            made = scaffold_told(name, answers, spec, tools or TOOLS, further)
    else:
        tools += TOOLS if answers else []
        with watched():
            made = scaffold(name, samples, spec, tools)
        if not tools and files and asks() and (named := asked(made)) is not None:
            tools = worded(*named)
            with watched():
                made = scaffold(name, samples, spec, tools)
    write(made.files, spec if append is not None else None)
    return Begun(_tell(made, samples, spec, tools), made.dialect if made.calls else None)


def _spec(name: str, append: str | None, into: str) -> Path:
    """The YAML file that gets the entry."""
    from toolect._spec.entry import NAME
    from toolect._spec.load import read_names

    if not NAME.fullmatch(name) or name == AUTO:
        raise Misuse(f"expected a name of lower-case letters, digits, `.`, `_` and `-`, got `{name}`: choose another")
    if append is None:
        return Path(into) / f"{name}.yaml"
    spec = Path(append)
    if into != ".":
        raise Misuse("expected --append or --into, got both: the files go beside the one that is appended to")
    if not spec.is_file():
        raise Misuse(f"expected a YAML file, got nothing at `{append}`: without --append a new one is written")
    names, problems = read_names(spec)
    if problems:
        raise Misuse(f"expected entries that can be read, got {problems[0].message} in `{append}`: mend it first")
    if name in names:
        raise Misuse(f"expected a new name, got `{name}`, which `{append}` has already: choose another")
    return spec


def _sample(file: str, number: int) -> Sample:
    from toolect.authoring.scaffold import Sample

    return Sample(f"Sample {number}", read(file, MAX_SAMPLE))


def _known(samples: list[Sample], tools: Sequence[Json]) -> str | None:
    """The dialect that reads all samples clean, if there is one; of the tools, if any are declared."""
    from toolect.authoring.scaffold import known

    names = dict.fromkeys(found.dialect for sample in samples for found in toolect.detect(sample.text, limit=1))
    return next((name for name in names if known(toolect.dialect(name), samples, tools)), None)


def write(files: Mapping[Path, str], append: Path | None) -> None:
    """Writes all files, or none: what is there stays as it is."""
    from toolect.authoring.scaffold import VALUES

    for path in files:
        same = VALUES.as_posix() in path.as_posix() and path.is_file() and path.read_bytes() == files[path].encode()
        if path.exists() and path != append and not same:
            raise Misuse(f"expected to write a new file, got one that is there at `{path}`: choose another name")
    written: list[Path] = []
    try:
        for path, text in files.items():
            if path == append:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                with path.open("x", encoding="utf-8", newline="") as file:
                    written.append(path)
                    file.write(text)
                click.echo(f"wrote {path}")
        if append is not None:
            before = append.read_text("utf-8")
            with append.open("a", encoding="utf-8", newline="") as file:
                file.write(("" if re.search(r"(\A|\n)\Z", before) else "\n") + "\n" + files[append])
            click.echo(f"appended to {append}")
    except (OSError, UnicodeError) as error:
        for path in written:
            with suppress(OSError):
                path.unlink()
        why = getattr(error, "strerror", None) or error
        raise Misuse(f"expected to write `{path}`, got `{why}`: choose another folder") from None


def _tell(made: Scaffold, samples: Sequence[Sample], spec: Path, tools: Sequence[Json]) -> int:
    """How far it got, and what to do next; the exit code."""
    if not samples:
        click.echo(f"next: toolect lint {spec}")
        return 0
    verb = "is" if len(samples) == 1 else "are"
    count = counted(len(samples), "sample")
    click.echo(f"{made.read} of {count} {verb} read clean, with {counted(made.calls, 'call')}")
    from toolect.cli.new.words import shortcomings, written_back

    for line in (*written_back(made, samples, tools), *made.remarks):
        note(line)
    if made.sound:
        click.echo(f"next: toolect lint {spec}")
        return 0
    for line in shortcomings(made, samples, spec, tools):
        note(line)
    return 1

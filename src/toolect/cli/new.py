"""`toolect new`: a dialect from what a model wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

import toolect
from toolect._shown import counted
from toolect.cli._shared import shared_options as shared
from toolect.cli._shared.io import Misuse, note, read, shown
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect.authoring.scaffold import Sample, Scaffold

MAX_SAMPLE = 1 << 16
"""Bytes of a sample: more than an answer has that a person would paste."""
MAX_TEMPLATE = 1 << 22


@click.command()
@click.argument("name")
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option(
    "--template",
    metavar="FILE",
    help="Take what this chat template writes as samples: a jinja file, or a tokenizer_config.json.",
)
@click.option("--like", "base", metavar="DIALECT", help="Write an entry that extends this dialect, and no grammar.")
@click.option("--append", metavar="YAML", help="Append the entry to this file, and put the others beside it.")
@click.option(
    "--into", default=".", metavar="FOLDER", help="Write the files into this folder.  [default: the current one]"
)
@click.option("--anyway", is_flag=True, help="Go on even if a known dialect reads the samples.")
@shared.spec_option
def command(
    name: str, files: tuple[str, ...], template: str | None, base: str | None, append: str | None, into: str,
    anyway: bool,
) -> int:  # fmt: skip
    """Begin a dialect called NAME from what a model wrote.

    Each FILE is one answer, character for character. Three files are written: NAME.yaml with the entry,
    grammars/NAME.lark, and corpus/NAME.txt with the answers and what the new dialect reads in them. Nothing is
    overwritten. `toolect lint NAME.yaml` then tells what is missing.
    """
    from toolect.authoring.scaffold import like, scaffold

    spec = _spec(name, append, into)
    samples = _templated(template) if template is not None else []
    samples += [_sample(file, number) for number, file in enumerate(files or (() if samples else ("-",)), 1)]
    if base is None and not anyway and (known := _known(samples)):
        note(
            f"the dialect `{known}` reads this already: `toolect parse --from {known}`;"
            f" --like {known} begins a variant of it, --anyway a dialect from nothing"
        )
        return 1
    made = like(name, shared.find(base).name, samples, spec) if base is not None else scaffold(name, samples, spec)
    _write(made.files, spec if append is not None else None)
    _tell(made, len(samples), spec)
    return 0


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

    text = read(file, MAX_SAMPLE)
    # Editors end the last line of a file; models rarely end an answer so.
    return Sample(f"Sample {number}", text.removesuffix("\n"))


def _templated(file: str) -> list[Sample]:
    """The answers that a chat template writes, the first way in which it writes calls."""
    from toolect.authoring.scaffold import Sample
    from toolect.chat_template import BadTemplate, template_of, turns

    try:
        found = turns(template_of(read(file, MAX_TEMPLATE), file.endswith(".json")))[0]
    except BadTemplate as error:
        raise Misuse(f"{error} - in {shown(file)}") from None
    return [Sample(turn.probe.capitalize(), turn.text.removesuffix("\n")) for turn in found]


def _known(samples: list[Sample]) -> str | None:
    """The dialect that reads all samples clean, if there is one."""
    from toolect.authoring.scaffold import known

    names = dict.fromkeys(found.dialect for sample in samples for found in toolect.detect(sample.text, limit=1))
    return next((name for name in names if known(toolect.dialect(name), samples)), None)


def _write(files: Mapping[Path, str], append: Path | None) -> None:
    """Writes all files, or none: what is there stays as it is."""
    from toolect.authoring.scaffold import PYTHON

    for path in files:
        if path.exists() and path != append and not path.as_posix().endswith(PYTHON):
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


def _tell(made: Scaffold, samples: int, spec: Path) -> None:
    """How far it got, and what to do next."""
    if samples:
        verb = "is" if samples == 1 else "are"
        click.echo(f"{made.read} of {counted(samples, 'sample')} {verb} read clean, with {counted(made.calls, 'call')}")
    click.echo(f"next: toolect lint {spec}")

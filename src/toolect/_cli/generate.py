"""`toolect generate`: messages of a dialect with their wire text, as many as are asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from random import Random

import click
from msgspec.structs import replace

from toolect._authoring.generate.corruption import Corruption, corrupt
from toolect._authoring.generate.samples import Sample, mixed
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.io import emit, emit_json, note
from toolect._compiled import Dialect
from toolect._message import Json, Message
from toolect._shown import one_line, visible

ANY = "any"
PATIENCE = 500
"""Texts in a row that cannot be broken in the way that is asked for, before it is given up."""


@click.command()
@click.argument("dialect", shell_complete=shared.dialect_names)
@click.option("-n", "count", type=click.IntRange(min=0), default=10, show_default=True, help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same again.")
@click.option("--hostile", is_flag=True, help="Draw texts and values that try to be mistaken for something else.")
@click.option(
    "--corrupt", "way", type=click.Choice([ANY, *(way.value for way in Corruption)]), is_flag=False, flag_value=ANY,
    help="Break each text in this way, or in any.",
)  # fmt: skip
@shared.tools_option
@shared.format_option("them", "jsonl", "text")
@shared.spec_option
def command(
    dialect: str, count: int, seed: int, hostile: bool, way: str | None, tools: list[Json] | None, form: str | None
) -> int:  # fmt: skip
    """Draw messages of a dialect with their wire text.

    Every other text is a rendered message, the small ones first; those between are written by walking the grammar, with
    all that is read and never written too. With --hostile all are rendered messages, and with --tools, whose calls are
    of these tools, with arguments that their schemas admit. No text comes twice.

    The jsonl format is one object a line: "text", the "message" that it says, the "tools" that it calls, "canonical"
    for a rendered one, "dialect" and "corruption". A corrupted text is what has become of one that said the
    message.
    """
    found = shared.find(dialect)
    drawn = _broken(found, mixed(found, seed, hostile=hostile, tools=tools or ()), Random(seed), way)
    write = _write_text if shared.form_for(form, "jsonl") == "text" else _write_json
    done = 0
    for done, (sample, how) in enumerate(islice(drawn, count), 1):
        write(found, sample, how, done)
    if done < count:
        what = "that " + found.name + " can carry" if way is None else f"to break by {way}"
        note(f"expected {count} messages {what}, got {done}: nothing else was found")
        return 1
    return 0


def _broken(
    dialect: Dialect, samples: Iterator[Sample], random: Random, way: str | None
) -> Iterator[tuple[Sample, Corruption | None]]:
    """The samples, their texts broken in this way; those that cannot be are left out."""
    missed = 0
    for sample in samples:
        if way is None:
            yield sample, None
            continue
        how = random.choice(list(Corruption)) if way == ANY else Corruption(way)
        names = [call.name for call in sample.message.calls]
        text = corrupt(sample.text, dialect.spec, random, how, names)
        if text != sample.text:
            missed = 0
            yield replace(sample, text=text, message=_spanless(sample.message), canonical=False), how
        elif (missed := missed + 1) == PATIENCE:
            return


def _spanless(message: Message) -> Message:
    """The message without the places that it was read from."""
    return Message([replace(segment, span=None) for segment in message.segments])


def _write_json(dialect: Dialect, sample: Sample, how: Corruption | None, _number: int) -> None:
    form = {"text": sample.text, "message": sample.message.to_dict(), "tools": sample.tools}
    emit_json({**form, "canonical": sample.canonical, "dialect": dialect.name, "corruption": how})


def _write_text(_dialect: Dialect, sample: Sample, how: Corruption | None, number: int) -> None:
    kind = how or ("rendered" if sample.canonical else "from the grammar")
    text = visible(sample.text) if sys.stdout.isatty() else sample.text
    emit(f"=== {number} {one_line(kind)} ===\n{text}\n")

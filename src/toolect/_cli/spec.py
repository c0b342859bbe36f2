"""`toolect spec checks`, `schema` and `generate`: what lint looks for, what files hold, messages of a dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from random import Random

import click
from msgspec.structs import replace

from toolect._authoring.generate.corruption import Corruption, corrupt
from toolect._authoring.generate.samples import Sample, mixed
from toolect._cli.lint import unknown_check
from toolect._cli.options import Form, dialect_names, find, form_for, format_option, options
from toolect._cli.terminal import Pen, emit, emit_json, note
from toolect._compiled import Dialect
from toolect._message import Json, Message
from toolect._shown import counted, one_line

ANY = "any"
MESSAGES = 10
"""Messages that are drawn if no limit is named."""
PATIENCE = 500
"""Texts in a row that cannot be broken in the way that is asked for, before it is given up."""


@click.command()
@click.argument("check", required=False)
def checks(check: str | None) -> int:
    """List the checks of lint, or explain one: what it finds, why, and how to mend that."""
    from toolect._authoring.lint.catalogue import pages

    if check is None:
        width = max(map(len, pages()))
        for name, page in pages().items():
            emit(f"{name:{width}}  {page.finds}\n")
    elif check in pages():
        Pen().markdown(f"# {check}\n\n{pages()[check]}\n")
    else:
        raise unknown_check(check)
    return 0


@click.command()
@click.argument("kind", type=click.Choice(("dialects", "chats")), default="dialects")
def schema(kind: str) -> int:
    """Print the JSON Schema of files with dialects, or with chats, for editors."""
    from toolect._authoring.editor_schema import chat_schema, editor_schema

    emit(json.dumps(chat_schema() if kind == "chats" else editor_schema(), indent=2) + "\n")
    return 0


@click.command()
@click.argument("dialect", shell_complete=dialect_names)
@options("limit")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same again.")
@click.option("--hostile", is_flag=True, help="Draw texts and values that try to be mistaken for something else.")
@click.option(
    "--corrupt", "way", type=click.Choice([ANY, *(way.value for way in Corruption)]), is_flag=False, flag_value=ANY,
    help="Break each text in this way, or in any.",
)  # fmt: skip
@options("schemas")
@format_option("them", Form.JSON, Form.TEXT)
@options("spec")
def generate(
    dialect: str, limit: int | None, seed: int, hostile: bool, way: str | None, tools: list[Json] | None,
    form: str | None,
) -> int:  # fmt: skip
    """Draw messages of a dialect with their wire text.

    Every other text is a rendered message, the small ones first; those between are written by walking the grammar, with
    all that is read and never written too. With --hostile all are rendered messages, and with --schemas, whose calls
    are of these tools, with arguments that their schemas admit. No text comes twice.

    The json format is one object a line: "text", the "message" that it holds, the "tools" that it calls, "canonical"
    for a rendered one, "dialect" and "corruption". A corrupted text is what has become of one that held the message.
    """
    found, limit = find(dialect), MESSAGES if limit is None else limit
    drawn = _broken(found, mixed(found, seed, hostile=hostile, tools=tools or ()), Random(seed), way)
    write = _write_text if form_for(form) == Form.TEXT else _write_json
    done, called = 0, False
    for done, (sample, how) in enumerate(islice(drawn, limit), 1):
        called = called or bool(sample.message.calls)
        write(found, sample, how, done)
    if tools and limit >= MESSAGES and not called:
        note(f"expected calls, got none in {done} messages: no arguments were found that the schemas admit")
        return 1
    if done < limit:
        carried = f"that {found.name} can carry{' and the schemas admit' * bool(tools)}"
        what = carried if way is None else f"to break by {way}"
        note(f"expected {counted(limit, 'message')} {what}, got {done}: nothing else was found")
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
    emit(f"=== {number} {one_line(kind)} ===\n{sample.text}\n")

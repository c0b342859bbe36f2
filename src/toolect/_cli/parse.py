"""`toolect parse`: wire text to a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.drawing import Pen
from toolect._cli._shared.given_conversation import note_unread
from toolect._cli._shared.io import emit_json, note, pieces, read
from toolect._cli._shared.message_json import event_form
from toolect._cli._shared.message_text import Live, draw
from toolect._compiled import Dialect
from toolect._detection.guess import detect, reader
from toolect._events import Event
from toolect._message import Json, Message
from toolect.openai import to_openai
from toolect.openai.chunks import Chunks
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


@click.command()
@shared.file_argument
@shared.source_option()
@shared.tools_option
@shared.format_option("the message", "json", "openai", "text")
@click.option("--stream", is_flag=True, help="Read as the text arrives and write each event at once.")
@click.option(
    "--chunk",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="N",
    help="Characters to feed at once with --stream.",
)
@click.option("--strict", is_flag=True, help="Relax nothing: accept only what the dialect's template writes.")
@click.option("--explain", is_flag=True, help="Write only where it could be read otherwise, and what each way costs.")
@shared.prefix_option
@shared.many_options
@shared.field_option
@shared.spec_option
@shared.max_bytes_option
def command(
    file: str, source: Dialect | Auto, tools: list[Json] | None, form: str | None, stream: bool, chunk: int,
    strict: bool, explain: bool, prefix: str, jsonl: bool | None, jobs: int | None, field: str, max_bytes: int,
) -> int:  # fmt: skip
    """Read a model's output and write the message it holds.

    The json format is one object with the segments in order, and is what `render` reads. With --stream it is one event
    a line; openai then writes chat.completion.chunk objects.

    Files of many messages, .jsonl and .parquet, are read on all cores: one object a line, in order. A line is a JSON
    string or an object with the text, its other columns are kept, and its "tools" and "prefix" count for it alone.
    Files packed by gzip or Zstandard are read as what is in them.
    """
    many = shared.reads_many(file, jsonl)
    if explain and (stream or form):
        raise click.UsageError(f"expected --explain alone, got {'--stream' if stream else '--format'} with it")
    if many and (stream or explain or form == "text"):
        wrong = "--stream" if stream else "--explain" if explain else "--format text"
        raise click.UsageError(f"expected one text with {wrong}, got many: leave out {wrong}, or say --no-jsonl")
    options: dict[str, Any] = {"tools": tools, "mode": "strict" if strict else "lenient", "prefix": prefix}
    if many:
        from toolect._cli._shared.many import each

        return each(file, max_bytes, partial(_record, source.name, form or "json", options, field), jobs)
    if explain:
        click.echo(str(source.explain(read(file, max_bytes), **options)))
        return 0
    form = shared.form_for(form)
    read_text: list[str] = []
    if stream:
        message = _live(_kept(_cut(pieces(file, max_bytes), chunk), read_text), source, form, options)
    else:
        read_text.append(read(file, max_bytes))
        message = source.parse(read_text[0], **options)
        _write(message, form)
    if not message.calls and source.name != AUTO:
        _look_elsewhere("".join(read_text), source.name, options)
    return _report(message, quiet=form == "text") or int(strict and not message.clean)


def _cut(texts: Iterator[str], size: int) -> Iterator[str]:
    return (text[i : i + size] for text in texts for i in range(0, len(text), size))


def _kept(texts: Iterator[str], kept: list[str]) -> Iterator[str]:
    """The same texts, remembered in `kept`."""
    for text in texts:
        kept.append(text)
        yield text


def _look_elsewhere(text: str, name: str, options: dict[str, Any]) -> None:
    """Nothing was called: say so when the text has calls of another dialect."""
    found = detect(text, options["tools"], 1, options["prefix"])
    if found and (found[0].calls or found[0].repaired) and name not in found[0].dialects:
        note(f"no {name} call found; this looks like {' or '.join(found[0].dialects[:3])}")


def _write(message: Message, form: str) -> None:
    if form == "text":
        Pen().write(draw(message))
    else:
        emit_json(_formed(message, form), indent=True)


def _formed(message: Message, form: str) -> dict[str, Json]:
    if form == "openai":
        return to_openai(message)
    return message.to_dict()


def _live(chunks: Iterator[str], dialect: Dialect | Auto, form: str, options: dict[str, Any]) -> Message:
    """Feeds the chunks and writes what happens, as it happens."""
    stream = dialect.stream(**options)
    write, finish = _writer(form)
    for chunk in chunks:
        for event in stream.feed(chunk):
            write(event)
    for event in stream.close():
        write(event)
    finish()
    message: Message = stream.message
    return message


def _writer(form: str) -> tuple[Callable[[Event], None], Callable[[], None]]:
    """How to write an event, and what comes after the last one."""
    if form == "text":
        live, pen = Live(), Pen()
        return lambda event: pen.write(live.feed(event)), lambda: pen.write(live.close())
    if form == "openai":
        chunks = Chunks()
        return lambda event: _lines(chunks.feed(event)), lambda: _lines(chunks.close())
    return lambda event: _lines([event_form(event)]), lambda: None


def _lines(values: list[dict[str, Json]]) -> None:
    for value in values:
        emit_json(value)


def _report(message: Message, quiet: bool) -> int:
    """The exit status; the attempts that must not be run are named unless the output shows them to a reader."""
    return int(len(message.runnable) < len(message.calls) if quiet else note_unread(message))


def _record(name: str, form: str, options: dict[str, Any], field: str, record: Json) -> tuple[dict[str, Json], bool]:
    """What the text of a line or row says, beside its other columns; and whether all its calls may run."""
    from toolect._cli._shared.many import beside, own, text_of

    text, column = text_of(record, field)
    message = reader(name).parse(text, **own(options, record))
    return {**beside(record, column), **_formed(message, form)}, len(message.runnable) == len(message.calls)

"""`toolect parse`: wire text to a message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from toolect._cli.input_files import pieces
from toolect._cli.message_text import Live, draw, event_form, message_of
from toolect._cli.options import Form, Texts, form_for, format_option, options, texts
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, emit, emit_json, note
from toolect._compiled import Dialect
from toolect._detection.guess import detect, reader
from toolect._events import Event
from toolect._message import Json, Message
from toolect._shown import one_line
from toolect.openai import to_openai
from toolect.openai.chunks import Chunks
from toolect.registry import AUTO

if TYPE_CHECKING:
    pass


@click.command()
@texts("dialect", "schemas", "prefix", "jsonl", "jobs", "field")
@format_option("the message", Form.JSON, Form.OPENAI, Form.TEXT)
@click.option("--stream", is_flag=True, help="Read as the text arrives and write each event at once.")
@click.option(
    "--chunk", type=click.IntRange(min=1), default=16, show_default=True, metavar="N",
    help="Characters to feed at once with --stream.",
)  # fmt: skip
@click.option("--tree", is_flag=True, help="Show the parse tree instead: rule by rule.")
@click.option("--explain", is_flag=True, help="Write only where it could be read otherwise, and what each way costs.")
@options("strict")
def command(source: Texts, form: str | None, stream: bool, chunk: int, tree: bool, explain: bool, strict: bool) -> int:
    """Read a model's output and write the message it holds.

    The json format is one object with the segments in order, and is what `render` reads. With --stream it is one event
    a line; openai then writes chat.completion.chunk objects.

    With --tree, show how a --dialect reads the text: each rule with the characters it read and the alternatives it took
    (rule#2 is its second), what each slot and terminal fills, every repair, and what was expected where the text could
    not be read.

    Files of many messages, .jsonl and .parquet, are read on all cores: one object a line, in order; the text format
    draws them one below the other. A line is a JSON string or an object with the text, its other columns are kept, and
    its "tools" and "prefix" count for it alone. Files packed by gzip or Zstandard are read as what is in them.
    """
    dialect = source.dialect
    assert dialect is not None
    ways = {"--stream": stream, "--tree": tree, "--explain": explain}
    chosen = [way for way, wanted in ways.items() if wanted]
    if len(chosen) > 1 or explain and form:
        raise click.UsageError(f"expected {chosen[-1]} alone, got {'--format' if explain and form else chosen[0]} too")
    reading = source.options | {"mode": "strict" if strict else "lenient"}
    if source.many:
        if chosen:
            raise click.UsageError(f"expected one text with {chosen[0]}, got many: leave it out, or say --no-jsonl")
        read = partial(_read, dialect.name, form or Form.JSON)
        return source.each_text(read, reading, _draw_record if form == Form.TEXT else None)
    if explain:
        emit(f"{dialect.explain(source.read(), **reading)}\n")
        return 0
    if tree:
        from toolect._cli.tree_text import write_tree

        if not isinstance(dialect, Dialect):
            raise Misuse("expected the dialect whose rules are shown, got none: name it with --dialect")
        return write_tree(dialect, source.read(), form_for(form), reading)
    form = form_for(form)
    if stream:
        text, message = _live(pieces(source.file, source.max_bytes), chunk, dialect.stream(**reading), form)
    else:
        text = source.read()
        message = dialect.parse(text, **reading)
        if form == Form.TEXT:
            Pen().write(draw(message))
        else:
            emit_json(_formed(message, form), indent=True)
    if not message.calls and dialect.name != AUTO:
        _look_elsewhere(text, dialect.name, reading)
    if form == Form.TEXT:  # that shows what must not be run
        unread = len(message.runnable) < len(message.calls)
    else:
        unread = note_unread(message)
    return int(unread or strict and not message.exact)


def note_unread(message: Message, where: str = "") -> bool:
    """Names the calls of an answer that must not be run; true where there are some."""
    problems = [(number, call) for number, call in enumerate(message.calls) if not call.runnable]
    for number, call in problems:
        why = f": {call.error}" if call.error else ""
        note(f"{where}call {number} (`{call.name}`) is {call.status}{why}")
    return bool(problems)


def _look_elsewhere(text: str, name: str, reading: dict[str, Any]) -> None:
    """Nothing was called: say so when the text has calls of another dialect."""
    found = detect(text, reading["tools"], 1, reading["prefix"])
    if found and (found[0].calls or found[0].repaired) and name not in found[0].dialects:
        note(f"no {name} call found; this looks like {' or '.join(found[0].dialects[:3])}")


def _formed(message: Message, form: str) -> dict[str, Json]:
    return to_openai(message) if form == Form.OPENAI else message.to_dict()


def _live(texts: Iterator[str], size: int, stream: Any, form: str) -> tuple[str, Message]:
    """Feeds the texts in chunks of a size, and writes each event as it happens; the whole text and its message."""
    read: list[str] = []
    write, finish = _writer(form)
    for text in texts:
        read.append(text)
        for at in range(0, len(text), size):
            write(stream.feed(text[at : at + size]))
    write(stream.close())
    finish()
    return "".join(read), stream.message


def _writer(form: str) -> tuple[Callable[[Iterable[Event]], None], Callable[[], None]]:
    """Functions that write events, and what comes after the last one."""
    if form == Form.TEXT:
        live, pen = Live(), Pen()
        return lambda events: pen.write(chain.from_iterable(map(live.feed, events))), lambda: pen.write(live.close())
    if form == Form.OPENAI:
        chunks = Chunks()
        return lambda events: _lines(chain.from_iterable(map(chunks.feed, events))), lambda: _lines(chunks.close())
    return lambda events: _lines(map(event_form, events)), lambda: None


def _lines(values: Iterable[dict[str, Json]]) -> None:
    for value in values:
        emit_json(value)


def _read(name: str, form: str, text: str, **reading: Any) -> tuple[dict[str, Json], bool]:
    """The message of a text among many, and whether all its calls may run."""
    message = reader(name).parse(text, **reading)
    return _formed(message, form), len(message.runnable) == len(message.calls)


def _draw_record(number: int, row: dict[str, Json]) -> Iterator[Styled]:
    """A message among many."""
    yield TerminalStyle.QUIET, f"=== {number} ===\n"
    if "segments" not in row:
        yield STATUS["malformed"], f"line {row['line']}: {one_line(row['error'])}\n"
        return
    readers = [segment.get("dialect", "") for segment in row["segments"] if segment["type"] == "call"]
    yield from draw(message_of(row), readers)

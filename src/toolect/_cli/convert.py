"""`toolect convert`: one dialect's wire text to another's."""

from __future__ import annotations

from functools import partial
from typing import Any

import click
import msgspec

import toolect
from toolect._cli.options import Texts, texts
from toolect._cli.terminal import emit_wire, note
from toolect._compiled import Dialect
from toolect._message import Json


@click.command()
@texts("dialect", "to", "schemas", "prefix", "jsonl", "jobs", "field")
def command(source: Texts, target: Dialect) -> int:
    """Rewrite a model's output in another dialect.

    What the other dialect cannot carry is left out and reported on standard error. Files of many messages, .jsonl and
    .parquet, are read on all cores: one object a line, in order, with the new text in its column, its "losses", and the
    other columns as they were.
    """
    assert source.dialect is not None
    reading = source.options | {"source": source.dialect.name, "to": target.name}
    if source.many:
        return source.each(partial(_record, reading, source.field))
    done = toolect.convert(source.read(), **reading)
    status = emit_wire(str(done.text))
    for loss in done.losses:
        shown = f", at {loss.witness!r}" if loss.witness else ""
        lost = f"does not carry segment {loss.segment}" if loss.segment >= 0 else "leaves a text out"
        note(f"{target.name} {lost} ({loss.slot}): {loss.reason}{shown}")
    return 1 if done.losses else status


def _record(reading: dict[str, Any], field: str, record: Json) -> tuple[dict[str, Json], bool]:
    """A line or row with its text in the other dialect."""
    from toolect._cli.many import own, text_of

    text, column = text_of(record, field)
    done = toolect.convert(text, **own(reading, record))
    losses = msgspec.to_builtins(done.losses)
    columns = record if column else {}
    return {**columns, column or "text": str(done.text), "losses": losses}, not losses

"""`toolect convert`: one dialect's wire text to another's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click
import msgspec

import toolect
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.io import emit_wire, note, read
from toolect._compiled import Dialect
from toolect._message import Json

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


@click.command()
@shared.file_argument
@shared.source_option()
@shared.target_option("The dialect to write.")
@shared.tools_option
@shared.prefix_option
@shared.many_options
@shared.field_option
@shared.spec_option
@shared.max_bytes_option
def command(
    file: str,
    source: Dialect | Auto,
    target: Dialect,
    tools: list[Json] | None,
    prefix: str,
    jsonl: bool | None,
    jobs: int | None,
    field: str,
    max_bytes: int,
) -> int:
    """Rewrite a model's output in another dialect.

    What the other dialect cannot carry is left out and reported on standard error. Files of many messages, .jsonl and
    .parquet, are read on all cores: one object a line, in order, with the new text in its column, its "losses", and the
    other columns as they were.
    """
    options: dict[str, Any] = {"source": source.name, "to": target.name, "tools": tools, "prefix": prefix}
    if shared.reads_many(file, jsonl):
        from toolect._cli._shared.many import each

        return each(file, max_bytes, partial(_record, options, field), jobs)
    done = toolect.convert(read(file, max_bytes), **options)
    status = emit_wire(str(done.text))
    for loss in done.losses:
        shown = f", at {loss.witness!r}" if loss.witness else ""
        lost = f"does not carry segment {loss.segment}" if loss.segment >= 0 else "leaves a text out"
        note(f"{target.name} {lost} ({loss.slot}): {loss.reason}{shown}")
    return 1 if done.losses else status


def _record(options: dict[str, Any], field: str, record: Json) -> tuple[dict[str, Json], bool]:
    """A line or row with its text in the other dialect."""
    from toolect._cli._shared.many import own, text_of

    text, column = text_of(record, field)
    done = toolect.convert(text, **own(options, record))
    losses = msgspec.to_builtins(done.losses)
    columns = record if column else {}
    return {**columns, column or "text": str(done.text), "losses": losses}, not losses

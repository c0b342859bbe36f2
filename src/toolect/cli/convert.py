"""`toolect convert`: one dialect's wire text to another's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

import toolect
from toolect._conversion import Conversion
from toolect.cli._shared import shared_options as shared
from toolect.cli._shared.io import emit_wire, note, read
from toolect.cli._shared.jsonl import each, text_of
from toolect.compiled import Dialect
from toolect.message import Json

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


@click.command()
@shared.file_argument
@shared.source_option()
@shared.target_option("The dialect to write.")
@shared.tools_option
@shared.prefix_option
@shared.jsonl_option
@shared.spec_option
@shared.max_bytes_option
def command(
    file: str,
    source: Dialect | Auto,
    target: Dialect,
    tools: list[Json] | None,
    prefix: str,
    jsonl: bool,
    max_bytes: int,
) -> int:
    """Rewrite a model's output in another dialect.

    What the other dialect cannot carry is left out and reported on standard error, or with --jsonl as "losses" beside
    "text".
    """

    def converted(text: str) -> Conversion:
        return toolect.convert(text, source.name, target.name, tools=tools, prefix=prefix)

    if jsonl:

        def work(record: Json) -> tuple[dict[str, Json], bool]:
            done = converted(text_of(record))
            return {"text": str(done.text), "losses": msgspec.to_builtins(done.losses)}, not done.losses

        return each(file, max_bytes, work)
    done = converted(read(file, max_bytes))
    status = emit_wire(str(done.text))
    for loss in done.losses:
        shown = f", at {loss.witness!r}" if loss.witness else ""
        note(f"{target.name} does not carry segment {loss.segment} ({loss.slot}): {loss.reason}{shown}")
    return 1 if done.losses else status

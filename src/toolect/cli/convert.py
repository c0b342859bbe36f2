"""`toolect convert`: one dialect's wire text to another's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolect.cli._io import note, read
from toolect.cli._options import (
    file_argument,
    jsonl_option,
    max_bytes_option,
    source_option,
    spec_option,
    target_option,
)
from toolect.cli._wire import write_wire
from toolect.ir import Json

if TYPE_CHECKING:
    from toolect.compiled import Dialect


@click.command()
@file_argument
@source_option("The dialect of the text: a name, an alias or a model id.")
@target_option("The dialect to write.")
@jsonl_option
@spec_option
@max_bytes_option
def command(file: str, source: Dialect, target: Dialect, jsonl: bool, max_bytes: int) -> int:
    """Rewrite a model's output in another dialect.

    What the other dialect cannot carry is reported on standard error, and with --jsonl as "losses" beside "text".
    """
    import toolect

    if jsonl:
        from toolect.cli._jsonl import each, text_of

        def work(record: Json) -> tuple[dict[str, Json], bool]:
            done = toolect.convert(text_of(record), source=source.name, target=target.name)
            losses = [str(loss) for loss in done.losses]
            return {"text": str(done.text), "losses": losses}, not losses

        return each(file, max_bytes, work)
    done = toolect.convert(read(file, max_bytes), source=source.name, target=target.name)
    status = write_wire(str(done.text))
    for loss in done.losses:
        note(f"lost on the way to {target.name}: {loss}")
    return 1 if done.losses else status

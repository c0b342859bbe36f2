"""`toolect render`: a message to wire text."""

from __future__ import annotations

import click

import toolect
from toolect.cli._shared import shared_options as shared
from toolect.cli._shared.forms import message_of
from toolect.cli._shared.io import Misuse, emit_wire, note, read_json
from toolect.cli._shared.jsonl import each
from toolect.compiled import Dialect
from toolect.message import BadMessage, Json


@click.command()
@shared.file_argument
@shared.target_option("The dialect to write: a name, an alias or a model id.")
@shared.tools_option
@shared.jsonl_option
@shared.spec_option
@shared.max_bytes_option
def command(file: str, target: Dialect, tools: list[Json] | None, jsonl: bool, max_bytes: int) -> int:
    """Write a message as the model would have written it.

    FILE holds one message in JSON, as `parse` writes it or in the shape of the chat-completions API. With --jsonl each
    line is one, and each output line is {"text": …}.
    """
    if jsonl:

        def work(record: Json) -> tuple[dict[str, Json], bool]:
            try:
                return {"text": str(target.render(message_of(record), tools=tools))}, True
            except toolect.Unrepresentable as error:
                raise ValueError(str(error)) from None

        return each(file, max_bytes, work)
    try:
        message = message_of(read_json(file, max_bytes, "a message"))
    except BadMessage as error:
        raise Misuse(f"{error}: mend the message") from None
    try:
        rendered = target.render(message, tools=tools)
    except toolect.Unrepresentable as error:
        note(f"{target.name} cannot carry this message: {error}")
        return 1
    return emit_wire(str(rendered))

"""`toolect render`: a message to wire text."""

from __future__ import annotations

from functools import partial

import click

import toolect
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.io import Misuse, emit_json, emit_wire, note, read_json
from toolect._cli._shared.message_json import message_of
from toolect._compiled import Dialect
from toolect._message import Json, MessageError
from toolect._rendered import Rendered


@click.command()
@shared.file_argument
@shared.target_option("The dialect to write: a name, an alias or a model id.")
@shared.tools_option
@click.option("--spans", is_flag=True, help="Write one JSON object: the text, and what each stretch of it is.")
@shared.many_options
@shared.spec_option
@shared.max_bytes_option
def command(
    file: str, target: Dialect, tools: list[Json] | None, spans: bool, jsonl: bool | None, jobs: int | None,
    max_bytes: int,
) -> int:  # fmt: skip
    """Write a message as the model would have written it.

    FILE holds one message in JSON, as `parse` writes it or in the shape of the chat-completions API. A file of many,
    .jsonl or .parquet, has one a line or row; each output line is {"text": …} beside its other columns.

    With --spans the parts of the text are told, each with its start, end, part and segment (-1 for none): markup,
    content, reasoning, name, id, key, value or arguments.
    """
    if shared.reads_many(file, jsonl):
        from toolect._cli._shared.many import each

        return each(file, max_bytes, partial(_record, target.name, tools, spans), jobs)
    try:
        message = message_of(read_json(file, max_bytes, "a message"))
    except MessageError as error:
        raise Misuse(f"{error}: mend the message") from None
    try:
        rendered = target.render(message, tools=tools)
    except toolect.RenderError as error:
        note(f"{target.name} cannot carry this message: {error}")
        return 1
    if spans:
        emit_json(_form(rendered, spans), indent=True)
        return 0
    return emit_wire(str(rendered))


_TAKEN = (
    "segments", "repairs", "role", "content", "reasoning_content", "reasoning", "tool_calls", "function_call",
    "refusal", "invalid_tool_calls",
)  # fmt: skip
"""The columns that are the message itself."""


def _record(name: str, tools: list[Json] | None, spans: bool, record: Json) -> tuple[dict[str, Json], bool]:
    """The message of a line or row as wire text, beside its other columns."""
    from toolect._cli._shared.many import beside

    try:
        rendered = toolect.dialect(name).render(message_of(record), tools=tools)
    except toolect.RenderError as error:
        raise ValueError(str(error)) from None
    return {**beside(record, *_TAKEN), **_form(rendered, spans)}, True


def _form(rendered: Rendered, spans: bool) -> dict[str, Json]:
    """A text, with its spans if they are wanted, as a JSON object."""
    told = {"spans": [span._asdict() for span in rendered.spans]} if spans else {}
    return {"text": str(rendered), **told}

"""`toolect render`: a message to wire text."""

from __future__ import annotations

from functools import partial

import click

import toolect
from toolect._cli.input_files import read_json
from toolect._cli.message_text import message_of
from toolect._cli.options import Texts, texts
from toolect._cli.terminal import Misuse, emit_json, emit_wire, note
from toolect._compiled import Dialect
from toolect._message import Json, MessageError
from toolect._rendered import Rendered


@click.command()
@texts("to", "schemas", "jsonl", "jobs")
@click.option("--spans", is_flag=True, help="Write one JSON object: the text, and what each stretch of it is.")
def command(source: Texts, target: Dialect, spans: bool) -> int:
    """Write a message as the model would have written it.

    FILE holds one message in JSON, as `parse` writes it or in the shape of the chat-completions API. A file of many,
    .jsonl or .parquet, has one a line or row; each output line is {"text": …} beside its other columns.

    With --spans each part of the text has its start, end, part and segment (-1 for none): markup, content, reasoning,
    name, id, key, value or arguments.
    """
    if source.many:
        return source.each(partial(_record, target.name, source.tools, spans))
    try:
        message = message_of(read_json(source.file, source.max_bytes, "a message"))
    except MessageError as error:
        raise Misuse(f"{error}: mend the message") from None
    try:
        rendered = target.render(message, tools=source.tools)
    except toolect.RenderError as error:
        note(f"{target.name} cannot carry this message: {error}")
        return 1
    if spans:
        emit_json(_form(rendered, spans), indent=True)
        return 0
    return emit_wire(str(rendered))


_MESSAGE = (
    "segments", "repairs", "role", "content", "reasoning_content", "reasoning", "tool_calls", "function_call",
    "refusal", "invalid_tool_calls",
)  # fmt: skip
"""The columns that are the message itself."""


def _record(name: str, tools: list[Json] | None, spans: bool, record: Json) -> tuple[dict[str, Json], bool]:
    """The message of a line or row as wire text, beside its other columns."""
    from toolect._cli.many import beside

    try:
        rendered = toolect.dialect(name).render(message_of(record), tools=tools)
    except toolect.RenderError as error:
        raise ValueError(str(error)) from None
    return {**beside(record, *_MESSAGE), **_form(rendered, spans)}, True


def _form(rendered: Rendered, spans: bool) -> dict[str, Json]:
    """A text, with its spans if they are wanted, as a JSON object."""
    return {"text": str(rendered)} | ({"spans": [span._asdict() for span in rendered.spans]} if spans else {})

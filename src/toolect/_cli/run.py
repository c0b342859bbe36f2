"""`toolect run`: execute the calls that somebody made."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.drawing import Pen
from toolect._cli._shared.io import InputError, Misuse, emit_json, note, read
from toolect._cli._shared.message_json import message_of
from toolect._cli._shared.tool_option import all_tools, draw_result, tool_options
from toolect._compiled import Dialect
from toolect._message import Json, Message, MessageError
from toolect._turns import PendingCalls
from toolect.agent import McpServer, ToolRegistry
from toolect.conversation import Conversation
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._detection.auto import Auto


@click.command("run")
@shared.file_argument
@tool_options
@shared.source_option("The dialect of the text; a message as `parse` writes it, or OpenAI's, is read too.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, metavar="S",
              help="Seconds that a tool may take.")  # fmt: skip
@shared.format_option("the results", "json", "text")
@shared.jsonl_option
@shared.field_option
@shared.spec_option
@shared.max_bytes_option
def command(
    file: str, registry: ToolRegistry, servers: list[McpServer], source: Dialect | Auto, timeout: float,
    form: str | None, jsonl: bool | None, field: str, max_bytes: int,
) -> int:  # fmt: skip
    """Execute the calls of a message and write what came of them, in their order.

    Of the messages of a conversation those calls are executed that have no result yet.

    Tools are the functions of a module, those of an MCP server, or both. Calls that are truncated or malformed, of
    unknown tools or with wrong arguments are not executed: their results say why. The json format is one result a line.
    Of files of many messages, .jsonl and .parquet, the "results" of each are written beside its other columns, one
    message after the other. What tools print goes to standard error.
    """
    registry.timeout, registry.show_exceptions = timeout, True  # whoever runs it reads the results
    if not len(registry) and not servers:
        raise Misuse("expected tools to run, got none: name a module with --tools, or a server with --mcp")
    with all_tools(registry, servers) as (runner, tools):
        if shared.reads_many(file, jsonl):
            from toolect._cli._shared.many import each

            return each(file, max_bytes, partial(_record, runner, tools, source, field), 1)
        results = runner.run(tools.execute_all(_message(file, tools, source, max_bytes).calls))
    if not results:
        note("found no call to execute")
    if shared.form_for(form) == "text":
        pen = Pen()
        for result in results:
            pen.write(draw_result(result))
    else:
        for result in results:
            emit_json(msgspec.to_builtins(result))
    return int(any(result.is_error for result in results))


def _message(file: str, registry: ToolRegistry, source: Dialect | Auto, limit: int) -> Message:
    """The message of the input: JSON as `parse` writes it or OpenAI's, else wire text."""
    text = read(file, limit)
    if source.name == AUTO:
        value: Json = None
        try:
            value = json.loads(text)
            return message_of(value)
        except (ValueError, RecursionError, MessageError):
            pass  # it is no message: a conversation, or the text itself, may hold one
        try:
            if (waiting := _waiting(value)) is not None:
                return waiting
        except MessageError as error:
            raise Misuse(f"{error} - in the conversation") from None
    return source.parse(text, tools=registry.definitions())


def _waiting(value: Json) -> Message | None:
    """The calls of a conversation's messages that have no result yet; None for what is none. Raises MessageError."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list) or not any(isinstance(one, dict) and "role" in one for one in messages):
        return None
    waiting = PendingCalls()
    for turn in Conversation.from_openai(messages).turns:
        waiting.follow(turn)
    return Message(waiting.calls)


def _record(
    runner: asyncio.Runner, registry: ToolRegistry, source: Dialect | Auto, field: str, record: Json
) -> tuple[dict[str, Json], bool]:
    """The results of the calls in a line or row, beside its other columns."""
    from toolect._cli._shared.many import beside, text_of

    taken = ""
    try:
        message = message_of(record)
    except MessageError:
        try:
            text, taken = text_of(record, field)
        except InputError:
            waiting = None if field else _waiting(record)
            if waiting is None:
                raise
            message = waiting
        else:
            message = source.parse(text, tools=registry.definitions())
    results = runner.run(registry.execute_all(message.calls))
    shown = [msgspec.to_builtins(result) for result in results]
    return {**beside(record, taken), "results": shown}, not any(result.is_error for result in results)

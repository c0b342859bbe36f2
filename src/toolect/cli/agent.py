"""`toolect agent`: a model with tools, asked from the command line."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import click
import msgspec

from toolect._shown import one_line
from toolect.agent import AgentError, AgentEvent, Answered, ToolFinished, ToolRegistry, ToolStarted, ToolUseAgent
from toolect.agent.chat import Chat, ModelError
from toolect.agent.models import NativeModel, TextModel
from toolect.cli._shared import shared_options as shared
from toolect.cli._shared.drawing import Pen
from toolect.cli._shared.forms import event_form, message_form
from toolect.cli._shared.io import Misuse, emit_json, note
from toolect.cli._shared.message_text import Live
from toolect.cli._shared.tool_option import collection_option, draw_result
from toolect.message import Call
from toolect.rendered import Unrepresentable

KEYS = ("TOOLECT_API_KEY", "OPENAI_API_KEY")


@click.command()
@click.argument("question")
@click.option("--url", required=True, metavar="URL", help="The server's base, such as http://localhost:8000/v1.")
@click.option("--model", required=True, metavar="NAME", help="The model's name on that server.")
@collection_option
@click.option("--dialect", metavar="DIALECT",
              help="Write tools and read calls as text in this dialect; else the server reads calls.")  # fmt: skip
@click.option(
    "--prefix", default="", metavar="TEXT", help="The end of the prompt, for models that begin in their reasoning."
)
@click.option("--system", default="", metavar="TEXT", help="What the model is told before all else.")
@click.option("--max-iterations", type=click.IntRange(min=1), default=15, show_default=True, metavar="N",
              help="Answers to ask for at most.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=120.0, show_default=True, metavar="S",
              help="Seconds that the server may be silent.")  # fmt: skip
@click.option("--limit", type=click.FloatRange(min=0, min_open=True), default=900.0, show_default=True, metavar="S",
              help="Seconds that an answer may take as a whole.")  # fmt: skip
@click.option("--retries", type=click.IntRange(min=0), default=4, show_default=True, metavar="N",
              help="How often to ask again when the server fails.")  # fmt: skip
@click.option("--yes/--ask", "yes", default=None, help="Run tools at once, or ask before each.  [default: ask]")
@shared.format_option("what happens", "json", "text")
@shared.spec_option
def command(
    question: str, url: str, model: str, registry: ToolRegistry, dialect: str | None, prefix: str, system: str,
    max_iterations: int, timeout: float, limit: float, retries: int, yes: bool | None, form: str | None,
) -> int:  # fmt: skip
    """Ask a model QUESTION and run the tools that it calls, until it answers.

    A key for the server is taken from the environment: TOOLECT_API_KEY or OPENAI_API_KEY. The json format is one event
    a line.
    """
    if not yes and not sys.stdin.isatty():
        raise Misuse("expected --yes, got a run in which nobody can be asked before a tool runs")
    found = shared.find(dialect) if dialect else None
    key = next((os.environ[name] for name in KEYS if os.environ.get(name)), None)
    try:
        chat = Chat(url, model, key, timeout=timeout, limit=limit, retries=retries)
    except ValueError as error:
        raise Misuse(str(error)) from None
    agent = ToolUseAgent(
        NativeModel(chat) if found is None else TextModel(chat, found, prefix),
        registry, None, system, max_iterations, before=None if yes else _approve,
    )  # fmt: skip
    try:
        asyncio.run(_ask(agent, chat, question, shared.form_for(form)))
    except (AgentError, ModelError, Unrepresentable) as error:
        note(str(error))
        return 1
    return 0


async def _approve(call: Call) -> bool | str:
    """Asks whether a call may run."""
    asked = f"run {one_line(call.name)}({one_line(call.arguments_text)})?"
    agreed = await asyncio.to_thread(click.confirm, asked, err=True)
    return True if agreed else "the user said no"


async def _ask(agent: ToolUseAgent, chat: Chat, question: str, form: str) -> None:
    """Runs the agent and writes what happens."""
    write = _drawn() if form == "text" else _formed
    async with chat:
        async for event in agent.stream(question):
            write(event)


def _formed(event: AgentEvent) -> None:
    match event:
        case Answered(message):
            emit_json({"type": "answered", **message_form(message)})
        case ToolStarted(index, call):
            emit_json({"type": "tool-started", "index": index, "name": call.name})
        case ToolFinished(index, result):
            emit_json({"type": "tool-finished", "index": index, **msgspec.to_builtins(result)})
        case _:
            emit_json(event_form(event))


def _drawn() -> Any:
    """What draws events as they happen."""
    live, pen = Live(), Pen()

    def write(event: AgentEvent) -> None:
        match event:
            case ToolFinished(_, result):
                pen.write(live.close())
                pen.write(draw_result(result))
            case Answered() | ToolStarted():
                pen.write(live.close())
            case _:
                pen.write(live.feed(event))

    return write

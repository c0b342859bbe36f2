"""`toolect agent`: a model with tools, asked from the command line."""

from __future__ import annotations

import asyncio
import os
import sys

import click
import msgspec

from toolect._cli.call_execution import draw_result, tool_options
from toolect._cli.message_text import Live, event_form
from toolect._cli.options import SECONDS, Form, dialect_names, find, form_for, format_option, options
from toolect._cli.terminal import Misuse, Pen, aside, emit_json, note
from toolect._message import Call
from toolect._rendered import RenderError
from toolect._shown import one_line
from toolect.agent import (
    Agent,
    AgentError,
    AgentEvent,
    Answered,
    Done,
    McpServer,
    Result,
    ToolDefinitionError,
    ToolFinished,
    ToolRegistry,
    ToolStarted,
)
from toolect.agent.models import NATIVE

KEYS = ("TOOLECT_API_KEY", "OPENAI_API_KEY")


@click.command()
@click.argument("question")
@click.option("--url", required=True, metavar="URL", help="The server's base, such as http://localhost:8000/v1.")
@click.option("--model", default="", metavar="ID", help="The model's id on that server; else its only one.")
@tool_options
@click.option("--dialect", metavar="DIALECT", shell_complete=dialect_names,
              help="Write tools and read calls as text in this dialect; with `native` the server reads them all.  "
                   "[default: as the server can, and by the model]")  # fmt: skip
@options("prefix")
@click.option("--system", default="", metavar="TEXT", help="The system prompt.")
@click.option("--tool-choice", "choice", default="auto", show_default=True, metavar="WHICH",
              help="auto, none, required, or the name of a tool.")  # fmt: skip
@click.option("--max-iterations", type=click.IntRange(min=1), default=15, show_default=True, metavar="N",
              help="Answers to ask for at most.")  # fmt: skip
@click.option("--timeout", type=SECONDS, default=120.0, show_default=True, metavar="S",
              help="Seconds that the server may be silent.")  # fmt: skip
@click.option("--answer-timeout", "limit", type=SECONDS, default=900.0, show_default=True, metavar="S",
              help="Seconds that an answer may take as a whole.")  # fmt: skip
@click.option("--retries", type=click.IntRange(min=0), default=4, show_default=True, metavar="N",
              help="How often to ask again when the server fails.")  # fmt: skip
@click.option("--yes/--ask", "yes", default=None, help="Run tools at once, or ask before each.  [default: ask]")
@format_option("what happens", Form.JSON, Form.TEXT)
@options("spec")
def command(
    question: str, url: str, model: str, registry: ToolRegistry, servers: list[McpServer], dialect: str | None,
    prefix: str, system: str, choice: str, max_iterations: int, timeout: float, limit: float, retries: int,
    yes: bool | None, form: str | None,
) -> int:  # fmt: skip
    """Ask a model QUESTION and run the tools that it calls, until it answers.

    A key for the server is taken from the environment: TOOLECT_API_KEY or OPENAI_API_KEY. The json format is one event
    a line.
    """
    if not yes and (len(registry) or servers) and not _somebody_is_there():
        raise Misuse("expected --yes, got a run in which nobody can be asked before a tool runs")
    found = find(dialect) if dialect and dialect != NATIVE else dialect
    key = next((os.environ[name] for name in KEYS if os.environ.get(name)), None)
    screen = _Screen(form_for(form))
    try:
        agent = Agent(
            url, [registry, *servers], found, system, max_iterations, model=model, prefix=prefix,
            api_key=key, timeout=timeout, limit=limit, retries=retries, tool_choice=choice,
            before=None if yes else screen.approve,
        )  # fmt: skip
    except ValueError as error:
        raise Misuse(str(error)) from None
    try:
        with aside():
            result = asyncio.run(screen.watch(agent, question))
    except (AgentError, ToolDefinitionError, RenderError) as error:
        note(str(error))
        return 1
    if result.cut:
        note("expected a whole answer, got one that reached the server's limit of tokens")
    return int(result.cut)


def _somebody_is_there() -> bool:
    return sys.stdin.isatty()


class _Screen:
    """Writes what happens, and asks before a call runs: while a question is open, nothing else is written."""

    def __init__(self, form: str) -> None:
        self._text = form == Form.TEXT
        self._live, self._pen = Live(), Pen()
        self._turn = asyncio.Lock()

    async def watch(self, agent: Agent, question: str) -> Result[str]:
        """Runs the agent and writes what happens."""
        async for event in agent.stream(question):
            if isinstance(event, Done):
                result: Result[str] = event.result
            async with self._turn:
                (self._draw if self._text else _form)(event)
        return result

    async def approve(self, call: Call) -> bool | str:
        """Asks whether a call may run."""
        async with self._turn:
            if self._text:
                self._pen.write(self._live.close())
            asked = f"run {one_line(call.name)}({one_line(call.arguments_text)})?"
            agreed = await asyncio.to_thread(click.confirm, asked, err=True)
        return True if agreed else "the user said no"

    def _draw(self, event: AgentEvent) -> None:
        match event:
            case ToolFinished(_, result):
                self._pen.write(self._live.close())
                self._pen.write(draw_result(result))
            case Answered() | ToolStarted() | Done():
                self._pen.write(self._live.close())
            case _:
                self._pen.write(self._live.feed(event))


def _form(event: AgentEvent) -> None:
    match event:
        case Answered(message, last, finish):
            emit_json({"type": "answered", "last": last, "finish": finish, **message.to_dict()})
        case ToolStarted(index, call):
            emit_json({"type": "tool-started", "index": index, "name": call.name})
        case ToolFinished(index, result):
            emit_json({"type": "tool-finished", "index": index, **msgspec.to_builtins(result)})
        case Done(result):
            emit_json({"type": "done", "finish": result.finish, "usage": msgspec.to_builtins(result.usage)})
        case _:
            emit_json(event_form(event))

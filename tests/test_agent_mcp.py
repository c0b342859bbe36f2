"""Servers of the Model Context Protocol as tools: in this process, over standard streams; and what they do wrong."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp_harbour import server as harbour

from toolect.agent import Agent, AgentError, McpServer, Results, ToolDefinitionError, ToolRegistry, Turn

FILE = str(Path(__file__).with_name("mcp_harbour.py"))


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What `work` returns; a run that hangs fails."""
    return asyncio.run(asyncio.wait_for(work, 120))


def call_text(name: str, **arguments: Any) -> str:
    """A call as models write it most often."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def asking(*calls: str) -> Any:
    """A model that makes these calls whenever it is asked something, and then says what came of them."""

    async def model(turns: list[Turn], _: Any) -> str:
        last = turns[-1]
        return " | ".join(one.output for one in last.results) if isinstance(last, Results) else "".join(calls)

    return model


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


CALLS = [
    call_text("add", a=1, b=2), call_text("tide", port="Brest"), call_text("ships_list"),
    call_text("sink", ship="Vasa"), call_text("tide", port=3),
]  # fmt: skip
WIRES = {
    "memory": harbour,
    "words": [sys.executable, FILE],
    "line": f"'{sys.executable}' '{FILE}'",
    "parameters": StdioServerParameters(command=sys.executable, args=[FILE]),
}


def test_tools_that_a_server_does_not_have() -> None:
    """Nobody is left without the tools that were asked for in silence."""
    with pytest.raises(ToolDefinitionError, match="expected a list of names of tools for only, got 'tide'"):
        McpServer(harbour, only="tide")
    agent = Agent(asking("Hi."), [McpServer(harbour, only=["ships"])], "hermes")
    with pytest.raises(ToolDefinitionError, match=r"for only, got \['ships'\]: have \['"):
        run(agent.run("?"))


@pytest.mark.parametrize("wire", WIRES)
def test_a_server_among_the_tools(wire: str) -> None:
    """Its tools are called beside functions; what they raise is told, wrong arguments do not reach it."""
    agent = Agent(asking(*CALLS), [add, McpServer(WIRES[wire])], "hermes")
    result = run(agent.run("?"))
    three, low, ships, sinks, wrong = result.results
    assert (three.output, low.output, low.is_error) == ("3", "low in Brest on day 0", False)
    assert "Vasa" in ships.output and "Mary Rose" in ships.output
    assert sinks.is_error and "Vasa does not sink" in sinks.output and "failed" not in sinks.output
    assert wrong.is_error and "at `$.port`" in wrong.output
    assert len(agent.registry) == 1


def test_a_command_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook standard error is no file."""
    for name in ("stderr", "__stderr__"):
        monkeypatch.setattr(sys, name, io.StringIO())
    agent = Agent(asking(call_text("tide", port="Brest")), [McpServer([sys.executable, FILE])], "hermes")
    assert run(agent.run("?")).text == "low in Brest on day 0"


def test_a_server_is_kept_open() -> None:
    """As long as the agent is, or the server itself; programs that are not asynchronous have it too."""

    async def work() -> None:
        server = McpServer([sys.executable, FILE], only=["tide"], prefix="sea_", timeout=9.0)
        async with server as tools:
            assert [(tool.name, tool.timeout) for tool in tools] == [("sea_tide", 9.0)]
            async with server as again, Agent(asking(call_text("sea_tide", port="Brest")), [server], "hermes") as agent:
                assert [tool.name for tool in again] == ["sea_tide"]
                results = await asyncio.gather(*(agent.run("?", history=[]) for _ in range(3)))
                assert [result.text for result in results] == ["low in Brest on day 0"] * 3
            assert (await ToolRegistry(tools).execute("sea_tide", {"port": "Rye"})).output == "low in Rye on day 0"

    run(work())
    agent = Agent(asking(call_text("tide", port="Brest")), [McpServer(harbour)], "hermes")
    assert [agent.run_sync("?").text for _ in range(2)] == ["low in Brest on day 0"] * 2


@pytest.mark.parametrize(
    ("server", "says"),
    [
        ([sys.executable, "-c", "print('no server')"], "expected an MCP server at"),
        (["no-such-command-here"], "no-such-command-here"),
        ("http://127.0.0.1:9/mcp", "127.0.0.1:9"),
        ("", "got an empty one"),
    ],
)
def test_a_server_that_cannot_be_reached(server: Any, says: str) -> None:
    """One sentence, and nothing hangs."""
    with pytest.raises(AgentError, match=says) as error:
        run(Agent(asking(*CALLS), [McpServer(server)], "hermes").run("?"))
    assert "\n" not in str(error.value)


def test_names_that_meet() -> None:
    """Two tools of one name are refused; a prefix keeps them apart."""

    def tide() -> str:
        """Tells."""
        return "mine"

    with pytest.raises(ToolDefinitionError, match="got `tide`"):
        run(Agent(asking(*CALLS), [tide, McpServer(harbour)], "hermes").run("?"))
    both = asking(call_text("tide"), call_text("sea.tide", port="Rye"))
    result = run(Agent(both, [tide, McpServer(harbour, prefix="sea.")], "hermes").run("?"))
    assert result.text == "mine | low in Rye on day 0"

"""A model with tools: definitions, validation, execution, and the loop around them.

The model here is a script, so that the program runs anywhere; `Agent(url, tools)` asks a real one. What it writes is
the text of a dialect, calls and all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from toolect.agent import Agent, MaxIterationsError, Results, ToolRegistry, Turn

tools = ToolRegistry()


@tools.register
async def get_weather(city: str, days: int = 1) -> dict[str, Any]:
    """Tells the weather of a city.

    Args:
        city: The city to look at.
        days: How many days to look ahead.
    """
    return {"city": city, "days": days, "sky": "sunny"}


@tools.register
def read_ledger(year: int) -> str:
    """Reads the ledger of a year."""
    raise FileNotFoundError(f"there is no ledger of {year}")


SCRIPT = [
    'Two things to look up.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "read_ledger", "arguments": {"year": 1912}}\n</tool_call>',
    '<tool_call>\n{"name": "get_wether", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"days": "3"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"ci',
    "It is sunny in Oslo, and nobody kept the books.",
]


async def model(turns: list[Turn], _: list[dict[str, Any]]) -> AsyncIterator[str]:
    """Writes the next text of the script, as a model does: in pieces."""
    text = SCRIPT[sum(isinstance(turn, Results) for turn in turns) % len(SCRIPT)]
    for i in range(0, len(text), 16):
        yield text[i : i + 16]


async def main() -> None:
    """Ask one question, show what came of every call, and then ask with too little patience."""
    agent = Agent(model, tools, dialect="hermes", system_prompt="Answer briefly.")
    answer = await agent.run("How is the weather in Oslo, and how were the books in 1912?")
    for turn in agent.history:
        for result in turn.results if isinstance(turn, Results) else ():
            print(f"{'error' if result.is_error else 'ok':5}  {result.output}")
    print(f"\n{answer}\n")
    try:
        await Agent(model, tools, dialect="hermes", max_iterations=1).run("And again?")
    except MaxIterationsError as error:
        print(error)


if __name__ == "__main__":
    asyncio.run(main())

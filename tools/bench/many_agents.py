"""Many agents on one event loop: what the runtime costs beside reading the same text, and what it leaves behind.

    tools/bench/many_agents.py [AGENTS]

Every agent asks a scripted model that calls one tool, once, and answers with what came of it. The floor reads the same
pieces with the dialect's stream and calls the same function, with nothing else around it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import toolect
from toolect._events import CallEnd
from toolect.agent import Agent, Results, ToolRegistry, Turn

RUNS = 3
CHUNK = 7
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "c%d"}}\n</tool_call>'


async def get_weather(city: str) -> dict[str, str]:
    """Tells the weather."""
    await asyncio.sleep(0)
    return {"city": city}


async def pieces(text: str) -> AsyncIterator[str]:
    """The text as a server sends it."""
    for i in range(0, len(text), CHUNK):
        await asyncio.sleep(0)
        yield text[i : i + CHUNK]


def model(number: int) -> Callable[[list[Turn], list[Any]], AsyncIterator[str]]:
    """A model that makes the call of agent `number`, and then tells the result."""

    def answer(turns: list[Turn], _: list[Any]) -> AsyncIterator[str]:
        results = [turn for turn in turns if isinstance(turn, Results)]
        return pieces(results[-1].results[0].output if results else CALL % number)

    return answer


async def floor(number: int) -> str:
    """The same work without a runtime."""
    dialect = toolect.dialect("hermes")
    stream, said = dialect.stream(), ""
    async for piece in pieces(CALL % number):
        for event in stream.feed(piece):
            if isinstance(event, CallEnd):
                said = json.dumps(await get_weather(**event.call.arguments))
    stream.close()
    other = dialect.stream()
    async for piece in pieces(said):
        other.feed(piece)
    other.close()
    return other.message.content


async def many(count: int, one: Callable[[int], Awaitable[str]]) -> float:
    """Seconds of processor time that `count` of them take side by side; every answer is checked."""
    begun = time.process_time()
    answers = await asyncio.gather(*(one(number) for number in range(count)))
    took = time.process_time() - begun
    wrong = [number for number, answer in enumerate(answers) if json.loads(answer) != {"city": f"c{number}"}]
    assert not wrong, f"expected each agent its own answer, got others for {wrong[:5]}"
    assert len(asyncio.all_tasks()) == 1, "expected no task left behind"
    return took


def main(count: int) -> None:
    """Print the figures."""
    tools = ToolRegistry()
    tools.register(get_weather)

    async def agent(number: int) -> str:
        return (await Agent(model(number), tools, "hermes").run("?")).text

    asyncio.run(many(count, agent))  # once to warm up: nodes, validators
    gc.collect()
    before = len(gc.get_objects())
    with_agents = min(asyncio.run(many(count, agent)) for _ in range(RUNS))
    gc.collect()
    left = len(gc.get_objects()) - before
    alone = min(asyncio.run(many(count, floor)) for _ in range(RUNS))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count} agents, two answers and one tool each, best of {RUNS} runs")
    print(f"floor    {1e6 * alone / count:8.0f} µs of processor time for each")
    print(f"agents   {1e6 * with_agents / count:8.0f} µs, {with_agents / alone:.1f} times the floor")
    print(f"peak memory {peak:.0f} MB; objects left behind after {RUNS} runs: {max(left, 0)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

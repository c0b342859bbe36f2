"""Tool calls as code: tools are declared as TypeScript, the model answers in JavaScript, and nothing evaluates it.

The model here is a script, so that the program runs anywhere. First its answer is read whole: the calls are taken out
of the code and validated. Then a longer one is read as it streams, and each call is executed as soon as its bracket
closes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import toolect
from toolect._events import CallEnd
from toolect._message import Call, dumps
from toolect.agent import Tool, ToolRegistry

DIALECT = toolect.dialect("js-call-block")


def weather(**asked: Any) -> dict[str, Any]:
    """Looks the weather up; a real one would ask somebody."""
    return {**asked, "weather": "sunny"}


WEATHER = Tool(
    "getWeather",
    "Get weather for location today (default) or N days in the future up to 10 days",
    {
        "properties": {
            "location": {"type": "string", "description": "The location to get the weather for."},
            "daysInFuture": {
                "type": "number",
                "description": "The number of days in the future to get the weather for.",
            },
        },
        "required": ["location", "daysInFuture"],
    },
    weather,
)
QUESTION = "What is the weather in San Francisco?"
ANSWER = '```javascript\ngetWeather({ location: "San Francisco", daysInFuture: 0 })\n```'
LONGER = """\
I compare both cities.
```javascript
// Today first.
const here = await getWeather({ location: "San Francisco", daysInFuture: 0 });
const there = await getWeather({ location: 'Oslo', daysInFuture: 1, });
plotWeather(here, there);
getWeather({ location: "Bergen" }); // one argument is missing
```
That is all."""


async def model(_: str, answer: str) -> AsyncIterator[str]:
    """Writes the answer as a model does: in pieces."""
    for i in range(0, len(answer), 8):
        yield answer[i : i + 8]


def arguments_of(call: Call) -> str:
    """What the model wrote between the brackets."""
    return call.raw[call.raw.index("(") + 1 : -1]


def inspected(value: Any) -> str:
    """A value as JavaScript's console shows it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {inspected(item)}" for key, item in value.items()) + " }"
    return f"'{value}'" if isinstance(value, str) else dumps(value)


async def read_whole(tools: ToolRegistry) -> None:
    """Take the calls out of a whole answer, and validate them."""
    declared = DIALECT.render_tools(tools.definitions())
    answer = "".join([piece async for piece in model(f'{declared}\nQUESTION:\n"{QUESTION}"', ANSWER)])
    print("Tools schema pass to llm:\n")
    print(declared.split('"""')[1].strip())
    print("\nResponse from llm with tool call code block:\n")
    print(answer)
    print("\nValidated tools to call:\n")
    rows = [
        f"  {{\n    name: '{call.name}',\n    args: {inspected(call.arguments)},\n"
        f"    originalArgs: '{arguments_of(call)}'\n  }}"
        for call in DIALECT.parse(answer, tools.definitions()).calls
        if not tools.refusal(call)
    ]
    print("[\n" + ",\n".join(rows) + "\n]")


async def read_streaming(tools: ToolRegistry) -> None:
    """Execute each call while the text after it is still to come."""
    print("\nExecuted while the answer arrives:\n")
    stream = DIALECT.stream(tools=tools.definitions())
    left = len(LONGER)
    async for piece in model("", LONGER):
        left -= len(piece)
        for event in stream.feed(piece):
            if isinstance(event, CallEnd):
                result = await tools.execute(event.call)
                print(f"  {event.call.raw}\n    {left} characters before the end: {result.output}")
    stream.close()
    print("\nNo tools, and ignored:\n")
    for repair in stream.message.repairs:
        print(f"  {repair.kind} {repair.detail} at {repair.at}")
    print("\nWhat else the answer says:\n")
    print(stream.message.content)


async def main() -> None:
    """Read an answer whole, then one as it streams."""
    tools = ToolRegistry([WEATHER])
    await read_whole(tools)
    await read_streaming(tools)


if __name__ == "__main__":
    asyncio.run(main())

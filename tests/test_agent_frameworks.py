"""Agents of pydantic-ai and openai-agents on servers that do not parse calls; the official client in their place.

The frameworks are imported by what needs them: that takes longer than most tests.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import chat_server
import pytest
from chat_server import Reply, serving

QWEN = "Qwen/Qwen3-8B"
CALL = '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "tide", "arguments": {"port": "Bre'
NO_TOOLS = Reply(
    status=400, body=b'{"error": {"message": "\\"auto\\" tool choice requires --enable-auto-tool-choice"}}'
)
LOW = chat_server.text("Low ", "now.")


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What `work` returns; a run that hangs fails."""
    return asyncio.run(asyncio.wait_for(work, 60))


def tide(port: str) -> str:
    """Tells the tide."""
    return f"low in {port}"


async def by_pydantic_ai(url: str, streamed: bool, **more: Any) -> tuple[str, list[str]]:
    """The answer of an agent of pydantic-ai, and the results of its tool."""
    import pydantic_ai

    from toolect.agent import pydantic_ai as toolect_pydantic_ai

    agent = pydantic_ai.Agent(toolect_pydantic_ai.DialectModel(url, QWEN, **more), tools=[tide])

    async def watch(_: Any, events: Any) -> None:  # with somebody who watches, answers stream
        async for _ in events:
            pass

    result = await agent.run("How low?", event_stream_handler=watch if streamed else None)
    text, messages = result.output, result.all_messages()
    return text, [part.content for one in messages for part in one.parts if part.part_kind == "tool-return"]


async def by_openai_agents(url: str, streamed: bool, **more: Any) -> tuple[str, list[str]]:
    """The same of openai-agents."""
    import agents

    from toolect.agent import openai_agents

    agents.set_tracing_disabled(True)
    model = openai_agents.DialectModel(url, QWEN, **more)
    agent = agents.Agent(name="harbour", model=model, tools=[agents.function_tool(tide)])
    if streamed:
        result: Any = agents.Runner.run_streamed(agent, "How low?")
        async for _ in result.stream_events():
            pass
    else:
        result = await agents.Runner.run(agent, "How low?")
    return result.final_output, [item.output for item in result.new_items if item.type == "tool_call_output_item"]


FRAMEWORKS = {"pydantic-ai": by_pydantic_ai, "openai-agents": by_openai_agents}
SERVERS = {
    "parses": [chat_server.calls(("tide", '{"port": "Brest"}')), LOW],
    "leaves calls in the text": [chat_server.text("Wait.\n", *CALL), LOW],
    "has no tools": [NO_TOOLS, chat_server.text("Wait.\n", *CALL), LOW],
    "writes a broken call first": [chat_server.text(BROKEN), chat_server.text(CALL), LOW],
    "cuts a call off": [chat_server.text(BROKEN, finish="length"), chat_server.text(CALL), LOW],
    "counts wrongly": [Reply([
        {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "tide", "arguments": ""}}]},
        {"tool_calls": [{"index": 1, "id": "b", "function": {"arguments": '{"port": "Brest"}'}}]},
    ], finish="tool_calls"), LOW],
    "drops its stream once": [chat_server.text("x", cut=30), chat_server.text(CALL), LOW],
}  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_agent_of_a_framework(framework: str, server: str, streamed: bool) -> None:
    """Its tool is called and its answer comes, whatever the server does with calls."""
    with serving(SERVERS[server]) as running:
        text, results = run(FRAMEWORKS[framework](running.url, streamed))
    assert (text.strip(), results) == ("Low now.", ["low in Brest"])
    assert "low in Brest" in json.dumps(running.requests[-1]["messages"])


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_tools_in_the_text_of_a_dialect(framework: str) -> None:
    """Named, it is what the model is told its tools in, and what is read."""
    with serving([chat_server.text("[TOOL_CALLS]", 'tide[ARGS]{"port": "Brest"}'), LOW]) as server:
        text, results = run(FRAMEWORKS[framework](server.url, False, dialect="mistral-v13"))
    assert (text, results) == ("Low now.", ["low in Brest"]) and "tools" not in server.requests[0]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_calls_that_stay_broken_end_the_run(framework: str, streamed: bool) -> None:
    """After so many attempts, with an error: a broken call is no answer."""
    with (
        serving(lambda _: chat_server.text(BROKEN)) as server,
        pytest.raises(Exception, match="expected a call that can"),
    ):
        run(FRAMEWORKS[framework](server.url, streamed, max_repairs=1))
    assert len(server.requests) == 2


def test_errors_are_those_of_the_official_client() -> None:
    """So that frameworks know them: by their status, without the key."""
    import openai
    import pydantic_ai

    from toolect.agent.openai_client import DialectClient

    refused = Reply(status=401, body=b'{"error": {"message": "bad key sk-secret"}}')
    asked = {"messages": [{"role": "user", "content": "?"}]}
    with serving([refused]) as server:
        client = DialectClient(server.url, model="m", api_key="sk-secret")
        with pytest.raises(openai.APIStatusError, match="bad key …") as error:
            run(client.chat.completions.create(**asked))
        assert error.value.status_code == 401
    with serving([refused]) as server, pytest.raises(pydantic_ai.exceptions.ModelHTTPError):
        run(by_pydantic_ai(server.url, False))
    with (
        serving([Reply(status=400, body=b'{"error": "boom"}')]) as server,
        pytest.raises(pydantic_ai.exceptions.ModelHTTPError, match="boom"),
    ):
        run(by_pydantic_ai(server.url, False))
    client = DialectClient("http://127.0.0.1:9/v1", model="m", retries=0)
    with pytest.raises(openai.APIError, match="is it running"):
        run(client.chat.completions.create(**asked))


@pytest.mark.parametrize("streamed", [False, True])
def test_the_client_alone(streamed: bool) -> None:
    """Options of a request go to the server, and its usage comes back; raw text is asked for by its address."""
    import openai

    from toolect.agent.openai_client import DialectClient

    with serving([chat_server.raw("Low ", "now.", "<|im_end|>")]) as server:
        client = DialectClient(server.url + "/completions", model=QWEN)

        async def work() -> tuple[str, Any]:
            asked: dict[str, Any] = {
                "messages": [{"role": "user", "content": "?"}],
                "temperature": 0,
                "seed": openai.omit,
            }
            answer = await client.chat.completions.create(**asked, extra_body={"top_k": 1}, stream=streamed)
            if not streamed:
                return answer.choices[0].message.content, answer.usage
            async with answer as stream:
                chunks = [chunk async for chunk in stream]
            return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices), chunks[-1].usage

        text, usage = run(work())
    assert (text, usage.prompt_tokens, usage.completion_tokens) == ("Low now.", 10, 5)
    assert (server.requests[0]["temperature"], server.requests[0]["top_k"]) == (0, 1) and "seed" not in server.requests[
        0
    ]

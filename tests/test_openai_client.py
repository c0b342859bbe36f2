"""The official client of the chat-completions protocol reads what we write: events as chunks, messages as answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import chat_server
import openai
import pytest
from chat_server import Reply

import toolect
from toolect import Call, Content, Message
from toolect._message import Reasoning
from toolect.agent import Agent, Turn, Usage
from toolect.openai.chunks import Chunks

STREAM = {"content-type": "text/event-stream"}
CALLS = [Call("get_weather", {"city": "Zürich｜", "days": 3}), Call("get_weather", {"city": 'a"\n</x>'})]
MESSAGE = Message([Content("Let me see."), *CALLS])


def written(dialect: toolect._compiled.Dialect, text: str, size: int, hold: bool) -> Reply:
    """A streamed answer of what the dialect reads in `text`, which arrives in pieces of `size` characters."""
    stream, chunks = dialect.stream(), Chunks(model="m", hold=hold)
    sent: list[Any] = []
    for i in range(0, len(text), size):
        for event in stream.feed(text[i : i + size]):
            sent += chunks.feed(event)
    for event in stream.close():
        sent += chunks.feed(event)
    sent += chunks.close()
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in sent]
    return Reply(body="".join([*lines, "data: [DONE]\n\n"]).encode(), headers=STREAM, size=11)


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("name", ["hermes", "kimi-k2", "qwen3-coder", "mistral-v11", "harmony", "pythonic"])
def test_reads_our_chunks(name: str, size: int, hold: bool) -> None:
    """Content and calls arrive whole, however they were cut."""
    dialect = toolect.dialect(name)
    text = str(dialect.render(MESSAGE))
    with chat_server.serving([written(dialect, text, size, hold)]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
        with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "?"}]) as stream:
            for _ in stream:
                pass
            answer = stream.get_final_completion().choices[0]
        client.close()
    assert answer.finish_reason == "tool_calls"
    assert answer.message.content == MESSAGE.content
    made = [(c.function.name, json.loads(c.function.arguments)) for c in answer.message.tool_calls or ()]
    assert made == [(call.name, call.arguments) for call in MESSAGE.calls]
    assert toolect.Message.from_openai(answer.message).calls == [
        Call(c.name, c.arguments, given.id)
        for c, given in zip(MESSAGE.calls, answer.message.tool_calls or (), strict=True)
    ]


def test_reads_our_messages() -> None:
    """A whole answer goes through the client and comes back."""
    message = Message([Reasoning("Hm."), *MESSAGE.segments])
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    body["choices"] = [{"index": 0, "message": message.to_openai(), "finish_reason": "tool_calls"}]
    with chat_server.serving([Reply(body=json.dumps(body).encode())]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
        answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
        client.close()
    back = toolect.Message.from_openai(answer)
    assert (back.reasoning, back.content) == (message.reasoning, message.content)
    assert [(c.name, c.arguments) for c in back.calls] == [(c.name, c.arguments) for c in message.calls]


def tide(port: str) -> str:
    """Tells the tide."""
    return f"low in {port}"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_by_the_official_client(streamed: bool) -> None:
    """What the client returns or streams is an answer as it is, with its usage and how it ended."""
    script = [chat_server.calls(("tide", '{"port": "Brest"}')), chat_server.text("Low ", "now.")]
    if not streamed:
        message = {"role": "assistant", "content": "Low now."}
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": chat_server.USAGE}
        body["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
        script = [Reply(body=json.dumps(body).encode())]

    async def work(url: str) -> None:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

            async def model(turns: list[Turn], tools: list[Any]) -> Any:
                request = toolect.Conversation(turns, tools).to_openai()
                return await client.chat.completions.create(model="m", stream=streamed, **request)  # type: ignore[call-overload]  # as users write it

            result = await Agent(model, [tide]).run("How low?")
            assert result.text == "Low now." and result.finish == "stop"
            assert [one.output for one in result.results] == ["low in Brest"] * streamed
            assert result.usage == Usage(10 * len(script), 5 * len(script), len(script))

    with chat_server.serving(script) as server:
        asyncio.run(work(server.url))


def test_a_model_that_gives_something_else() -> None:
    """What nobody understands is refused, and not passed over."""

    async def number(*_: Any) -> Any:
        return 3

    async def numbers(*_: Any) -> Any:
        yield 3

    for model in (number, numbers):
        with pytest.raises((TypeError, toolect.MessageError), match=r"int|nothing"):
            asyncio.run(Agent(model).run("?"))

"""Free-form tools (`type: custom`): definitions, calls and results as each API has them, whole and in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from loopback import MODEL, Served, Upstream, serving, text_answer, upstream
from openai.types.chat import ChatCompletion, ChatCompletionMessageCustomToolCall
from openai.types.responses import ResponseCustomToolCall, ResponseCustomToolCallInputDeltaEvent

import toolect
from toolect import Call, Content, Conversation, Message, responses
from toolect.openai import ChunkReader, Chunks, chunks_to_events, completion

TEXTS = (
    "*** Begin Patch\n{",
    "",
    '{"input": "x"}',
    'a"b\\c\n\t',
    "null",
    "{}",
    "天\U0001f30a",
    "</tool_call>",
    "x" * 500,
)
RULES = {"syntax": "lark", "definition": 'start: "a"'}
FLAT = {"type": "custom", "name": "patch", "description": "Patches.", "format": {"type": "grammar", **RULES}}
CHAT = {"type": "custom", "custom": {
    "name": "patch", "description": "Patches.", "format": {"type": "grammar", "grammar": RULES},
}}  # fmt: skip
SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}}}
TIDE = {"type": "function", "function": {"name": "tide", "parameters": SCHEMA}}


def spoken(text: str) -> Message:
    """An answer with a call of a free-form tool between others."""
    return Message([Content("So:"), Call("tide", {}, "a"), Call("patch", {"input": text}, "b"), Call("tide", {}, "c")])


def in_pieces(message: Message, size: int = 3) -> Iterator[toolect.Event]:
    """The events of an answer that is read in pieces."""
    stream = toolect.dialect("hermes").stream()
    text = str(toolect.dialect("hermes").render(message))
    for at in range(0, len(text), size):
        yield from stream.feed(text[at : at + size])
    yield from stream.close()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("hold", [False, True])
def test_answers(text: str, hold: bool) -> None:
    """They are written as calls of type `custom`, and read back, whole and streamed, in both APIs."""
    said, free = spoken(text), ("patch",)
    want = [(call.name, call.arguments) for call in said.calls]
    whole = completion(said, free_form=free)
    checked = ChatCompletion.model_validate(whole).choices[0].message.tool_calls
    assert checked is not None and isinstance(checked[1], ChatCompletionMessageCustomToolCall)
    assert checked[1].custom.input == text
    assert [(call.name, call.arguments) for call in Message.from_openai(whole).calls] == want
    chunks, events = Chunks(hold=hold, free_form=free), responses.ResponseEvents(hold=hold, free_form=free)
    sent, received = [], []
    for event in in_pieces(said):
        sent += chunks.feed(event)
        received += events.feed(event)
    sent += chunks.close()
    received += events.close()
    reader = ChunkReader()
    for chunk in sent:
        reader.feed(chunk)
    reader.close()
    assert [(call.name, call.arguments) for call in reader.message.calls] == want
    assert [(call.name, call.arguments) for call in responses.from_events(received).calls] == want
    deltas = [one for one in received if one["type"] == "response.custom_tool_call_input.delta"]
    assert "".join(ResponseCustomToolCallInputDeltaEvent.model_validate(one).delta for one in deltas) == text
    made = responses.response(said, free_form=free)
    (item,) = [one for one in made["output"] if one["type"] == "custom_tool_call"]
    assert ResponseCustomToolCall.model_validate(item).input == text
    assert [(call.name, call.arguments) for call in responses.from_response(made).calls] == want


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_streams_of_servers(text: str, size: int) -> None:
    """A text that comes in pieces is one text; what is broken off is no call."""
    begun = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "patch", "input": ""}}
    parts = [{"index": 0, "custom": {"input": text[at : at + size]}} for at in range(0, len(text), size)]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [one]}}]} for one in (begun, *parts)]
    for finish, runnable in (("tool_calls", [{"input": text}]), ("length", [])):
        reader = ChunkReader()
        last = {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
        events = [event for chunk in (*chunks, last) for event in reader.feed(chunk)] + reader.close()
        assert [call.arguments for call in reader.message.runnable] == runnable
        streamed = "".join(one.text for one in events if isinstance(one, toolect.ArgumentsDelta))
        assert not runnable or json.loads(streamed) == {"input": text}
    assert [*chunks_to_events(chunks)]


@pytest.mark.parametrize("tool", [FLAT, CHAT])
def test_dialects_take_the_definitions(tool: dict[str, Any]) -> None:
    """As they take those of functions: with one parameter, a text."""
    text = "<tool_call>\n<function=patch>\n<parameter=input>\n12\n</parameter>\n</function>\n</tool_call>"
    (call,) = toolect.dialect("qwen3-coder").parse(text, [tool, TIDE]).runnable
    assert call.arguments == {"input": "12"}


@pytest.mark.parametrize("tool", [FLAT, CHAT])
def test_conversations(tool: dict[str, Any]) -> None:
    """Definitions, calls and results of either API are written as each has them; for others they are of a function."""
    custom = {"name": "patch", "input": "*** Begin"}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "b", "type": "custom", "custom": custom}]},
        {"role": "tool", "tool_call_id": "b", "name": "patch", "content": "Done."},
    ]
    items = [
        {"type": "message", "role": "user", "content": "Go."},
        {"type": "custom_tool_call", "call_id": "b", **custom},
        {"type": "custom_tool_call_output", "call_id": "b", "output": "Done."},
    ]
    one = Conversation.from_openai(messages, [tool, TIDE])
    assert one == Conversation.from_responses(items, tools=[tool, TIDE])
    assert one.to_openai() == {"messages": messages, "tools": [CHAT, TIDE]}
    assert one.to_responses() == {"input": items, "tools": [FLAT, {"type": "function", **TIDE["function"]}]}  # type: ignore[dict-item]  # it is a dict
    assert one.to_anthropic()["messages"][1]["content"][0]["input"] == {"input": "*** Begin"}
    assert [tool["name"] for tool in one.to_anthropic()["tools"]] == ["patch", "tide"]


@pytest.fixture(scope="module")
def up() -> Iterator[Upstream]:
    """The upstream."""
    with upstream() as found:
        yield found


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", ["text", "chat"])
def test_through_the_server(up: Upstream, mode: str, stream: bool) -> None:
    """A client of a model of text gets its custom calls; the model is told of a function."""
    up.script = text_answer(str(toolect.dialect("hermes").render(spoken("*** Begin"))))
    with serving(upstream=up.url, mode=mode, dialect="hermes") as server:
        assert isinstance(server, Served)
        _ask_chat(server, stream)
        _ask_responses(server, stream)
    assert "Patches." in json.dumps(up.asked)


def _ask_chat(server: Served, stream: bool) -> None:
    asked: Any = {"model": MODEL, "messages": [{"role": "user", "content": "Go."}], "tools": [CHAT, TIDE]}
    client: openai.OpenAI = server.openai
    if not stream:
        calls = client.chat.completions.create(**asked).choices[0].message.tool_calls
        assert [call.type for call in calls] == ["function", "custom", "function"]
        assert calls[1].custom.input == "*** Begin"
        return
    reader = ChunkReader()
    kinds = []
    for chunk in client.chat.completions.create(**asked, stream=True):
        reader.feed(chunk)
        kinds += [call.type for one in chunk.choices for call in one.delta.tool_calls or () if call.type]
    reader.close()
    assert kinds == ["function", "custom", "function"]
    assert reader.message.calls[1].arguments == {"input": "*** Begin"}


def _ask_responses(server: Served, stream: bool) -> None:
    tools: Any = [FLAT, {"type": "function", "name": "tide", "parameters": SCHEMA, "strict": False}]
    client: openai.OpenAI = server.openai
    if stream:
        events = [*client.responses.create(model=MODEL, input="Go.", tools=tools, stream=True)]
        assert any(event.type == "response.custom_tool_call_input.done" for event in events)
        found = events[-1].response.output  # type: ignore[union-attr]  # it is the completed one
    else:
        found = client.responses.create(model=MODEL, input="Go.", tools=tools).output
    (item,) = [one for one in found if one.type == "custom_tool_call"]
    assert (item.name, item.input) == ("patch", "*** Begin")

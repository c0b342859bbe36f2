"""Answers as three APIs have them, whole and streamed: `toolect.openai`, `anthropic` and `responses`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import toolect
from toolect import Call, Content, Message, Reasoning, RenderError, Status
from toolect._message import Json
from toolect.openai import Finish

CALLS = [Call("get_weather", {"city": "Zürich｜", "days": 3}), Call("get_weather", {"city": 'a"\n</x>', "days": 1})]
TOOLS = [{
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
}]  # fmt: skip
MESSAGES = [
    Message([Content("Let me see."), *CALLS]), Message(CALLS[:1]), Message([Content("High at noon.")]),
    Message([Reasoning("Hm."), Content("Let me see."), CALLS[0]]),
]  # fmt: skip
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
BROKEN = [
    ('<tool_call>\n{"name": "f", "arguments": {"a": "Br', "length", Status.TRUNCATED),
    ('<tool_call>\n{"name": "f", "arguments": [1]}\n</tool_call>', "stop", Status.MALFORMED),
]


def written(name: str) -> Iterator[str]:
    """The texts that a dialect writes for some messages."""
    for message in MESSAGES:
        try:
            yield str(toolect.dialect(name).render(message, TOOLS))
        except RenderError:
            pass


def said(message: Message) -> tuple[str, str, list[tuple[str, Json]]]:
    """What a message says, whatever the order of an API is."""
    return message.content, message.reasoning, [(call.name, call.arguments) for call in message.runnable]


def source(text: str, size: int, finish: Finish) -> Iterator[str | Finish]:
    """An engine's answer in pieces."""
    yield from (text[at : at + size] for at in range(0, len(text), size))
    yield finish


async def aiter_of(pieces: Iterator[Any]) -> AsyncIterator[Any]:
    """The pieces as an async engine has them."""
    for piece in pieces:
        yield piece


async def listed(made: AsyncIterator[Any]) -> list[Any]:
    """All that is made."""
    return [one async for one in made]


def shape(made: list[dict[str, Json]]) -> list[Any]:
    """Events without what each answer has of its own."""
    return [one.get("type", one.get("object")) for one in made]


def ends(made: list[dict[str, Json]], key: str) -> Json:
    """The value of a chunk's choice."""
    return [one["choices"][0][key] for one in made if one["choices"]]


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("name", toolect.dialects())
def test_streams_say_what_the_message_says(name: str, hold: bool) -> None:
    """In every dialect, in each API, whole and in pieces; async and not are alike."""
    dialect, finish = toolect.dialect(name), Finish("stop", USAGE)
    for text in written(name):
        message = dialect.parse(text, TOOLS)
        for size in (1, 9, 10_000):
            for api, read in ((toolect.anthropic, "from_events"), (toolect.responses, "from_events")):
                events = [
                    *api.stream(source(text, size, Finish("stop", USAGE)), dialect.stream(tools=TOOLS), hold=hold)
                ]
                assert said(getattr(api, read)(events)) == said(message)
                other = api.stream(
                    aiter_of(source(text, size, Finish("stop", USAGE))), dialect.stream(tools=TOOLS), hold=hold
                )
                assert shape(asyncio.run(listed(other))) == shape(events)
            chunks = [
                *toolect.openai.stream(
                    source(text, size, Finish("stop", USAGE)), dialect.stream(tools=TOOLS), hold=hold
                )
            ]
            assert ends(chunks, "finish_reason")[-1] == ("tool_calls" if message.calls else "stop")
        finish = Finish("stop", USAGE)
        assert said(toolect.openai.from_openai(toolect.openai.completion(message, finish=finish))) == said(message)
        assert said(toolect.anthropic.from_anthropic(toolect.anthropic.response(message, finish=finish))) == said(
            message
        )
        assert said(toolect.responses.from_response(toolect.responses.response(message, finish=finish))) == said(
            message
        )


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize(("text", "reason", "status"), BROKEN)
def test_broken_calls_are_no_calls(text: str, reason: str, status: Status, hold: bool) -> None:
    """What must not run stands apart in each API, and the answer does not say that it calls tools."""
    dialect = toolect.dialect("hermes")
    message = dialect.parse(text)
    stops = {"length": ("max_tokens", "incomplete"), "stop": ("end_turn", "completed")}[reason]
    whole = toolect.openai.completion(message)["choices"][0]
    assert (whole["finish_reason"], "tool_calls" in whole["message"]) == (reason, False)
    assert whole["message"]["invalid_tool_calls"][0]["status"] == status
    answer = toolect.anthropic.response(message)
    assert (answer["stop_reason"], answer["content"]) == (stops[0], [])
    response = toolect.responses.response(message)
    assert (response["status"], response["output"]) == (stops[1], [])
    chunks = [*toolect.openai.stream([text], dialect.stream(), hold=hold)]
    assert chunks[-1]["choices"][0]["finish_reason"] == reason
    assert chunks[-1]["choices"][0]["delta"]["invalid_tool_calls"][0]["status"] == status
    events = [*toolect.anthropic.stream([text], dialect.stream(), hold=hold)]
    assert events[-2]["delta"]["stop_reason"] == stops[0]
    assert events[-2]["delta"]["invalid_tool_calls"][0]["status"] == status
    if hold:
        assert shape(events) == ["message_start", "message_delta", "message_stop"]
        assert not any("tool_calls" in delta for delta in ends(chunks, "delta"))
    last = [*toolect.responses.stream([text], dialect.stream(), hold=hold)][-1]
    assert (last["type"], last["response"]["invalid_tool_calls"][0]["status"]) == (f"response.{stops[1]}", status)


@pytest.mark.parametrize(
    ("engine", "text", "reason"),
    [
        ("length", "High at", "length"),
        ("length", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', "length"),
        ("content_filter", "High", "content_filter"),
        ("max_tokens", "High", "length"),
        ("abort", "High", "length"),
        ("tool_calls", "High", "stop"),
        ("eos_token", "High", "stop"),
        (None, "High", "stop"),
    ],
)
def test_the_engines_own_reason(engine: str | None, text: str, reason: str) -> None:
    """What was cut off or filtered says so, even with a call; that there are calls is known from the calls."""
    made = [*toolect.openai.stream([text, Finish(engine)], toolect.dialect("hermes").stream())]
    assert made[-1]["choices"][0]["finish_reason"] == reason
    message = toolect.dialect("hermes").parse(text)
    assert toolect.openai.completion(message, finish=Finish(engine))["choices"][0]["finish_reason"] == reason


@pytest.mark.parametrize("api", [toolect.openai, toolect.anthropic, toolect.responses])
def test_wrong_types_are_said(api: Any) -> None:
    """A text or an object for the message, a text for the end of the answer, a dialect for its stream."""
    whole, said = getattr(api, "completion", None) or api.response, Message([Content("High.")])
    for wrong in ("High.", {"role": "assistant"}, None):
        with pytest.raises(TypeError, match=r"expected a Message, such as `dialect.parse"):
            whole(wrong)
    with pytest.raises(TypeError, match="expected a Finish, such as"):
        whole(said, finish="stop")
    with pytest.raises(TypeError, match=r"expected the stream of a dialect, such as `dialect.stream\(tools=tools\)`"):
        api.stream(["High."], toolect.dialect("hermes"))


def test_usage_and_choices() -> None:
    """A choice has its number, and the usage is a chunk without choices, where it is asked for."""
    pieces: list[str | Finish] = ["High.", Finish("stop", USAGE)]
    stream = toolect.dialect("hermes").stream
    options = {"index": 2, "model": "m", "completion_id": "c", "created": 1}
    first, last = toolect.openai.stream(pieces, stream(), **options)
    assert first["choices"] == [{"index": 2, "delta": {"role": "assistant", "content": "High."}, "finish_reason": None}]
    assert last["choices"][0]["index"] == 2
    *_, usage = toolect.openai.stream(pieces, stream(), include_usage=True, **options)
    assert (usage["choices"], usage["usage"], usage["id"]) == ([], USAGE, "c")
    assert [*toolect.anthropic.stream(pieces, stream())][-2]["usage"] == {"input_tokens": 7, "output_tokens": 5}
    assert [*toolect.responses.stream(pieces, stream())][-1]["response"]["usage"]["total_tokens"] == 12
    assert toolect.openai.completion(Message([Content("a")]), finish=Finish(usage=USAGE))["usage"] == USAGE


def test_blocks_and_items_open_and_close_once() -> None:
    """Each block and item has its number, begins before its deltas, and ends before the next one begins."""
    text = str(toolect.dialect("hermes").render(MESSAGES[3])) + "\nDone."
    events = [*toolect.anthropic.stream([*text], toolect.dialect("hermes").stream(tools=TOOLS))]
    open_blocks: list[int] = []
    for event in events:
        kind = event["type"]
        if kind == "content_block_start":
            assert not open_blocks
            open_blocks.append(event["index"])
        elif kind == "content_block_delta":
            assert open_blocks == [event["index"]]
        elif kind == "content_block_stop":
            assert open_blocks.pop() == event["index"]
    starts = [event for event in events if event["type"] == "content_block_start"]
    assert [start["index"] for start in starts] == [*range(len(starts))]
    assert [start["content_block"]["type"] for start in starts] == ["thinking", "text", "tool_use", "text"]
    made = [*toolect.responses.stream([*text], toolect.dialect("hermes").stream(tools=TOOLS))]
    assert [event["sequence_number"] for event in made] == [*range(len(made))]
    done = [event["item"] for event in made if event["type"] == "response.output_item.done"]
    assert made[-1]["response"]["output"] == done
    ids = {
        event["output_index"]: event["item"]["id"] for event in made if event["type"] == "response.output_item.added"
    }
    assert all(ids[event["output_index"]] == event["item_id"] for event in made if "item_id" in event)


def test_ids_that_an_api_takes() -> None:
    """Two calls never share an id, and Anthropic's have its letters only."""
    text = str(toolect.dialect("kimi-k2").render(Message(CALLS)))
    message = toolect.dialect("kimi-k2").parse(text)
    wire = [call["id"] for call in toolect.openai.completion(message)["choices"][0]["message"]["tool_calls"]]
    assert wire == ["functions.get_weather:0", "functions.get_weather:1"]
    for block in toolect.anthropic.response(message)["content"]:
        assert block["id"].startswith("toolu_")
    twice = Message([Call("f", {}, "a"), Call("f", {}, "a")])
    for made in (toolect.anthropic.response(twice)["content"], toolect.responses.response(twice)["output"]):
        first, second = (one.get("call_id", one["id"]) for one in made)
        assert first == "a" != second


def test_what_is_no_answer_is_refused_by_place() -> None:
    """Nothing raises from deep inside."""
    cases: list[tuple[Any, Any, str]] = [
        (toolect.anthropic.from_anthropic, {"role": "user", "content": "a"}, "$.role"),
        (toolect.anthropic.from_anthropic, 3, "$"),
        (toolect.anthropic.from_anthropic, {"role": "assistant", "content": [{"type": "image"}]}, "$.content[0].type"),
        (toolect.responses.from_response, {"id": "a"}, "$"),
        (toolect.responses.from_response, {"output": [{"type": "web_search_call"}]}, "output[0].type"),
        (toolect.responses.from_response, {"output": 3}, "output"),
    ]
    for read, given, where in cases:
        with pytest.raises(toolect.MessageError) as raised:
            read(given)
        assert raised.value.where == where


def test_a_stream_that_ends_in_an_item() -> None:
    """What came of it is not lost, and a call that was cut off must not be run."""
    events = toolect.responses.ResponseEvents()
    start, text = toolect.CallStart(0, "a", "weather"), toolect.ArgumentsDelta(0, '{"city": "Os')
    cut = [one for event in (toolect.ContentDelta("Let me look."), start, text) for one in events.feed(event)]
    message = toolect.responses.from_events(cut)
    assert (message.content, message.runnable) == ("Let me look.", [])
    assert [(call.name, call.id, call.spelling, call.status) for call in message.calls] == [
        ("weather", "a", '{"city": "Os', Status.TRUNCATED)
    ]
    assert toolect.responses.from_events(cut[:5]).content == "Let me look."


def test_a_block_without_its_start() -> None:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi."}}
    assert toolect.anthropic.from_events([delta]).content == "Hi."

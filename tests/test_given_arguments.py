"""Arguments as APIs, servers and data sets give them: what they mean is the same wherever a call is read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

import toolect
from toolect import Conversation, Message, anthropic, responses
from toolect.agent import Agent, Chat, NativeModel, sse
from toolect.data import read
from toolect.openai import ChunkReader

NOTHING = object()
"""There is no field of arguments."""
MEANS: tuple[tuple[Any, dict[str, Any] | None], ...] = (
    *((one, {}) for one in (NOTHING, None, "", " ", "null", "null\n", '"null"', '""', "[]", "{}", "\n{}", '"{}"')),
    ([], {}), ({}, {}),
    *((one, {"a": 1}) for one in ({"a": 1}, '{"a": 1}', ' {"a":1}\n', '"{\\"a\\": 1}"')),
    ('{"a": null}', {"a": None}),
    *((one, None) for one in ([1], [{"a": 1}], '[{"a":1}]', 5, "5", True, "true", "None", "undefined", "{", '{"a":1')),
    *((one, None) for one in ('{"a": 1}}', '{"a": 1}{"a": 1}', '{"a": NaN}', '{"a": 1e999}', '"\\"{}\\""')),
)  # fmt: skip
"""What a field of arguments holds, and the arguments of the call; None where it must not run."""


def call(given: Any) -> dict[str, Any]:
    """A call of a chat completion."""
    function = {"name": "f"} if given is NOTHING else {"name": "f", "arguments": given}
    return {"id": "c1", "type": "function", "function": function}


def answer(given: Any) -> dict[str, Any]:
    """The message of a chat completion."""
    return {"role": "assistant", "content": None, "tool_calls": [call(given)]}


def chunks(given: Any) -> list[dict[str, Any]]:
    """A streamed chat completion."""
    part = {"index": 0, **call(given)}
    return [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [part]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]


def streamed(given: Any) -> Message:
    """The message of a streamed chat completion."""
    reader = ChunkReader()
    for chunk in chunks(given):
        reader.feed(chunk)
    reader.close()
    return reader.message


def item(given: Any) -> dict[str, Any]:
    """An item of a response."""
    named = {"type": "function_call", "call_id": "c1", "name": "f"}
    return named if given is NOTHING else {**named, "arguments": given}


def block(given: Any) -> dict[str, Any]:
    """A block of a message of Anthropic's."""
    named = {"type": "tool_use", "id": "c1", "name": "f"}
    return named if given is NOTHING else {**named, "input": given}


def of_events(given: Any) -> Message:
    """The message of Anthropic's events."""
    events: list[dict[str, Any]] = [{"type": "content_block_start", "index": 0, "content_block": block({})}]
    if given is not NOTHING:
        delta = {"type": "input_json_delta", "partial_json": given}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    return anthropic.from_events([*events, {"type": "content_block_stop", "index": 0}])


def asked(given: Any) -> list[dict[str, Any]]:
    """The messages of a request."""
    return [{"role": "user", "content": "x"}, answer(given)]


READERS: dict[str, Callable[[Any], Message]] = {
    "openai": lambda given: Message.from_openai(answer(given)),
    "openai, the old field": lambda given: Message.from_openai({"function_call": call(given)["function"]}),
    "openai, streamed": streamed,
    "conversation": lambda given: Conversation.from_openai(asked(given)).turns[1].message,
    "anthropic": lambda given: anthropic.from_anthropic({"role": "assistant", "content": [block(given)]}),
    "anthropic, streamed": of_events,
    "responses": lambda given: responses.from_response({"output": [item(given)]}),
    "responses, asked": lambda given: Conversation.from_responses([item(given)]).turns[0].message,
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_arguments_mean_the_same_everywhere(reader: str) -> None:
    """Law: nothing is no arguments, JSON text is what it spells, once or twice; what is no object must not run."""
    for given, means in MEANS:
        (found,) = READERS[reader](given).calls
        assert (found.name, found.runnable) == ("f", means is not None), given
        assert not found.runnable or found.arguments == means, given


def test_arguments_in_rows() -> None:
    """A row has what they mean, or is refused."""
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}}
    for given, means in MEANS:
        try:
            message = read({"messages": asked(given), "tools": [tool]}).turns[1].message
        except toolect.ToolectError:
            assert means is None or given == "null", given
            continue
        assert [one.arguments for one in message.runnable] == ([] if means is None else [means]), given


class Sending(Chat):
    """A server that sends one answer, and then that it is done."""

    def __init__(self, answer: list[dict[str, Any]]) -> None:
        super().__init__("http://localhost", "m")
        self.answers = [answer]

    async def stream(self, body: Mapping[str, Any], path: str = "") -> AsyncIterator[dict[str, Any]]:
        """The choices of the next answer."""
        del body, path
        for chunk in self.answers.pop() if self.answers else [{"choices": [{"delta": {"content": "Done."}}]}]:
            for choice in sse.choices(chunk):
                yield choice


def test_arguments_that_an_agent_runs() -> None:
    """A tool runs with what they mean, and not at all with what is no object."""
    ran: list[dict[str, Any]] = []

    def f(a: int | None = 0) -> str:
        """Runs."""
        ran.append({} if a == 0 else {"a": a})
        return "ran"

    for given, means in MEANS:
        for sent in (chunks(given), [{"choices": [{"index": 0, "message": answer(given)}]}]):
            ran.clear()
            Agent(NativeModel(Sending(sent)), [f]).run_sync("?")
            assert ran == ([] if means is None else [means]), given


@pytest.mark.parametrize("field", ["args", "input", "parameters", "tool_input"])
def test_arguments_under_another_name(field: str) -> None:
    """They are the arguments wherever chat completions are read, and no call runs without them."""
    for function in ({"name": "f", field: {"a": 1}}, {"name": "f", "arguments": None, field: '{"a": 1}'}):
        for one in ({"id": "c1", "type": "function", "function": function}, {"id": "c1", **function}):
            message = {"role": "assistant", "content": None, "tool_calls": [one]}
            reader = ChunkReader()
            reader.feed({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **one}]}}]})
            reader.close()
            turns = Conversation.from_openai([{"role": "user", "content": "x"}, message]).turns
            for one in (Message.from_openai(message), reader.message, turns[1].message):
                assert [run.arguments for run in one.runnable] == [{"a": 1}]

"""Whatever a server sends comes to an answer or to an error of the agent: nothing raises from deep inside."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from toolect.agent import Agent, AgentError, Chat, NativeModel, RawModel, TextModel, sse

KEYS = (
    "delta", "message", "finish_reason", "usage", "model", "content", "tool_calls", "function", "name", "arguments",
    "id", "index", "type", "reasoning_content", "role", "text", "prompt_tokens", "refusal", "function_call",
)  # fmt: skip
TEXTS = ("", "x", "tide", '{"port": "a"}', '{"po', "stop", "length", "<tool_call>", "</think>")


class Junk:
    """Chunks of answers, some as servers send them, some nearly, some not at all."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        """Anything that JSON can say."""
        match self.random.randrange(7 if depth < 4 else 3):
            case 0:
                return None
            case 1:
                return self.random.choice([0, 1, -1, 2.5, True, False])
            case 2 | 3:
                return self.random.choice(TEXTS)
            case 4:
                return [self.value(depth + 1) for _ in range(self.random.randrange(3))]
            case _:
                return {self.random.choice(KEYS): self.value(depth + 1) for _ in range(self.random.randrange(4))}

    def call(self) -> Any:
        """A part of a call."""
        name, arguments = self.random.choice(["tide", None, self.value()]), self.random.choice([*TEXTS, self.value()])
        function = self.random.choice([{"name": name, "arguments": arguments}, self.value()])
        index, call_id = self.random.choice([0, 0, 1, None, self.value()]), self.random.choice(["a", "b", self.value()])
        return {"index": index, "id": call_id, "function": function}

    def choice(self) -> Any:
        """A choice of a chunk, or of a whole answer."""
        calls = self.random.choice([[self.call() for _ in range(self.random.randrange(3))], self.value()])
        content = self.random.choice([*TEXTS, self.value()])
        return self.random.choice([
            {"delta": {"content": content}, "text": content},
            {"delta": {"tool_calls": calls}},
            {"message": {"role": "assistant", "content": content, "tool_calls": calls}},
            self.value(),
        ])  # fmt: skip

    def chunk(self) -> dict[str, Any]:
        """A chunk, with what is said of the whole."""
        whole: dict[str, Any] = {"choices": [self.choice()]}
        return whole if self.random.random() < 0.7 else {**whole, "usage": self.value(), "model": self.value()}


class Sending(Chat):
    """A server that sends these chunks, answer by answer, and then that it is done."""

    def __init__(self, answers: list[list[dict[str, Any]]]) -> None:
        super().__init__("http://localhost", "m")
        self.answers = answers

    async def stream(self, body: Mapping[str, Any], path: str = "") -> AsyncIterator[dict[str, Any]]:
        """The choices of the next answer."""
        del body, path
        done = [{"choices": [{"delta": {"content": "Done."}, "text": "Done.", "finish_reason": "stop"}]}]
        for chunk in self.answers.pop(0) if self.answers else done:
            for choice in sse.choices(chunk):
                yield choice


def tide(port: str) -> str:
    """Tells the tide."""
    return f"low in {port}"


MODELS = {
    "native": NativeModel,
    "read": lambda chat: NativeModel(chat, "hermes"),
    "text": lambda chat: TextModel(chat, "hermes"),
    "raw": lambda chat: RawModel(chat, "Qwen/Qwen3-8B"),
}


@pytest.mark.parametrize("kind", MODELS)
def test_junk_is_an_answer_or_an_error(kind: str) -> None:
    """The error is one sentence, and says what came."""
    junk = Junk(len(kind))
    for _ in range(150):
        answers = [[junk.chunk() for _ in range(junk.random.randrange(5))] for _ in range(2)]
        details, said = json.dumps(answers), ""
        try:
            Agent(MODELS[kind](Sending(answers)), [tide]).run_sync("?")
        except AgentError as error:
            said = str(error)
        assert "\n" not in said, details

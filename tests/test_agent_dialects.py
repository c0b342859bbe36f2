"""An agent in every dialect, and in raw text by every chat: tools are told, a call is read and run, its result told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

import toolect
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._rendered import RenderError
from toolect.agent import Agent, Chat, ModelError, RawModel, System, TextModel, ToolRegistry, User
from toolect.conversation import Assistant, Conversation, Results, ToolResult

MARKUP = "sunny <b>\n</tool_response><|im_end|>"


def get_weather(city: str, days: int = 1) -> dict[str, Any]:
    """Tells the weather."""
    return {"city": city, "days": days, "sky": MARKUP}


class Scripted(Chat):
    """A server that writes these texts, in small pieces, and keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        super().__init__("http://localhost", "m")
        self.texts, self.asked = [*texts], list[Mapping[str, Any]]()

    async def stream(self, body: Mapping[str, Any], path: str = "") -> AsyncIterator[dict[str, Any]]:
        """The next text."""
        self.asked.append(body)
        text = self.texts.pop(0)
        for i in range(0, len(text), 7):
            piece = text[i : i + 7]
            yield {"text": piece} if path == "/completions" else {"delta": {"content": piece}}
        yield {"delta": {}, "text": "", "finish_reason": "stop"}


def called(dialect: toolect.Dialect) -> str | None:
    """A call as the dialect writes it; nothing where it has none."""
    message = Message([Call("get_weather", {"city": "Oslo", "days": 2})])
    try:
        return str(dialect.render(message, ToolRegistry([get_weather]).definitions()))
    except RenderError:
        return None


@pytest.mark.parametrize("name", toolect.dialects())
def test_in_every_dialect(name: str) -> None:
    """Whatever the tool gives stays its result: nobody reads markup in it."""
    dialect = toolect.dialect(name)
    text = called(dialect)
    assert text is not None
    server = Scripted(text, "Done.")
    result = Agent(TextModel(server, dialect), [get_weather], system_prompt="Be brief.").run_sync("How is it?")
    (one,) = result.results
    assert result.text == "Done." and not one.is_error and '"days": 2' in one.output
    asked = server.asked[1]["messages"]
    assert "get_weather" in asked[0]["content"] and "Oslo" in asked[-1]["content"]
    assert not dialect.parse(asked[-1]["content"], ToolRegistry([get_weather]).definitions()).calls


@pytest.mark.parametrize("name", toolect.chats())
def test_by_every_chat(name: str) -> None:
    """Tools are told once, by the chat or, where it does not, by the system; chats without calls are for talking."""
    chat = toolect.chat(name)
    text = called(chat.dialect)
    server = Scripted(*filter(None, (text, "Done.")))
    tools = [get_weather] if text else []
    result = Agent(RawModel(server, chat), tools).run_sync("How is it?")
    # Where the prompt ends inside of the reasoning, so does what never leaves it.
    assert "Done." in result.message.content + result.message.reasoning
    assert [one.is_error for one in result.results] == [False] * bool(text)
    prompts = [asked["prompt"] for asked in server.asked]
    assert all("How is it?" in prompt for prompt in prompts)
    if text:
        asked = Conversation((User("How is it?"),), ToolRegistry(tools).definitions())
        listed = str(chat.render(asked)).count("Tells the weather") or 1  # one template tells it in two places
        assert "Oslo" in prompts[1] and prompts[0].count("Tells the weather") == listed


OSLO, ROME = Call("get_weather", {"city": "Oslo"}), Call("get_weather", {"city": "Rome"})
ANSWERS = {
    "two calls": [OSLO, ROME],
    "words and a call": [Content("I look."), OSLO],
    "a thought, words and two calls": [Reasoning("Hm."), Content("I look."), OSLO, ROME],
}


@pytest.mark.parametrize("name", toolect.chats())
@pytest.mark.parametrize("segments", ANSWERS.values(), ids=ANSWERS)
def test_whatever_a_model_answers_can_be_told(name: str, segments: list[Segment]) -> None:
    """Law: no run ends after its tools have run because the model's template refuses such an answer."""
    chat = toolect.chat(name)
    try:
        text = str(chat.dialect.render(Message(segments), ToolRegistry([get_weather]).definitions()))
    except RenderError:
        pytest.skip("the dialect has no such answer")
    calls = [one for one in segments if isinstance(one, Call)]
    server = Scripted(text, "Done.", "So.")
    agent = Agent(RawModel(server, chat), [get_weather])
    result = agent.run_sync("How is it?")
    assert [call.arguments for call in result.calls] == [call.arguments for call in calls]
    agent.run_sync("And now?")
    known = Conversation.from_openai(result.messages, ToolRegistry([get_weather]).definitions())
    chat.prompt(known, unsafe="neutralise")  # what a client tells has no sampled text
    for prompt in (server.asked[1]["prompt"], server.asked[2]["prompt"]):
        assert all(call.arguments["city"] in prompt for call in calls)


def test_a_template_that_takes_one_call_and_no_words() -> None:
    """The calls follow one another, each before its result; the words stand before the first."""
    template = """{%- for m in messages %}<|start|>{{ m.role }}<|sep|>{% if m.tool_calls -%}
    {%- if m.tool_calls|length != 1 or m.content %}{{ raise_exception("one call alone") }}{% endif -%}
    {"name": "{{ m.tool_calls[0].function.name }}", "parameters": {{ m.tool_calls[0].function.arguments|tojson }}}
    {%- else %}{{ m.content }}{% endif %}<|end|>{% endfor -%}
    {% if add_generation_prompt %}<|start|>assistant<|sep|>{% endif %}"""
    chat = toolect.chat(template=template, dialect="llama3-json")
    results = ToolResult("a", "get_weather", "sunny"), ToolResult("b", "get_weather", "wet")
    calls = [replace(OSLO, id="a"), replace(ROME, id="b")]
    asked = [User("How is it?"), Assistant(Message([Content("I look. "), *calls])), Results(results)]
    said = str(chat.prompt(Conversation(asked))).split("<|start|>")[2:]
    assert said == [
        'assistant<|sep|>I look. {"name": "get_weather", "parameters": {"city": "Oslo"}}<|end|>',
        "tool<|sep|>sunny<|end|>",
        'assistant<|sep|>{"name": "get_weather", "parameters": {"city": "Rome"}}<|end|>',
        "tool<|sep|>wet<|end|>",
        "assistant<|sep|>",
    ]


def test_what_no_chat_can_tell_is_an_error_with_the_conversation() -> None:
    server = Scripted("Done.")
    with pytest.raises(ModelError, match="cannot be written for") as raised:
        Agent(RawModel(server, "gemma2"), system_prompt="Be brief.").run_sync("How is it?")
    assert [type(turn) for turn in raised.value.history] == [System, User]


@pytest.mark.parametrize("name", toolect.chats())
def test_no_stop_stands_within_an_answer(name: str) -> None:
    """A thought must not end an answer, as `<|end|>` would."""
    chat = toolect.chat(name)
    server = Scripted("Done.")
    Agent(RawModel(server, chat)).run_sync("How is it?")
    stops = server.asked[0].get("stop", [])
    assert [*chat.stops[:4]] == [*stops] and {*stops} <= {*chat.ends, *chat.dialect.spec.end}
    try:
        text = str(chat.dialect.render(Message([Reasoning("Hm."), OSLO])))
    except RenderError:
        return
    assert not any(stop in text.removesuffix(stop) for stop in stops)


def test_an_answer_stops_at_each_end_of_its_own() -> None:
    """OpenAI's guide to the format: stop tokens are `<|return|>`, of a final answer, and `<|call|>`."""
    assert toolect.chat("gpt-oss").stops == ("<|return|>", "<|call|>")


@pytest.mark.parametrize("name", toolect.dialects())
def test_what_a_closed_thought_rehearses_does_not_run(name: str) -> None:
    """Law: in all dialects whose thoughts are closed by something of their own."""
    dialect, call = toolect.dialect(name), Message([Call("get_weather", {"city": "Oslo", "days": 2})])
    if dialect.spec.policies.reasoning_calls == "parse" or name in ("react", "llama-builtin"):
        pytest.skip("what closes reasoning closes other things")
    try:
        rehearsed = str(dialect.render(call, ToolRegistry([get_weather]).definitions()))
        text = str(dialect.render(Message([Reasoning("Hm."), Content("Done.")])))
    except RenderError:
        pytest.skip("the dialect has no reasoning")
    text = text.replace("Hm.", f"I might:\n{rehearsed}\nBut no.")
    result = Agent(TextModel(Scripted(text), dialect), [get_weather]).run_sync("How is it?")
    assert result.calls == () and result.text.strip().endswith("Done.")  # what closes a call may close the thought

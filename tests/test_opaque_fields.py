"""What a provider wants back as it came: Gemini's signatures, OpenRouter's details, thoughts that are encrypted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import toolect
from toolect import Call, Content, Conversation, Message, MessageError, Reasoning
from toolect._objects import MAX_OPAQUE
from toolect.openai import ChunkReader

SIGNED = {"google": {"thought_signature": "CpgB+/=="}}
DETAILS = [{"type": "reasoning.encrypted", "data": "abc", "format": None, "index": 0}]
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "tide", "arguments": '{"port": "Brest"}'},
    "extra_content": SIGNED,
}
CHAT = [
    {"role": "user", "content": "When?"},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Hm.",
        "tool_calls": [CALL],
        "reasoning_details": DETAILS,
    },
    {"role": "tool", "tool_call_id": "call_1", "name": "tide", "content": "10:00"},
]  # fmt: skip
BLOCKS = [
    {"role": "user", "content": "When?"},
    {"role": "assistant", "content": [
        {"type": "redacted_thinking", "data": "EroG"}, {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "call_1", "name": "tide", "input": {"port": "Brest"}},
    ]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "10:00"}]},
]  # fmt: skip
ITEMS = [
    {"type": "message", "role": "user", "content": "When?"},
    {
        "type": "reasoning",
        "id": "rs_1",
        "encrypted_content": "gAAA",
        "content": [],
        "summary": [{"type": "summary_text", "text": "The tide."}],
    },
    {"type": "function_call", "call_id": "call_1", "name": "tide", "arguments": '{"port": "Brest"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": "10:00"},
]


def _each() -> list[Conversation]:
    return [
        Conversation.from_openai(CHAT), Conversation.from_anthropic(BLOCKS), Conversation.from_responses(ITEMS),
    ]  # fmt: skip


def test_each_api_has_its_own_back() -> None:
    """What came from an API goes back to it unchanged, and comes back from JSON."""
    assert Conversation.from_openai(CHAT).to_openai()["messages"] == CHAT
    assert Conversation.from_anthropic(BLOCKS).to_anthropic() == {"messages": BLOCKS}
    assert Conversation.from_responses(ITEMS).to_responses()["input"] == ITEMS
    for read in (
        Conversation.from_openai(CHAT),
        Conversation.from_anthropic(BLOCKS),
        Conversation.from_responses(ITEMS),
    ):
        message: Message = read.turns[1].message
        again = Message.from_dict(json.loads(json.dumps(message.to_dict())))
        assert [getattr(one, "opaque", None) for one in again.segments] == [
            getattr(one, "opaque", None) for one in message.segments
        ]


def test_no_other_api_has_them() -> None:
    """Fields of one API are in no request of another, and no empty thought stands in their place."""
    for read in (
        Conversation.from_openai(CHAT),
        Conversation.from_anthropic(BLOCKS),
        Conversation.from_responses(ITEMS),
    ):
        for written, own in ((read.to_openai(), CHAT), (read.to_anthropic(), BLOCKS), (read.to_responses(), ITEMS)):
            strange = {"CpgB", "EroG", "gAAA"} - {sign for sign in ("CpgB", "EroG", "gAAA") if sign in json.dumps(own)}
            assert not any(sign in json.dumps(written) for sign in strange)
    said = Conversation.from_openai([CHAT[0], {**CHAT[1], "reasoning_content": None}, CHAT[2]]).to_anthropic()
    assert [block["type"] for block in said["messages"][1]["content"]] == ["tool_use"]


def _stream(*deltas: dict[str, Any]) -> Message:
    reader = ChunkReader()
    for delta in deltas:
        reader.feed({"choices": [{"index": 0, "delta": delta}]})
    reader.close()
    return reader.message


def test_streams_have_them_too() -> None:
    """Details that come in pieces are joined, and a call has what came with any of its parts."""
    call = {key: value for key, value in CALL.items() if key != "extra_content"}
    message = _stream(
        {"reasoning": "H", "reasoning_details": DETAILS},
        {"reasoning": "m.", "reasoning_details": DETAILS},
        {"tool_calls": [{"index": 0, **call, "function": {"name": "tide", "arguments": '{"port": '}}]},
        {"tool_calls": [{"index": 0, "extra_content": SIGNED, "function": {"arguments": '"Brest"}'}}]},
    )
    assert message.to_openai()["reasoning_details"] == DETAILS * 2
    assert message.to_openai()["tool_calls"] == [CALL]
    assert message.reasoning == "Hm."


def test_an_agent_sends_them_back() -> None:
    """The second request of an agent has what the first answer came with."""
    asked: list[list[dict[str, Any]]] = []

    async def model(turns: Any, _tools: Any) -> Any:
        asked.append(Conversation(turns).to_openai()["messages"])
        return CHAT[1] if len(asked) == 1 else "At 10:00."

    def tide(port: str) -> str:
        """When the tide is high."""
        return f"10:00 {port}"

    result = asyncio.run(toolect.agent.Agent(model, [tide]).run("When?"))
    assert result.text == "At 10:00." and asked[1][1]["tool_calls"][0]["extra_content"] == SIGNED
    assert asked[1][1]["reasoning_details"] == DETAILS


def test_a_chat_says_that_they_are_left_out() -> None:
    """No transcript has them: a conversation with some is written without, and compared, that is said."""
    chat = toolect.chat("hermes-3")
    for said in (CHAT, [CHAT[0], {**CHAT[1], "reasoning_content": None}, CHAT[2]]):
        plain = [said[0], {key: value for key, value in said[1].items() if key != "reasoning_details"}, said[2]]
        plain[1]["tool_calls"] = [{key: value for key, value in CALL.items() if key != "extra_content"}]
        assert str(chat.render(Conversation.from_openai(said))) == str(chat.render(Conversation.from_openai(plain)))


@pytest.mark.parametrize("value", ["x" * (MAX_OPAQUE + 1), {"a": object()}, float("nan"), {1: 2}, {"a": [[1e999]]}])
def test_what_is_too_long_or_no_json_is_refused(value: Any) -> None:
    """An opaque field is bounded, and JSON."""
    with pytest.raises(MessageError, match=r"messages\[0\]"):
        Conversation.from_openai([{**CHAT[1], "reasoning_details": value}])


@pytest.mark.parametrize("value", [[], {}, "", 0, False, None])
def test_nothing_is_none(value: Any) -> None:
    """A field that says nothing is not carried."""
    said = Conversation.from_openai([{**CHAT[1], "reasoning_details": value}]).to_openai()["messages"]
    assert "reasoning_details" not in said[0]


def test_comparisons_leave_them_out() -> None:
    """Two calls are equal whatever their provider wants back, as are two thoughts."""
    assert Call("f", {}, opaque={"extra_content": 1}) == Call("f", {})
    assert Reasoning("", opaque={"data": "x"}) == Reasoning("") and Content("") != Reasoning("")


@pytest.mark.parametrize("field", ["extra_content", "provider_specific_fields", "thought_signature"])
def test_a_function_has_its_own(field: str) -> None:
    """Where a gateway has them in the function of a call they go back there; what is empty is nothing."""
    function = {"name": "tide", "arguments": "{}", field: {"signature": "Cpg"}}
    call = {"id": "a", "type": "function", "function": function, field: {"signature": "B+"}}
    turns = [CHAT[0], {"role": "assistant", "content": None, "tool_calls": [call]}]
    assert Conversation.from_openai(turns).to_openai()["messages"] == turns
    assert _stream({"tool_calls": [{"index": 0, **call}]}).to_openai()["tool_calls"] == [call]
    empty = {**call, field: {"refusal": None}, "function": {**function, field: {}}}
    assert not Message.from_openai([empty]).calls[0].opaque


@pytest.mark.parametrize("field", ["thinking_blocks", "provider_specific_fields", "reasoning_opaque"])
def test_fields_of_gateways(field: str) -> None:
    """LiteLLM's and Copilot's fields of an answer go back."""
    said = {"role": "assistant", "content": "Hi", field: [{"signature": "Cpg"}]}
    assert Conversation.from_openai([CHAT[0], said]).to_openai()["messages"][1] == said
    assert _stream({"content": "Hi"}, {field: [{"signature": "Cpg"}]}).to_openai() == said


def test_half_of_a_sign_is_kept() -> None:
    """Texts that no UTF-8 has are JSON all the same."""
    half, image = "\ud800", {"type": "image_url", "image_url": {"url": "data:,\ud800"}}
    answer = {"role": "assistant", "content": "Hm.", "reasoning_details": [{"type": half}]}
    given = [{"role": "user", "content": [image]}, {**CHAT[1], "extra_content": {half: half}}, CHAT[2], answer]
    assert Conversation.from_openai(given).to_openai()["messages"][-1]["reasoning_details"] == [{"type": half}]

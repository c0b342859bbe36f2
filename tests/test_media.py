"""Images, sounds, videos and files: carried as they came, written where there is a place for them, refused by name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

import toolect
from toolect import Call, Conversation, MessageError, RenderError
from toolect._exchange import media as media_types
from toolect.agent import Agent, Chat, McpServer, NativeModel, RawModel, TextModel, ToolRegistry, sse
from toolect.conversation import Media, Results, ToolResult, User
from toolect.data import Convert, target_of

PIXEL = "iVBORw0KGgo="
URL, DATA = "https://example.org/tide.png", f"data:image/png;base64,{PIXEL}"
CHAT: list[dict[str, Any]] = [
    {"type": "image_url", "image_url": {"url": URL, "detail": "low"}},
    {"type": "image_url", "image_url": {"url": DATA}},
    {"type": "input_audio", "input_audio": {"data": PIXEL, "format": "wav"}}, {"type": "image"},
    {"type": "video_url", "video_url": {"url": URL}}, {"type": "file", "file": {"file_id": "f1"}},
    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}},
    {"type": "image_url", "image_url": "no image at all"}, {"type": "image", "image": [1, None, {"x": "y"}]},
]  # fmt: skip
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
    {"type": "image", "source": {"type": "url", "url": URL}, "cache_control": {"type": "ephemeral"}},
    {"type": "document", "source": {"type": "file", "file_id": "f1"}, "title": "Tides"},
    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "noon"}},
]
RESPONSES: list[dict[str, Any]] = [
    {"type": "input_image", "image_url": URL, "detail": "auto"}, {"type": "input_image", "file_id": "f1"},
    {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
    {"type": "input_file", "file_url": "https://example.org/a.pdf"},
]  # fmt: skip
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def asked(part: dict[str, Any]) -> list[dict[str, Any]]:
    """A question with a part between two texts, and a result that has it, too."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    texts = [{"type": "text", "text": "Look: "}, part, {"type": "text", "text": " what?"}]
    return [
        {"role": "user", "content": texts},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "name": "look", "content": [part, {"type": "text", "text": "seen"}]},
    ]


@pytest.mark.parametrize("part", CHAT)
def test_parts_of_chat_completions(part: dict[str, Any]) -> None:
    """They are carried as they came, in questions and results, in their places."""
    one = Conversation.from_openai(asked(part), [TOOL])
    assert one.to_openai()["messages"] == asked(part)
    said, *_, results = one.turns
    assert isinstance(said, User) and isinstance(results, Results)
    assert (said.text, said.media[0].at, said.media[0].part) == ("Look:  what?", 6, part)
    assert (results.results[0].output, results.results[0].media[0].at) == ("seen", 0)
    assert Conversation.from_openai(asked(part), [TOOL]) == one
    assert Conversation.from_openai(asked({"type": "image", "url": "other"}), [TOOL]) != one


@pytest.mark.parametrize("part", ANTHROPIC)
def test_parts_of_anthropic(part: dict[str, Any]) -> None:
    """So are those of its blocks, and of its results."""
    used = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    result_block = {"type": "tool_result", "tool_use_id": "c1", "content": [part, {"type": "text", "text": "seen"}]}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Look: "}, part]},
        {"role": "assistant", "content": [used]},
        {"role": "user", "content": [result_block]},
    ]
    assert Conversation.from_anthropic(messages).to_anthropic() == {"messages": messages}


@pytest.mark.parametrize("part", RESPONSES)
def test_parts_of_responses(part: dict[str, Any]) -> None:
    """So are those of its items."""
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look: "}, part]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": [part]},
    ]
    assert Conversation.from_responses(items).to_responses() == {"input": items}


def test_from_one_api_to_another() -> None:
    """What has an address or its bytes is written anew; what only its provider knows is refused by name."""
    shown = Conversation([User("", (Media("image", 0, CHAT[1]),))])
    (block,) = shown.to_anthropic()["messages"][0]["content"]
    assert block == ANTHROPIC[0]
    assert Conversation.from_anthropic([{"role": "user", "content": [block]}]).to_openai()["messages"] == [
        {"role": "user", "content": [CHAT[1]]}
    ]
    assert shown.to_responses()["input"][0]["content"] == [{"type": "input_image", "image_url": DATA}]
    document = Conversation.from_responses([{"role": "user", "content": [RESPONSES[2]]}])
    assert document.to_openai()["messages"][0]["content"] == [CHAT[6]]
    source = {"type": "base64", "media_type": "application/pdf", "data": "AA=="}
    assert document.to_anthropic()["messages"][0]["content"] == [
        {"type": "document", "source": source, "title": "a.pdf"}
    ]
    for kind, part in (("file", CHAT[5]), ("audio", CHAT[2]), ("video", CHAT[4]), ("image", CHAT[3])):
        with pytest.raises(RenderError, match=kind):
            Conversation([User("", (Media(kind, 0, part),))]).to_anthropic()  # type: ignore[arg-type]  # of the table


def test_parts_that_are_none() -> None:
    """What is no JSON, too long or of an unknown type is refused with its place; an answer has no images."""
    for part in ({"type": "image", "image": object()}, {"type": "hologram"}, {"type": "image", "image": {1: 2}}):
        with pytest.raises(MessageError, match=r"messages\[0\]\.content\[0\]"):
            Conversation.from_openai([{"role": "user", "content": [part]}])
    with pytest.raises(MessageError, match="type text"):
        Conversation.from_openai([{"role": "assistant", "content": [CHAT[0]]}])


def test_the_size_of_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is bounded."""
    monkeypatch.setattr(media_types, "MAX_MEDIA", 100)
    Conversation.from_openai([{"role": "user", "content": [{"type": "image", "image": "x" * 60}]}])
    with pytest.raises(MessageError, match="at most 100 bytes"):
        Conversation.from_openai([{"role": "user", "content": [{"type": "image", "image": "x" * 100}]}])


SHOWN = {"qwen2.5-vl": "<|vision_start|><|image_pad|><|vision_end|>", "gemma3": "<start_of_image>",
         "mistral-small-3.2": "[IMG]", "lfm2.5-vl": "<image>", "kimi-k3": "<|kimi_image_placeholder|>",
         "gemma4-v2": "\n\n<|image|>\n\n"}  # fmt: skip
"""What templates of models write for an image."""
IMAGE = Media("image", 5, {"type": "image"})


@pytest.mark.parametrize("name", toolect.chats())
def test_chats(name: str) -> None:
    """Law: a chat writes the tokens of its model in the place, and reads them back; any other refuses by name."""
    chat = toolect.chat(name)
    token = chat.spec.media.get("image")
    assert token == SHOWN.get(name, token)
    shown = Conversation([User("Look:what?", (IMAGE, IMAGE))])
    if token is None:
        with pytest.raises(RenderError, match=rf"image.*{name}"):
            chat.render(shown)
        return
    text = chat.render(shown, False)
    assert f"Look:{token * 2}what?" in text
    assert "".join(text[span.start : span.end] for span in text.spans) == text
    (back,) = [turn for turn in chat.parse(text).turns if isinstance(turn, User)]
    assert (back.text, [one.at for one in back.media]) == ("Look:what?", [5, 5])
    done = chat.round_trip(shown)
    assert (done.text, done.changes) == (text, ())
    with pytest.raises(RenderError):  # what it is would be lost
        chat.round_trip(Conversation([User("what?", (Media("image", 0, {"type": "image", "image": "a.png"}),))]))


@pytest.mark.parametrize("name", [name for name in toolect.chats() if toolect.chat(name).spec.media])
def test_no_text_brings_an_image(name: str) -> None:
    """The tokens, and the signs that stand for them meanwhile, are refused in texts of others, or are no image."""
    chat = toolect.chat(name)
    for token in chat.spec.media.values():
        try:
            text = chat.render(Conversation([User(f"Look:{token.strip()}what?")]), unsafe="neutralise")
        except RenderError:
            continue
        assert not any(isinstance(turn, User) and turn.media for turn in chat.parse(text).turns), token
    sign = chr(0xF0000)
    plain = chat.render(Conversation([User(f"Look:{sign}what?")]), False)
    assert f"Look:{sign}what?" in plain
    with pytest.raises(RenderError, match="image"):
        chat.render(Conversation([User(f"Look:{sign}what?", (IMAGE,))]))


class Sending(Chat):
    """A server that calls `look` once, and keeps what it was asked."""

    def __init__(self, name: str = "m") -> None:
        super().__init__("http://localhost", name)
        self.bodies: list[Mapping[str, Any]] = []

    async def stream(self, body: Mapping[str, Any], path: str = "") -> AsyncIterator[dict[str, Any]]:
        """The choices of the next answer."""
        del path
        self.bodies.append(body)
        text = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>' if len(self.bodies) == 1 else "Seen."
        for choice in sse.choices({"choices": [{"delta": {"content": text}, "text": text}]}):
            yield choice


def served() -> McpServer:
    """A server of tools whose results have an image, a sound and a file."""
    mcp = pytest.importorskip("mcp.server")
    types = pytest.importorskip("mcp.types")
    server = mcp.MCPServer("eyes", log_level="ERROR")

    @server.tool()
    def look() -> list[Any]:
        """Looks."""
        held = types.BlobResourceContents(uri="file:///a/tides.pdf", mime_type="application/pdf", blob="AA==")
        return [
            types.TextContent(type="text", text="Here:"),
            types.ImageContent(type="image", data=PIXEL, mime_type="image/png"),
            types.AudioContent(type="audio", data=PIXEL, mime_type="audio/wav"),
            types.EmbeddedResource(type="resource", resource=held),
        ]

    return McpServer(server)


PARTS = [
    CHAT[1],
    CHAT[2],
    {"type": "file", "file": {"filename": "tides.pdf", "file_data": "data:application/pdf;base64,AA=="}},
]


@pytest.mark.parametrize("kind", ["native", "text"])
def test_what_a_tool_shows_is_shown_to_the_model(kind: str) -> None:
    """Images in the results of an MCP server reach the model in the user's message behind them."""
    chat = Sending()
    model = NativeModel(chat, "hermes") if kind == "native" else TextModel(chat, "hermes")
    result = Agent(model, [served()]).run_sync("What is there?")
    (results,) = [turn for turn in result.history if isinstance(turn, Results)]
    assert [one.part for one in results.results[0].media] == PARTS
    *_, last = chat.bodies[1]["messages"]
    assert last["role"] == "user" and [one for one in last["content"] if one["type"] != "text"] == PARTS
    assert "[image, shown below]" in str(chat.bodies[1]["messages"])


def test_a_tool_of_ones_own_shows_an_image() -> None:
    """Parts of chat completions that a function returns are shown; what only looks like some is JSON."""

    def look(what: str) -> Any:
        """Looks."""
        data = [{"type": "image", "id": 5}]
        return {"both": [{"type": "text", "text": "Here:"}, CHAT[1]], "one": CHAT[1], "data": data}[what]

    tools = ToolRegistry([look])
    for what, text, parts in (("both", "Here:", [CHAT[1]]), ("one", "", [CHAT[1]])):
        result = asyncio.run(tools.execute(Call("look", {"what": what})))
        assert result.output == text and [one.part for one in result.media] == parts
    result = asyncio.run(tools.execute(Call("look", {"what": "data"})))
    assert result.output == '[{"type": "image", "id": 5}]' and not result.media and not result.is_error


def test_a_prompt_of_text_has_words_for_it() -> None:
    """A server of raw text gets no images: the result says so."""
    chat = Sending("Qwen/Qwen3-8B")
    Agent(RawModel(chat), [served()]).run_sync("What is there?")
    assert "Here:\n[image, not shown]" in chat.bodies[1]["prompt"]


def test_rows_with_images() -> None:
    """They keep their parts as messages; a target that has no place for them refuses the row by name."""
    row = {"messages": [asked(CHAT[0])[0], {"role": "assistant", "content": "A tide."}]}
    assert Convert(target_of("messages"))(row)["messages"][0]["content"] == asked(CHAT[0])[0]["content"]
    assert "image" in Convert(target_of("sharegpt"))(row)["account"]["reason"]
    assert "image" in Convert(target_of("qwen2.5-vl"))(row)["account"]["reason"]


def test_results_without_a_call() -> None:
    """A result of no call is the user's, with its image."""
    one = Conversation([User("?"), Results((ToolResult("x", "look", "seen", media=(IMAGE,)),))])
    assert one.to_openai()["messages"][-1] == {
        "role": "user",
        "content": [{"type": "text", "text": "seen"}, IMAGE.part],
    }

"""Renderers for tinker-cookbook: importing this registers `toolect/<chat>` for every chat.

    import toolect.tinker
    renderer = get_renderer("toolect/qwen3", tokenizer)

`toolect/<chat>/thinking` asks for reasoning, `toolect/<chat>/no-thinking` for none.

Tools reach a renderer by the messages of `create_conversation_prefix_with_tools`.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tinker  # type: ignore[import-not-found,unused-ignore]
import torch  # type: ignore[import-not-found,unused-ignore]
from tinker_cookbook.exceptions import RendererError  # type: ignore[import-not-found,unused-ignore]
from tinker_cookbook.renderers import (  # type: ignore[import-not-found,unused-ignore]
    StreamingMessageHeader,
    StreamingTextDelta,
    StreamingThinkingDelta,
    ToolCall,
    TrainOnWhat,
    UnparsedToolCall,
    get_renderer,
    register_renderer,
)
from tinker_cookbook.renderers.base import (  # type: ignore[import-not-found,unused-ignore]
    ParseTermination,
    Renderer,
)
from tinker_cookbook.tokenizer_utils import get_tokenizer  # type: ignore[import-not-found,unused-ignore]

import toolect
from toolect._events import ContentDelta, ReasoningDelta
from toolect._message import Json, Message
from toolect.conversation import Assistant, Conversation, User
from toolect.tokens import TokenStream, adapted, encode
from toolect.training import examples


class ToolectRenderer(Renderer):  # type: ignore[misc,unused-ignore]  # tinker-cookbook need not be installed
    """A chat as a renderer. What is quoted in a text is no marker, and empty reasoning of the prompt is not taught."""

    supports_streaming = True

    def __init__(self, chat: str, tokenizer: Any, thinking: bool | None = None) -> None:
        super().__init__(tokenizer)
        self.chat = toolect.chat(chat)
        self.thinking = thinking
        self._own = adapted(tokenizer)

    def __reduce__(self) -> tuple[Any, ...]:
        if not (self._renderer_name and (self._model_name or self.tokenizer.name_or_path)):
            raise pickle.PicklingError("expected a renderer of get_renderer, for a tokenizer that has a name")
        return _again, (self._renderer_name, self._model_name or self.tokenizer.name_or_path)

    @property
    def has_extension_property(self) -> bool:
        """False: `build_supervised_examples` tells what is one text and what is not."""
        return False

    def get_stop_sequences(self) -> list[str] | list[int]:
        """The ids that end an answer, or their texts where the vocabulary has none."""
        ends = [*self.chat.ends]
        ids = [self._own.added[end] for end in ends if end in self._own.added]
        return ids if len(ids) == len(ends) else ends

    def render_message(self, message: Any, ctx: Any) -> Any:  # noqa: ARG002 - tinker-cookbook's signature
        """Raises RendererError: what a chat writes for a message depends on the others, more than `ctx` tells."""
        raise RendererError(
            f"expected a whole conversation, got a message: what `{self.chat.name}` writes for it depends on the "
            "others; use build_generation_prompt or build_supervised_examples"
        )

    def build_generation_prompt(
        self, messages: Sequence[Mapping[str, Any]], role: str = "assistant", prefill: str | None = None
    ) -> tinker.ModelInput:
        """The ids that ask for the next answer."""
        if role != "assistant":
            raise RendererError(f"expected role 'assistant', got {role!r}")
        ids = encode(self.chat.render(conversation_of(messages), True, thinking=self.thinking), self._own).ids
        if prefill:
            ids += self._own.encode([prefill])[0]
        return tinker.ModelInput.from_ints(ids)

    def build_supervised_examples(
        self, messages: Sequence[Mapping[str, Any]], train_on_what: TrainOnWhat = TrainOnWhat.LAST_ASSISTANT_TURN
    ) -> list[tuple[tinker.ModelInput, torch.Tensor]]:
        """Training examples: ids and weights of each text that the answers were sampled in."""
        conversation = conversation_of(messages)
        numbers = taught(conversation, messages, train_on_what)
        found = examples(conversation, self.chat, self._own, numbers, thinking=self.thinking)
        return [(tinker.ModelInput.from_ints(one.ids), torch.tensor(one.weights)) for one in found]

    def build_supervised_example(
        self, messages: Sequence[Mapping[str, Any]], train_on_what: TrainOnWhat = TrainOnWhat.LAST_ASSISTANT_MESSAGE
    ) -> tuple[tinker.ModelInput, torch.Tensor]:
        """The only text that is taught. Raises RendererError where there are several, or none."""
        found = self.build_supervised_examples(messages, train_on_what)
        if len(found) != 1:
            raise RendererError(
                f"expected answers of one text, got {len(found)} texts: `{self.chat.name}` writes history otherwise "
                "than it was sampled; use build_supervised_examples"
            )
        return found[0]

    def create_conversation_prefix_with_tools(
        self, tools: Sequence[Mapping[str, Any]], system_prompt: str = ""
    ) -> list[dict[str, Any]]:
        """A system message that has the tools."""
        return [{"role": "system", "content": system_prompt, "tools": [dict(tool) for tool in tools]}]

    def to_openai_message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """A message as the chat-completions API has it."""
        return openai_of(message)

    def parse_response(self, response: Sequence[int]) -> tuple[dict[str, Any], ParseTermination]:
        """The message that sampled ids say, and how they ended."""
        stream, ids, ended = self._begun(response)
        stream.feed(ids)
        stream.close()
        return message_of(stream.message), ParseTermination.STOP_SEQUENCE if ended else ParseTermination.MALFORMED

    def parse_response_streaming(self, response: Sequence[int]) -> Iterator[Any]:
        """The same, bit by bit: a header, the parts of content and reasoning, and at last the message."""
        stream, ids, _ = self._begun(response)
        yield StreamingMessageHeader(role="assistant")
        block, last = 0, None
        for events in (*map(stream.feed, ids), stream.close()):
            for event in events:
                if isinstance(event, ContentDelta | ReasoningDelta):
                    block += last is not None and last is not type(event)
                    last = type(event)
                    made = StreamingTextDelta if last is ContentDelta else StreamingThinkingDelta
                    yield made(event.text, block)
        yield message_of(stream.message)

    def _begun(self, response: Sequence[int]) -> tuple[TokenStream, list[int], bool]:
        """Parser of an answer, its ids up to its end, and True when it has one."""
        asked = str(self.chat.render(Conversation([User("?")]), True, thinking=self.thinking))
        ends = {self._own.added.get(end) for end in self.chat.ends}
        ids = [*response]
        end = next((at for at, number in enumerate(ids) if number in ends), len(ids))
        return self.chat.dialect.token_stream(self._own, prefix=asked[-64:]), ids[:end], end < len(ids)


def conversation_of(messages: Sequence[Mapping[str, Any]]) -> Conversation:
    """The conversation of tinker-cookbook's messages. Raises MessageError."""
    tools = [tool for message in messages for tool in message.get("tools") or ()]
    turns = [openai_of(message) for message in messages if message.get("content") or not message.get("tools")]
    return Conversation.from_openai(turns, tools or None)


def openai_of(message: Mapping[str, Any]) -> dict[str, Json]:
    """One of tinker-cookbook's messages as the chat-completions API has it. Raises RendererError for other parts."""
    content = message.get("content") or ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    odd = [part["type"] for part in parts if part["type"] not in ("text", "thinking")]
    if odd:
        raise RendererError(f"expected parts of text or thinking, got {odd[0]}: chats carry text alone")
    said: dict[str, Json] = {
        "role": message["role"],
        "content": "".join(part["text"] for part in parts if part["type"] == "text"),
    }
    thought = "".join(part["thinking"] for part in parts if part["type"] == "thinking")
    calls = [call.model_dump() if hasattr(call, "model_dump") else call for call in message.get("tool_calls") or ()]
    extra = {"reasoning_content": thought, "tool_calls": calls}
    named = {key: message[key] for key in ("tool_call_id", "name") if message.get(key)}
    return said | named | {key: value for key, value in extra.items() if value}


def message_of(message: Message) -> dict[str, Any]:
    """A message as tinker-cookbook has it."""
    content: Any = message.content
    if message.reasoning:
        content = [{"type": "thinking", "thinking": message.reasoning}, {"type": "text", "text": message.content}]
    found: dict[str, Any] = {"role": "assistant", "content": content}
    calls = [
        ToolCall(function=ToolCall.FunctionBody(name=call.name, arguments=call.arguments_text), id=call.id)
        for call in message.runnable
    ]
    odd = [call for call in message.calls if not call.runnable]
    unread = [UnparsedToolCall(raw_text=call.raw, error=call.error or "") for call in odd]
    extra = {"tool_calls": calls, "unparsed_tool_calls": unread}
    return found | {key: value for key, value in extra.items() if value}


def taught(conversation: Conversation, messages: Sequence[Mapping[str, Any]], what: TrainOnWhat) -> list[int]:
    """The numbers of the turns that are to be taught."""
    turns = conversation.turns
    answers = [number for number, turn in enumerate(turns) if isinstance(turn, Assistant)]
    match what:
        case TrainOnWhat.ALL_ASSISTANT_MESSAGES:
            return answers
        case TrainOnWhat.LAST_ASSISTANT_MESSAGE:
            return answers[-1:]
        case TrainOnWhat.LAST_ASSISTANT_TURN:
            last = max((number for number, turn in enumerate(turns) if isinstance(turn, User)), default=-1)
            return [number for number in answers if number > last]
        case TrainOnWhat.CUSTOMIZED:
            flags = [message.get("trainable") for message in messages if message["role"] == "assistant"]
            return [number for number, flag in zip(answers, flags, strict=True) if flag]
    raise RendererError(f"expected answers to be taught, got {what}: only what the model wrote is")


def _again(name: str, model: str) -> Renderer:
    """A renderer in another process: unpickling imports this module, and so registers all."""
    return get_renderer(name, get_tokenizer(model), model_name=model)


def _register(chat: str) -> None:
    for ending, thinking in (("", None), ("/thinking", True), ("/no-thinking", False)):
        register_renderer(
            f"toolect/{chat}{ending}",
            lambda tokenizer, _images=None, thinking=thinking: ToolectRenderer(chat, tokenizer, thinking),
        )


for _name in toolect.chats():
    _register(_name)

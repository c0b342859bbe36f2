"""Requests of three APIs as one: the conversation, the tools, and the options of a chat completion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import msgspec

from toolect._chats.turn_facts import Thinking
from toolect._exchange.definitions import free_form_names, read_tools
from toolect._exchange.openai_messages import messages_of
from toolect._message import Json, MessageError
from toolect._turns import Assistant
from toolect.conversation import Conversation
from toolect.serve.api_errors import ApiName, RequestError, refusing

AUTO, NONE, REQUIRED = "auto", "none", "required"
CONTINUE = "continue_final_message"
"""Option of vLLM, SGLang and transformers: the last message is the beginning of the answer."""
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Few = Annotated[int, msgspec.Meta(ge=1, le=128)]


@dataclass
class ModelRequest:
    """Request of a client to a model, whichever API it speaks.

    `options` are further fields of a chat completion's request, passed on as they are. `messages` are those of the
    client where it speaks that API, so that unknown fields are passed on, too.
    """

    api: ApiName
    model: str
    tools: list[dict[str, Json]]
    read: Callable[[], Conversation]
    options: dict[str, Json]
    stream: bool
    choice: str = AUTO
    """`auto`, `none`, `required`, or `=` and the name of a tool."""
    parallel: bool = True
    count: int = 1
    thinking: Thinking = None
    include_usage: bool = False
    messages: list[Json] | None = None
    validate: str = "off"
    """Handling of calls that violate their schemas: `off`, `report` or `refuse`."""
    repeated: dict[str, Json] = field(default_factory=dict)
    """Fields that the response repeats."""

    @cached_property
    def conversation(self) -> Conversation:
        """The conversation. Raises RequestError."""
        with refusing():
            conversation = self.read()
            if not conversation.turns:
                raise MessageError("at least one message", "none", "input" if self.api == "responses" else "messages")
            return conversation

    @property
    def free_form(self) -> frozenset[str]:
        """The names of the free-form tools."""
        return free_form_names(self.tools)

    @property
    def named(self) -> str | None:
        """The tool that has to be called."""
        return self.choice[1:] if self.choice.startswith("=") else None

    @property
    def prefill(self) -> str:
        """The beginning of the answer: a last message of the assistant, of Anthropic's clients or of those that ask."""
        continues = self.api == "messages" or self.options.get(CONTINUE) is True
        last = self.conversation.turns[-1] if continues else None
        return last.message.content.strip() if isinstance(last, Assistant) and not last.message.calls else ""

    @property
    def no_calls(self) -> str:
        """Reason why no call is wanted; empty where one may come."""
        if self.choice == NONE:
            return "`tool_choice` is none"
        return "" if self.tools or self.options.get("functions") else "it declares no tools"

    @property
    def must_call(self) -> bool:
        """True where an answer without a call is none."""
        return self.choice == REQUIRED or self.named is not None

    def upstream_body(self, said: dict[str, Json]) -> dict[str, Json]:
        """The body of a request to the upstream: the fields `said`, and those that any request has."""
        body = {"model": self.model, **said, "stream": self.stream, "skip_special_tokens": False}
        if self.count > 1:
            body["n"] = self.count
        return body | {"stream_options": {"include_usage": True}} if self.stream else body

    def chat_body(self) -> dict[str, Json]:
        """The body of a request for a chat completion. Raises RequestError for messages that make no sense."""
        messages = self.messages
        if messages is None:
            with refusing():
                messages = messages_of(self.conversation.turns)
        said: dict[str, Json] = {"messages": messages, **self.options}
        if self.prefill:  # vLLM and SGLang need the option; others do it by themselves
            said |= {CONTINUE: True, "add_generation_prompt": False}
        if self.tools and self.choice != NONE:  # many templates tell the model of any tools that they are given
            said["tools"] = self.tools
            if self.choice != AUTO:
                named = {"type": "function", "function": {"name": self.named}}
                said["tool_choice"] = named if self.named else self.choice
            if not self.parallel:
                said["parallel_tool_calls"] = False
        return self.upstream_body(said)


class _StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class _Request(msgspec.Struct, kw_only=True):
    """The fields that the requests of all APIs have."""

    model: str
    tools: list[Any] | None = None
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    stream: bool | None = None
    temperature: float | None = None
    top_p: float | None = None


class _ChatRequest(_Request, kw_only=True):
    """The fields of a chat completion's request that are looked at."""

    messages: list[Any]
    stream_options: _StreamOptions | None = None
    n: _Few | None = None
    stop: str | list[str] | None = None
    max_tokens: _Count | None = None
    max_completion_tokens: _Count | None = None
    reasoning_effort: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None


_OWN = frozenset(("model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "n"))
"""Fields of it that are not passed on as they are."""


class _MessagesRequest(_Request, kw_only=True):
    """The fields of a request of Anthropic's API."""

    messages: list[Any]
    max_tokens: _Count | None = None
    system: Any = None
    tool_choice: dict[str, Any] | None = None
    stop_sequences: list[str] | None = None
    top_k: int | None = None
    thinking: dict[str, Any] | None = None


class _TextFormat(msgspec.Struct):
    format: dict[str, Any] | None = None


class _ResponsesRequest(_Request, kw_only=True):
    """The fields of a request of the Responses API."""

    input: Any
    instructions: Any = None
    max_output_tokens: _Count | None = None
    reasoning: dict[str, Any] | None = None
    text: _TextFormat | None = None
    background: bool | None = None
    metadata: dict[str, Any] | None = None


_REPEATED = ("instructions", "metadata", "parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p",
             "max_output_tokens", "reasoning", "text", "truncation", "user")  # fmt: skip
"""The fields of it that a response repeats."""


def read_request(api: ApiName, body: Json) -> ModelRequest:
    """Parse the body of a request. Raises RequestError."""
    try:
        with refusing():
            request = {"chat": _chat, "messages": _messages, "responses": _responses}[api](body)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        param = where.strip("`").removeprefix("$.") or None
        sentence = f"{what[:1].lower()}{what[1:]}" + (f" - at `{param}`" if param else "")
        raise RequestError(400, f"the request is no `{api}` request: {sentence}", param=param) from None
    request.options = {name: value for name, value in request.options.items() if value is not None}
    return request


def _chat(body: Json) -> ModelRequest:
    asked = msgspec.convert(body, _ChatRequest)
    tools, given = [*read_tools(asked.tools)], asked.chat_template_kwargs or {}
    wished = given.get("enable_thinking", given.get("thinking"))
    effort = _EFFORTS.get(str(given.get("reasoning_effort") or asked.reasoning_effort))
    return ModelRequest(
        "chat", asked.model, tools, lambda: Conversation.from_openai(asked.messages, tools),
        {name: value for name, value in body.items() if name not in _OWN}, bool(asked.stream),
        _choice(asked.tool_choice, tools), asked.parallel_tool_calls is not False, count=asked.n or 1,
        thinking=wished if isinstance(wished, bool) and not (wished and effort) else effort, messages=asked.messages,
        include_usage=bool(asked.stream_options and asked.stream_options.include_usage),
    )  # fmt: skip


def _messages(body: Json) -> ModelRequest:
    asked = msgspec.convert(body, _MessagesRequest)
    tools, choice, thinking = (
        [*read_tools(asked.tools)],
        {"type": AUTO, **(asked.tool_choice or {})},
        asked.thinking or {},
    )
    options: dict[str, Json] = {
        "max_tokens": asked.max_tokens, "temperature": asked.temperature, "top_p": asked.top_p, "top_k": asked.top_k,
        "stop": asked.stop_sequences or None,
    }  # fmt: skip
    wished = thinking["type"] != "disabled" if thinking.get("type") else None
    if wished is not None:  # the names that templates have for it
        options["chat_template_kwargs"] = {"enable_thinking": wished, "thinking": wished}
    return ModelRequest(
        "messages", asked.model, tools, lambda: Conversation.from_anthropic(asked.messages, asked.system, tools),
        options, bool(asked.stream), _choice(choice, tools), not choice.get("disable_parallel_tool_use"),
        thinking=wished,
    )  # fmt: skip


def _responses(body: Json) -> ModelRequest:
    asked = msgspec.convert(body, _ResponsesRequest)
    for name in ("previous_response_id", "conversation", "prompt"):
        if body.get(name) is not None:
            advice = "send the whole `input` again, with the items of earlier responses"
            raise MessageError("a request that stands alone", "one that goes on from what is stored", name, advice)
    if asked.background:
        raise MessageError("a request that is answered at once", "one for the background", "background")
    tools, effort = [*read_tools(asked.tools)], (asked.reasoning or {}).get("effort")
    options = {
        "max_tokens": asked.max_output_tokens, "temperature": asked.temperature, "top_p": asked.top_p,
        "reasoning_effort": effort, "response_format": _response_format(asked.text.format if asked.text else None),
    }  # fmt: skip
    return ModelRequest(
        "responses", asked.model, tools,
        lambda: Conversation.from_responses(asked.input, asked.instructions, tools), options, bool(asked.stream),
        _choice(asked.tool_choice, tools), asked.parallel_tool_calls is not False,
        thinking=_EFFORTS.get(str(effort)), repeated={name: body.get(name) for name in _REPEATED},
    )  # fmt: skip


def _response_format(form: dict[str, Json] | None) -> Json:
    """A format of the Responses API as a chat completion has it."""
    inner = {**(form or {})}
    kind = inner.pop("type", "text")
    if kind == "text":
        return None
    return {"type": kind, kind: inner} if inner and isinstance(kind, str) else form


_EFFORTS: dict[str, Thinking] = {
    "none": False, "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high",
}  # fmt: skip
_CHOICES = {"auto": AUTO, "none": NONE, "any": REQUIRED, "required": REQUIRED}


def _choice(given: Json, tools: list[dict[str, Json]]) -> str:
    """A wish for calls: a word, or the tool that it names."""
    kind, where = (given.get("type"), "tool_choice.type") if isinstance(given, dict) else (given, "tool_choice")
    if isinstance(given, dict) and kind in (None, "tool", "function", "custom"):
        inner = given.get("function") or given.get("custom") or given
        name = inner.get("name") if isinstance(inner, dict) else None
        names = [tool["function"]["name"] for tool in tools]
        if name not in names:
            raise MessageError("the name of a tool of this request", repr(name), "tool_choice", f"have {names}"[:300])
        return f"={name}"
    choice = AUTO if kind is None else _CHOICES.get(str(kind))
    if choice is None:
        raise MessageError("auto, none, required, any or the type of a tool", repr(kind)[:40], where)
    if choice == REQUIRED and not tools:
        raise MessageError("tools to call", "none", "tools", "leave `tool_choice` out, or declare a tool")
    return choice

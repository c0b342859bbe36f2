"""Turns as messages of Anthropic's Messages API: blocks of content, with results in the user's messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolect._chat_completion import given_call
from toolect._exchange.gathering import Gathering, numbered, text_of, unread_text
from toolect._exchange.media import MediaApi, read_parts, written_parts
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment
from toolect._objects import (
    Object,
    as_list,
    as_object,
    as_text,
    field,
    not_finite,
    opaque_in,
    opaque_of,
    word,
)
from toolect._rendered import RenderError
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User, with_one_system

_BLOCKS = "a block of type text, thinking, redacted_thinking, tool_use or tool_result"
_ADVICE = "leave it out, or say in words what it shows"


def read_anthropic(messages: Object, system: Object = None) -> tuple[Turn, ...]:
    """The turns that messages and the system text beside them say. Raises MessageError."""
    gathering = Gathering()
    if system is not None:
        gathering.add(System(text_of(system, "system")))
    for index, message in enumerate(as_list(messages, "messages", "a list of messages")):
        _read(message, f"messages[{index}]", gathering)
    return gathering.done()


def _read(message: Object, where: str, into: Gathering) -> None:
    message = as_object(message, where, "a message")
    role, content = field(message, "role"), field(message, "content")
    if role not in ("user", "assistant"):
        raise MessageError(
            "the role user or assistant", word(role), f"{where}.role", "the system text stands in `system`"
        )
    blocks = [content] if isinstance(content, str) else as_list(content, f"{where}.content", "text or a list of blocks")
    places = [f"{where}.content[{index}]" for index in range(len(blocks))]
    if role == "assistant":
        into.add(Assistant(message_of(message, where)))
        return
    first = next((at for at, block in enumerate(blocks) if field(block, "type") != "tool_result"), len(blocks))
    for index, (block, at) in enumerate(zip(blocks, places, strict=True)):
        if field(block, "type") == "tool_result":
            if index > first:
                raise MessageError("results before the user's text", "a text before", at, "move the text behind them")
            call_id = as_text(field(block, "tool_use_id"), f"{at}.tool_use_id")
            output, media = read_parts(field(block, "content"), f"{at}.content")
            into.result(ToolResult(call_id, "", output, bool(field(block, "is_error")), media=media), at)
    if first < len(blocks) or not blocks:
        into.add(User(*read_parts([*[""] * first, *blocks[first:]], f"{where}.content")))


def message_of(message: Object, where: str = "$") -> Message:
    """The message of an assistant's message, or of an answer of the API. Raises MessageError."""
    content = field(as_object(message, where, "a message"), "content")
    if (role := field(message, "role")) != "assistant":
        raise MessageError('the role "assistant"', word(role), f"{where}.role")
    blocks = [content] if isinstance(content, str) else as_list(content, f"{where}.content", "text or a list of blocks")
    read = (_segment(block, f"{where}.content[{index}]") for index, block in enumerate(blocks))
    return Message([segment for segment in read if segment is not None])


def _segment(block: Object, where: str) -> Segment | None:
    """The segment of a block; None for a text without characters."""
    kind = "text" if isinstance(block, str) else field(block, "type")
    match kind:
        case "text":
            text = block if isinstance(block, str) else as_text(field(block, "text"), f"{where}.text")
            return Content(text) if text else None
        case "thinking":
            signature = as_text(field(block, "signature"), f"{where}.signature")
            return Reasoning(as_text(field(block, "thinking"), f"{where}.thinking"), signature=signature)
        case "redacted_thinking":
            return Reasoning("", opaque=opaque_in(block, kind, where))
        case "tool_use":
            name, call_id = (as_text(field(block, key), f"{where}.{key}") for key in ("name", "id"))
            if not name:
                raise MessageError("a name", "none", f"{where}.name")
            return given_call(name, field(block, "input"), call_id or None, f"{where}.input")
        case _:
            raise MessageError(_BLOCKS, word(kind), f"{where}.type", _ADVICE)


def anthropic_of(turns: Iterable[Turn]) -> dict[str, Json]:
    """The `system` text, if there is one, and the `messages`.

    Raises RenderError for a system turn further back, and for a call that others follow before its result.
    """
    body: dict[str, Json] = {"messages": []}
    waiting: dict[str | None, str] = {}  # the names of calls, by their ids
    for number, turn in enumerate(with_one_system([*numbered(turns)])):
        if isinstance(turn, Assistant):
            waiting |= {call.id: call.name for call in turn.message.runnable}
        elif waiting:
            answered = {one.call_id for one in turn.results} if isinstance(turn, Results) else frozenset[str]()
            if lacking := [name for call_id, name in waiting.items() if call_id not in answered]:
                raise RenderError("call", "its result has to come in the next message, and there is none", lacking[0])
            waiting.clear()
        match turn:
            case System(text) if number:
                raise RenderError("system", "it stands before all messages, here others come first", text)
            case System(text):
                body = {"system": text, **body}
            case User(text, media):
                body["messages"].append({"role": "user", "content": written_parts(text, media, MediaApi.ANTHROPIC)})
            case Assistant(message):
                body["messages"].append({"role": "assistant", "content": list(blocks_of(message))})
            case Results(results):
                body["messages"].append({"role": "user", "content": [_result(result) for result in results]})
    return body


def blocks_of(message: Message) -> Iterator[dict[str, Json]]:
    """The blocks of an answer. Raises RenderError for numbers that no JSON has."""
    for segment in message.segments:
        match segment:
            case Content(text):
                yield {"type": "text", "text": text}
            case Reasoning(opaque=opaque) if redacted := opaque_of(opaque, "redacted_thinking"):
                yield {"type": "redacted_thinking", **redacted}
            case Reasoning(text, signature=signature):
                if text or signature:
                    yield {"type": "thinking", "thinking": text, "signature": signature}
            case Call() if segment.runnable:
                if not_finite(segment.arguments) is not None:
                    raise RenderError("arguments", "expected finite numbers", segment.arguments_text)
                yield {"type": "tool_use", "id": segment.id, "name": segment.name, "input": segment.arguments}
            case Call():
                yield {"type": "text", "text": unread_text(segment)}


def _result(result: ToolResult) -> dict[str, Json]:
    content = written_parts(result.output, result.media, MediaApi.ANTHROPIC)
    block = {"type": "tool_result", "tool_use_id": result.call_id, "content": content}
    return block | {"is_error": True} if result.is_error else block

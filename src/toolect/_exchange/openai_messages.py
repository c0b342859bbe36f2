"""Turns as messages of the chat-completions API; messages as nearly all are, checked while they are decoded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from toolect._chat_completion import assistant_message, segments_of, spelled_call
from toolect._exchange.gathering import Gathering, numbered, text_of, unread_text
from toolect._exchange.media import MediaApi, read_parts, written_parts
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment, Status
from toolect._objects import Object, as_list, as_object, as_text, field, not_finite, word
from toolect._rendered import RenderError
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User


class _PlainFunction(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    name: str
    arguments: str


class _Call(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    function: _PlainFunction
    id: str | None = None
    type: Literal["function"] | None = None


class _System(msgspec.Struct, tag_field="role", tag="system", forbid_unknown_fields=True, gc=False):
    content: str


class _Developer(_System, tag="developer"):
    pass


class _User(msgspec.Struct, tag_field="role", tag="user", forbid_unknown_fields=True, gc=False):
    content: str


class _Answer(msgspec.Struct, tag_field="role", tag="assistant", forbid_unknown_fields=True, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None


class _PlainResult(msgspec.Struct, tag_field="role", tag="tool", forbid_unknown_fields=True, gc=False):
    content: str
    tool_call_id: str | None = None
    name: str | None = None


_Plain: TypeAlias = list[_System | _Developer | _User | _Answer | _PlainResult]
_decode = msgspec.json.Decoder(_Plain).decode


def plain_turns(messages: Json) -> tuple[Turn, ...] | None:
    """The turns of messages, or of their JSON in bytes; None where there is anything about one of them to look at."""
    try:
        plain = _decode(messages) if isinstance(messages, msgspec.Raw) else msgspec.convert(messages, _Plain)
        return _turns(plain)
    except (ValueError, TypeError, RecursionError):  # MessageError is one: it is raised again where it is looked at
        return None


def _turns(messages: _Plain) -> tuple[Turn, ...] | None:
    """The turns, if each result is that of the call at its place in the answer before; else None."""
    turns: list[Turn] = []
    waiting: Sequence[Call] = ()
    results: list[ToolResult] = []
    for one in messages:
        if isinstance(one, _PlainResult):
            if len(results) >= len(waiting):
                return None
            call = waiting[len(results)]
            if (one.tool_call_id or None) != call.id or (one.name or call.name) != call.name:
                return None
            results.append(ToolResult(call.id or "", one.name or call.name, one.content))
            continue
        if results:
            turns.append(Results((*results,)))
            results.clear()
            waiting = ()
        if isinstance(one, _Answer):
            said, calls = _said(one)
            if said is None or waiting:  # calls that wait already may be those that the next results are of
                return None
            waiting = calls
            turns.append(Assistant(Message(said)))
        elif isinstance(one, _User):
            waiting = ()
            turns.append(User(one.content))
        elif turns:
            return None
        else:
            turns.append(System(one.content, isinstance(one, _Developer)))
    if results:
        turns.append(Results((*results,)))
    return (*turns,)


def _said(answer: _Answer) -> tuple[list[Segment] | None, Sequence[Call]]:
    """The segments of an answer, None where they have to be looked at, and the calls among them."""
    said: list[Segment] = []
    if answer.reasoning_content:
        said.append(Reasoning(answer.reasoning_content))
    if answer.content:
        said.append(Content(answer.content))
    if not answer.tool_calls:
        return said, ()
    calls: list[Call] = []
    for call in answer.tool_calls:
        function = call.function
        if not function.name or function.arguments[:1] != "{":
            return None, ()
        read = spelled_call(function.name, function.arguments, call.id or None)
        if read.status is not Status.OK:
            return None, ()
        calls.append(read)
    return [*said, *calls], calls


_ROLES = "a role: system, developer, user, assistant or tool"


def read_answer(message: Object, where: str) -> Message:
    """The message of an assistant message. Raises MessageError."""
    return Message(segments_of(message, where))


def read_messages(
    messages: Object, where: str = "messages", answer: Callable[[Object, str], Message] = read_answer
) -> tuple[Turn, ...]:
    """The turns of messages; `answer` reads those of the assistant. Raises MessageError."""
    if answer is read_answer and type(messages) is list and (turns := plain_turns(messages)) is not None:
        return turns
    gathering = Gathering()
    for index, message in enumerate(as_list(messages, where, "a list of messages")):
        _read(message, f"{where}[{index}]", gathering, answer)
    return gathering.done()


def _read(message: Object, where: str, into: Gathering, answer: Callable[[Object, str], Message]) -> None:
    match role := field(as_object(message, where, "a message"), "role"):
        case "system" | "developer":
            text = text_of(field(message, "content"), f"{where}.content")
            into.add(System(text, role == "developer"))
        case "user":
            into.add(User(*read_parts(field(message, "content"), f"{where}.content")))
        case "assistant":
            into.add(Assistant(answer(message, where)))
        case "tool" | "function":
            call_id = as_text(field(message, "tool_call_id"), f"{where}.tool_call_id")
            name = as_text(field(message, "name"), f"{where}.name")
            text, media = read_parts(field(message, "content"), f"{where}.content")
            into.result(ToolResult(call_id, name, text, media=media), where)
        case _:
            raise MessageError(_ROLES, word(role), f"{where}.role")


def messages_of(turns: Iterable[Turn], free_form: Collection[str] = ()) -> list[dict[str, Json]]:
    """The turns as messages; calls of the tools `free_form` are of type `custom`.

    A call that could not be read is written as text; a result that no call was made for, as the user's words.
    """
    return [message for turn in numbered(turns) for message in _written(turn, free_form)]


def template_messages(turns: Iterable[Turn]) -> list[dict[str, Json]]:
    """The turns as messages for chat templates: arguments are objects, and an answer of calls alone has the text "".

    Templates write JSON text as it stands, or encode it once more, and join or strip `content`. Raises RenderError.
    """
    found: list[dict[str, Json]] = []
    for turn in numbered(turns):
        if not isinstance(turn, Assistant):
            found += _written(turn)
            continue
        texts, thoughts, calls = [], [], []
        for one in turn.message.segments:
            if isinstance(one, Content):
                texts.append(one.text)
            elif isinstance(one, Reasoning):
                thoughts.append(one.text)
            elif not one.runnable:
                texts.append(f"\n{unread_text(one)}" if texts else unread_text(one))
            elif not_finite(one.arguments) is not None:
                raise RenderError("arguments", "expected finite numbers", one.arguments_text)
            else:
                calls.append(
                    {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
                )
        said: dict[str, Json] = {"role": "assistant", "content": "".join(texts)}
        if any(thoughts):
            said["reasoning_content"] = "".join(thoughts)
        found.append(said | {"tool_calls": calls} if calls else said)
    return found


def _written(turn: Turn, free_form: Collection[str] = ()) -> Iterator[dict[str, Json]]:
    match turn:
        case System(text, developer):
            yield {"role": "developer" if developer else "system", "content": text}
        case User(text, media):
            yield {"role": "user", "content": written_parts(text, media, MediaApi.CHAT)}
        case Assistant(message):
            said = assistant_message(message.segments, free_form=free_form)
            unread = [unread_text(call) for call in message.calls if not call.runnable]
            said.pop("invalid_tool_calls", None)
            if unread:
                said["content"] = "\n".join(filter(None, [said.get("content"), *unread]))
            yield said
        case Results(results):
            for one in results:
                yield one.to_openai() | {"content": written_parts(one.output, one.media, MediaApi.CHAT)}

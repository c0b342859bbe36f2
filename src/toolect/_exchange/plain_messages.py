"""Messages as nearly all are, checked while they are decoded: texts, calls with their arguments, results."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from toolect._chat_completion import spelled_call
from toolect._exchange.gathering import Gathering
from toolect.message import Content, Json, Message, Reasoning, Segment, Status
from toolect.turns import Assistant, System, ToolResult, Turn, User


class _Function(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: str


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    function: _Function
    id: str | None = None
    type: Literal["function"] | None = None


class _System(msgspec.Struct, tag_field="role", tag="system", forbid_unknown_fields=True):
    content: str


class _Developer(_System, tag="developer"):
    pass


class _User(msgspec.Struct, tag_field="role", tag="user", forbid_unknown_fields=True):
    content: str


class _Answer(msgspec.Struct, tag_field="role", tag="assistant", forbid_unknown_fields=True):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None


class _Result(msgspec.Struct, tag_field="role", tag="tool", forbid_unknown_fields=True):
    content: str
    tool_call_id: str | None = None
    name: str | None = None


_Plain: TypeAlias = list[_System | _Developer | _User | _Answer | _Result]
_decode = msgspec.json.Decoder(_Plain).decode


def plain_turns(messages: Json) -> tuple[Turn, ...] | None:
    """The turns of messages, or of their JSON in bytes; None where there is anything about one of them to look at."""
    try:
        plain = _decode(messages) if isinstance(messages, msgspec.Raw) else msgspec.convert(messages, _Plain)
        return _turns(plain)
    except (ValueError, TypeError, RecursionError):  # BadMessage is one: it is raised again where it is looked at
        return None


def _turns(messages: _Plain) -> tuple[Turn, ...] | None:
    gathering = Gathering()
    for one in messages:
        if isinstance(one, _Answer):
            said = _said(one)
            if said is None:
                return None
            gathering.add(Assistant(Message(said)), "messages")
        elif isinstance(one, _Result):
            gathering.result(ToolResult(one.tool_call_id or "", one.name or "", one.content), "messages")
        elif isinstance(one, _User):
            gathering.add(User(one.content), "messages")
        else:
            gathering.add(System(one.content, isinstance(one, _Developer)), "messages")
    return gathering.done()


def _said(answer: _Answer) -> list[Segment] | None:
    said: list[Segment] = []
    if answer.reasoning_content:
        said.append(Reasoning(answer.reasoning_content))
    if answer.content:
        said.append(Content(answer.content))
    for call in answer.tool_calls or ():
        function = call.function
        if not function.name or function.arguments[:1] != "{":
            return None
        read = spelled_call(function.name, function.arguments, call.id or None)
        if read.status is not Status.OK:
            return None
        said.append(read)
    return said

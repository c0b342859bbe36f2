"""Messages as nearly all are, checked while they are decoded: texts, calls with their arguments, results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from toolect._chat_completion import spelled_call
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, Status
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
    """The turns, each result that of the call at its place in the answer before; None where anything is otherwise."""
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

"""Turns as items of the Responses API: messages, reasoning, calls and their outputs, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from toolect._chat_completion import arguments_text, content_of, free_form_call, free_form_text, named_call
from toolect._exchange.gathering import Gathering, numbered, text_of, unread_text
from toolect._exchange.media import MediaApi, read_parts, written_parts
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment
from toolect._objects import Object, as_list, as_object, as_text, field, opaque_in, opaque_of, word
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User

_ITEMS = "an item of type message, reasoning, function_call or function_call_output"
_OUTPUT = "an item of an answer: message, reasoning or function_call"
_ADVICE = "what a server does itself has no place here: leave it out"


def read_items(items: Object, instructions: Object = None) -> tuple[Turn, ...]:
    """The turns that items say: a text, or a list; those of one answer are one turn. Raises MessageError."""
    gathering = Gathering()
    if instructions is not None:
        gathering.add(System(text_of(instructions, "instructions")))
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    answer: list[Segment] | None = None
    for index, item in enumerate(as_list(items, "input", "text or a list of items")):
        where = f"input[{index}]"
        said = _said(item, where)
        if said is not None:
            answer = [] if answer is None else answer
            answer += said
            continue
        if answer is not None:
            gathering.add(Assistant(Message(answer)))
        answer = None
        _read(item, where, gathering)
    if answer is not None:
        gathering.add(Assistant(Message(answer)))
    return gathering.done()


def message_of(items: Object) -> Message:
    """The message of a response's items. Raises MessageError for an item that belongs to no answer."""
    said: list[Segment] = []
    for index, item in enumerate(as_list(items, "output", "a list of items")):
        one = _said(item, f"output[{index}]")
        if one is None:
            raise MessageError(_OUTPUT, word(field(item, "type")), f"output[{index}].type", _ADVICE)
        said += one
    return Message(said)


def _said(item: Object, where: str) -> list[Segment] | None:
    """The segments of an item of an answer; None for any other item."""
    kind = field(as_object(item, where, "an item"), "type") or "message"
    if kind == "message" and field(item, "role") == "assistant":
        return list(content_of(field(item, "content"), f"{where}.content"))
    if kind == "function_call":
        return [named_call(item, as_text(field(item, "call_id"), f"{where}.call_id"), where)]
    if kind == "custom_tool_call":
        return [free_form_call(item, as_text(field(item, "call_id"), f"{where}.call_id"), where)]
    if kind != "reasoning":
        return None
    for key in ("content", "summary"):
        parts = as_list(field(item, key) or [], f"{where}.{key}")
        if text := "".join(as_text(field(part, "text"), f"{where}.{key}") for part in parts):
            break
    opaque = opaque_in(item, "reasoning", where)
    return [Reasoning(text, opaque=opaque)] if text or opaque else []


def _read(item: Object, where: str, into: Gathering) -> None:
    kind, role = field(item, "type") or "message", field(item, "role")
    if kind in ("function_call_output", "custom_tool_call_output"):
        call_id = as_text(field(item, "call_id"), f"{where}.call_id")
        output, media = read_parts(field(item, "output"), f"{where}.output")
        into.result(ToolResult(call_id, "", output, media=media), where)
        return
    if kind != "message":
        raise MessageError(_ITEMS, word(kind), f"{where}.type", _ADVICE)
    content, at = field(item, "content"), f"{where}.content"
    match role:
        case "system" | "developer":
            into.add(System(text_of(content, at), role == "developer"))
        case "user":
            into.add(User(*read_parts(content, at)))
        case _:
            raise MessageError("a role: system, developer, user or assistant", word(role), f"{where}.role")


def items_of(turns: Iterable[Turn], free_form: Collection[str] = ()) -> list[dict[str, Json]]:
    """The turns as items; those of calls of the tools `free_form` are `custom_tool_call`."""
    return [item for turn in numbered(turns) for item in _items(turn, free_form)]


def _items(turn: Turn, free_form: Collection[str]) -> Iterator[dict[str, Json]]:
    match turn:
        case System(text, developer):
            yield {"type": "message", "role": "developer" if developer else "system", "content": text}
        case User(text, media):
            yield {"type": "message", "role": "user", "content": written_parts(text, media, MediaApi.RESPONSES)}
        case Assistant(message):
            yield from (_item(one, free_form) for one in message.segments or [Content("")])
        case Results(results):
            for result in results:
                output = written_parts(result.output, result.media, MediaApi.RESPONSES)
                kind = "custom_tool_call_output" if result.name in free_form else "function_call_output"
                yield {"type": kind, "call_id": result.call_id, "output": output}


def _item(segment: Segment, free_form: Collection[str]) -> dict[str, Json]:
    match segment:
        case Reasoning(text, opaque=opaque):
            kept = opaque_of(opaque, "reasoning")
            said: list[Json] = [{"type": "reasoning_text", "text": text}] if text and "summary" not in kept else []
            return {"type": "reasoning", "summary": [], "content": said, **kept}
        case Call() if segment.runnable and segment.name in free_form:
            text = free_form_text(segment)
            return {"type": "custom_tool_call", "call_id": segment.id, "name": segment.name, "input": text}
        case Call() if segment.runnable:
            arguments = arguments_text(segment)
            return {"type": "function_call", "call_id": segment.id, "name": segment.name, "arguments": arguments}
        case _:
            text = segment.text if isinstance(segment, Content) else unread_text(segment)
            content = [{"type": "output_text", "text": text, "annotations": []}] if text else []
            return {"type": "message", "role": "assistant", "content": content}

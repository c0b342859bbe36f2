"""The JSON form of messages and events: what `parse` writes and `render` reads."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from toolect._chat_completion import read_arguments
from toolect._events import Event
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Status, dumps


def message_form(message: Message) -> dict[str, Json]:
    """`message` as one JSON object."""
    segments = [
        _call_form(segment) if isinstance(segment, Call) else _text_form(segment) for segment in message.segments
    ]
    readers = iter(getattr(message, "dialects", ()))
    for form in segments:
        if form["type"] == "call" and (reader := next(readers, None)) is not None:
            form["dialect"] = reader
    return {"segments": segments, "repairs": msgspec.to_builtins(message.repairs)}


def message_of(form: Json) -> Message:
    """The message that `form` holds, be it `message_form`'s or the shape of the chat-completions API."""
    if not isinstance(form, Mapping) or "segments" not in form:
        return Message.from_openai(form)
    segments = form["segments"]
    if isinstance(segments, list):
        segments = [_spelled(s) if isinstance(s, Mapping) and s.get("type") == "call" else s for s in segments]
    try:
        message = msgspec.convert({**form, "segments": segments}, Message)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        raise FormError(what, where.strip("`") or "$") from None
    return Message([_read(s) if isinstance(s, Call) else s for s in message.segments], message.repairs)


class FormError(MessageError):
    """A message form with a field that does not fit."""

    def __init__(self, what: str, where: str) -> None:
        # What msgspec finds begins with a capital, what the segments themselves refuse does not.
        expected, _, got = what.removeprefix("Expected ").removeprefix("expected ").partition(", got ")
        super().__init__(expected if got else "a message as `parse` writes it", got or what, where)


def event_form(event: Event) -> dict[str, Json]:
    """`event` as one JSON object."""
    form: dict[str, Json] = {"type": event.__struct_config__.tag}
    for field in event.__struct_fields__:
        value = getattr(event, field)
        form[field] = _call_form(value) if isinstance(value, Call) else value
    return form


def _text_form(segment: Content | Reasoning) -> dict[str, Json]:
    """A text; a reasoning has a signature only where it came with one."""
    form: dict[str, Json] = msgspec.to_builtins(segment)
    return {key: value for key, value in form.items() if key != "signature" or value}


def _call_form(call: Call) -> dict[str, Json]:
    """A call; one that must not be run carries its error and the text it was read from."""
    try:
        dumps(call.arguments)
        arguments = call.arguments
    except (TypeError, ValueError, RecursionError):
        arguments = None
    form = {
        "type": "call",
        "name": call.name,
        "arguments": arguments,
        "arguments_text": call.arguments_text if arguments is call.arguments else call.spelling or "",
        "id": call.id,
        "status": call.status.value,
        "repairs": msgspec.to_builtins(call.repairs),
        "span": call.span,
    }
    return form if call.runnable else {**form, "error": call.error, "raw": call.raw}


def _spelled(form: Mapping[str, Json]) -> dict[str, Json]:
    """A call's form with the field names of a Call."""
    return {"arguments": None, "spelling": form.get("arguments_text"), **form}


def _read(call: Call) -> Call:
    """`call` with arguments and spelling that belong together."""
    if call.spelling is not None and call.arguments is None and call.status is not Status.MALFORMED:
        read = read_arguments(call, call.spelling)
        return read if call.runnable else msgspec.structs.replace(call, arguments=read.arguments)
    same = call.spelling is not None and call.spelling == dumps(call.arguments)
    return msgspec.structs.replace(call, spelling=None) if same else call

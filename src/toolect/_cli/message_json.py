"""The JSON of messages and events: what `parse` writes and `render` reads."""

from __future__ import annotations

from collections.abc import Mapping

from toolect._events import Event
from toolect._message import Call, Json, Message


def message_of(form: Json) -> Message:
    """The message that `form` holds, be it `Message.to_dict`'s or the shape of the chat-completions API."""
    ours = isinstance(form, Mapping) and "segments" in form
    return Message.from_dict(form) if ours else Message.from_openai(form)


def event_form(event: Event) -> dict[str, Json]:
    """`event` as one JSON object."""
    form: dict[str, Json] = {"type": event.__struct_config__.tag}
    for field in event.__struct_fields__:
        value = getattr(event, field)
        form[field] = value.to_dict() if isinstance(value, Call) else value
    return form

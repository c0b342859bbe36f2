"""Plain text: contents, of parts or not, and calls that could not be read."""

from __future__ import annotations

from toolect._chat_completion import content_of
from toolect._message import Call, Content, MessageError
from toolect._objects import Object


def text_of(content: Object, where: str) -> str:
    """The text of a content, empty for none. Raises MessageError for a part that is no text."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for segment in content_of(content, where):
        if not isinstance(segment, Content):
            raise MessageError("text", "reasoning", where, "only a model's answer has reasoning")
        texts.append(segment.text)
    return "".join(texts)


def unread_text(call: Call) -> str:
    """A call that could not be read, in the model's own words; where a server had taken its name out, with that.

    Quoted so, it begins a call in no dialect.
    """
    if call.raw or not call.name:
        return call.raw or call.arguments_text
    return ": ".join(f"`{part}`" for part in (call.name, call.arguments_text) if part)

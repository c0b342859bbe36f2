"""Contents that are a text or a list of parts, as one text."""

from __future__ import annotations

from toolect._chat_completion import content_of
from toolect._objects import Object
from toolect.message import BadMessage, Content


def text_of(content: Object, where: str) -> str:
    """The text of a content, empty for none. Raises BadMessage for a part that is no text."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for segment in content_of(content, where):
        if not isinstance(segment, Content):
            raise BadMessage("text", "reasoning", where, "only a model's answer has reasoning")
        texts.append(segment.text)
    return "".join(texts)

"""The holes of rows and turns, and the values that each may take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from toolect._message import Json
from toolect._rows.patterns import NOTHING, opened
from toolect._rows.server_answers import is_streamed

ITEMS = ("function_call", "function_call_output", "reasoning", "message", "custom_tool_call", "custom_tool_call_output")
"""The types of items of the Responses API."""
STEP = frozenset(("action", "observation", "response", "thought"))
"""The fields that are read of an agent's step."""


class HoleTaker(NamedTuple):
    """Description of the values that a hole takes, and the function that takes one: `NOTHING` if it does not fit."""

    words: str
    takes: Callable[[Json], Json]


def are_pairs(turns: Json) -> bool:
    """True for a history of questions with their answers, which precedes the text of another column."""
    return isinstance(turns, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in turns
    )


def is_step(step: Json) -> bool:
    """True for a step of an agent, False for a message."""
    return isinstance(step, Mapping) and step.get("role") is None and bool(STEP & step.keys())


_MESSAGE = ({"role", "content"}, {"role", "tool_calls"}, {"role", "parts"}, {"role", "value"}, {"from", "value"},
            {"role", "message"}, {"type", "data"}, {"kwargs"}, {"kind", "parts"}, {"message.role"})  # fmt: skip
"""Fields that a message has, and an answer in JSON hardly."""
_RESPONSE = frozenset(
    ("choices", "candidates", "output", "message", "error", "detail", "body", "status_code", "chunks")
)
"""Fields, one of which a response has that is no message."""


def _is_message(value: Json) -> bool:
    """True for JSON of a text that is a message."""
    return isinstance(value, Mapping) and (
        value.get("type") in ITEMS
        or any(fields <= value.keys() for fields in _MESSAGE)
        or isinstance(inside := value.get("message"), Mapping)
        and "role" in inside
    )


def _of(test: Callable[[Json], bool], opens: bool = True) -> Callable[[Json], Json]:
    def taken(value: Json) -> Json:
        value = opened(value) if opens else value
        return value if test(value) else NOTHING

    return taken


def _said(value: Json) -> Json:
    """A text, or a message or messages, which may be JSON text; a text that is other JSON is a text."""
    inside = opened(value)
    listed = inside if isinstance(inside, list) else [inside]
    if listed and all(_is_message(one) if isinstance(value, str) else isinstance(one, Mapping) for one in listed):
        return inside
    return value if isinstance(value, str) and value.strip() else NOTHING


def _answer(value: Json) -> Json:
    found = _said(value)
    return value if found is NOTHING and isinstance(value, str) else found


def _response(value: Json) -> Json:
    inside = opened(value)
    if not isinstance(inside, Mapping | list):
        return value if isinstance(value, str) else NOTHING
    if isinstance(value, str) and isinstance(inside, Mapping) and _RESPONSE.isdisjoint(inside):
        return inside if _is_message(inside) else value
    return inside


def _system(value: Json) -> Json:
    inside = opened(value)
    if isinstance(inside, Mapping | list) and inside:
        return inside
    return value if isinstance(value, str) and value.strip() else NOTHING


_SWITCHES = frozenset(
    ("on", "off", "true", "false", "yes", "no", "none", "null", "auto", "low", "medium", "high", "0", "1")
)


def _reasoning(value: Json) -> Json:
    """A text, or the only item of a list if that is one; no word that switches reasoning or sets its effort."""
    listed = opened(value)
    text = listed[0] if isinstance(listed, list) and len(listed) == 1 else value
    return text if isinstance(text, str) and text.strip() and text.strip().lower() not in _SWITCHES else NOTHING


def _list(value: Json) -> bool:
    return isinstance(value, list)


def _text(value: Json) -> bool:
    return isinstance(value, str)


def _is_row(value: Json) -> bool:
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(isinstance(one, Mapping) for one in listed)


ROW: dict[str, HoleTaker] = {
    "turns": HoleTaker("a list of turns", _of(lambda value: _list(value) and not (value and are_pairs(value)))),
    "items": HoleTaker("a list of items", _of(lambda value: isinstance(value, list) and any(
        isinstance(one, Mapping) and one.get("type") in ITEMS for one in value))),
    "steps": HoleTaker("a list of steps", _of(lambda value: isinstance(value, list) and any(map(is_step, value[:1])))),
    "before": HoleTaker("a history of turns", _of(_list)),
    "question": HoleTaker("a text or a list of messages", _said),
    "about": HoleTaker("a text", lambda value: NOTHING if value is None or value == "" else value),
    "answer": HoleTaker("a text or a list of messages", _answer),
    "reasoning": HoleTaker("a text", _reasoning),
    "text": HoleTaker("a text", _of(_text, False)),
    "calls": HoleTaker("a list of calls or its JSON text", _of(_list)),
    "response": HoleTaker("an answer", _response),
    "stream": HoleTaker("a stream", _of(is_streamed)),
    "row": HoleTaker("a request", _of(_is_row)),
    "chosen": HoleTaker("an answer or a conversation", _said),
    "rejected": HoleTaker("an answer or a conversation", _said),
    "tree": HoleTaker("a turn with those that may follow it", _of(lambda value: isinstance(value, Mapping))),
    "transcript": HoleTaker("a text", _of(_text, False)),
    "system": HoleTaker("a text", _system),
    "tools": HoleTaker("a list of tools", lambda value: value),
    "key": HoleTaker("a key", _of(lambda value: isinstance(value, str | int), False)),
    "failure": HoleTaker("an error", lambda value: value or NOTHING),
    "any": HoleTaker("anything", lambda value: NOTHING if value is None else value),
}  # fmt: skip
"""The holes of rows."""
_MEDIA = ("image", "audio", "video")


def media_part(value: Json) -> Json:
    """A part of a message for a media object of Gemini's API: bytes or an address, and their media type."""
    fields = value if isinstance(value, Mapping) else {}
    media_type, data, address = (
        next((fields[name] for name in names if isinstance(fields.get(name), str)), "")
        for names in (("mimeType", "mime_type"), ("data",), ("fileUri", "file_uri"))
    )
    kind, url = media_type.partition("/")[0], f"data:{media_type};base64,{data}" if data else address
    return {"type": f"{kind}_url", f"{kind}_url": {"url": url}} if kind in _MEDIA and url else NOTHING


_ANY = HoleTaker("anything", lambda value: value)
TURN: dict[str, HoleTaker] = {
    "role": HoleTaker("who speaks", lambda value: value[-1] if isinstance(value, list) and value else value),
    "text": _ANY, "system": _ANY, "user": _ANY, "assistant": _ANY, "reasoning": _ANY, "arguments": _ANY,
    "failed": HoleTaker("calls that could not be read", _of(_list)), "error": _ANY,
    "output": _ANY, "of": _ANY, "id": _ANY, "end": _ANY, "once": _ANY, "tools": _ANY, "any": ROW["any"],
    "name": HoleTaker("a name", _of(_text, False)), "parts": HoleTaker("a list of parts", _of(_list)),
    "media": HoleTaker("bytes or an address, and their type", media_part),
    "uuid": _ANY, "after": _ANY,
    "message": HoleTaker("a message", _of(lambda value: isinstance(value, Mapping))),
}  # fmt: skip
"""The holes of turns."""


def take_of_row(name: str, value: Json) -> Json:
    """Return the value that a hole of a row takes, or `NOTHING`."""
    return NOTHING if value is None else ROW[name].takes(value)


def take_of_turn(name: str, value: Json) -> Json:
    """Return the value that a hole of a turn takes, or `NOTHING`."""
    return NOTHING if value is None else TURN[name].takes(value)

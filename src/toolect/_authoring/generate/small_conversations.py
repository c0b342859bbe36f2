"""Small conversations that show what chats decide about, in order of size."""

from __future__ import annotations

from typing import NamedTuple

from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User


class ChatCase(NamedTuple):
    """A conversation, and how it is rendered: with the opening of the next answer or not, with thinking on or off."""

    number: int
    conversation: Conversation
    generate: bool
    thinking: bool | None


def _tool(name: str, about: str, required: list[str], **properties: Json) -> dict[str, Json]:
    parameters: Json = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


_TEXT = {"type": "string", "description": "Which one"}
_TIDE = _tool("get_tide", "Finds what is\nasked for.", ["harbour"], harbour=_TEXT, days={"type": "integer"})
_NOTE = _tool(
    "save-note", 'Größe & "Farbe" <b>', ["text"],
    text=_TEXT, loud={"type": "boolean"}, tags={"type": "array", "items": {"type": "string"}},
    place={"type": "object", "properties": {"lat": {"type": "number"}, "name": {"type": "string"}}},
)  # fmt: skip
_NOW = _tool("now", "天气", [])
_ODD = 'It\'s "quoted", a < b && c > d, `code` and {braces}'
_ASKED, _LINES, _THANKS = User("What is the tide in Zürich?"), User("1. one\n2. two\n\n   indented"), User("Thanks! 🌊")
_SYSTEM, _THOUGHT, _MORE = System("Be brief."), Reasoning("Hm. They ask for the tide."), Reasoning("Hm. Once more.")
_FLOOD = Call("get_tide", {"harbour": "Zürich", "days": 3}, "aB3dE5gH7")
_EBB = Call("get_tide", {"harbour": _ODD}, "iJ9kL1mN3")
_SAVED = Call("save-note", {"text": "Two lines\nof text", "loud": True, "tags": ["x", "é", ""]}, "oP5qR7sT9")
_PLACED = Call("save-note", {"text": "100% {{ x }}", "place": {"lat": 47.4, "name": "back\\slash"}}, "uV1wX3yZ5")
_TIME, _LATER = Call("now", {}, "bC7dF9gH1"), Call("now", {}, "jK3lM5nP7")
_HIGH, _LOOK, _SO = Content("It is high."), Content("Look it up, please."), Content(f"So: {_ODD}")


def _said(*segments: Segment) -> Assistant:
    return Assistant(Message(segments))


def _results(*outputs: tuple[Call, str]) -> Results:
    return Results(tuple(ToolResult(call.id or "", call.name, output) for call, output in outputs))


_JSON = '{"temperature": 21.5, "sky": "clear"}'
_CASES: tuple[tuple[list[Turn], list[dict[str, Json]], bool, bool | None], ...] = (
    ([_ASKED], [], True, None),
    ([_ASKED], [_TIDE, _NOW], True, None),
    ([_SYSTEM, User(_ODD)], [], True, False),
    ([_SYSTEM, _ASKED, _said(_HIGH)], [], False, None),
    ([System(_ODD), _ASKED, _said(_THOUGHT, _FLOOD), _results((_FLOOD, "It rises."))], [_NOTE, _TIDE], True, None),
    ([_SYSTEM, _LINES, _said(_THOUGHT, _HIGH), _THANKS, _said(_MORE, _SO), _ASKED], [], True, True),
    (
        [
            _LINES, _said(_THOUGHT, _LOOK, _TIME, _LATER), _results((_TIME, _JSON), (_LATER, "4711")),
            _said(_MORE, _PLACED), _results((_PLACED, "null")),
        ],
        [_NOTE, _NOW, _TIDE], True, True,
    ),
    (
        [
            _SYSTEM, _ASKED, _said(_EBB), _results((_EBB, "line\nline\n")), _said(_SO, _SAVED, _EBB),
            _results((_SAVED, "true"), (_EBB, "Error: no such port")), _said(_HIGH), _THANKS,
            _said(_HIGH, _TIME), _results((_TIME, "[]")), _said(_SO), User("ok"), _said(Content("{\"json\": [1, 2]}")),
        ],
        [_TIDE, _NOTE, _NOW], False, True,
    ),
    (
        [
            System("Antworte kurz. 天气"), _ASKED, _said(_THOUGHT, _TIME), _results((_TIME, "4711")),
            _said(_MORE, _HIGH), _LINES, _said(_THOUGHT, _SO), _THANKS, _said(_MORE, _PLACED, _SAVED, _TIME),
            _results((_PLACED, _ODD), (_SAVED, "saved"), (_TIME, _JSON)), _said(_EBB), _results((_EBB, "It falls.")),
            _said(_THOUGHT, _SO),
        ],
        [_NOTE, _NOW, _TIDE], False, False,
    ),
)  # fmt: skip


def small_conversations() -> list[ChatCase]:
    """Conversations with and without a system text, tools, reasoning, content beside calls, several calls, rounds."""
    return [
        ChatCase(at, Conversation(turns, tools), generate, thinking)
        for at, (turns, tools, generate, thinking) in enumerate(_CASES)
    ]

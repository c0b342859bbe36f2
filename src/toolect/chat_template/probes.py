"""Probe conversations for chat templates: assistant messages that hold everything once, and variables for templates."""

from __future__ import annotations

import json
from typing import NamedTuple

from toolect._message import Json

HELLO, CONTENT, REASON = "Hello", "I will look that up.", "They want a forecast."

TOOLS: list[Json] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": about,
            "parameters": {"type": "object", "properties": properties, "required": list(properties)},
        },
    }
    for name, about, properties in (
        (
            "get_forecast",
            "Forecast",
            {"city": {"type": "string"}, "days": {"type": "integer"}, "hourly": {"type": "boolean"}},
        ),
        (
            "save_note",
            "Keep a note",
            {
                "text": {"type": "string"},
                "size": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "meta": {"type": "object", "properties": {"k": {"type": "boolean"}}, "additionalProperties": True},
            },
        ),
        ("list_notes", "All notes", {}),
    )
]
for _tool in TOOLS:  # templates that print signatures want a description of everything
    for _key, _schema in _tool["function"]["parameters"]["properties"].items():
        _schema["description"] = _key

FORECAST = ("get_forecast", {"city": "Zürich", "days": 3, "hourly": True})
NOTE = ("save_note", {"text": 'a "b"\n  c\\d <e> & f', "size": 0.5, "tags": ["x", "y"], "meta": {"k": False}})
LIST: tuple[str, dict[str, Json]] = ("list_notes", {})


class TemplateProbe(NamedTuple):
    """Assistant message of a probe conversation."""

    title: str
    content: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, dict[str, Json]], ...] = ()


PROBES = (
    TemplateProbe("a call", calls=(FORECAST,)),
    TemplateProbe("two calls", calls=(FORECAST, LIST)),
    TemplateProbe("no arguments", calls=(LIST,)),
    TemplateProbe("content, then a call", CONTENT, calls=(FORECAST,)),
    TemplateProbe("reasoning, then a call", "", REASON, (FORECAST,)),
    TemplateProbe("reasoning, content and a call", CONTENT, REASON, (FORECAST,)),
    TemplateProbe("every kind of value", calls=(NOTE,)),
    TemplateProbe("content", CONTENT),
)


SIGNS = TemplateProbe(
    "signs in a text",
    calls=(("save_note", {"text": 'C:\\temp and "two" & <b>', "size": 2.5, "tags": ["a\\b"], "meta": {"k": True}}),),
)
"""Probe for escapes: its text has signs that are written with escapes, or without."""


class Style(NamedTuple):
    """Style of messages for a template: arguments as an object or as text, and the format of ids."""

    text: bool
    id: str

    def call_id(self, name: str, index: int) -> str:
        """The id of a message's call with this index."""
        return self.id.format(name=name, index=index, digit=index + 1)


STYLES = tuple(Style(text, id_) for id_ in ("abcdefgh{digit}", "functions.{name}:{index}") for text in (False, True))


def variables(messages: list[Json], prompt: bool) -> dict[str, Json]:
    """Variables for rendering a conversation; `prompt` is true to ask for an answer."""
    return {
        "messages": messages,
        "tools": TOOLS,
        "functions": json.dumps(TOOLS),
        "datetime": "2024-01-01",
        "add_generation_prompt": prompt,
        "bos_token": "",
        "eos_token": "",
    }


def answer(probe: TemplateProbe, style: Style) -> Json:
    """The assistant message of a probe."""
    message: dict[str, Json] = {"role": "assistant", "content": probe.content}
    if probe.reasoning:
        message |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), probe.reasoning)
    if probe.calls:
        message["tool_calls"] = [
            {
                "type": "function",
                "id": style.call_id(name, index),
                "function": {"name": name, "arguments": json.dumps(given, ensure_ascii=False) if style.text else given},
            }
            for index, (name, given) in enumerate(probe.calls)
        ]
    return message

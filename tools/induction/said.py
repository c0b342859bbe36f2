# ruff: noqa: E501  (a list of words is one line)
"""Random tools and random messages that call them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from toolect._message import Call, Content, Json, Message, Reasoning, Segment

_VERBS = ("get", "set", "find", "save", "list", "book", "send", "plan", "read", "make", "open", "move")  # fmt: skip
_NOUNS = ("tide", "note", "order", "route", "room", "ticket", "alarm", "song", "file", "price", "lamp", "user")  # fmt: skip
_KEYS = ("city", "days", "unit", "query", "path", "limit", "text", "title", "start_date", "count", "lang", "tags", "options", "ratio", "urgent", "mode", "place")  # fmt: skip
_WORDS = ("the", "harbour", "is", "quiet", "today", "and", "Brest", "waits", "for", "rain", "near", "Zürich", "while", "two", "boats", "leave", "at", "dawn")  # fmt: skip
_TEXTS = (
    "Brest", "Oslo", "Zürich", "São Paulo", "New York", "2024-05-01", "10:30", "metric", "en-GB", "a.b@example.org",
    "notes/today.md", "https://example.org/a?b=1&c=2", "it's fine", 'say "hi"', "Hello, world!", "x < y", "50 %", "007",
    "C:\\temp", "one; two", "a = b", "(maybe)", "true", "first\nsecond", "tabs & ampersands", "#7", "key: value",
)  # fmt: skip
_PROSE = (
    "I will look that up.", "Let me check.", "One moment, please", "Sure:", "Here is what I found so far.",
    "Two things are needed, and I begin with the first.", "Of course! I do that now.", "Die Flut kommt um zehn.",
)  # fmt: skip
TYPES = ("string", "string", "string", "integer", "integer", "boolean", "number", "array", "object")
Carries = Callable[[Json], bool]
"""Predicate of the values of an argument that a format can write."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool: its name, and the types of its parameters, all of which are required."""

    name: str
    types: dict[str, str]

    def declared(self) -> Json:
        """The tool as an OpenAI tool object."""
        properties: dict[str, Json] = {key: {"type": kind} for key, kind in self.types.items()}
        parameters: Json = {"type": "object", "properties": properties, "required": list(properties)}
        return {"type": "function", "function": {"name": self.name, "description": self.name, "parameters": parameters}}


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of a random message."""

    content: bool
    calls: int
    reasoning: bool = False


SAMPLES = (Plan(False, 1), Plan(True, 1), Plan(False, 2), Plan(True, 3), Plan(True, 0))
"""Plans of five rows: one call and several, with content and without it, and content alone."""
HELD_OUT = (*SAMPLES, Plan(False, 3), Plan(True, 2), Plan(False, 1))


def random_tools(random: Random, types: tuple[str, ...] = TYPES, empty: bool = True) -> list[Tool]:
    """Three or four tools, with `types` for their parameters; `empty` allows one without any."""
    style = random.choice(("_", "_", "_", "-", ".", "camel"))
    names: dict[str, None] = {}
    while len(names) < random.choice((3, 4)):
        verb, noun = random.choice(_VERBS), random.choice(_NOUNS)
        names[verb + noun.capitalize() if style == "camel" else f"{verb}{style}{noun}"] = None
    tools = []
    for i, name in enumerate(names):
        keys = random.sample(_KEYS, random.choice((1, 2, 2, 3, 4)))
        tools.append(Tool(name, {key: "string" if i + j == 0 else random.choice(types) for j, key in enumerate(keys)}))
    if empty and random.random() < 0.3:
        tools[-1] = Tool(tools[-1].name, {})
    return tools


def random_value(random: Random, kind: str, depth: int = 0) -> Json:
    """A value of a JSON type."""
    match kind:
        case "integer":
            return random.choice((0, 1, 3, -2, 42, 1900))
        case "number":
            return random.choice((0.5, -2.25, 3.75, 12.5))
        case "boolean":
            return random.random() < 0.5
        case "array":
            return [random_value(random, "string") for _ in range(random.randint(1, 3))]
        case "object":
            inner = ("string", "integer", "boolean") if depth else ("string", "integer", "boolean", "array")
            keys = random.sample(("a", "deep", "size", "kind"), random.randint(1, 2))
            return {key: random_value(random, random.choice(inner), depth + 1) for key in keys}
        case _:
            return (
                random.choice(_TEXTS)
                if random.random() < 0.4
                else " ".join(random.sample(_WORDS, random.randint(1, 4)))
            )


def random_call(random: Random, tools: list[Tool], carries: Carries = lambda _: True) -> Call:
    """A call of one of the tools, with values that the format carries."""
    tool = random.choice(tools)
    arguments: dict[str, Json] = {}
    for key, kind in tool.types.items():
        value = random_value(random, kind)
        while not carries(value):
            value = random_value(random, kind)
        arguments[key] = value
    return Call(tool.name, arguments)


def random_message(random: Random, plan: Plan, call: Callable[[], Call]) -> Message:
    """A message as planned: reasoning, content, calls, in this order."""
    segments: list[Segment] = []
    if plan.reasoning:
        segments.append(Reasoning(" ".join(random.sample(_WORDS, 6)).capitalize() + "."))
    if plan.content:
        segments.append(Content(random.choice(_PROSE)))
    segments += [call() for _ in range(plan.calls)]
    return Message(segments)

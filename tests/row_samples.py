"""Conversations drawn at random, and rows of every kind that tell them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, TypeAlias

from toolect import Call, Content, Conversation, Message, Reasoning
from toolect._message import Json, Segment
from toolect.conversation import Assistant, Results, System, ToolResult, Turn, User

Place: TypeAlias = tuple[str | int, ...]
"""The keys and numbers that lead to a value in others."""
WORDS = ["tide", "é", "Brest\nat", "noon", "<b>", "{x}", "「潮」", '"so"', "it's", "100%", "a|b", "|", "---", "#", "ok"]
VALUES: list[Json] = ["Brest", "", "5", "a\nb", 3, -1.5, True, None, [1, "x"], {"deep": {"er": [None]}}, "é", 1e30]

OTHERS = [
    "tide",
    "é",
    "潮",
    "noon.",
    "- a",
    "f(x)",
    "a: b",
    "user",
    "assistant",
    "Yes",
    "t",
    "5",
    "null",
    "'s",
    "[1]",
    "x <b>",
    "tide {x}",
]
ALIKE: list[Json] = ["Brest", "noon tide", "a, b", "May", "x: y", "User", "é"]

ODD: list[Json] = [
    "2024-05-01", "5", "05", "1e5", "-3", "0x1F", "1_000", "true", "None", "null", " ", " tide ", "tide\n", "\ttab",
    "it's 5", 'said "now"', "\\n", "C:\\new", "a\nb\n\nc", "{", "{}", "[1, 2]", '{"a": 1}', "<b>", "</b>", "&amp;",
    "a=1", "k: v", "```", "🌊 é", "\u2028", "\x00", "$x", "%s", "{tool}", "# so", "- a", "'", '"', ",", ";", "()",
    "f(1)", "=", "\\", "</", "<|", "|>", "call:", 0, -1, 2**53, 10**20, -0.0, 0.0, 1.0, 1e-7, 1e30, True, False, None,
    [], {}, [[]], [None], [1, "1", 1.0], {"": ""}, {"a b": {"c": []}}, [{"a": 1}, {"a": "1"}], {"tide": "5"}, "Brest",
    "noon tide",
]  # fmt: skip
"""Values that some notation has to spell with care."""
TYPES: list[Json] = [
    {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"type": "array"},
    {"type": "object"}, {}, {"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    {"enum": ["5", "Brest"]}, {"type": "array", "items": {"type": "string"}}, {"type": "null"},
    {"type": "string", "default": None},
]  # fmt: skip

ANYTHING: list[Json] = [
    None, True, -1, 0.5, float("inf"), float("nan"), 10**400, "", "x", "\ud800", "[", "{}", "[]", '"', '"\\"[1]\\""',
    [], [None], [[]], ["x"], {}, {"": None}, {"type": {}}, {"type": "text"}, [{"choices": 5}], {"a": None},
    {"\ud800": "\ud800"}, {"role": "assistant"}, {"error": {"message": "x"}},
]  # fmt: skip
"""Values of every kind that JSON has, and what hides others: for places where none of them belongs."""


def places(value: Json, path: Place = ()) -> Iterator[Place]:
    """The places of a value and of all that is in it."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def replaced(value: Json, place: Place, new: Json) -> Json:
    """The value with `new` at a place."""
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = replaced(value[place[0]], place[1:], new)
    return copy


def nested(depth: int) -> Json:
    """Lists in lists."""
    value: Json = "x"
    for _ in range(depth):
        value = [value]
    return value


def tool(name: str) -> dict[str, Any]:
    """A tool that takes anything."""
    properties = {key: {"description": "any"} for key in ("a", "b", "c")}
    function = {"name": name, "description": f"Does {name}", "parameters": {"type": "object", "properties": properties}}
    return {"type": "function", "function": function}


def text(random: Random, most: int = 8) -> str:
    """A text without blanks at its ends."""
    return " ".join(random.choice(WORDS) for _ in range(random.randint(1, most))).strip() or "x"


def alike(random: Random, tools: Sequence[dict[str, Any]], texts: Random, parts: Sequence[str]) -> Conversation:
    """A conversation with what `random` draws and the words of `texts`: there are many of one form.

    The words are those that a reader may take for something else where they stand alone, first or last, and `parts`.
    """

    def words() -> str:
        some = parts if parts and texts.random() < 0.08 else OTHERS
        return " ".join([texts.choice(OTHERS) for _ in range(texts.randint(0, 3))] + [texts.choice(some)]).strip()

    turns: list[Turn] = [System(words())] if random.random() < 0.4 else []
    for number in range(random.randint(1, 2)):
        turns.append(User(words()))
        thought: list[Segment] = [Reasoning(words())] if random.random() < 0.3 else []
        said: list[Segment] = [Content(words())] if random.random() < 0.3 else []
        if tools and random.random() < 0.7:
            names = random.choices([tool["function"]["name"] for tool in tools], k=random.choice((1, 1, 2)))
            kinds = [[random.choice((ALIKE, VALUES)) for _ in range(2)] for _ in names]
            calls = [
                Call(
                    name,
                    {key: texts.choice(some) for key, some in zip("ab", given, strict=True)},
                    f"call{number}000{at}",
                )
                for at, (name, given) in enumerate(zip(names, kinds, strict=True))
            ]
            turns.append(Assistant(Message([*thought, *said, *calls])))
            turns.append(Results(tuple(ToolResult(call.id or "", call.name, words()) for call in calls)))
            thought = []
        turns.append(Assistant(Message([*thought, Content(words())])))
    return Conversation(turns, tools)


def own_tools(random: Random) -> tuple[dict[str, Any], ...]:
    """Two tools, whose words and types are drawn: hardly any list of tools is like another."""
    found = []
    for name in ("tide", random.choice(("wind", "tide_2", "get.wind", "w"))):
        words = " ".join(random.choice(OTHERS) for _ in range(random.randint(0, 4)))
        properties = {
            key: {**random.choice(TYPES), "description": random.choice(OTHERS)} for key in "abc"[random.randint(0, 1) :]
        }
        schema = {"type": "object", "properties": properties, "required": [*properties][: random.randint(0, 3)]}
        found.append({"type": "function", "function": {"name": name, "description": words, "parameters": schema}})
    return tuple(found)


def odd_calls(one: Conversation, random: Random, parts: Sequence[str]) -> Conversation:
    """The conversation with other arguments of its calls, odd ones, and `parts` of markers in some."""

    def value() -> Json:
        if random.random() < 0.1 and parts:
            return random.choice((random.choice(parts), f"so {random.choice(parts)}", f"{random.choice(parts)} it is"))
        if random.random() < 0.3:
            return random.choice(("", " ", "\n")).join(str(random.choice(ODD)) for _ in range(random.randint(2, 4)))
        return random.choice(ODD)

    turns: list[Turn] = []
    for turn in one.turns:
        if isinstance(turn, Assistant):
            said = [
                Call(each.name, {key: value() for key in each.arguments}, each.id) if isinstance(each, Call) else each
                for each in turn.message.segments
            ]
            turn = Assistant(Message(said))
        turns.append(turn)
    return Conversation(turns, one.tools)


def conversation(random: Random) -> Conversation:
    """A conversation in the order that every API knows."""
    turns: list[Turn] = [System(text(random))] if random.random() < 0.4 else []
    tools = [tool(name) for name in ("tide", "wind")] if random.random() < 0.7 else []
    count = 0
    for _ in range(random.randint(1, 3)):
        turns.append(User(text(random)))
        if tools and random.random() < 0.6:
            said: list[Segment] = [Content(text(random))] if random.random() < 0.3 else []
            calls = []
            for _ in range(random.choice((1, 1, 2))):
                count += 1
                arguments = {key: random.choice(VALUES) for key in "abc" if random.random() < 0.5}
                calls.append(Call(random.choice(("tide", "wind")), arguments, f"call{count:05}"))
            turns.append(Assistant(Message([*thought(random), *said, *calls])))
            results = [ToolResult(call.id or "", call.name, text(random)) for call in calls]
            if random.random() < 0.2:
                results.reverse()
            turns.append(Results(tuple(results)))
        turns.append(Assistant(Message([*thought(random), Content(text(random))])))
    return Conversation(turns, tools)


def thought(random: Random) -> list[Segment]:
    """Some reasoning, or none."""
    return [Reasoning(text(random))] if random.random() < 0.3 else []


def said(one: Conversation) -> Json:
    """What a conversation tells, as plain data: nothing of how it is spelled, or of ids but whose result is whose."""
    found: list[Json] = []
    waiting: list[tuple[str | None, int]] = []
    count = 0
    for turn in one.turns:
        match turn:
            case System(words) | User(words):
                found.append([type(turn).__name__, words])
                waiting = [] if isinstance(turn, User) else waiting
            case Assistant(message):
                calls = [[call.name, json.dumps(call.arguments, sort_keys=True)] for call in message.calls]
                found.append(["answer", message.reasoning, message.content, calls])
                waiting = []
                for call in message.calls:
                    waiting.append((call.id, count))
                    count += 1
            case Results(results):
                pairs = []
                for result in results:
                    at = next((n for n, (name, _) in enumerate(waiting) if name and name == result.call_id), None)
                    if at is None:
                        at = next((n for n, (name, _) in enumerate(waiting) if not (name and result.call_id)), None)
                    pairs.append([None if at is None else waiting.pop(at)[1], result.output])
                found.append(["results", sorted(pairs, key=lambda one: -1 if one[0] is None else one[0])])
    return found

"""Random conversations, the same for the same seed: what templates decide about comes up in them again and again."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Sequence

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User

PLAIN = (
    "Hello", "What is the weather in Zürich?", "Look it up, please.", "Thanks!", "Two lines\nof text", "a < b && c > d",
    "It's \"quoted\" and 'so'", "天气怎么样？", "🌊 tide at 5", "1. one\n2. two\n\n   indented", "{\"json\": [1, 2]}",
    "ok", "", "back\\slash and \ttab", "100% {name} {{ braces }} {% raw %}", "$5 | `code`", "e\u0301 and é", "مرحبا",
)  # fmt: skip
SPACED = (" leading blank", "trailing blank ", "\nline breaks around\n", "  ", "\n\n", "\ttab around\t")
MARKUP = (
    "<think>", "</think>", "a </think> b", "<think>\nhm\n</think>\n\nso", "<tool_call>", "</tool_call>", "<|im_end|>",
    "<tool_response>\nx\n</tool_response>", "[INST] x [/INST]", "</s>", "<|eot_id|>", "<start_of_turn>user", "<|end|>",
    "<|channel|>final<|message|>", "<｜tool▁calls▁begin｜>", "[TOOL_CALLS]", "<tools>", "<function=f>",
)  # fmt: skip
OUTPUTS = (
    *PLAIN, '{"temperature": 21.5, "sky": "clear"}', "[]", "null", "4711", "true", "Error: no such port", "line\n" * 3,
)  # fmt: skip


def cases(seed: int, count: int, ids: str = "{random}", usual: bool = False) -> Iterator[ChatCase]:
    """Random conversations; those of one number differ in nothing but their ids.

    The `usual` ones alone have no markup in their texts, no blanks around them, and turns that no template refuses.
    """
    for number in range(count):
        yield _ConversationDraw(random.Random(f"{seed} {number}"), ids, usual).case(number)


class _ConversationDraw:
    """Draws one conversation."""

    def __init__(self, chance: random.Random, ids: str, usual: bool = False) -> None:
        self._chance, self._ids, self._made, self._usual = chance, ids, 0, usual
        # What is rare comes up in a part of the conversations only, so that the others show what else differs.
        self._markup, self._spaced, self._odd = (self._maybe(p) for p in (0.1, 0.15, 0.1))
        if usual:
            self._markup = self._spaced = self._odd = False
        self._thinks, self._tools = self._maybe(0.5), self._definitions() if self._maybe(0.7) else []

    def case(self, number: int) -> ChatCase:
        """The conversation, and how it is rendered."""
        turns = [*self._system(), *self._rounds()]
        if self._odd:
            turns = self._unusual(turns)
        ends = isinstance(turns[-1], Assistant) if turns else False
        thinking = self._chance.choice((None, None, True, False))
        return ChatCase(number, Conversation(turns, self._tools), not ends or self._maybe(0.1), thinking)

    def _maybe(self, chance: float) -> bool:
        return self._chance.random() < chance

    def _system(self) -> list[Turn]:
        return [System(self._text(PLAIN) or "Be brief." * self._usual)] if self._maybe(0.5) else []

    def _rounds(self) -> Iterator[Turn]:
        for left in reversed(range(self._chance.choice((1, 1, 2, 3)))):
            yield User(self._text(PLAIN))
            for _ in range(self._chance.choice((0, 1, 1, 2)) if self._tools else 0):
                calls = [self._call() for _ in range(self._chance.choice((1, 1, 1, 2, 3)))]
                yield Assistant(self._message(calls, self._text(PLAIN) if self._maybe(0.4) else ""))
                if not left and self._maybe(0.1):
                    return
                yield Results(tuple(ToolResult(c.id or "", c.name, self._text(OUTPUTS)) for c in calls))
            if left or self._maybe(0.4):
                yield Assistant(self._message([], self._text(PLAIN)))

    def _unusual(self, turns: list[Turn]) -> list[Turn]:
        """Turns that many templates refuse: two of one role, an answer first, no user, a system turn in the middle."""
        said = [turn for turn in turns if not isinstance(turn, System)]
        changes: Sequence[Callable[[], list[Turn]]] = (
            lambda: [User(self._text(PLAIN)), *said],
            lambda: [Assistant(self._message([], self._text(PLAIN))), *turns],
            lambda: [*turns, *([Assistant(Message([Content("So.")]))] * 2)],
            lambda: turns[:1],
            lambda: [*said, System("Be brief.")],
        )
        return self._chance.choice(changes)()

    def _message(self, calls: Sequence[Call], content: str) -> Message:
        segments: list[Segment] = []
        if self._thinks and (thought := self._text(PLAIN)):
            segments.append(Reasoning(f"Hm. {thought}" if self._usual else thought))  # distinct from content
        if content:
            segments.append(Content(content))
        return Message([*segments, *calls])

    def _text(self, pool: Sequence[str]) -> str:
        if self._markup and self._maybe(0.4):
            return self._chance.choice(MARKUP)
        if self._spaced and self._maybe(0.4):
            return self._chance.choice(SPACED)
        return self._chance.choice(pool) if self._maybe(0.8) else " ".join(self._chance.choices(pool, k=2)).strip()

    def _definitions(self) -> list[dict[str, Json]]:
        names = self._chance.sample(
            ("get_weather", "search", "save_note", "now", "read-file"), self._chance.randint(1, 3)
        )
        return [{"type": "function", "function": self._definition(name)} for name in names]

    def _definition(self, name: str) -> dict[str, Json]:
        keys = self._chance.sample(
            ("city", "days", "exact", "tags", "place", "unit", "query"), self._chance.randint(0, 4)
        )
        schema: dict[str, Json] = {"type": "object", "properties": {key: dict(_FIELDS[key]) for key in keys}}
        if keys and self._maybe(0.8):
            schema["required"] = keys[: self._chance.randint(1, len(keys))]
        about = self._chance.choice(("Does it.", "Finds what is\nasked for.", 'Größe & "Farbe" <b>', "天气"))
        return {"name": name, "description": about, "parameters": schema}

    def _call(self) -> Call:
        function = self._chance.choice(self._tools)["function"]
        fields, needed = function["parameters"]["properties"], function["parameters"].get("required", ())
        given = {key: self._value(key) for key in fields if key in needed or self._maybe(0.5)}
        letters = "".join(self._chance.choices(string.ascii_letters + string.digits, k=9))
        self._made += 1
        return Call(
            function["name"], given, self._ids.format(name=function["name"], index=self._made - 1, random=letters)
        )

    def _value(self, key: str) -> Json:
        if key == "exact":
            return self._maybe(0.5)
        return self._chance.choice(_VALUES[key]) if key in _VALUES else self._text(PLAIN)


_VALUES: dict[str, tuple[Json, ...]] = {
    "days": (0, 3, -1, 10**12), "tags": ([], ["x"], ["x", "é", ""]), "unit": ("C", "F"),
    "place": ({}, {"lat": 47.4, "name": "Zürich"}, {"lat": 1.0, "more": {"a": [None, True]}}),
}  # fmt: skip
"""Values for the fields of known tools; others are texts."""
_FIELDS: dict[str, dict[str, Json]] = {
    "city": {"type": "string", "description": "Where"},
    "days": {"type": "integer", "description": "How many", "minimum": 0},
    "exact": {"type": "boolean", "description": "Or about", "default": False},
    "tags": {"type": "array", "items": {"type": "string"}, "description": "Tags"},
    "place": {"type": "object", "description": "A place", "properties": {
        "lat": {"type": "number", "description": "Latitude"}, "name": {"type": "string"},
    }, "required": ["lat"]},
    "unit": {"type": "string", "enum": ["C", "F"], "description": "Unit"},
    "query": {"type": "string"},
}  # fmt: skip

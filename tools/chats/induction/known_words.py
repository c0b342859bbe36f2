"""Conversations of words that nobody else says, so that a rendering tells where each of them stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from toolect._authoring.generate.random_conversations import ChatCase
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User

HEAD = 999
"""The number of the turn that the system text at the head is."""
MOST_ARGUMENTS = 2
"""Arguments of a call, at most."""
_WORD = r"Z([a-z])([0-9]{3})x([0-9]{3})(?:y([0-9]))?|7([0-9]{3})([0-9]{3})([0-9])7"


class Slot(NamedTuple):
    """The place of a word: its `kind`, and whose it is.

    Kinds: the texts of a (s)ystem and a (u)ser turn, (r)easoning, (c)ontent, the (o)utput, (n)ame and (i)d of a result
    or a call, its (a)rguments, or their (k)eys and (v)alues; the definition of a (t)ool, and the (d)ate.
    """

    kind: str
    turn: int = -1
    item: int = 0
    pair: int = 0
    number: int = 0
    """The number of the call or the result in the conversation."""


Atom: TypeAlias = str | Slot
Atoms: TypeAlias = tuple[Atom, ...]


def word(kind: str, turn: int, item: int = 0, pair: int | None = None) -> str:
    """The word of a place."""
    return f"Z{kind}{turn:03}x{item:03}" + ("" if pair is None else f"y{pair}")


def worded(case: ChatCase) -> ChatCase:
    """The same conversation, of such words; of answers, what is empty stays so.

    Calls have an argument or two, texts and numbers.
    """
    turns: list[Turn] = [*case.conversation.turns]
    at = -1 if turns and isinstance(turns[0], System) else 0
    said = [_worded(turn, number) for number, turn in enumerate(turns, at)]
    for number, turn in enumerate(said):
        if isinstance(turn, Results) and number:
            before = said[number - 1]
            calls = before.message.calls if isinstance(before, Assistant) else []
            results = [
                ToolResult(call.id or "", call.name, one.output) for call, one in zip(calls, turn.results, strict=False)
            ]
            said[number] = Results(tuple(results))
    return case._replace(conversation=Conversation(said, case.conversation.tools))


def _worded(turn: Turn, number: int) -> Turn:
    at = HEAD if number < 0 else number
    match turn:
        case System():
            return System(word("s", at))
        case User():
            return User(word("u", at))
        case Results(results):
            return Results(tuple(ToolResult("", "", word("o", at, k)) for k in range(len(results))))
        case Assistant(message):
            segments: list[Segment] = []
            if message.reasoning:
                segments.append(Reasoning(word("r", at)))
            if message.content:
                segments.append(Content(word("c", at)))
            calls = (_call(one, at, k) for k, one in enumerate(message.calls))
            return Assistant(Message([*segments, *calls]))


def is_text(turn: int, item: int, pair: int) -> bool:
    """Whether the value of an argument is a text; others are numbers."""
    return (turn // 2 + item + pair) % 2 == 0


def _call(call: Call, turn: int, item: int) -> Call:
    given: dict[str, Json] = {
        word("k", turn, item, pair): word("v", turn, item, pair)
        if is_text(turn, item, pair)
        else int(f"7{turn:03}{item:03}{pair}7")
        for pair in range(min(max(len(call.arguments or ()), 1), MOST_ARGUMENTS))
    }
    return Call(word("n", turn, item), given, word("i", turn, item))


def calls_of(case: ChatCase) -> list[tuple[Slot, Call]]:
    """The calls of a conversation of such words, each with the place of its arguments."""
    turns = case.conversation.turns
    at = -1 if turns and isinstance(turns[0], System) else 0
    return [
        (Slot("a", number, item), call)
        for number, turn in enumerate(turns, at)
        if isinstance(turn, Assistant)
        for item, call in enumerate(turn.message.calls)
    ]


def atoms(text: str, known: Mapping[str, Slot]) -> list[tuple[int, int, Slot]]:
    """Where the words stand in a text, and the texts that are `known` besides, the longest first."""
    others = "|".join(map(re.escape, sorted(filter(None, known), key=len, reverse=True)))
    found = re.compile(f"(?:{others})|{_WORD}" if others else _WORD)
    places = []
    for one in found.finditer(text):
        slot = known.get(one[0])
        if slot is None and one[1]:
            turn = int(one[2])
            slot = Slot(one[1], -1 if turn == HEAD else turn, int(one[3]), int(one[4] or 0))
        elif slot is None:
            slot = Slot("v", int(one[5]), int(one[6]), int(one[7]))
        places.append((one.start(), one.end(), slot))
    return places


def between(text: str, places: Sequence[tuple[int, int, Slot]], start: int, end: int) -> Atoms:
    """A stretch of a text: a text, a place, a text, and so on, with a text at both ends."""
    out: list[Atom] = []
    at = start
    for first, last, slot in places:
        if start <= first and last <= end:
            out += [text[at:first], slot]
            at = last
    return (*out, text[at:end])

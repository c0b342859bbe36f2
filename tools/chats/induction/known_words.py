"""Known words: conversations of words that stand nowhere else, so that each can be located in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._authoring.induction.equations import tokens
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect._shown import alike
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User

_WORD = r"Z([a-z])([0-9]{3})x([0-9]{3})(?:y([0-9]))?|7([0-9]{3})([0-9]{3})([0-9])7"


class Slot(NamedTuple):
    """The place of a word: its `kind`, and whose it is.

    Kinds: the text of the (s)ystem at the head, of a (u)ser or another system turn, (r)easoning, (c)ontent, the
    (o)utput, (n)ame and (i)d of a result or a call, its (a)rguments, or their (k)eys and (v)alues; the definition of
    a (t)ool, and the (d)ate.
    """

    kind: str
    turn: int = -1
    item: int = 0
    pair: int = 0


Places: TypeAlias = list[tuple[int, int, Slot]]
"""Words in a text: start offset, end offset, slot."""


@dataclass(slots=True)
class Part:
    """A stretch of a text: texts, and the places between them; there is one text more than places.

    Things in a row are one place, and the `items` with the `gaps` between them. `facts` say what is so there.
    """

    texts: list[str]
    slots: list[Slot]
    facts: int = 0
    items: list[Part] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)


def word(kind: str, turn: int, item: int = 0, pair: int | None = None) -> str:
    """The word of a place."""
    return f"Z{kind}{turn + 1:03}x{item:03}" + ("" if pair is None else f"y{pair}")


def numbered_turns(case: ChatCase) -> list[tuple[int, Turn]]:
    """The turns with their numbers: from 0 on, with -1 for a system text at the head."""
    turns = case.conversation.turns
    return [*enumerate(turns, -1 if turns and isinstance(turns[0], System) else 0)]


def turns_of(case: ChatCase) -> list[Turn]:
    """The turns without the system text at the head."""
    return [turn for number, turn in numbered_turns(case) if number >= 0]


def worded(case: ChatCase) -> ChatCase:
    """The same conversation, of known words; of answers, what is empty stays so. Calls have an argument or two."""
    said: list[Turn] = []
    for at, turn in numbered_turns(case):
        match turn:
            case System():
                said.append(System(word("s" if at < 0 else "u", at)))
            case User():
                said.append(User(word("u", at)))
            case Results(results):
                calls = said[-1].message.calls if said and isinstance(said[-1], Assistant) else []
                named = zip(calls, range(len(results)), strict=False)
                said.append(Results(tuple(ToolResult(one.id or "", one.name, word("o", at, k)) for one, k in named)))
            case Assistant(message):
                segments: list[Segment] = [Reasoning(word("r", at))] if message.reasoning else []
                segments += [Content(word("c", at))] if message.content else []
                segments += [_call(one, at, k) for k, one in enumerate(message.calls)]
                said.append(Assistant(Message(segments)))
    return case._replace(conversation=Conversation(said, case.conversation.tools))


def is_text(turn: int, item: int, pair: int) -> bool:
    """True when the value of an argument is a text; others are numbers."""
    return (turn // 2 + item + pair) % 2 == 0


def _call(call: Call, turn: int, item: int) -> Call:
    given: dict[str, Json] = {
        word("k", turn, item, pair): word("v", turn, item, pair)
        if is_text(turn, item, pair)
        else int(f"7{turn + 1:03}{item:03}{pair}7")
        for pair in range(min(max(len(call.arguments or ()), 1), 2))
    }
    return Call(word("n", turn, item), given, word("i", turn, item))


def calls_of(case: ChatCase) -> list[tuple[Slot, Call]]:
    """The calls of a conversation of known words, each with the place of its arguments."""
    answers = [(number, turn) for number, turn in numbered_turns(case) if isinstance(turn, Assistant)]
    return [(Slot("a", number, item), call) for number, turn in answers for item, call in enumerate(turn.message.calls)]


def places_of(text: str, known: Mapping[str, Slot]) -> Places:
    """Places of the words in a text, and of the texts that are `known` besides, the longest first."""
    words = [*map(re.escape, sorted(filter(None, known), key=len, reverse=True)), _WORD]
    places = []
    for one in re.finditer("|".join(words), text):
        kind, turn, item, pair = one[1] or "v", one[2] or one[5], one[3] or one[6], one[4] or one[7] or 0
        slot = known.get(one[0]) or Slot(kind, int(turn) - 1, int(item), int(pair))
        places.append((one.start(), one.end(), slot))
    return places


def between(text: str, places: Places, start: int, end: int) -> Part:
    """A stretch of a text."""
    inside = [place for place in places if start <= place[0] and place[1] <= end]
    ends = [start, *(at for first, last, _ in inside for at in (first, last)), end]
    return Part([text[at:to] for at, to in zip(ends[::2], ends[1::2], strict=True)], [slot for _, _, slot in inside])


def common_start(texts: Iterable[str], reverse: bool = False) -> str:
    """The tokens that all texts begin with; with `reverse`, that they end with."""
    lists = [tokens(text)[:: -1 if reverse else 1] for text in texts] or [[]]
    length = min((alike(lists[0], other) for other in lists[1:]), default=len(lists[0]))
    return "".join(lists[0][:length][:: -1 if reverse else 1])


def common_end(texts: Iterable[str]) -> str:
    """The tokens that all texts end with."""
    return common_start(texts, True)

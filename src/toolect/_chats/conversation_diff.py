"""Difference of two conversations, turn by turn: the one given, and the one read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from toolect._chats.prompt_tools import TEXT
from toolect._detection.dropped import SHOWN, after_end, is_control
from toolect._detection.guess import parse
from toolect._exchange.media import same_media
from toolect._exchange.order_of_calls import in_order_of_calls
from toolect._message import Call, Content, Json, Message, Reasoning, Repair, RepairKind, dumps, same_json
from toolect._turns import Assistant, PendingCalls, Results, System, ToolResult, Turn, User
from toolect.conversation import Conversation

IDS = "the ids of calls are left out"
"""The change of a conversation that loses only ids: its calls and results still belong together."""
NO_REASONING, NO_CONTENT = "the reasoning is left out", "the content is left out"
NO_SIGNATURE = "the signature of the reasoning is left out"
OTHER_CALLS, OTHER_OWNERS = "the calls differ", "results belong to other calls"
OTHER_CONTENT, OTHER_REASONING = "the content of the answer differs", "the reasoning differs"
OTHER_RESULTS, NO_ERRORS = "the results differ", "it is left out which results are errors"
OTHER_TURNS = "other turns"
NO_SYSTEM = "the system text is left out, or read back as the one that the chat has by itself"
"""Chats read their own default as none. One that is read as a part of the turn behind it makes other turns."""
LEFT_OUT = (NO_REASONING, NO_CONTENT)
"""Changes that leave out a part whole, whatever it says."""
ORDER = "texts stand before the calls that they followed"
"""The change of the order alone, by which nothing is left out."""
OTHER_TOOLS, OTHER_DEFINITIONS = "other tools", "definitions of tools are written otherwise"
NO_TOOLS = "tools are left out: the target has no place for them"
OF_TOOLS = (OTHER_TOOLS, OTHER_DEFINITIONS, NO_TOOLS)
"""Changes of tools."""


class Change(NamedTuple):
    """A difference: the sentence `what`, in turn number `turn` (-1 for none), with a `detail` that shows it."""

    what: str
    turn: int = -1
    detail: str = ""

    def __str__(self) -> str:
        place = f"turn {self.turn}: " if self.turn >= 0 else ""
        return f"{place}{self.what}{f': {self.detail}' if self.detail else ''}"


def changes(before: Conversation, after: Conversation, ids: bool = True) -> list[Change]:
    """Changes from `before` to `after`, in the order of the turns; results of one answer have no order.

    Without `ids` lost ids are no change, where calls and results still belong together.
    """
    found = tool_changes(before.tools, after.tools)
    was, now = in_order_of_calls(before.turns), in_order_of_calls(after.turns)
    gone = bool(was) and isinstance(was[0], System) and not (now and isinstance(now[0], System))
    first = int(gone and not any(True for pair in zip(was[1:2], now[:1], strict=False) for _ in turn_changes(*pair)))
    if first:
        found.append(Change(NO_SYSTEM, 0))
    if [type(turn) for turn in was[first:]] != [type(turn) for turn in now]:
        kinds = [", ".join(type(turn).__name__.lower() for turn in turns) or "none" for turns in (was, now)]
        found.append(Change(OTHER_TURNS, detail=f"{kinds[0]} became {kinds[1]}"))
        if not same_calls(calls_of(was), calls_of(now)):
            found.append(Change(OTHER_CALLS, detail=_fewer(calls_of(was), calls_of(now))))
        return found
    for number, (old, new) in enumerate(zip(was[first:], now, strict=True), first):
        fewer = _fewer(calls_of([old]), calls_of([new]))
        found += (Change(what, number, fewer if what == OTHER_CALLS else "") for what in turn_changes(old, new))
    if owners(was) != owners(now):
        found.append(Change(OTHER_OWNERS))
    if ids and _ids(was) != _ids(now):
        found.append(Change(IDS))
    return found


def _fewer(was: Sequence[Call], now: Sequence[Call]) -> str:
    """The numbers of calls before and after, in words; "" for equal ones."""
    return f"{len(was)} became {len(now)}" if len(was) != len(now) else ""


def calls_of(turns: Sequence[Turn]) -> list[Call]:
    """All calls of some turns."""
    return [call for turn in turns if isinstance(turn, Assistant) for call in turn.message.calls]


def tool_changes(before: Sequence[Mapping[str, Json]], after: Sequence[Mapping[str, Json]]) -> list[Change]:
    """Changes from the tools `before` to those `after`."""
    texts = [tool["text"] for tool in after if tool.get("type") == TEXT]
    if texts and len(texts) == len(after):  # a notation that is not read back: only names can be looked for
        names = [one["function"]["name"] for one in before if "function" in one]
        missing = [name for name in names if not any(name in text for text in texts)]
        return [Change(OTHER_TOOLS, detail=f"{', '.join(missing)} left out")] if missing else []
    if before and not after:
        return [Change(NO_TOOLS, detail=str(len(before)))]
    if len(before) != len(after):
        return [Change(OTHER_TOOLS, detail=f"{len(before)} became {len(after)}")]
    return [] if all(map(_same, before, after)) else [Change(OTHER_DEFINITIONS)]


def turn_changes(old: Turn, new: Turn) -> Iterator[str]:
    """Changes from one turn to another."""
    if isinstance(old, Assistant) and isinstance(new, Assistant):
        was, now = old.message, new.message
        if was.reasoning and not now.reasoning:
            yield NO_REASONING
        elif was.reasoning != now.reasoning:
            yield OTHER_REASONING
        elif (signed := signatures(was)) and signed != signatures(now):
            yield NO_SIGNATURE
        if was.content != now.content:
            yield OTHER_CONTENT if now.content else NO_CONTENT
        if not same_calls(was.calls, now.calls):
            yield OTHER_CALLS
        elif was.calls and (was.reasoning, was.content) == (now.reasoning, now.content) and _order(was) != _order(now):
            yield ORDER
    elif isinstance(old, Results) and isinstance(new, Results):
        if len(old.results) != len(new.results) or not all(map(_same_result, old.results, new.results)):
            yield OTHER_RESULTS
        if [one.is_error for one in old.results] != [one.is_error for one in new.results]:
            yield NO_ERRORS
    elif isinstance(old, User) and isinstance(new, User):
        if old.text != new.text or not same_media(old.media, new.media):
            yield "the user turn is written otherwise"
    elif old != new:
        yield f"the {type(old).__name__.lower()} turn is written otherwise"


def _same_result(one: ToolResult, two: ToolResult) -> bool:
    return one.output == two.output and same_media(one.media, two.media)


def signatures(message: Message) -> list[str]:
    """Signatures and opaque data of an answer's parts, which providers want back with them."""
    signed = [one.signature for one in message.segments if isinstance(one, Reasoning) and one.signature]
    return signed + [dumps(one.opaque) for one in message.segments if not isinstance(one, Content) and one.opaque]


def _order(message: Message) -> list[type]:
    """Order of an answer's parts: reasoning, text and calls, without blank texts between them."""
    kinds = (type(one) for one in message.segments if isinstance(one, Call) or one.text.strip())
    return [kind for kind, _ in groupby(kinds)]


def same_calls(some: Sequence[Call], others: Sequence[Call]) -> bool:
    """True for as many calls that are the same, whatever their ids."""
    return len(some) == len(others) and all(map(is_same_call, some, others))


def is_same_call(one: Call, two: Call) -> bool:
    """True for calls that are the same, whatever their ids."""
    if one.name != two.name or one.runnable != two.runnable:
        return False
    return _same(one.arguments, two.arguments) if one.runnable else one.arguments_text == two.arguments_text


def _same(one: Json, two: Json) -> bool:
    """True for values that are the same as of `same_json`: nearly always they are spelled alike, too."""
    try:
        if one == two and _encode(one) == _encode(two):  # 1, 1.0 and true are equal, but spelled otherwise
            return True
    except (TypeError, ValueError, OverflowError, RecursionError):
        pass
    return same_json(one, two)


_encode = msgspec.json.Encoder().encode


def owners(turns: Sequence[Turn]) -> list[tuple[int, ...]]:
    """Of each turn with results, the numbers of the calls that they are of, counted over the whole; -1 for none."""
    waiting = PendingCalls()
    numbers: dict[int, int] = {}
    found = []
    for turn in turns:
        if isinstance(turn, Assistant):
            for call in turn.message.calls:
                numbers[id(call)] = len(numbers)
        calls = waiting.follow(turn)
        if isinstance(turn, Results):
            found.append(tuple(-1 if call is None else numbers[id(call)] for call in calls))
    return found


def _ids(turns: Sequence[Turn]) -> list[str | None]:
    return [call.id for call in calls_of(turns)]


# Text of a transcript that is not read: between its turns, and after the end of an answer


SKIPPED = "a text between the turns is left out"
DROPPED = "what follows the end of an answer is left out"
CALLS_UNREAD = "calls in what is left out of a text"
_SKIPS = (RepairKind.AFTER_END, RepairKind.STRAY_MARKER)


def left_unread(turns: Iterable[Turn], repairs: Iterable[Repair]) -> Iterator[Change]:
    """Changes for the texts left out when these turns of a transcript, read with these repairs, are written anew."""
    for number, turn in enumerate(turns):
        if isinstance(turn, Assistant) and (rest := dropped(turn)):
            yield from unread(DROPPED, rest, number)
    for one in repairs:
        if skips(one):
            yield from unread(SKIPPED, one.detail)


def unread(what: str, text: str, turn: int = -1) -> Iterator[Change]:
    """Changes for a text that is left out, and for the calls in it."""
    yield Change(what, turn, text[:SHOWN])
    if names := [call.name for call in parse(text).runnable]:
        yield Change(CALLS_UNREAD, turn, ", ".join(names))


def skips(repair: Repair) -> bool:
    """True for a repair of a transcript by which a text was left out that is more than control tokens."""
    return repair.kind in _SKIPS and not is_control(repair.detail)


def dropped(turn: Assistant) -> str:
    """The text after the end of an answer; "" for none."""
    repairs = turn.message.repairs
    if not any(repair.kind is RepairKind.AFTER_END for repair in repairs):
        return ""
    detail = next(repair.detail for repair in repairs if repair.kind is RepairKind.AFTER_END)
    return after_end(turn.text, repairs) if turn.text is not None else detail

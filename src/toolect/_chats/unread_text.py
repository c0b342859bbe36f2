"""Text of a transcript that is not read: between its turns, and after the end of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolect._chats.conversation_diff import Change
from toolect._detection.dropped import SHOWN, after_end, is_control
from toolect._detection.guess import parse
from toolect._message import Repair, RepairKind
from toolect._turns import Assistant, Turn

SKIPPED = "a text between the turns is left out"
DROPPED = "what follows the end of an answer is left out"
CALLS_UNREAD = "calls in what is left out of a text"
_SKIPS = (RepairKind.AFTER_END, RepairKind.STRAY_MARKER)


def left_unread(turns: Iterable[Turn], repairs: Iterable[Repair]) -> Iterator[Change]:
    """What is left out where these turns of a transcript are written anew, which was read with these repairs."""
    for number, turn in enumerate(turns):
        if isinstance(turn, Assistant) and (rest := dropped(turn)):
            yield from unread(DROPPED, rest, number)
    for one in repairs:
        if skips(one):
            yield from unread(SKIPPED, one.detail)


def unread(what: str, text: str, turn: int = -1) -> Iterator[Change]:
    """What is said of a text that is left out, and of the calls in it."""
    yield Change(what, turn, text[:SHOWN])
    if names := [call.name for call in parse(text).runnable]:
        yield Change(CALLS_UNREAD, turn, ", ".join(names))


def skips(repair: Repair) -> bool:
    """True for a repair of a transcript by which a text was left out that is more than control tokens."""
    return repair.kind in _SKIPS and not is_control(repair.detail)


def dropped(turn: Assistant) -> str:
    """What follows the end of an answer; "" for none."""
    repairs = turn.message.repairs
    if not any(repair.kind is RepairKind.AFTER_END for repair in repairs):
        return ""
    detail = next(repair.detail for repair in repairs if repair.kind is RepairKind.AFTER_END)
    return after_end(turn.text, repairs) if turn.text is not None else detail

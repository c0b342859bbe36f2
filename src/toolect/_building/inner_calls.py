"""Calls that stand inside a value of another call, which was read as one that broke off where they begin.

When each of them has taken its own closers, those of the outer call are left over: then none of them runs. That is
known when the answer is over.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from msgspec.structs import replace

from toolect._building.open_call import MAX_REPAIRS
from toolect._events import CallEnd, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Message, Repair, Segment, Status, same_json

NEVER = sys.maxsize
"""A character that no text has, and a number that no call has."""
Torn: TypeAlias = tuple[int, int]
"""The character where the first call broke off in the middle, and the number of the first call that waits for that."""
_BRACKETS = re.compile(r"[{}]"), re.compile(r"[()]")
_ENDS_VALUE = re.compile(r"""["'`]\s*(?:[)\]}]|,\s*["']?\w+["']?\s*[:=])|</""").search
_QUOTE = re.compile(r'(?<!\\)"')

_TOO_MANY = "` too many"
"""End of a repair's detail where a sign was left out."""


def without_inner(
    segments: Sequence[Segment], repairs: Sequence[Repair], torn: Torn, closers: Collection[str] | None, final: bool
) -> Sequence[Segment]:
    """The `segments`: where a call ended before it should have, at a character, neither it nor those in it run.

    It ends at the last place where any of the `closers` is left over, or a bracket or a quote. Without them that is not
    known, nor before the answer is over, in its `final` text. Nor does a call run that was mended and is begun anew.
    """
    at, number = torn
    if at == NEVER:
        return segments
    end = NEVER
    if final and closers is not None and len(repairs) < MAX_REPAIRS:
        left = [_end_in_string(segments, repairs, at)]
        left += [one.at for one in repairs if one.detail in closers or one.detail.endswith(_TOO_MANY)]
        left += [s.span[1] for s in segments if s.span and _is_left(_unread(s), closers)]
        end = max(left)
    inner = any(type(s) is Call and s.span and at <= s.span[0] < end for s in segments)
    waiting = [s for s in segments if type(s) is Call][number:]
    again = {id(one) for one, then in pairwise(waiting) if _begins(one, then)} if final else set()
    if final and not inner and not again:
        return segments
    open_ones = {id(one) for one in waiting}

    def found(s: Segment) -> Segment:
        if type(s) is not Call or not s.runnable or s.span is None or id(s) not in open_ones:
            return s
        if (inner or not final) and s.span[0] < end:
            inside = s.span[0] >= at
            why = "it stands inside a value of a call" if inside else "a value of it goes on after a call in it"
        elif id(s) in again:
            why = "it is written again"
        else:
            return s
        status = Status.MALFORMED if final else Status.TRUNCATED
        return replace(s, status=status, error=f"{why} - at {at}", spelling=s.arguments_text)

    return [*map(found, segments)]


def _end_in_string(segments: Sequence[Segment], repairs: Sequence[Repair], at: int) -> int:
    """The end of the calls in the string of the call that broke off at character `at`; -1 where it is in none.

    Text comes after one of them, or it is not as the dialect writes it: the string was to go on. A model that calls
    anew does not write so, unless it calls the same tool.
    """
    outer = next((s for s in segments if type(s) is Call and not s.runnable and s.span and s.span[1] == at), None)
    inner = [(i, s) for i, s in enumerate(segments) if type(s) is Call and s.span and s.span[0] >= at]
    if outer is None or not inner or not len(_QUOTE.findall(outer.raw)) % 2:
        return -1
    (first, one), (_, last) = inner[0], inner[-1]
    if one.name.startswith(outer.name):
        return -1
    end = last.span[1] if last.span else at
    mended = any(call.span and mend.at > call.span[0] for _, call in inner for mend in call.repairs)
    text = any(type(s) is Content and s.text.strip() for s in segments[first:])
    return end if mended or text or any(mend.at >= end for mend in repairs) else -1


def _begins(one: Call, then: Call) -> bool:
    """True when a call that was mended is the beginning of the next one, which was begun anew."""
    if one.status is not Status.REPAIRED or one.name != then.name or not isinstance(then.arguments, dict):
        return False
    if len(one.arguments) >= len(then.arguments):
        return False
    return all(key in then.arguments and same_json(value, then.arguments[key]) for key, value in one.arguments.items())


def _unread(segment: Segment) -> str:
    """The text of a segment that is no call, or none that runs."""
    if isinstance(segment, Call):
        return "" if segment.runnable else segment.raw
    return segment.text


def _is_left(text: str, closers: Collection[str]) -> bool:
    """Does something end in `text` that did not begin there?"""
    if _ENDS_VALUE(text) is not None or any(closer in text for closer in closers):
        return True
    return any(
        depth < 0
        for brackets in _BRACKETS
        for depth in accumulate(1 if sign in "{(" else -1 for sign in brackets.findall(text))
    )


class DelayedEvents:
    """The events of calls that may stand inside a value, which wait until the answer is over."""

    __slots__ = ("_events",)

    def __init__(self) -> None:
        self._events: list[Event] = []

    def released(self, events: list[Event], number: int) -> list[Event]:
        """Those of `events` that do not wait: neither the end of call `number`, nor anything of one after it."""
        if number == NEVER:
            return events
        released: list[Event] = []
        for event in events:
            last = number - isinstance(event, CallEnd)
            now = isinstance(event, ContentDelta | ReasoningDelta) or event.index <= last
            (released if now else self._events).append(event)
        return released

    def over(self, message: Callable[[], Message]) -> list[Event]:
        """Those that have waited, now that it is known what became of the calls of the answer."""
        if not self._events:
            return []
        calls = message().calls
        return [CallEnd(one.index, calls[one.index]) if type(one) is CallEnd else one for one in self._events]

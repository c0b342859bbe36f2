"""Where the next call begins in JSON that is lost: written again, taken in by the last string, or next in the list."""

from __future__ import annotations

import re

from toolect._graph.misspelling import MORE
from toolect._reading.again import MAX_AGAIN, written_again
from toolect._reading.course import Course
from toolect._reading.draft import Draft
from toolect._reading.json_value import JsonValue
from toolect._reading.taken_in import MAX_HEAD, taken_in
from toolect._shapes.loose import MAX_GUESSES, next_item
from toolect._shapes.mend import MAX_REPAIR
from toolect._shapes.shape_events import CallEnds, Filled
from toolect._spec.shape_model import TEXTS

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL).finditer


def call_again(value: JsonValue, course: Course, end: int, closed: bool) -> int:
    """The character where the call in `value`, which breaks off before `end`, begins again with all its markers.

    `closed`: it has all its brackets. -1 for nowhere, MORE where text that has not come would tell.
    """
    draft = course.builder.draft
    told = max(value.kept, _told(value, draft))
    start = told if draft.call is None else min(draft.call.start, value.kept)
    return _again(value, course, start, end, course.graph.openers, closed)


def item_again(value: JsonValue, course: Course, end: int) -> int:
    """The same of an object in `value` that is a call, or may be one."""
    start = value.reader.unit_start
    return -1 if start < value.kept else _again(value, course, start, end)


def _again(
    value: JsonValue, course: Course, start: int, end: int, openers: tuple[str, ...] = (), closed: bool = False
) -> int:
    until = end if value.host is not None else course.base + len(course.buf)
    text = course.raw(start, min(until, start + 2 * MAX_AGAIN))
    found = written_again(text, end - start, course.final or value.host is not None, openers, closed)
    return found if found < 0 else start + found


def call_taken_in(value: JsonValue, course: Course, broken: int) -> int:
    """The character where the lost call ends, if the string that came last before `broken` took the next one in.

    -1 where it did not, MORE where text that has not come would tell.
    """
    graph = course.graph
    if value.plain or value.host is not None:
        return -1
    start, there = _untold(value, course, broken), course.base + len(course.buf)
    said = course.raw(start, max(start, broken))
    if not any(core in said for core in graph.long_openers):
        return -1
    if not course.final and there < broken + MAX_HEAD:
        return MORE
    after = course.raw(broken, min(there, broken + MAX_HEAD))
    found = taken_in(said, after, graph.long_openers, graph.starts, is_key=value.reader.in_key)
    return found if found < 0 else start + found


def item_after(value: JsonValue, course: Course, broken: int, end: int) -> int:
    """The character before `end` where the next call of the list begins; -1 for nowhere.

    It may stand in the string that came last before `broken`, which then lacks its last quote.
    """
    draft, keys = course.builder.draft, value.reader.item_keys
    start = _untold(value, course, broken)
    if value.plain or keys is None or draft.guesses >= MAX_GUESSES or end - start > MAX_REPAIR:
        return -1
    found = next_item(course.raw(start, end), keys, draft.tools)
    return found if found < 0 else start + found


def _told(value: JsonValue, draft: Draft) -> int:
    """The character up to which calls and texts are whole: what comes after it may be written again."""
    if value.host is None:
        return draft.told
    recorded = value.recorded
    ends = [event.at for event in recorded if isinstance(event, CallEnds)]
    ends += [event.end for event in recorded if isinstance(event, Filled) and event.kind in TEXTS and event.value]
    return max(ends, default=0)


def _untold(value: JsonValue, course: Course, broken: int) -> int:
    """The character where the last string begins before the `broken` place, or what is left of it to be told."""
    return max(_last_string(value, course, broken), _told(value, course.builder.draft))


def _last_string(value: JsonValue, course: Course, broken: int) -> int:
    """The character where the last string of the call begins before the `broken` place, or that place."""
    start = max(value.reader.unit_start, value.kept)
    if not start < broken <= start + MAX_REPAIR:
        return broken
    strings = [found.start() for found in _STRINGS(course.raw(start, broken))]
    return start + strings[-1] if strings else broken

"""A stride over a run of markers, and the JSON after it."""

from __future__ import annotations

import re

from msgspec.structs import replace

from toolect._graph.spelling import MAX_LEXEME
from toolect._reading.calls_in_json import JsonCalls
from toolect._reading.route import Route
from toolect._reading.runs import (
    BEGIN_CALL,
    BEGIN_LIST,
    BEGIN_OBJECT,
    END_CALL,
    END_VALUE,
    KEY,
    KEY_AGAIN,
    NAME,
    NAME_AGAIN,
    REF,
    Hub,
    Trace,
)
from toolect._reading.striding import Striding
from toolect._values.ref import split_ref
from toolect.message import Call, Segment


def cross(to: Striding, hub: Hub, at: int) -> Route | None:
    """Go over a run of markers at index `at`, and the JSON after it; None where there is none."""
    match = hub.match(to.buf, at)
    if match is None:
        return None
    end, way = match.end(), match.lastindex
    assert way is not None
    if end - at > MAX_LEXEME or not to.final and end + hub.margin >= to.size:
        return None
    if to.ways is not None:
        to.ways.append((hub, way))
    trace = hub.traces[way]
    if trace.coded and any(lead in match[0] for lead in trace.coded):
        return None
    if not trace.key_group:
        return _act(to, trace, match, end)
    if not to.name or to.key is not None:
        return None
    to.key = match[trace.key_group]
    return _arrive(to, trace, end, match.end(way), to.name)


def _act(to: Striding, trace: Trace, match: re.Match[str], pos: int) -> Route | None:
    """Do what a run of markers does that is more than naming a key; the run ends at index `pos`."""
    json, named, found = trace.json, to.name, None
    if json is not None:
        if json.named and not to.called and not trace.actions:
            return _list(to, trace, json, pos)
        found = json.one(to.buf, pos, to.schemas, trace.bare)
        if found is None:
            return None
    for act, group, offset in trace.actions:
        if act == BEGIN_CALL:
            if to.called:
                return give_up(to)
            to.enter_call((match.end(group) if group else match.start()) + offset)
            named = ""
        elif act == END_CALL:
            if not to.called or not to.leave_call((match.end(group) if group else match.start()) + offset):
                return give_up(to)
        elif act == KEY:
            if to.key is not None:
                return give_up(to)
            to.key = match[group]
        elif act == NAME:
            name = match[group]
            if to.name and to.name != name or to.picky and not to.wants(name):
                return give_up(to)
            to.name = name
        elif act == REF:
            to.name, identity = split_ref(to.spec.ref, match[group])
            to.id = identity if "{index}" in to.spec.ref else None
        elif act == NAME_AGAIN:
            if match[group] != to.name:
                return give_up(to)
        elif act == KEY_AGAIN:
            if match[group] != to.last_key():
                return give_up(to)
        elif act == END_VALUE:
            if not to.close_value():
                return give_up(to)
        elif act in (BEGIN_LIST, BEGIN_OBJECT):
            if not to.open_value([] if act == BEGIN_LIST else {}):
                return give_up(to)
        elif to.id is not None and to.id != match[group]:
            return give_up(to)
        else:
            to.id = match[group]
    if found is None:
        return _arrive(to, trace, pos, match.end(match.lastindex or 0), named)
    _, end, name, to.value, said, to.spelling = found
    to.name, to.id = name or to.name, to.id if said is None else said
    if not to.called or not to.name or to.picky and not to.wants(to.name):
        return give_up(to)
    if not trace.ends:
        to.shaped, to.json_end = bool(name), end
    elif not to.leave_call(end):
        return give_up(to)
    return _arrive(to, trace, end, end, named)


def give_up(to: Striding) -> Route | None:
    """What has been taken in of a run of markers is no canonical call."""
    to.broken = True
    return None


def _list(to: Striding, trace: Trace, value: JsonCalls, pos: int) -> Route | None:
    """Read a JSON value at index `pos` that has calls in it; None where it has none, and nothing changes."""
    found: list[Segment] = []
    end = value.take(to.buf, pos, to.schemas, found, trace.bare)
    if end < 0 or to.picky and not all(to.wants(call.name) for call in found if isinstance(call, Call)):
        return None
    if to.base:
        found = [replace(s, span=(s.span[0] + to.base, s.span[1] + to.base)) for s in found if s.span is not None]
    to.segments += found
    to.after_call = type(found[-1]) is Call
    return _arrive(to, trace, end, end)


def _arrive(to: Striding, trace: Trace, pos: int, before: int, named: str = "") -> Route:
    """Go on after a run of markers at index `pos`; `before` is the same before the last marker's whitespace.

    `named` is the name that the open call had before the run.
    """
    if to.owed:
        to.owed = 0 if trace.node.text else max(0, to.owed - trace.lexemes)
    if trace.nested:
        to.nested = to.called
    to.clean = trace.clean and not to.owed and not to.nested and (trace.proven or named != "")
    to.pos, to.before, to.trails = pos, before, trace.trails
    then = trace.then
    if then is None:
        then = trace.then = to.route(trace.node)
    return then  # type: ignore[no-any-return]  # a Route

"""A stride over a run of markers, and the JSON after it."""

from __future__ import annotations

import re

from msgspec.structs import replace

from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import Terminal
from toolect._reading.acts import (
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
)
from toolect._reading.calls_in_json import JsonCalls
from toolect._reading.learned import One
from toolect._reading.route import Route
from toolect._reading.runs import Hub, Trace
from toolect._reading.striding import Striding
from toolect._values.ref import split_ref
from toolect.message import Call, Segment


def cross(to: Striding, hub: Hub, at: int) -> Route | None:
    """Go over a run of markers at index `at`, and the JSON after it; None where there is none."""
    match = hub.match(to.buf, at)
    return _begin(to, hub, at) if match is None else over(to, hub, match, at)


def over(to: Striding, hub: Hub, match: re.Match[str], at: int) -> Route | None:
    """Go over the run of markers at index `at` that `hub` has matched, and the JSON after it; None where that fails."""
    end = match.end()
    if end - at > MAX_LEXEME or end + hub.margin >= to.edge:
        return None
    trace = hub.traces[match.lastindex]  # type: ignore[index]  # every expression has a group
    if trace.open and not to.final and trace.grows(match, to.buf):
        return None
    if to.ways is not None:
        to.ways.append((hub, trace.number))
    named, before = to.name, end - trace.trail_size
    if trace.does:
        if trace.coded and any(lead in match[0] for lead in trace.coded):
            return None
        if trace.key_group:
            if not named or to.key is not None:
                return None
            to.key = match[trace.key_group]
        elif trace.json is not None:
            found = None
            if trace.opens and not to.called and not to.owed:
                found = trace.json.one(to.buf, end, to.schemas, trace.bare)
                then = None if found is None else _whole_call(to, trace, match, found)
                if found is None or then is not None:
                    return then
            end = before = _json(to, trace, trace.json, match, end, found)
            if end < 0:
                to.reach = max(to.reach, match.end())  # who begins on the way there comes to the same
                return None if to.broken else _begin(to, hub, at)
        elif not _act(to, trace, match):
            return None
    said = named != "" and not (trace.little and type(to.last) is Terminal)
    to.clean = trace.proven or trace.clean and said
    if trace.nested or to.nested or to.owed:
        if trace.nested:
            to.nested = to.called
        to.owed = 0 if trace.node.text else max(0, to.owed - trace.lexemes)
        to.clean = to.clean and not to.owed and not to.nested
    to.pos, to.before, to.trails, to.last = end, before, trace.trails, trace.last
    if trace.then is None:
        trace.leads(Route(trace.node) if trace.cut else to.route(trace.node))
    return trace.then  # type: ignore[no-any-return]  # a Route


def _begin(to: Striding, hub: Hub, at: int) -> Route | None:
    """Where a run of markers is not as it should be: go over its beginning, and no further."""
    shorter = hub.shorter(to.buf, at) if to.final and not (to.nested or to.owed or to.picky) else None
    return None if shorter is None else cross(to, shorter, at)


def _act(to: Striding, trace: Trace, match: re.Match[str]) -> bool:
    """Do what a run of markers does; False when that is no canonical call, and `to` is `broken`."""
    for act, group, offset in trace.actions:
        if act == BEGIN_CALL:
            if to.called:
                break
            to.enter_call((match.end(group) if group else match.start()) + offset)
        elif act == END_CALL:
            at_once = group == trace.start and not offset  # it ends before what is written before the run
            end = to.before if at_once else (match.end(group) if group else match.start()) + offset
            if not to.called or not to.leave_call(end):
                break
        elif act == KEY:
            if to.key is not None:
                break
            to.key = match[group]
        elif act == NAME:
            name = match[group]
            if to.name and to.name != name or to.picky and not to.wants(name):
                break
            to.name = name
        elif act == REF:
            ref = to.graph.network.spec.ref
            to.name, identity = split_ref(ref, match[group])
            to.id = identity if "{index}" in ref else None
        elif act == NAME_AGAIN:
            if match[group] != to.name:
                break
        elif act == KEY_AGAIN:
            if match[group] != to.last_key():
                break
        elif act == END_VALUE:
            if not to.close_value():
                break
        elif act in (BEGIN_LIST, BEGIN_OBJECT):
            if not to.open_value([] if act == BEGIN_LIST else {}):
                break
        elif to.id is not None and to.id != match[group]:
            break
        else:
            to.id = match[group]
    else:
        return True
    to.broken = True
    return False


def _whole_call(to: Striding, trace: Trace, match: re.Match[str], found: One) -> Route | None:
    """Take the call that was `found` after a run of markers with the run that closes it; None when there is more to it.

    Most calls are no more than that, and need not be opened first.
    """
    _, end, name, arguments, identity, spelling = found
    if to.picky and not to.wants(name) or not to.fits(name, arguments):
        return None
    _, group, offset = trace.actions[0]
    start = (match.end(group) if group else match.start()) + offset
    then: Route = trace.then or trace.leads(to.route(trace.node))
    pos, before, trails, clean = end, end, trace.trails, trace.proven
    if not trace.ends:
        hub = then.closers
        close = None if hub is None else hub.match(to.buf, end)
        if hub is None or close is None or close.end() - end > MAX_LEXEME or close.end() + hub.margin >= to.edge:
            return None
        last = hub.traces[close.lastindex]  # type: ignore[index]  # every expression has a group
        if not last.shuts:
            return None
        if to.ways is not None:
            to.ways.append((hub, last.number))
        pos = close.end()
        _, group, offset = last.actions[0]
        end, before = (close.end(group) if group else end) + offset, pos - last.trail_size
        then, trails, clean = last.then or last.leads(to.route(last.node)), last.trails, last.proven or last.clean
        trace = last
    span = (start + to.base, end + to.base)
    to.segments.append(Call(name, arguments, identity, spelling, to.buf[start:end], span))
    to.after_call, to.clean = True, clean
    to.pos, to.before, to.trails, to.last = pos, before, trails, trace.last
    return then


def _json(to: Striding, trace: Trace, json: JsonCalls, match: re.Match[str], pos: int, found: One | None) -> int:
    """Read the JSON at index `pos`, after a run of markers: where it ends, -1 when it has to be read slowly."""
    if json.named and not to.called and not trace.actions:
        return _list(to, trace, json, pos)
    if found is None:
        found = json.one(to.buf, pos, to.schemas, trace.bare)
    if found is None or not _act(to, trace, match):
        return -1
    _, end, name, value, identity, spelling = found
    if name:
        to.name = name
    if identity is not None:
        to.id = identity
    to.value, to.spelling = value, spelling
    if not to.called or not to.name or to.picky and not to.wants(to.name):
        to.broken = True
    elif not trace.ends:
        to.shaped, to.json_end = bool(name), end
    elif not to.leave_call(end):
        to.broken = True
    return -1 if to.broken else end


def _list(to: Striding, trace: Trace, value: JsonCalls, pos: int) -> int:
    """Read a JSON value at index `pos` that has calls in it; -1 where it has none, and nothing changes."""
    found: list[Segment] = []
    end = value.take(to.buf, pos, to.schemas, found, trace.bare)
    if end < 0:
        return -1
    for call in found:
        if type(call) is Call and (to.picky and not to.wants(call.name) or not to.fits(call.name, call.arguments)):
            return -1
    if to.base:
        found = [replace(s, span=(s.span[0] + to.base, s.span[1] + to.base)) for s in found if s.span is not None]
    to.segments += found
    to.after_call = True
    return end


def give_up(to: Striding) -> Route | None:
    """What has been taken in is no canonical call."""
    to.broken = True
    return None

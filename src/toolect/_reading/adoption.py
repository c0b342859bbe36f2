"""What a stride has read becomes a part of the draft."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._graph.symbols import ECHOES
from toolect._reading.draft import Draft
from toolect._reading.open_call import OpenCall
from toolect._reading.striding import Striding
from toolect._spec.model import Role
from toolect.events import ArgumentsDelta, CallEnd, CallStart
from toolect.message import Call, Content, Json, Segment, dumps

_KEY = ECHOES[Role.KEY]


def adopt(draft: Draft, to: Striding, node: Node) -> None:
    """Take over what a stride has read, which stopped at `node`."""
    events, segments = draft.events, to.segments
    if to.closed:
        _rest(draft, segments.pop(0))
    for segment in segments:
        if isinstance(segment, Call):
            draft.attempts += 1
            draft.last_name = segment.name
            draft.last_end = segment.span[1]  # type: ignore[index]  # what was read has a span
            if events is not None:
                events.append(CallStart(draft.count, segment.id, segment.name))
                events.append(ArgumentsDelta(draft.count, segment.arguments_text))
                events.append(CallEnd(draft.count, segment))
            draft.count += 1
        elif events is not None:
            draft.say(Role.CONTENT if type(segment) is Content else Role.REASONING, segment.text)
    draft.segments += segments
    if segments or not (to.closed and to.after_call):  # the rest of a call may have made content of it
        draft.after_call = to.after_call
    if to.called:
        _call(draft, to)
        if draft.call is not None and draft.call.key is None and any(_KEY in core for core in node.echoes):
            draft.call.key = to.last_key()  # its argument goes on up to the marker that repeats it


def _rest(draft: Draft, rest: Segment) -> None:
    """Take over what was to come of the open call."""
    call = draft.call
    assert call is not None and isinstance(rest, Call) and rest.span is not None
    _name(draft, call, rest.name, rest.id)
    if rest.spelling is None:
        _entries(draft, call, [*rest.arguments.items()])
    else:
        _value(draft, call, rest.arguments, rest.spelling)
        draft.after_call = True
    draft.ruled = False
    draft.end_call(rest.span[1])


def _call(draft: Draft, to: Striding) -> None:
    """Take over the call that is open."""
    call = draft.call
    if to.begun is None or call is None:
        call = draft.begin_call(to.start + to.base)
        draft.ruled = True
    _name(draft, call, to.name, to.id)
    if not to.shaped:
        call.header = to.name
    _entries(draft, call, to.entries)
    if to.key is not None and to.key != call.key:
        draft.open_argument(call, to.key, to.before + to.base)
    if to.value is not None:
        _value(draft, call, to.value, to.spelling)
        call.shaped = to.shaped
        call.unit_end = to.json_end + to.base if to.shaped else -1
        draft.after_call = draft.after_call or to.spelling is not None  # JSON that may hold calls was the last thing


def _name(draft: Draft, call: OpenCall, name: str, identity: str | None) -> None:
    """Take over the name and id of the open call."""
    call.id = identity
    if name and not call.name:
        call.name = name
        draft.start_call(call)


def _entries(draft: Draft, call: OpenCall, entries: list[tuple[str, Json]]) -> None:
    """Take over arguments of the open call; the first may be open already."""
    if not entries:
        return
    text = dumps(dict(entries))
    draft.write(f", {text[1:-1]}" if call.entries else text[:-1])
    call.entries += entries
    call.keys.update(key for key, _ in entries)
    call.key, call.nameless = None, False


def _value(draft: Draft, call: OpenCall, value: Json, spelling: str | None) -> None:
    """Take over all arguments of the open call."""
    draft.write(dumps(value) if spelling is None else spelling)
    call.take(value)
    call.verbatim = spelling is not None

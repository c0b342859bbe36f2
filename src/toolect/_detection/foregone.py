"""What a trial would find of a dialect, told by one stride in a text that is there as a whole."""

from __future__ import annotations

from typing import NamedTuple

from toolect._detection.evidence import PATIENCE, Evidence, step_after
from toolect._detection.guest import Claim, Guests
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._reading.stride import stride
from toolect._reading.striding import Striding
from toolect._reading.text_source import Source
from toolect.message import Call, Status

_ENOUGH = 64
"""Characters of arguments that show that they have begun."""


class Foregone(NamedTuple):
    """A dialect that leaves nothing to be desired, what its stride has read, and the node that this led to."""

    name: str
    graph: Graph
    to: Striding
    node: Node


def foregone(name: str, text: Source, at: int, evidence: Evidence, guests: Guests) -> Foregone | None:
    """What the dialect `name` reads from index `at` on; None when only a guest can tell.

    It is the only dialect there, or would leave nothing to be desired as a guest.
    """
    graph = guests.graph(name)
    free = evidence.free(name)
    if not graph.strides or free and not evidence.thinks:
        return None
    strode = stride(graph, graph.start, text.buf, at, text.base, guests.schemas, True, True, bound=at)
    if strode is None:
        return None
    to = strode[0]
    if free and not to.segments:
        return None
    if evidence.sure or evidence.thinks:
        return Foregone(name, graph, *strode)
    calls = [segment for segment in to.segments if type(segment) is Call]
    said = [Claim(call.name, call.status is Status.OK, bool(call.arguments)) for call in calls]
    flat = any(call.spelling is None and call.arguments for call in calls)
    if not evidence.perfect(name, said, flat, ()) or evidence.setting.tools and not evidence.declared(said[0].name):
        return None
    heard = _heard(name, text, at, calls[0], guests)
    if not heard or not (to.left or to.finished) and to.before - at < heard:
        return None
    return Foregone(name, graph, *strode)


def _heard(name: str, text: Source, at: int, call: Call, guests: Guests) -> int:
    """How much a guest reads at most before it knows about the first call; 0 when it runs out of patience."""
    assert call.span is not None
    read = call.span[1] - text.base - at
    if read >= PATIENCE and call.spelling:
        begun = call.raw.rfind(call.spelling)  # no earlier than they begin
        head = read - len(call.raw) + begun
        after = call.raw[begun + len(call.spelling) :]
        if begun >= 0 and call.name in text.buf[at : at + head] and call.name not in after:
            read = head + _ENOUGH  # the name comes before the arguments
    if read < PATIENCE:
        return read + step_after(read)
    guest, read = guests.on_trial(name, text.base + at), 0
    while not guest.decided and read < PATIENCE:
        until = read + step_after(read)
        guest.feed(text.buf[at + read : at + until])
        read = until
    return read if guest.decided else 0

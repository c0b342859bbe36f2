"""What a trial would find of a dialect, told by one stride in a text that is there as a whole."""

from __future__ import annotations

from typing import NamedTuple

from toolect._detection.evidence import PATIENCE, Evidence, step_after
from toolect._detection.guest import Claim
from toolect._detection.guests import Guests
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._reading.stride import stride
from toolect._reading.striding import LAST_SEGMENTS, MAX_SEGMENTS, Striding
from toolect._reading.text_source import Source
from toolect.message import Call, Status

_FEW = 4
"""Segments that tell whether a stride is worth it."""
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

    def strides(most: int = MAX_SEGMENTS) -> tuple[Striding, Node] | None:
        return stride(graph, graph.start, text.buf, at, text.base, guests.schemas, True, True, bound=at, room=most)

    sure = evidence.sure or evidence.thinks
    if not sure and ((first := strides(_FEW + LAST_SEGMENTS)) is None or not _perfect(name, first[0], evidence)):
        return None  # what is far away is not read for each that may begin here
    if (strode := strides()) is None:
        return None
    to = strode[0]
    if free and not to.segments:
        return None
    if sure:
        return Foregone(name, graph, *strode)
    if not _perfect(name, to, evidence):
        return None
    calls = _calls(to)
    heard = _heard(name, text, at, calls[0], guests)
    if not heard or not (to.left or to.finished) and to.before - at < heard:
        return None
    return Foregone(name, graph, *strode)


def _calls(to: Striding) -> list[Call]:
    return [segment for segment in to.segments if type(segment) is Call]


def _perfect(name: str, to: Striding, evidence: Evidence) -> bool:
    """Do the calls that were read leave nothing to be desired?"""
    calls = _calls(to)
    said = [Claim(call.name, call.status is Status.OK, bool(call.arguments)) for call in calls]
    flat = any(call.spelling is None and call.arguments for call in calls)
    if not evidence.perfect(name, said, flat, ()):
        return False
    return not evidence.setting.tools or evidence.declared(said[0].name)


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

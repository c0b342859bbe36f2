"""Large steps: runs of markers as one regular expression each, values by one call of a decoder.

A stride goes on from a place between two lexemes for as long as the text is just what the dialect writes. It stops at
the first character that is not, and says how far it has come; the machine goes on from there, lexeme by lexeme. What
is read is the same either way, whatever follows: a law holds whole texts and chunks of any size to one message.
"""

from __future__ import annotations

from toolect._graph.finder import Finder
from toolect._graph.graph import Graph, TooDeep
from toolect._graph.node import Node
from toolect._reading.answer import Answer
from toolect._reading.route import Route
from toolect._reading.routes import route
from toolect._reading.striding import LAST_SEGMENTS, MAX_SEGMENTS, Striding
from toolect._values.toolset import ToolSchemas


def stride(
    graph: Graph,
    node: Node,
    text: str,
    pos: int,
    base: int,
    schemas: ToolSchemas,
    final: bool,
    blank: bool,
    ways: list[tuple[object, int]] | None = None,
    bound: int = -1,
    finder: Finder | None = None,
    room: int = MAX_SEGMENTS,
) -> tuple[Striding, Node] | None:
    """Read on from `text[pos]`, at `node`, outside of calls: what was read, and the node it led to.

    `text[0]` is character `base` of the wire text. `final`: no more text comes; `blank`: no segment came before. Of a
    part of a text that begins at index `bound`, what is read ends where content does that is not the dialect's own.
    None when not a single step could be taken. `finder` is that of the text, if it has one. There is `room` for so many
    segments, of which the last ones are not filled.
    """
    to = begin(graph, text, pos, base, schemas, final, blank)
    to.finder, to.ways, to.bound, to.room = finder, ways, bound, room
    at = go(to, node)
    return None if at is None else (to, at)


def begin(graph: Graph, text: str, pos: int, base: int, schemas: ToolSchemas, final: bool, blank: bool) -> Striding:
    """A stride that has not gone anywhere; arguments as for `stride`."""
    return Striding(graph, route, text, pos, base, final, schemas, blank)


def go(to: Striding, node: Node) -> Node | None:
    """Read on at `node`: where it led to, from which the machine can go on. None when not a single step was taken."""
    start = to.pos
    try:
        at = _go(to, node.route or route(node))
    except (TooDeep, RecursionError):
        return None
    return at.node if at is not None and (to.finished or to.before > start) else None


def opens(graph: Graph, text: str, pos: int) -> bool:
    """False when no call of the dialect begins at `pos` as it is written."""
    return not graph.strides or route(graph.start).opens(text, pos)


def _go(to: Striding, at: Route) -> Route | None:
    """Take steps for as long as there are: the last place from which the machine can go on."""
    if not at.clean:
        return None
    begin, segments, room = None, to.segments, to.room - LAST_SEGMENTS
    while True:
        if not to.called and to.clean:
            begin = at  # no call is open
            saved = len(to.segments), to.after_call, to.pos, to.before, to.trails, to.last
        then = at.go(to) if len(segments) < room else None
        if then is None:
            break
        at = then
        if to.pos > to.wears and to.worn():  # where there are too many, small steps tell
            to.reach, to.finished = max(to.reach, to.pos), False
            if begin is not None:
                to.restore(saved)
            return begin
    if to.finished or to.whole() or _goes_on(to, at):
        return at
    to.reach = max(to.reach, to.pos)
    if begin is not None:
        to.restore(saved)
    return begin


def _goes_on(to: Striding, at: Route) -> bool:
    """Can the machine go on after a scalar, or where the last quote surely ended its string?"""
    if to.broken or to.nested or not at.clean or not (to.entries if to.called else to.owed):
        return False
    if to.owed:
        from toolect._reading.closing import ends_string  # not part of starting up: few dialects need it

        if to.quote is None or ends_string(to, *to.quote, "") is not Answer.YES:
            return False
    to.clean = True
    return to.whole()

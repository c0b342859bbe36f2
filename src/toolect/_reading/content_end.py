"""How a stride ends in content: with the input or an end token, and closers there, or first, that close nothing."""

from __future__ import annotations

from toolect._graph.misspelling import near_before
from toolect._graph.needle import ending
from toolect._graph.node import Node
from toolect._graph.slot_stops import stops_of
from toolect._graph.stop_plan import StopPlan, plan_of
from toolect._graph.stops import EndToken, Stray
from toolect._graph.symbols import is_echo
from toolect._reading.striding import Striding
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.message import Content, Repair, RepairKind


def end_content(node: Node, to: Striding, pos: int, where: int) -> None:
    """The rest of the text is content, but for an end token at index `where`."""
    text, until = to.buf, to.size
    if where >= 0:
        until = before_end(plan_of(node), text, pos, where)
        if until < 0:
            _stray(node, to, pos, where)
            return
    piece = text[pos:until]
    if piece.isspace() and not to.blank_so_far:
        piece = ""
    elif piece.isspace() and where >= 0:
        return
    if piece:
        to.segments.append(Content(piece, (pos + to.base, until + to.base)))
    to.finished = True


def over_stray(to: Striding, strays: tuple[str, ...]) -> bool:
    """Over the closer that the answer begins with, which closes nothing: that is noted."""
    core = next(core for core in strays if to.buf.startswith(core))
    end = len(core)
    if end == to.size or to.buf[end].isspace():
        return False  # blanks after it may be its own
    to.repairs = (Repair(RepairKind.STRAY_MARKER, to.base, core),)
    to.pos = to.before = end
    return True


def _stray(node: Node, to: Striding, pos: int, where: int) -> None:
    """A closer at index `where` that closes nothing, after the last call: with nothing after it, it is noted."""
    if (
        not to.alone
        or not to.after_call
        or node.choices[SlotKind.TEXT][0].expects
        or node.text_field().role is not Role.CONTENT
    ):
        return
    stop = next((n.stop for n in plan_of(node).needles if to.buf.startswith(n.text, where)), None)
    if not isinstance(stop, Stray) or not stop.direct or stop.core[-1].isalnum() or to.buf[pos:where].strip():
        return
    if to.buf[where:] == stop.core:
        to.repairs += (Repair(RepairKind.STRAY_MARKER, to.base + where, stop.core),)
        to.finished = True


def stray_closers(node: Node) -> tuple[str, ...]:
    """The closers of texts that are not open at `node`, where each is told by its signs alone."""
    stops = stops_of(node).values()
    cores = (stop.core for stop in stops if isinstance(stop, Stray) and not (stop.direct or stop.line or stop.last))
    plain = (core for core in cores if core.split() == [core] and not core[-1].isalnum() and not is_echo(core))
    return tuple(one for one in plain if sum(stop.core.startswith(one) for stop in stops) == 1)


def before_end(plan: StopPlan, text: str, pos: int, where: int) -> int:
    """Where the text from `pos` on ends when the marker at `where` is an end token with nothing after it, else -1."""
    for needle in plan.needles:
        if isinstance(needle.stop, EndToken) and (end := needle.end(text, where)) >= 0:
            if text[end:].strip() or "\n" in needle.lead and where and text[where - 1] != "\n":
                return -1
            if any(near_before(core, text, pos, where) is not None for core in plan.closers):
                return -1  # a misspelled closer stands before it
            return where - ending(text, needle.lead, pos, where)
    return -1

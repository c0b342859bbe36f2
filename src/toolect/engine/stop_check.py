"""Is a marker that was found in free text the end of it? That depends on what is before, and on what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolect.compile.node import STRONG, Node
from toolect.compile.stops import Stop
from toolect.engine.json_lexemes import match_space
from toolect.engine.look_ahead import Ahead, call_follows
from toolect.engine.spelling import MAX_BLANK, MAX_LEXEME, squeeze
from toolect.engine.stop_plan import Needle
from toolect.ir import RepairKind
from toolect.spec.model import SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine
    from toolect.engine.text_slot import TextSlot


def ends_at(slot: TextSlot, machine: Machine, needle: Needle, at: int, final: bool) -> tuple[int, bool]:
    """Where the stop of `needle` at index `at` ends, or -1; True when more text is needed to know."""
    buf, stop = machine.buf, needle.stop
    assert stop is not None
    text_before = (stop.direct or stop.inside) and slot.text_before(machine, at)
    if stop.direct and stop.repair is RepairKind.STRAY_MARKER:
        if text_before or not machine.builder.after_call:
            if needle.regex is not None and needle.regex.match(buf, at) is None:
                return -1, not final and _near(stop, buf, at)
            out_of_place(machine, stop, at)
            return -1, False
    elif text_before and not stop.path and stop.direct:
        return -1, False
    if stop.end and "\n" in stop.lead and machine.base + at > slot.start and buf[at - 1 : at] != "\n":
        return -1, False  # it ends the answer only where a line begins
    if stop.pattern:
        return _name_end(slot, machine, stop, at, final)
    end, wait = _spelled(slot, machine, needle, at, final)
    if end < 0:
        return -1, wait
    if not final and len(buf) - at <= slot.plan.longest and _longer(slot, stop, buf[at:]):
        return -1, True
    answer = Ahead.YES
    if stop.named:
        from toolect.engine.proof import proof  # not part of starting up: few dialects need it

        answer = proof(machine, after(slot, stop), end, final)
        slot.goes_on = answer is Ahead.NO and stop.inside and not text_before
        if slot.goes_on:
            answer = call_follows(machine, stop, slot.node.step(stop.core).node, end, final, strong=False)
    elif stop.calling:
        proper = stop.repair is None or stop.direct and not text_before
        strong = len(stop.core) >= STRONG and proper and not stop.core.isalnum()
        if stop.otherwise is not None:
            rest = match_space(buf, end)
            strong = strong and final and rest is not None and rest.end() < len(buf)
        answer = call_follows(machine, stop, after(slot, stop), end, final, strong)
        if answer is Ahead.NO and strong and stop.otherwise is None:
            out_of_place(machine, stop, at)
    return (end, False) if answer is Ahead.YES else (-1, answer is Ahead.MORE)


def ends_broken(machine: Machine, node: Node, needle: Needle, at: int, final: bool) -> Ahead:
    """Does the marker of `needle`, whose beginning is at index `at`, end the broken JSON which `node` follows?"""
    buf, stop = machine.buf, needle.stop
    assert stop is not None
    core = machine.builder.spelled(stop.core)
    if core != stop.core and not buf.startswith(core, at):
        return Ahead.MORE if not final and core.startswith(buf[at:]) else Ahead.NO
    if not stop.named:
        return Ahead.YES
    for key in (*stop.path, stop.core):
        node = node.step(key).node
    from toolect.engine.proof import proof  # not part of starting up: few dialects need it

    return proof(machine, node, at + len(core), final)


def _spelled(slot: TextSlot, machine: Machine, needle: Needle, at: int, final: bool) -> tuple[int, bool]:
    """Where the marker itself ends when all of it is at index `at`, or -1; True when more text is needed to know."""
    buf, n, stop = machine.buf, len(machine.buf), needle.stop
    assert stop is not None
    if needle.regex is not None:
        match = needle.regex.match(buf, at)
        if match is None:
            return -1, not final and _near(stop, buf, at)
        return match.end(), False
    core = machine.builder.spelled(stop.core)
    if core != stop.core and not buf.startswith(core, at):
        return -1, not final and core.startswith(buf[at:])
    end = at + len(core)
    if core[-1].isalnum() and (space := _space_after(slot, stop)):
        if end == n and not final:
            return -1, True
        if not _is_word(core, buf[end : end + 1], space):
            return -1, False
    return end, False


def _near(stop: Stop, buf: str, at: int) -> bool:
    """True when all of `buf` from `at` on may be the beginning of the marker `stop`."""
    return len(buf) - at < len(stop.core) + MAX_BLANK and squeeze(stop.core).startswith(squeeze(buf[at:]))


def _is_word(core: str, after: str, space: str) -> bool:
    """True when `core`, which ends in a letter, is not the beginning of a longer word; a short one needs its space."""
    if len(core) < STRONG:
        return after == space[0]
    return not (after.isalnum() or after == "_")


def _space_after(slot: TextSlot, stop: Stop) -> str:
    """The whitespace that is written after the marker `stop`."""
    if slot.skip:
        return ""
    node = slot.node
    if stop.direct and not slot.opened and stop.core in node.marks:
        return node.step(stop.core).trail
    for key in stop.path:
        node = node.step(key).node
    return node.step(stop.core).trail if stop.core in node.marks else ""


def _name_end(slot: TextSlot, machine: Machine, stop: Stop, at: int, final: bool) -> tuple[int, bool]:
    """Where the name ends with which a call begins at index `at`."""
    node = slot.node
    if slot.opened or stop.core not in node.choices:
        node = node.step(SlotKind.TEXT).node
    from toolect.engine.proof import proof  # not part of starting up: few dialects need it

    answer = proof(machine, node, at, final)
    if answer is not Ahead.YES:
        return -1, answer is Ahead.MORE
    match = machine.graph.pattern(stop.core).match(machine.buf, at, at + MAX_LEXEME)
    return (match.end() if match is not None else -1), False


def out_of_place(machine: Machine, stop: Stop, at: int) -> None:
    """A marker stays in the text, since nothing that belongs to it is there."""
    repairs, place = machine.builder.repairs, machine.base + at
    if not repairs or repairs[-1].at != place:
        machine.builder.note(RepairKind.STRAY_MARKER, place, stop.core)


def _longer(slot: TextSlot, stop: Stop, rest: str) -> bool:
    """True when `rest` may turn out to begin with a longer marker than `stop`."""
    return any(len(s.core) > len(rest) and s.core.startswith(rest) for s in slot.plan.stops if s is not stop)


def after(slot: TextSlot, stop: Stop) -> Node:
    """The node after the marker `stop`."""
    node = slot.node
    if stop.direct and not slot.opened and stop.core in node.marks:
        return node.step(stop.core).node
    for key in (*stop.path, stop.core):
        node = node.step(key).node
    return node

"""What to make of text that is not what may come next: every way is named, recorded, and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolect.compile.node import STRONG, Node
from toolect.compile.stops import Stop
from toolect.compile.symbols import ECHOES
from toolect.engine.look_ahead import Ahead
from toolect.engine.spelling import MIN_LEXEME, could_grow
from toolect.engine.stop_plan import StopPlan
from toolect.engine.text_slot import TextSlot
from toolect.ir import RepairKind
from toolect.spec.model import Hole, HoleKind, Role, SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine


_JSON = frozenset('{}[]",:')


def recover(machine: Machine, node: Node, pos: int, final: bool) -> bool:
    """Nothing that may come next is at `pos`: find out what to make of it."""
    buf, at, spelled = machine.buf, machine.base + pos, machine.builder.spelled
    for end in machine.graph.ends:
        if buf.startswith(end, pos):
            settle_end(machine, at)
            machine.pos = pos + len(end)
            machine.ended = True
            return True
    if node.json and _lacks_json(machine, node, pos) or _lacks_value(machine, node, pos):
        return True
    for core in sorted(node.implied, key=len, reverse=True):
        if buf.startswith(found := spelled(core), pos):
            for closer in node.implied[core]:
                machine.imply(closer, at, RepairKind.IMPLIED_CLOSER)
            machine.pos = pos + len(found)
            machine.shift(core, at, at + len(found))
            return True
    for core in machine.graph.closers:
        if buf.startswith(core, pos):
            machine.builder.note(RepairKind.STRAY_MARKER, at, core)
            machine.pos = pos + len(core)
            return True
    for look in (_next_call, _other_name):
        if (read_on := look(machine, node, pos, final)) is not None:
            return read_on
    if _lacks_sign(machine, node, at) or _lacks_closer(machine, node, at):
        return True
    if final and _cut_closer(machine, node, buf[pos:]):
        return True
    if final and node.patterns and buf[pos:].isalnum() and len(buf) - pos < MIN_LEXEME:
        machine.pos = len(buf)  # the beginning of a terminal
        return False
    if final and could_grow(node, buf[pos:], spelled):
        machine.pos = len(buf)
        return False
    call = machine.builder.call
    if machine.home is not None:
        from toolect.engine.code_slot import skip_statement  # not part of starting up: few dialects need it

        return skip_statement(machine, node, final)
    if call is not None:
        got = buf[pos]
        call.fail(f"expected {expected(node)}, got {got!r} - at {at}")
    machine.text = TextSlot.skipping(machine, node, skip_plan(node), content=call is None)
    return True


def _lacks_json(machine: Machine, node: Node, pos: int) -> bool:
    """Does the marker that follows the arguments stand where they should? Then they are missing."""
    after = node.step(SlotKind.JSON).node
    field = machine.json_field(node)
    if field.shape not in (None, Hole(HoleKind.ARGUMENTS)) or after.text or machine.builder.call is None:
        return False
    if field.role is Role.JSON:
        return False
    if not any(machine.buf.startswith(machine.builder.spelled(core), pos) for core in after.marks):
        return False
    at = machine.base + pos
    machine.builder.note(RepairKind.MISSING_ARGUMENTS, at, "none")
    machine.enter_slot(SlotKind.JSON, at)
    machine.spacing.loose = True
    machine.leave_slot(SlotKind.JSON, at)
    return True


def _lacks_value(machine: Machine, node: Node, pos: int) -> bool:
    """Does something that comes after the open argument stand where its value should begin? Then it has none."""
    call, opener = machine.builder.call, node.sole
    if call is None or call.key is None or opener is None:
        return False
    value = node.step(opener).node
    if not value.text or value.text_field().role is not Role.VALUE:
        return False
    after = value.step(SlotKind.TEXT).node
    core = max((c for c in after.implied if machine.buf.startswith(c, pos)), key=len, default=None)
    if core is None:
        return False
    at = machine.base + pos
    machine.imply(opener, at, RepairKind.MISSING_ARGUMENTS)
    machine.step_text(value, at)
    for closer in after.implied[core]:
        machine.imply(closer, at, RepairKind.IMPLIED_CLOSER)
    machine.pos = pos + len(core)
    machine.shift(core, at, at + len(core))
    return True


def _next_call(machine: Machine, node: Node, pos: int, final: bool) -> bool | None:
    """Does the next call stand where this one's closer should? None when not; else whether to read on now."""
    for core in node.echoes:
        after = node.step(core).node
        stops = after.stops.values() if after.text else ()
        for stop in (s for s in stops if s.named and not s.pattern):
            if machine.buf.startswith(stop.core, pos):
                opened = after
                for key in (*stop.path, stop.core):
                    opened = opened.step(key).node
                from toolect.engine.proof import proof  # not part of starting up: few dialects need it

                answer = proof(machine, opened, pos + len(stop.core), final)
                if answer is Ahead.MORE:
                    return False
                if answer is Ahead.YES:
                    machine.imply(core, machine.base + pos, RepairKind.IMPLIED_CLOSER)
                    return True
    return None


def _other_name(machine: Machine, node: Node, pos: int, final: bool) -> bool | None:
    """Is this the closer that must come, with another name or key in it? None when not; else whether to read on."""
    for core in node.echoes:
        sign = next(sign for sign in ECHOES.values() if sign in core)
        before, _, after = core.partition(sign)
        match = re.compile(rf"{re.escape(before)}[\w.:/-]{{1,64}}").match(machine.buf, pos)
        if match is None:
            continue
        rest = machine.buf[match.end() : match.end() + len(after)]
        if rest == after:
            end = match.end() + len(after)
            if machine.builder.call is not None:
                wanted, got = machine.builder.spelled(core), machine.buf[pos:end]
                machine.builder.call.fail(f"expected `{wanted}`, got `{got}` - at {machine.base + pos}")
            machine.pos = end
            machine.shift(core, machine.base + pos, machine.base + end)
            return True
        if after.startswith(rest) and not final:
            return False
    return None


def _lacks_sign(machine: Machine, node: Node, at: int) -> bool:
    """Was a short sign left out where a line ended, with free text after it?"""
    sole = node.sole
    if sole is None or "\n" not in machine.spacing.come or machine.builder.call is None:
        return False
    if not node.step(sole).node.text or "\n" not in node.step(sole).trail:
        return False
    machine.imply(sole, at, RepairKind.IMPLIED_CLOSER)
    return True


def _lacks_closer(machine: Machine, node: Node, at: int) -> bool:
    """Was a short closer left out after the last call, with free text after it?"""
    closers = [core for core, wrong in node.marks.items() if not wrong and not node.first(core)]
    if machine.builder.call is not None or len(closers) != 1 or len(closers[0]) >= STRONG:
        return False
    if not node.step(closers[0]).node.text:
        return False
    machine.imply(closers[0], at, RepairKind.IMPLIED_CLOSER)
    return True


def _cut_closer(machine: Machine, node: Node, rest: str) -> bool:
    """At the end of the input: is `rest` the beginning of the one closer that must come?"""
    sole = node.sole
    if sole is None or not machine.builder.spelled(sole).startswith(rest):
        return False
    after = node.step(sole).node
    if machine.builder.call is not None and not after.over and any(map(after.first, after.choices)):
        return False  # more of the call was to come
    machine.pos = len(machine.buf)
    at = machine.base + machine.pos
    machine.imply(sole, at, RepairKind.IMPLIED_CLOSER)
    return True


def skip_to(machine: Machine, node: Node, core: str, at: int, end: int) -> None:
    """Go on at marker `core` after unreadable text; `node` is where reading failed."""
    machine.text = None
    if core in machine.graph.ends:
        settle_end(machine, at)
        machine.pos = end - machine.base
        machine.ended = True
        return
    for closer in node.implied.get(core, ()) if core not in node.marks else ():
        machine.imply(closer, at, RepairKind.IMPLIED_CLOSER)
    machine.pos = end - machine.base
    machine.shift(core, at, end)


def skip_plan(node: Node) -> StopPlan:
    """The markers at which reading can go on after trouble at `node`."""
    if node.skip is None:
        cores = {c for c in node.marks if len(c) >= STRONG} | set(node.implied) | set(node.graph.ends)
        node.skip = _any_of(cores, _short(node))
    plan: StopPlan = node.skip
    return plan


def broken_plan(node: Node) -> StopPlan:
    """The markers that end a broken JSON value which `node` follows."""
    if node.broken is None:
        text = [stop for stop in node.stops.values() if not stop.pattern] if node.text else []
        found = (*node.marks, *(stop.core for stop in text))
        cores = {c for c in found if len(c) >= STRONG or c == node.sole and _JSON.isdisjoint(c)}
        named = [stop for stop in text if stop.named]
        node.broken = _any_of(cores | set(node.implied) | set(node.graph.ends), [*named, *_short(node)])
    plan: StopPlan = node.broken
    return plan


def _short(node: Node) -> list[Stop]:
    """The short signs that may come next at `node` and begin a call with a name."""
    found = () if node.text else (c for c in node.marks if len(c) < STRONG and node.named(c))
    return [Stop(core, "", (), None, calling=True, named=True) for core in found]


def _any_of(cores: set[str], named: Iterable[Stop] = ()) -> StopPlan:
    """A plan of the markers `cores`, and of the stops `named`, which begin calls with a name."""
    return StopPlan([*named, *(Stop(core, "", ("",), None, calling=False) for core in cores)], "", "")


def expectations(node: Node) -> list[str]:
    """What may come next at `node`, for people: markers as they are written, and what the rest is."""
    names = [f"`{core}`" for core in node.marks if not node.marks[core] and core not in node.echoes]
    names += ["the closing marker" for _ in node.echoes[:1]]
    names += ["a name or key" for _ in node.patterns[:1]]
    if node.json:
        names.append("a JSON value")
    return names


def expected(node: Node) -> str:
    """What may come next at `node`, in a sentence: at most four things."""
    names = expectations(node)
    shown = names[:4]
    return " or ".join(shown) + (" …" if len(names) > 4 else "") if shown else "the end"


def give_up(machine: Machine, why: str) -> None:
    """The text is beyond a limit: the rest of it belongs to the open call, or is content."""
    call = machine.builder.call
    if call is not None:
        call.fail(f"{why} - at {machine.base + machine.pos}")
    machine.graph.drop_deep()
    machine.node = machine.graph.start
    machine.json = None
    start = machine.graph.start
    machine.text = TextSlot.skipping(machine, start, skip_plan(start), content=call is None)


def settle_end(machine: Machine, at: int) -> None:
    """The answer ends at character `at`: imply what must follow, and close what is open."""
    if machine.node.done is None and machine.text is None:
        _imply_rest(machine, at)
    if machine.builder.call is not None:
        if machine.node.done is not None:
            machine.finish_tasks(at)
        if machine.builder.call is not None:
            machine.builder.truncate(at)
    elif list(machine.node.choices) == [SlotKind.JSON]:
        machine.builder.draft.begin_call(at)
        machine.builder.truncate(at)
    elif machine.node.done is None and not machine.node.text:
        machine.builder.note(RepairKind.IMPLIED_CLOSER, at, expected(machine.node))


def _imply_rest(machine: Machine, at: int) -> None:
    """Imply the closers that alone can follow, unless a call is open and they do not end it."""
    node, closers, ends = machine.node, [], machine.builder.call is None
    while (sole := node.sole) is not None:
        closers.append(sole)
        node = node.step(sole).node
        ends = ends or node.over
    for closer in closers if ends else ():
        machine.imply(closer, at, RepairKind.IMPLIED_CLOSER)

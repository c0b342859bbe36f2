"""Free text: found up to the first marker that may follow, passed on as soon as no marker can begin in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from toolect.compile.network import Field, Op, OpCode
from toolect.compile.node import STRONG, Node
from toolect.compile.stops import Stop
from toolect.engine.json_lexemes import match_space
from toolect.engine.probe import Probe, probe
from toolect.engine.proof import proof
from toolect.engine.spelling import MAX_BLANK, squeeze
from toolect.engine.stop_plan import StopPlan, ending, plan_of
from toolect.events import ArgumentsDelta, ContentDelta, Event, ReasoningDelta
from toolect.ir import RepairKind, dumps
from toolect.spec.model import Role, SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

CONTENT = Field(Role.CONTENT)
_BLANKS = re.compile(rf"\s{{0,{MAX_BLANK}}}")
_BLANK = re.compile(r"\s*").match
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+\Z').match


def _near(stop: Stop, buf: str, at: int) -> bool:
    """True when all of `buf` from `at` on may be the beginning of the marker `stop`."""
    return len(buf) - at < len(stop.core) + MAX_BLANK and squeeze(stop.core).startswith(squeeze(buf[at:]))


class Opener(NamedTuple):
    """A marker at characters `at:end` that means something only if a call follows it."""

    stop: Stop
    at: int
    end: int


class TextSlot:
    """A stretch of free text being read."""

    __slots__ = (
        "_blank", "_dropped", "_fresh", "_lost", "_node", "_optional", "_plan", "_skip", "field", "opened", "opener",
        "raw_from",        "search", "start",
    )  # fmt: skip

    def __init__(self, machine: Machine, node: Node, field: Field, plan: StopPlan, skip: bool = False) -> None:
        self._node = node
        self._plan = plan
        self._skip = skip  # the grammar knows nothing of this text
        self.field = field
        self.start = machine.base + machine.pos
        self.search = self.start  # markers before this character have been ruled out
        self.opened = False
        self._fresh = plan.head is not None  # a call may still begin where the text would
        self._lost = False  # text was dropped
        self.raw_from: int | None = None  # where the text that may be a call begins
        self.opener: Opener | None = None  # the marker there
        self._blank: list[str] = []  # whitespace that is content only if something follows
        self._optional = field.role is Role.CONTENT or bool(field.role is Role.STRING and node.marks)
        policies = machine.graph.policies
        self._dropped = field.role is Role.CONTENT and policies.after_calls == "drop" and machine.builder.count > 0

    @property
    def node(self) -> Node:
        """The node the text was met at."""
        return self._node

    @property
    def blank(self) -> str:
        """Whitespace that is content only if something follows."""
        return "".join(self._blank)

    @classmethod
    def free(cls, machine: Machine, node: Node) -> TextSlot:
        """A TEXT slot."""
        slot = cls(machine, node, node.text_field(), plan_of(node))
        if slot.field.role not in (Role.CONTENT, None) and not slot._optional:
            slot._open(machine)
        return slot

    @classmethod
    def skipping(cls, machine: Machine, node: Node, plan: StopPlan, content: bool) -> TextSlot:
        """Text that could not be read, up to a marker where reading can go on."""
        return cls(machine, node, CONTENT if content else Field(None), plan, skip=True)

    def quick(self, machine: Machine) -> Callable[[str], list[Event] | None] | None:
        """A function that takes in a chunk without any character that a stop could begin with, or None."""
        role, plan = self.field.role, self._plan
        if not self.opened or self._skip:
            return None
        builder, hint = machine.builder, plan.hint.search
        parts = builder.text_parts
        if role is Role.CONTENT or role is Role.REASONING:
            event = ContentDelta if role is Role.CONTENT else ReasoningDelta

            def take(chunk: str) -> list[Event] | None:
                if hint(chunk) is not None:
                    return None
                machine.base += len(chunk)
                parts.append(chunk)
                return [event(chunk)]

            return take
        call = builder.call
        if call is None or call.index < 0:
            return None
        if role is Role.STRING:
            return self._quick_string(machine)
        if role is not Role.VALUE:
            return None
        written, index, writes, took = call.written, call.index, builder.writes, machine.took

        def take_value(chunk: str) -> list[Event] | None:
            if hint(chunk) is not None:
                return None
            took(chunk)
            parts.append(chunk)
            if not writes:
                return []
            text = chunk if _PLAIN(chunk) is not None else dumps(chunk)[1:-1]
            written.append(text)
            return [ArgumentsDelta(index, text)]

        return take_value

    def _quick_string(self, machine: Machine) -> Callable[[str], list[Event] | None]:
        """As `quick`, inside a string of a value language."""
        hint, field = self._plan.hint.search, self.field

        def take(chunk: str) -> list[Event] | None:
            if hint(chunk) is not None:
                return None
            return machine.take_piece(field, chunk)

        return take

    def restart(self, machine: Machine) -> None:
        """Begin at character 0: what came before was the prompt's."""
        self.start = self.search = 0
        machine.search(self._plan).forget()

    def read(self, machine: Machine, final: bool) -> bool:
        """Read on; False when more text is needed."""
        buf, pos, n = machine.buf, machine.pos, len(machine.buf)
        plan = self._plan
        if self._fresh and (taken := self._at_head(machine, final)) is not None:
            return taken
        if plan.hint.search(buf, pos) is None:
            if n > pos:
                self._add(machine, buf[pos:n])
                machine.pos = n
            return self._at_end(machine, final)
        base, search = machine.base, machine.search(plan)
        while True:
            at, needles = search.next(buf, base, self.search)
            if at < 0:
                break
            for needle in needles:
                if needle.stop is None:
                    if plan.direct and self._text_before(machine, at):
                        continue
                    self._add(machine, buf[pos:at])
                    machine.pos = at
                    self.raw_from = base + at
                    machine.try_json(self._json_node(), base + at)
                    return True
                begin = at + needle.stop.pattern  # where a line begins
                end, wait = self._fits(machine, needle.stop, needle.regex, begin, final)
                if wait:
                    self._hold(machine, at)
                    return False
                bare = bool(plan.braces) and not plan.direct
                if end > begin and needle.stop.probe and bare and self._after(needle.stop).json:
                    self._look_through(machine, needle.stop, needle.lead, begin, end)
                    return True
                if end > begin:
                    return self._stop(machine, needle.stop, needle.lead, begin, end)
                other = needle.stop.otherwise
                if other is not None and not self._goes_on(machine, needle.stop, begin):
                    return self._stop(machine, other, other.lead, begin, begin + len(other.core))
            if not final and n - at <= plan.longest and buf[at:] in plan.holds:
                self._hold(machine, at)
                return False
            self.search = base + at + 1
        if final:
            if n > pos:
                self._add(machine, buf[pos:n])
            machine.pos = n
            return self._at_end(machine, True)
        self._hold(machine, n)
        return False

    def _look_through(self, machine: Machine, stop: Stop, lead: str, at: int, end: int) -> None:
        """Bare JSON is a call here without the marker at `buf[at:end]` too: whether it is one decides about both."""
        buf, base = machine.buf, machine.base
        until = at - ending(buf, lead, machine.pos, at)
        self._add(machine, buf[machine.pos : until])
        self.raw_from, self.opener = base + until, Opener(stop, base + at, base + end)
        machine.pos = match_space(buf, end).end()  # type: ignore[union-attr]  # matches the empty string
        machine.try_json(self._after(stop), base + machine.pos)

    def _at_head(self, machine: Machine, final: bool) -> bool | None:
        """Does a call begin where the text would? None when none does; else whether to read on now."""
        buf, pos = machine.buf, machine.pos
        at = _BLANKS.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if at == len(buf) and not final and at - pos < MAX_BLANK:
            return False
        head = self._plan.head
        assert head is not None and head.stop is not None
        end, wait = self._fits(machine, head.stop, None, at, final)
        if wait:
            return False
        self._fresh = False
        if end > at:
            return self._stop(machine, head.stop, head.lead, at, end)
        return None

    def _hold(self, machine: Machine, until: int) -> None:
        """Pass on what cannot be part of a stop at or after index `until`."""
        buf, pos = machine.buf, machine.pos
        tail = buf if until == len(buf) else buf[:until]
        safe = self._plan.hold_from(tail, pos)
        if safe > pos:
            self._add(machine, buf[pos:safe])
            machine.pos = safe
        self.search = max(self.search, machine.base + machine.pos)

    def _fits(
        self, machine: Machine, stop: Stop, regex: re.Pattern[str] | None, at: int, final: bool
    ) -> tuple[int, bool]:
        """Where the stop at index `at` ends, or -1; True when more text is needed to know."""
        buf, n = machine.buf, len(machine.buf)
        text_before = stop.direct and self._text_before(machine, at)
        if stop.direct and stop.repair is RepairKind.STRAY_MARKER:
            if text_before or not machine.builder.after_call:
                if regex is not None and regex.match(buf, at) is None:
                    return -1, not final and _near(stop, buf, at)
                self._out_of_place(machine, stop, at)
                return -1, False
        elif text_before and not stop.path:
            return -1, False
        if stop.end and "\n" in stop.lead and machine.base + at > self.start and buf[at - 1 : at] != "\n":
            return -1, False  # it ends the answer only where a line begins
        if stop.pattern:
            return self._name_end(machine, stop, at, final)
        if regex is None:
            core = machine.builder.spelled(stop.core)
            if core != stop.core and not buf.startswith(core, at):
                return -1, not final and core.startswith(buf[at:])
            end = at + len(core)
            if core[-1].isalnum() and not self._skip and (space := self._space_after(stop)):
                if end == n and not final:
                    return -1, True
                if not _is_word(core, buf[end : end + 1], space):
                    return -1, False
        else:
            match = regex.match(buf, at)
            if match is None:
                return -1, not final and _near(stop, buf, at)
            end = match.end()
        if not final and n - at <= self._plan.longest and self._longer(stop, buf[at:]):
            return -1, True
        if stop.named:
            answer = proof(machine, self._after(stop), end, final)
            if answer is not Probe.YES:
                return -1, answer is Probe.MORE
        elif stop.probe:
            proper = stop.repair is None or stop.direct and not text_before
            strong = len(stop.core) >= STRONG and proper and not stop.core.isalnum()
            if stop.otherwise is not None:
                strong = strong and final and _BLANK(buf, end).end() < n  # type: ignore[union-attr]  # matches ""
            answer = probe(machine, stop, self._after(stop), end, final, strong)
            if answer is Probe.NO and strong and stop.otherwise is None:
                self._out_of_place(machine, stop, at)
            if answer is not Probe.YES:
                return -1, answer is Probe.MORE
        return end, False

    def _space_after(self, stop: Stop) -> str:
        """The whitespace that is written after the marker `stop`."""
        if self._skip:
            return ""
        node = self._node
        if stop.direct and not self.opened and stop.core in node.marks:
            return node.step(stop.core).trail
        for key in stop.path:
            node = node.step(key).node
        return node.step(stop.core).trail if stop.core in node.marks else ""

    def _name_end(self, machine: Machine, stop: Stop, at: int, final: bool) -> tuple[int, bool]:
        """As `_fits`, for a call that begins with its name."""
        node = self._node
        if self.opened or stop.core not in node.choices:
            node = node.step(SlotKind.TEXT).node
        answer = proof(machine, node, at, final)
        if answer is not Probe.YES:
            return -1, answer is Probe.MORE
        match = machine.graph.pattern(stop.core).match(machine.buf, at)
        return (match.end() if match is not None else -1), False

    def _goes_on(self, machine: Machine, stop: Stop, at: int) -> bool:
        """True when a second marker follows the one at index `at`: together they are more than an end."""
        pos = _BLANK(machine.buf, at + len(stop.core)).end()  # type: ignore[union-attr]  # matches the empty string
        if self._after(stop).struct.match(machine.buf, pos) is None:
            return False
        self._out_of_place(machine, stop, at)
        return True

    def _text_before(self, machine: Machine, at: int) -> bool:
        """True when there is more than whitespace between the slot's beginning and index `at`."""
        return self.opened or self._lost or at > machine.pos and not machine.buf[machine.pos : at].isspace()

    def _out_of_place(self, machine: Machine, stop: Stop, at: int) -> None:
        """A marker stays in the text, since nothing that belongs to it is there."""
        repairs, place = machine.builder.repairs, machine.base + at
        if not repairs or repairs[-1].at != place:
            machine.builder.note(RepairKind.STRAY_MARKER, place, stop.core)

    def _longer(self, stop: Stop, rest: str) -> bool:
        return any(len(s.core) > len(rest) and s.core.startswith(rest) for s in self._plan.stops if s is not stop)

    def _after(self, stop: Stop) -> Node:
        """The node after the marker `stop`."""
        node = self._node
        if stop.direct and not self.opened and stop.core in node.marks:
            return node.step(stop.core).node
        for key in (*stop.path, stop.core):
            node = node.step(key).node
        return node

    def _stop(self, machine: Machine, stop: Stop, lead: str, at: int, end: int) -> bool:
        """The text ends before the marker at `buf[at:end]`."""
        buf, base = machine.buf, machine.base
        have = ending(buf, lead, machine.pos, at)
        until = at - have
        if until > machine.pos:
            self._add(machine, buf[machine.pos : until])
        machine.pos = at
        if have < len(stop.lead) and stop.repair is None and self.field.role is not Role.CONTENT:
            machine.builder.note_space(base + at, stop.lead)
        if self._optional and self.field.role is Role.STRING and not stop.direct and not self.opened:
            self._open(machine)
        opened = self.opened
        self.close(machine, base + until)
        if self._skip:
            machine.skip_to(self._node, stop.core, base + at, base + end)
        else:
            machine.take(stop, self._node, base + at, base + end, opened)
        return True

    def _at_end(self, machine: Machine, final: bool) -> bool:
        if final:
            if self.field.role is Role.STRING and not self.opened:
                self._open(machine)
            if self._blank and not self.opened and not machine.builder.segments and self.field.role is Role.CONTENT:
                self._open(machine)
            self.close(machine, machine.base + machine.pos, final=True)
            machine.end_text()
        return False

    # Passing text on

    def add(self, machine: Machine, text: str, end: int) -> None:
        """Take in `text`, which turned out to be no call; it ends at character `end`."""
        self.raw_from = self.opener = None
        self.search = end
        self._add(machine, text)

    def _add(self, machine: Machine, text: str) -> None:
        if not text:
            return
        if self._dropped:
            self._lost = self._lost or not text.isspace()
            return
        if not self.opened:
            if self._optional and text.isspace():
                self._blank.append(text)
                return
            self._open(machine)
        if self.field.role is not None:
            machine.builder.text_part(self.field, text)

    def _open(self, machine: Machine) -> None:
        self.opened = True
        if not self._skip:
            machine.node = self._node
            machine.enter_slot(SlotKind.TEXT, self.start)
        machine.builder.text_begin(self.field, self.start)
        if self._blank:
            machine.builder.text_part(self.field, "".join(self._blank))
            self._blank = []

    def close(self, machine: Machine, end: int, final: bool = False) -> None:
        """The text ends at character `end`."""
        if not self.opened:
            return
        role = self.field.role
        if final and role not in (Role.CONTENT, Role.REASONING, None) and not self._ends_call():
            machine.builder.cut(self.field)
            return
        if role is not None:
            machine.builder.text_end(self.field, self.start, end)
        if not self._skip:
            machine.leave_slot(SlotKind.TEXT, end)

    def _ends_call(self) -> bool:
        """True when the call is complete with this text, so that the end of the input may end it."""
        after = self._node.step(SlotKind.TEXT).node
        return any(isinstance(t, Op) and t.code is OpCode.END_CALL for t, _ in after.arrival)

    def _json_node(self) -> Node:
        node = self._node
        return node if node.json else node.step(SlotKind.TEXT).node


def _is_word(core: str, after: str, space: str) -> bool:
    """True when `core`, which ends in a letter, is not the beginning of a longer word; a short one needs its space."""
    if len(core) < STRONG:
        return after == space[0]
    return not (after.isalnum() or after == "_")

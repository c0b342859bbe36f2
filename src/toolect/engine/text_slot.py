"""Free text: found up to the first marker that may follow, passed on as soon as no marker can begin in it."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from toolect.compile.node import STRONG, Node
from toolect.compile.stops import Stop
from toolect.compile.symbols import Field
from toolect.engine.json_lexemes import match_space
from toolect.engine.quick_text import quick_text
from toolect.engine.spelling import MAX_BLANK
from toolect.engine.stop_check import after, ends_at, out_of_place
from toolect.engine.stop_plan import StopPlan, ending, plan_of
from toolect.events import Event
from toolect.ir import RepairKind
from toolect.spec.model import Role, SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

CONTENT = Field(Role.CONTENT)
_BLANKS = re.compile(rf"\s{{0,{MAX_BLANK}}}")
_BRACKET = re.compile(rf"[\[{{]\s{{0,{MAX_BLANK}}}")
_AFTER_BRACKET = {"{": frozenset("\"'/#_" + string.ascii_letters), "[": frozenset("{/#")}
"""What a call in JSON, broken perhaps, goes on with."""


class Opener(NamedTuple):
    """A marker at characters `at:end` that means something only if a call follows it."""

    stop: Stop
    at: int
    end: int


class TextSlot:
    """A stretch of free text being read."""

    __slots__ = (
        "_again", "_blank", "_dropped", "_fresh", "_optional", "field", "goes_on", "lost", "node", "opened", "opener",
        "plan", "raw_from", "search", "skip", "start",
    )  # fmt: skip

    def __init__(self, machine: Machine, node: Node, field: Field, plan: StopPlan, skip: bool = False) -> None:
        self.node = node
        self.plan = plan
        self.skip = skip  # the grammar knows nothing of this text
        self.field = field
        self.start = machine.base + machine.pos
        self.search = self.start  # markers before this character have been ruled out
        self.opened = False
        self._again = ""  # the opener that the prompt wrote, which the model may write once more
        self._fresh = plan.head is not None  # a call may still begin where the text would
        self.goes_on = False  # the stop that was found goes on with what is open before the text
        self.lost = False  # text was dropped
        self.raw_from: int | None = None  # where the text that may be a call begins
        self.opener: Opener | None = None  # the marker there
        self._blank: list[str] = []  # whitespace that is content only if something follows
        self._optional = field.role is Role.CONTENT or bool(field.role is Role.STRING and node.marks)
        policies = machine.graph.policies
        self._dropped = field.role is Role.CONTENT and policies.after_calls == "drop" and machine.builder.count > 0

    @property
    def unread(self) -> bool:
        """True for content that the grammar has no place for."""
        return self.skip and self.field.role is Role.CONTENT

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
        if not self.opened or self.skip or self._again:
            return None
        return quick_text(machine, self.field, self.plan.hint.search)

    def restart(self, machine: Machine, opener: str) -> None:
        """Begin at character 0: what came before was the prompt's, and ended with `opener`."""
        self.start = self.search = 0
        self._again = opener if self.field.role is Role.REASONING and len(opener) >= STRONG else ""
        machine.search(self.plan).forget()

    def read(self, machine: Machine, final: bool) -> bool:
        """Read on; False when more text is needed."""
        buf, pos, n = machine.buf, machine.pos, len(machine.buf)
        plan = self.plan
        if self._again:
            if not self._opened_again(machine, final):
                return False
            pos = machine.pos
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
                    taken = self._at_bracket(machine, at, final)
                    if taken is None:
                        continue
                    return taken
                begin = at + needle.stop.pattern  # where a line begins
                end, wait = ends_at(self, machine, needle, begin, final)
                if wait:
                    self._hold(machine, at)
                    return False
                if end > begin and self._decides(needle.stop):
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
            until = self._cut_closer(machine)
            if until > pos:
                self._add(machine, buf[pos:until])
            machine.pos = n
            if until < n and not self.opened:
                machine.builder.note(RepairKind.IMPLIED_CLOSER, machine.base + n, buf[until:])
            return self._at_end(machine, True, n - until)
        self._hold(machine, n)
        return False

    def _at_bracket(self, machine: Machine, at: int, final: bool) -> bool | None:
        """Does bare JSON begin at index `at`? None when it does not; else whether to read on now."""
        buf, n = machine.buf, len(machine.buf)
        if self.plan.direct and self.text_before(machine, at):
            return None
        near = _BRACKET.match(buf, at).end()  # type: ignore[union-attr]  # a bracket is there
        if near == n and not final and n - at <= MAX_BLANK:
            self._hold(machine, at)
            return False
        if buf[near : near + 1] not in _AFTER_BRACKET[buf[at]]:
            return None
        self._add(machine, buf[machine.pos : at])
        machine.pos = at
        self.raw_from = machine.base + at
        machine.try_json(self._json_node(), machine.base + at)
        return True

    def _cut_closer(self, machine: Machine) -> int:
        """Where in `buf` the one marker that can end the text begins, which the end of the input cut off."""
        buf, pos, n = machine.buf, machine.pos, len(machine.buf)
        if self.skip or self.field.role not in (Role.CONTENT, Role.REASONING):
            return n
        node = self.node.step(SlotKind.TEXT).node
        core = node.sole
        if core is None:
            return n
        for at in range(max(pos, n - len(core) + 1), n - STRONG + 1):
            if core.startswith(buf[at:]):
                return at - ending(buf, node.lead(core), pos, at)
        return n

    def _opened_again(self, machine: Machine, final: bool) -> bool:
        """Skip the prompt's opener where the model has written it once more; False when more text is needed to know."""
        buf, pos, opener = machine.buf, machine.pos, self._again
        at = _BLANKS.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if not final and at - pos < MAX_BLANK and opener.startswith(buf[at:]) and opener != buf[at:]:
            return False
        core = opener.rstrip()
        if buf.startswith(core, at):
            machine.builder.note(RepairKind.STRAY_MARKER, machine.base + at, core)
            machine.pos = at + len(opener if buf.startswith(opener, at) else core)
            self.start = self.search = machine.base + machine.pos
        self._again = ""
        return True

    def _look_through(self, machine: Machine, stop: Stop, lead: str, at: int, end: int) -> None:
        """Bare JSON is a call here without the marker at `buf[at:end]` too: whether it is one decides about both."""
        buf, base = machine.buf, machine.base
        until = at - ending(buf, lead, machine.pos, at)
        self._add(machine, buf[machine.pos : until])
        self.raw_from, self.opener = base + until, Opener(stop, base + at, base + end)
        machine.pos = match_space(buf, end).end()  # type: ignore[union-attr]  # matches the empty string
        machine.try_json(after(self, stop), base + machine.pos)

    def _goes_on(self, machine: Machine, stop: Stop, at: int) -> bool:
        """True when a second marker follows the one at index `at`: together they are more than an end."""
        pos = match_space(machine.buf, at + len(stop.core)).end()  # type: ignore[union-attr]  # matches the empty string
        if after(self, stop).struct.match(machine.buf, pos) is None:
            return False
        out_of_place(machine, stop, at)
        return True

    def _decides(self, stop: Stop) -> bool:
        """True when JSON must follow the marker `stop` which is a call, or not, with and without the marker."""
        bare = self.plan.braces != "" and not self.plan.direct
        return bare and stop.calling and not stop.pattern and after(self, stop).json

    def text_before(self, machine: Machine, at: int) -> bool:
        """True when there is more than whitespace between the slot's beginning and index `at`."""
        return self.opened or self.lost or at > machine.pos and not machine.buf[machine.pos : at].isspace()

    def _at_head(self, machine: Machine, final: bool) -> bool | None:
        """Does a call begin where the text would? None when none does; else whether to read on now."""
        buf, pos = machine.buf, machine.pos
        at = _BLANKS.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if at == len(buf) and not final and at - pos < MAX_BLANK:
            return False
        head = self.plan.head
        assert head is not None and head.stop is not None
        end, wait = ends_at(self, machine, head, at, final)
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
        safe = self.plan.hold_from(tail, pos)
        if safe > pos:
            self._add(machine, buf[pos:safe])
            machine.pos = safe
        self.search = max(self.search, machine.base + machine.pos)

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
        if self.skip:
            machine.skip_to(self.node, stop.core, base + at, base + end)
        else:
            if stop.inside and not opened and not self.goes_on:
                machine.step_text(self.node, base + at)
                opened = True
            machine.take(stop, self.node, base + at, base + end, opened)
        return True

    def _at_end(self, machine: Machine, final: bool, cut: int = 0) -> bool:
        """All of `buf` has been looked at; its last `cut` characters are no text."""
        if final:
            if self.field.role is Role.STRING and not self.opened:
                self._open(machine)
            if self._blank and not self.opened and not machine.builder.segments and self.field.role is Role.CONTENT:
                self._open(machine)
            self.close(machine, machine.base + machine.pos - cut, final=True)
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
            self.lost = self.lost or not text.isspace()
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
        if not self.skip:
            machine.node = self.node
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
        if final and role not in (Role.CONTENT, Role.REASONING, None) and not self.node.step(SlotKind.TEXT).node.over:
            machine.builder.cut(self.field)
            return
        if role is not None:
            machine.builder.text_end(self.field, self.start, end)
        if not self.skip:
            machine.leave_slot(SlotKind.TEXT, end)

    def _json_node(self) -> Node:
        node = self.node
        return node if node.json else node.step(SlotKind.TEXT).node

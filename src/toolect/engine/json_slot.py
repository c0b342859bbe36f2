"""A JSON value in a JSON slot: read strictly, repaired when broken, given back when it is no call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect.compile.symbols import Field
from toolect.engine.fit import Found, Said, Unit, fit
from toolect.engine.json_lexemes import Broken
from toolect.engine.json_reader import JsonReader
from toolect.engine.json_sink import ArgumentSink, CallSink, Recorder
from toolect.engine.look_ahead import Ahead
from toolect.engine.loose_json import MAX_GUESS, MAX_GUESSES, Guess, LooseEnd, guess, keys_of
from toolect.engine.recovery import broken_plan
from toolect.engine.repaired import repair, repair_units
from toolect.engine.stop_check import ends_broken
from toolect.engine.stop_plan import plan_of
from toolect.events import Event
from toolect.ir import RepairKind
from toolect.spec.model import Hole, HoleKind, Role, Shape, SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_NEXT = re.compile(r"\}\s{0,64}(?=\{)")
"""The end of an object that another one follows."""
_TAIL = re.compile(r"\}\s{0,64}\Z")


class JsonSlot:
    """One JSON value being read, from character `start` on."""

    __slots__ = (
        "_attempts", "_broken", "_field", "_likely", "_loose", "_plain", "_recorder", "_seen", "_sink", "needed",
        "reader", "shape", "start",
    )  # fmt: skip

    def __init__(self, machine: Machine, field: Field, start: int, tentative: bool = False) -> None:
        self._field = field
        self.start = self.needed = start
        self._recorder = Recorder() if tentative else None
        self._broken: Broken | None = None
        self._loose: LooseEnd | None = None  # looks for the end of what is broken
        self._seen = start  # how far it has looked while that may be just text
        self._likely = False  # what is broken begins as a call does
        self._attempts = machine.builder.draft.attempts
        self.shape: Shape = field.shape or Hole(HoleKind.ARGUMENTS)
        draft = machine.builder.draft
        self._plain = field.role in (Role.VALUE, Role.JSON)
        if self._plain:
            sink = ArgumentSink(draft, machine.builder.leaf if field.role is Role.JSON else None)
            self.reader = JsonReader(Hole(HoleKind.ARGUMENTS), sink, plain=True)
            return
        self._sink = CallSink(draft)
        self.reader = JsonReader(self.shape, self._recorder or self._sink, tools=draft.tools)

    def read(self, machine: Machine, final: bool) -> bool:
        """Read on; False when more text is needed."""
        if self._broken is not None:
            return self._read_broken(machine, final)
        reader, base = self.reader, machine.base
        try:
            machine.pos = reader.feed(machine.buf, machine.pos, base, final)
        except Broken as broken:
            return self._trip(machine, broken)
        self._maybe_commit(machine)
        self.needed = max(self.needed, machine.builder.draft.last_end)
        if reader.done:
            end = machine.base + machine.pos
            if self._recorder is not None:
                return self._reject(machine, end)
            self._close(machine, end)
            return True
        if final:
            machine.pos = len(machine.buf)
            if self._recorder is not None:
                return self._reject(machine, machine.base + machine.pos)
            self._cut(machine)
        return False

    def _trip(self, machine: Machine, broken: Broken) -> bool:
        """The text is not JSON from here on."""
        machine.pos = broken.resume - machine.base
        self._maybe_commit(machine)
        draft = machine.builder.draft
        if self._recorder is not None and (broken.limit or draft.guesses >= MAX_GUESSES):
            return self._reject(machine, max(broken.resume, self.start + 1))
        self._broken = broken
        if self._recorder is not None or machine.graph.start.json:
            self._loose, self._seen = self.reader.loose(), broken.resume
        self.needed = max(self.needed, draft.last_end)
        return True

    def quick(self, machine: Machine) -> Callable[[str], list[Event] | None] | None:
        """A function that takes in a chunk which cannot end the arguments; None outside of them."""
        reader, draft, took = self.reader, machine.builder.draft, machine.took
        inside = reader.quick(took) if self._recorder is None and self._broken is None else None
        if inside is None:
            return None

        def take(chunk: str) -> list[Event] | None:
            events = inside(chunk)
            if events is not None:
                return events
            if "}" in chunk or "]" in chunk:
                return None
            events = draft.events = []
            try:
                pos = reader.feed(chunk, 0, machine.base, False)
            except Broken as broken:
                machine.buf = chunk
                self._trip(machine, broken)
                machine.go_on()
                return events
            if pos == len(chunk):
                took(chunk)
            else:
                machine.buf, machine.pos = chunk, pos
                machine.go_on()
            return events

        return take

    def _maybe_commit(self, machine: Machine) -> None:
        """Once a name and arguments are there, what looked like a call is one."""
        recorder = self._recorder
        if recorder is not None and self.reader.called:
            self._recorder = None
            machine.commit_json()
            recorder.replay(self._sink)
            self.reader.listen(self._sink)

    def _reject(self, machine: Machine, end: int) -> bool:
        """It was no call: give the text back."""
        machine.pos = end - machine.base
        machine.end_json()
        machine.text_back(end)
        return True

    def _close(self, machine: Machine, end: int) -> None:
        draft = machine.builder.draft
        if not self._plain and draft.attempts == self._attempts and draft.call is None:
            raw = machine.raw(self.needed, end).strip()
            if raw != "[]":
                draft.attempt(self.start, end, "expected a call in the shape of the dialect")
        machine.end_json()
        machine.leave_slot(SlotKind.JSON, end)

    def _cut(self, machine: Machine) -> None:
        """The input ended inside the value."""
        draft, end = machine.builder.draft, machine.base + machine.pos
        machine.end_json()
        if draft.call is None and not self._plain:
            if draft.attempts == self._attempts:
                draft.begin_call(self.start)
                draft.truncate(end)
            else:
                draft.note(RepairKind.IMPLIED_CLOSER, end, "the end of the JSON value")
            machine.leave_slot(SlotKind.JSON, end)

    # Broken JSON

    def _read_broken(self, machine: Machine, final: bool) -> bool:
        """Find where the broken value ends: with its last bracket, at the next marker or value, or with the input."""
        if self._recorder is not None:
            return self._guess(machine, final)
        node = machine.node.step(SlotKind.JSON).node
        buf, n, start = machine.buf, len(machine.buf), machine.pos
        plan = broken_plan(node)
        search, at = machine.search(plan), start
        while True:
            found, needles = search.next(buf, machine.base, machine.base + at)
            answers = [ends_broken(machine, node, needle, found, final) for needle in needles]
            if found < 0 or Ahead.YES in answers or Ahead.MORE in answers:
                break
            at = found + 1
        undecided = found >= 0 and Ahead.YES not in answers
        rows = node.json and (not node.text or plan_of(node).direct)
        if rows and (match := _NEXT.search(buf, start, n if found < 0 else found)) is not None:
            found, undecided = match.start() + 1, False
        safe = found if found >= 0 else n if final else plan.hold_from(buf, start)
        if rows and found < 0 and not final and (tail := _TAIL.search(buf, start)) is not None:
            safe = min(safe, tail.start())
        end = -1 if self._loose is None else self._loose.find(buf[:safe] if safe < n else buf, start)
        if end < 0 and (undecided or found < 0 and not final):
            machine.pos = safe
            return False
        closed = found >= 0 or end >= 0
        end = end if end >= 0 else safe
        machine.pos = end
        self._repair(machine, machine.base + end, closed)
        return True

    def _guess(self, machine: Machine, final: bool) -> bool:
        """Is what is broken a call? It must begin with a key of one, and be one when it is repaired."""
        broken, loose = self._broken, self._loose
        assert broken is not None and loose is not None
        buf, base = machine.buf, machine.base
        if not self._likely:
            answer = guess(machine.raw(self.start, min(base + len(buf), self.start + 600)), keys_of(self.shape))
            if answer is Guess.MORE and not final:
                return False
            self._likely = answer is Guess.YES
            if not self._likely:
                return self._reject(machine, max(broken.resume, self.start + 1))
        limit = self.start + MAX_GUESS - base
        end = loose.find(buf[:limit] if limit < len(buf) else buf, self._seen - base)
        if end < 0 and not final and len(buf) < limit:
            self._seen = base + len(buf)
            return False
        value = repair(machine.raw(self.start, base + end), closed=True) if end >= 0 else None
        found = [] if value is None else fit(self.shape, value)
        if not any(isinstance(unit, Unit) and unit.is_call for unit in found):
            machine.builder.draft.guesses += 1
            return self._reject(machine, max(broken.resume, self.start + 1))
        self._recorder = None
        machine.commit_json()
        machine.pos = end
        self._take_units(machine, found, base + end)
        return True

    def _repair(self, machine: Machine, end: int, closed: bool) -> None:
        draft, broken = machine.builder.draft, self._broken
        assert broken is not None
        at, why = broken.at, str(broken)
        raw = machine.raw(max(self.needed, self.start), end)
        if self.needed > self.start:
            raw = "[" + raw.lstrip(", \t\r\n")
        value = None if broken.limit else repair(raw, closed)
        if self._plain:
            draft.note(RepairKind.JSON, at, why)
            if self._field.role is Role.JSON:
                machine.builder.leaf(raw.strip() if value is None else value)
            elif draft.call is not None:
                draft.argument(draft.call, raw.strip() if value is None else value)
        elif not isinstance(self.shape, Hole):
            found = [] if value is None else fit(self.shape, value)
            self._take_units(machine, found, end)
            return
        elif draft.call is not None:
            if value is None:
                draft.call.fail(f"{why} - at {at}")
            else:
                draft.repair(draft.call, value, at, why)
        self._leave(machine, end)

    def _take_units(self, machine: Machine, found: list[Found], end: int) -> None:
        """The calls and texts of the repaired value that have not been reported."""
        broken = self._broken
        assert broken is not None
        said = self._sink.said
        texts = [i for i, unit in enumerate(found) if isinstance(unit, Said)][:said]
        new = [unit for i, unit in enumerate(found) if i not in texts]
        repair_units(machine.builder.draft, new, self.needed, end, broken.at, str(broken))
        self._leave(machine, end)

    def _leave(self, machine: Machine, end: int) -> None:
        machine.end_json()
        machine.spacing.loose = True
        machine.leave_slot(SlotKind.JSON, end)

"""A JSON value where the grammar has a JSON slot: read strictly, repaired when broken, given back when it is no call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolect.compile.network import Field
from toolect.engine.builder import MAX_REPAIR
from toolect.engine.fit import fit
from toolect.engine.json_reader import MAX_DEPTH, Broken, Expect, JsonReader, holes
from toolect.events import Event
from toolect.ir import Json, RepairKind
from toolect.spec.model import Hole, HoleKind, Role, Shape, SlotKind

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_NOTHING = object()


class Recorder:
    """A sink that remembers, for a value that may turn out to be just text."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.heard.append((name, args))

    def inside(self) -> None:
        """Nothing is passed on while it may be just text."""
        return None

    def replay(self, sink: Any) -> None:
        """Tell `sink` everything."""
        for name, args in self.heard:
            getattr(sink, name)(*args)


class ValueSink:
    """The sink of a JSON value that is one argument."""

    def __init__(self, machine: Machine, field: Field) -> None:
        self._machine, self._field = machine, field

    def arguments_end(self, text: str, start: int, end: int, encoded: bool) -> None:
        """The value is complete."""
        self._machine.builder.json_value(text, start)

    def _nothing(self, *_: Any) -> None:
        pass

    unit = unit_end = hole = arguments_begin = arguments_part = note = inside = _nothing


class JsonSlot:
    """One JSON value being read, from character `start` on."""

    __slots__ = ("_broken", "_field", "_recorder", "_units", "needed", "reader", "shape", "start")

    def __init__(self, machine: Machine, field: Field, start: int, tentative: bool = False) -> None:
        self._field = field
        self.start = self.needed = start
        self._recorder = Recorder() if tentative else None
        self._broken: Broken | None = None
        self._units = machine.builder.count
        shape: Shape = field.shape or Hole(HoleKind.ARGUMENTS)
        self.shape = shape
        builder = machine.builder
        if field.role is Role.VALUE:
            self.reader = JsonReader(Hole(HoleKind.ARGUMENTS), ValueSink(machine, field), plain=True)
            return
        builder.encoded = HoleKind.ARGUMENTS_TEXT in every_hole(shape)
        self.reader = JsonReader(shape, self._recorder or builder)

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
        self.needed = max(self.needed, machine.builder.last_end)
        if reader.expect is Expect.DONE:
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
        if self._recorder is not None:
            return self._reject(machine, max(broken.resume, self.start + 1))
        self._broken = broken
        self.needed = max(self.needed, machine.builder.last_end)
        return True

    def quick(self, machine: Machine) -> Callable[[str], list[Event] | None] | None:
        """A function that takes in a chunk which cannot end the arguments; None outside of them."""
        reader, builder, took = self.reader, machine.builder, machine.took
        inside = reader.quick(took) if self._recorder is None and self._broken is None else None
        if inside is None:
            return None

        def take(chunk: str) -> list[Event] | None:
            events = inside(chunk)
            if events is not None:
                return events
            if "}" in chunk or "]" in chunk:
                return None
            events = builder.events = []
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
        if recorder is not None and self.reader.named and self.reader.argued:
            self._recorder = None
            machine.commit_json()
            recorder.replay(machine.builder)
            self.reader.listen(machine.builder)

    def _reject(self, machine: Machine, end: int) -> bool:
        """It was no call: give the text back."""
        text = machine.raw(self.start, end)
        machine.pos = end - machine.base
        machine.end_json()
        machine.text_back(text, end)
        return True

    def _close(self, machine: Machine, end: int) -> None:
        builder = machine.builder
        call = builder.call
        if self._field.role is not Role.VALUE and builder.count == self._units and call is None:
            raw = machine.raw(self.needed, end).strip()
            if raw != "[]":
                builder.attempt(self.start, end, "expected a call in the shape of the dialect")
        machine.end_json()
        machine.leave_slot(SlotKind.JSON, end)

    def _cut(self, machine: Machine) -> None:
        """The input ended inside the value."""
        builder, end = machine.builder, machine.base + machine.pos
        machine.end_json()
        if builder.call is None and self._field.role is not Role.VALUE:
            if builder.count == self._units:
                builder.attempt(self.start, end, "", truncated=True)
            else:
                builder.note(RepairKind.IMPLIED_CLOSER, end, "the end of the JSON value")
            machine.leave_slot(SlotKind.JSON, end)

    # Broken JSON

    def _read_broken(self, machine: Machine, final: bool) -> bool:
        """Find where the broken value ends: at the next marker, or at the end of the input."""
        node = machine.node.step(SlotKind.JSON).node
        buf, n, start = machine.buf, len(machine.buf), machine.pos
        stops = machine.skip_stops_after(node)
        found = min((p for p in (buf.find(core, start) for core in stops) if p >= 0), default=-1)
        if found < 0 and not final:
            keep = max(map(len, stops), default=1) - 1
            machine.pos = max(start, n - keep)
            return False
        end = found if found >= 0 else n
        machine.pos = end
        self._repair(machine, machine.base + end, closed=found >= 0)
        return True

    def _repair(self, machine: Machine, end: int, closed: bool) -> None:
        builder, broken = machine.builder, self._broken
        assert broken is not None
        at, why = broken.at, str(broken)
        raw = machine.raw(max(self.needed, self.start), end)
        if self.needed > self.start:
            raw = "[" + raw.lstrip(", \t\r\n")
        value = repair(raw, closed)
        if self._field.role is Role.VALUE:
            if value is _NOTHING or raw.strip()[:1] not in '{["':
                value = raw.strip()
            builder.note(RepairKind.JSON, at, why)
            builder.argument_value(value)
        elif isinstance(self.shape, Hole):
            call = builder.call
            if call is not None:
                if value is _NOTHING:
                    builder.fail(call, f"{why} - at {at}")
                else:
                    builder.repaired(call, value, at, why)
        else:
            builder.repair_units([] if value is _NOTHING else fit(self.shape, value), self.needed, end, at, why)
        machine.end_json()
        machine.loosen()
        machine.leave_slot(SlotKind.JSON, end)


def repair(raw: str, closed: bool) -> Json:
    """Broken JSON made whole by json-repair. Unless a marker closed it, it must at least end in its own bracket."""
    text = raw.strip()
    pair = {"{": "}", "[": "]"}.get(text[:1])
    if len(text) > MAX_REPAIR or pair is None or text.count("[") + text.count("{") > MAX_DEPTH:
        return _NOTHING
    if not closed and not text.endswith(pair):
        return _NOTHING
    import json_repair

    try:
        value: Json = json_repair.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    return value if isinstance(value, dict | list) and value and finite(value) else _NOTHING


def finite(value: Json) -> bool:
    """True when no number in `value` is infinite or not a number."""
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return not isinstance(value, list) or all(map(finite, value))


def every_hole(shape: Shape) -> frozenset[HoleKind]:
    """All holes of a shape, those of the calls in its lists too."""
    from toolect.spec.model import Many, Obj

    match shape:
        case Many(item):
            return every_hole(item)
        case Obj(fields):
            return frozenset().union(*(every_hole(f.shape) for f in fields))
        case _:
            return holes(shape)

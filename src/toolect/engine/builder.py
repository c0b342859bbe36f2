"""Turns what the machine reads into segments, and into events while it arrives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from toolect.compile.network import Field, Op, OpCode
from toolect.engine.codec import Schema, decode, is_text, number, property_schema, respelled
from toolect.engine.fit import Unit
from toolect.engine.json_reader import scan_once
from toolect.events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect.ir import Call, Content, Json, Reasoning, Repair, RepairKind, Segment, Status, dumps
from toolect.spec.model import HoleKind, Policies, Role, Spec

MAX_REPAIR = 1 << 17
"""Characters of broken JSON that a repair is tried on."""
LAYOUT = frozenset((RepairKind.WHITESPACE, RepairKind.COERCION))
"""Repairs that are recorded and leave a call `ok`: another spelling of the same thing."""


class OpenCall:
    """A call being read."""

    __slots__ = (
        "args", "entries", "error", "hidden", "id", "index", "key", "name", "over", "partial", "repairs", "shaped", "start", "truncated",
        "unit_end", "value", "verbatim", "written",
    )  # fmt: skip

    def __init__(self, start: int) -> None:
        self.start = start
        self.name = ""
        self.id: str | None = None
        self.index = -1  # -1 until the name is known
        self.entries: list[tuple[str, Json]] = []
        self.key: str | None = None
        self.value: Json = None
        self.args = False  # `value` holds the arguments
        self.shaped = False  # it is the unit of a JSON shape
        self.verbatim = False  # the written text is the model's own
        self.repairs: list[Repair] = []
        self.error: str | None = None
        self.truncated = False
        self.hidden = False  # no events: it may yet turn out to be content
        self.over = False
        self.unit_end = -1  # where its JSON object ended
        self.partial: str | None = None  # the text of an argument that has not ended
        self.written: list[str] = []  # the arguments' JSON text


class Frame:
    """A value of a value language being read."""

    __slots__ = ("alone", "entries", "items", "key", "member", "parts", "role")

    def __init__(self, role: Role) -> None:
        self.role = role
        self.entries: list[tuple[str, Json]] = []
        self.items: list[Json] = []
        self.key = ""
        self.parts: list[str] = []
        self.alone: Json = None  # what the key is as a member of a set
        self.member = False  # `key` waits for its value, or is itself a member of a set


class Builder:
    """The message so far. `events` is None where nobody listens."""

    def __init__(
        self, schemas: Mapping[str, Schema], spec: Spec, policies: Policies, streaming: bool, strict: bool
    ) -> None:
        self.schemas = schemas
        self.strict = strict
        self._known_only = policies.unknown_tool == "content" and bool(schemas)
        self._good_only = policies.malformed == "content"
        self.raw: Callable[[int, int], str]
        self.ruled = False  # a call rule is open: it, not the JSON value, ends the call
        self.last_end = 0  # where the last call ended
        self.after_call = False  # a call was the last thing read
        self.encoded = False  # the dialect writes arguments as a JSON string
        self.events: list[Event] | None = [] if streaming else None
        self.segments: list[Segment] = []
        self.repairs: list[Repair] = []
        self.call: OpenCall | None = None
        self.count = 0
        self._ref = spec.ref
        self._coerce = policies.coercion == "spec"
        self._frames: list[Frame] = []
        self.text_parts: list[str] = []
        self.writes = False  # the open text is passed on as it arrives

    # What the machine reports

    def run(self, task: Op | Field, start: int, end: int, text: str) -> None:
        """Run one task for the lexeme `text` at `start:end`."""
        if type(task) is Field:
            self.fill(task.role, text)
            return
        assert isinstance(task, Op)
        match task.code:
            case OpCode.BEGIN_CALL:
                self.call = OpenCall(start)
                self.ruled = True
            case OpCode.END_CALL:
                self.ruled = False
                self.end_call(end)
            case OpCode.BEGIN_VALUE:
                assert task.role is not None
                self._begin_value(task.role)
            case OpCode.END_VALUE:
                self._end_value()
            case OpCode.END_ARGUMENT:
                if self.call is not None:
                    self.call.key = None
            case _:
                pass

    def fill(self, role: Role | None, text: str) -> None:
        """A terminal's text fills the field `role`."""
        call = self.call
        match role:
            case Role.NAME if call is not None:
                call.name = text
                self.start_call(call)
            case Role.REF if call is not None:
                call.name, identity = split_ref(self._ref, text)
                call.id = identity if "{index}" in self._ref else None
                self.start_call(call)
            case Role.ID if call is not None:
                call.id = text
            case Role.KEY if call is not None:
                call.key = text
            case Role.NUMBER:
                self._number(text)
            case Role.PAIR_KEY if self._frames:
                self._frames[-1].parts.append(text)
            case _:
                pass

    def note(self, kind: RepairKind, at: int, detail: str) -> None:
        """A repair was made at character `at`."""
        into = self.repairs if self.call is None else self.call.repairs
        if kind is RepairKind.WHITESPACE and any(r.kind is kind for r in into):
            return
        into.append(Repair(kind, at, detail))

    # Text slots

    def text_begin(self, field: Field, at: int) -> None:
        """A TEXT or ESCAPED slot begins."""
        self.after_call = False
        self.text_parts = []
        call = self.call
        self.writes = self.events is not None
        if field.role is Role.VALUE or field.role is Role.ARGUMENTS:
            assert call is not None and field.codec is not None
            if field.role is Role.ARGUMENTS:
                call.key = field.codec.key or "value"
            self.writes = is_text(field.codec, self._schema(call)) or not self._coerce
            if self.writes:
                call.partial = ""
                self._write_key(call)
                self._write('"')

    def text_part(self, field: Field, text: str) -> None:
        """More text of the open slot."""
        role = field.role
        if role is Role.CONTENT:
            if self.events is not None:
                self.events.append(ContentDelta(text))
        elif role is Role.REASONING:
            if self.events is not None:
                self.events.append(ReasoningDelta(text))
        elif role is Role.STRING:
            if self._frames:
                self._frames[-1].parts.append(text)
                if self._frames[-1].role is Role.STRING and not self._in_key():
                    self._write(dumps(text)[1:-1])
            return
        elif self.writes:
            self._write(dumps(text)[1:-1])
        self.text_parts.append(text)

    def text_end(self, field: Field, start: int, end: int) -> None:
        """The open slot ends; its text is characters `start:end`."""
        role = field.role
        if role is Role.STRING:
            return
        text = self.text_parts[0] if len(self.text_parts) == 1 else "".join(self.text_parts)
        self.text_parts = []
        if role is Role.CONTENT:
            if text:
                self.segments.append(Content(text, (start, end)))
        elif role is Role.REASONING:
            if text:
                self.segments.append(Reasoning(text, (start, end)))
        elif role is Role.VALUE or role is Role.ARGUMENTS:
            self._argument(field, text, start)

    def _argument(self, field: Field, text: str, at: int) -> None:
        call = self.call
        assert call is not None and field.codec is not None
        if self.writes:
            self._write('"')
            call.partial = None
            value: Json = text
        else:
            try:
                value = decode(field.codec, text, self._schema(call))
                if respelled(text, value):
                    self.note(RepairKind.COERCION, at, text[:40])
            except ValueError as error:
                self.fail(call, f"{error} - at {at}")
                value = text
            self._write_key(call)
            self._write(dumps(value))
        self._entry(call, value)

    def _entry(self, call: OpenCall, value: Json) -> None:
        call.entries.append((call.key or "", value))

    def _schema(self, call: OpenCall) -> Schema | None:
        return property_schema(self.schemas.get(call.name), call.key or "")

    def json_value(self, text: str, at: int) -> None:
        """An argument's value, as JSON text."""
        self.argument_value(scan_once(text.lstrip(" \t\r\n"), 0)[0])

    def argument_value(self, value: Json) -> None:
        """An argument's value, in one piece."""
        call = self.call
        if call is not None:
            self._write_key(call)
            self._write(dumps(value))
            self._entry(call, value)

    def note_space(self, at: int, expected: str) -> None:
        """Whitespace that the dialect writes was missing."""
        self.note(RepairKind.WHITESPACE, at, f"expected {expected!r}")

    def cut(self, field: Field) -> None:
        """The input ended inside the open text slot, which fills part of a call."""
        call = self.call
        if call is not None and (field.role is Role.VALUE or field.role is Role.ARGUMENTS):
            call.partial = "".join(self.text_parts)

    # Value languages

    def _begin_value(self, role: Role) -> None:
        if not self._in_key():
            if role is Role.PAIR_KEY:
                self._member(self._frames[-1])
            else:
                self._before_value()
            if role is Role.STRING:
                self._write('"')
        self._frames.append(Frame(role))

    def _in_key(self) -> bool:
        frames = self._frames
        return bool(frames) and (frames[-1].role is Role.PAIR_KEY or len(frames) > 1 and frames[-2].role is Role.PAIR_KEY)

    def _before_value(self) -> None:
        """Write what stands before a value: its key, or a comma between items."""
        if not self._frames:
            if self.call is not None and self.call.key is not None:
                self._write_key(self.call)
            return
        owner = self._frames[-1]
        if owner.role is Role.ARRAY:
            self._write(", " if owner.items else "[")
        elif owner.role is Role.OBJECT and owner.member:
            self._write((", " if owner.entries else "{") + dumps(owner.key) + ": ")

    def _member(self, owner: Frame) -> None:
        """A key without a value is a member of a set: an item."""
        if owner.member:
            owner.member = False
            self._write((", " if owner.items else "[") + dumps(owner.alone))
            owner.items.append(owner.alone)

    def _end_value(self) -> None:
        if not self._frames:
            return
        frame = self._frames.pop()
        match frame.role:
            case Role.OBJECT:
                self._member(frame)
                if frame.items:
                    self._write("]")
                    if frame.entries and self.call is not None:
                        self.fail(self.call, "expected either pairs or items between braces, got both")
                    self._deliver(frame.items)
                    return
                self._write("}" if frame.entries else "{}")
                if len({k for k, _ in frame.entries}) < len(frame.entries) and self.call is not None:
                    self.note(RepairKind.DUPLICATE_KEY, self.call.start, "the last value counts")
                    self.call.verbatim = True
                self._deliver(dict(frame.entries))
            case Role.ARRAY:
                self._write("]" if frame.items else "[]")
                self._deliver(frame.items)
            case Role.STRING:
                if not self._in_key():
                    self._write('"')
                self._deliver("".join(frame.parts))
            case Role.TRUE | Role.FALSE | Role.NULL:
                value = {Role.TRUE: True, Role.FALSE: False, Role.NULL: None}[frame.role]
                if not self._in_key():
                    self._write(dumps(value))
                self._deliver(value)
            case Role.NUMBER:
                if frame.items:
                    if not self._in_key():
                        self._write(dumps(frame.items[0]))
                    self._deliver(frame.items[0])
            case Role.PAIR_KEY:
                key = "".join(frame.parts)
                if self._frames:
                    owner = self._frames[-1]
                    owner.key, owner.member = key, True
                    owner.alone = frame.items[0] if frame.items else key
            case _:
                pass

    def _number(self, text: str) -> None:
        if not self._frames:
            return
        try:
            self._frames[-1].items.append(number(text))
        except ValueError as error:
            self._frames[-1].items.append(None)
            if self.call is not None:
                self.fail(self.call, str(error))

    def _deliver(self, value: Json) -> None:
        if self._frames:
            owner = self._frames[-1]
            match owner.role:
                case Role.OBJECT:
                    owner.entries.append((owner.key, value))
                    owner.member = False
                case Role.PAIR_KEY:
                    owner.parts.append(value if isinstance(value, str) else dumps(value))
                    owner.items.append(value)
                case _:
                    owner.items.append(value)
        elif self.call is not None and self.call.key is not None:
            self._entry(self.call, value)
        elif self.call is not None:
            self.call.value, self.call.args = value, True

    # JSON slots: the sink of a JsonReader

    def unit(self, start: int) -> None:
        """A call begins inside a JSON value."""
        call = self.call
        if call is not None and call.unit_end >= 0:
            self.end_call(call.unit_end)
        if self.call is None:
            self.call = OpenCall(start)
        self.call.shaped = True

    def unit_end(self, end: int) -> None:
        """The call inside a JSON value is complete; inside a call rule, the rule's own end decides."""
        if self.call is not None:
            if self.ruled:
                self.call.unit_end = end
            else:
                self.end_call(end)

    def hole(self, kind: HoleKind, value: Json, start: int, end: int) -> None:
        """A hole of the shape is filled."""
        call = self.call
        if kind is HoleKind.NAME and call is not None:
            if isinstance(value, str) and value:
                call.name = value
                self.start_call(call)
            else:
                self.fail(call, f"expected the name as a string, got {dumps(value)[:40]} - at {start}")
        elif kind is HoleKind.ID and call is not None:
            call.id = value if isinstance(value, str) else None if value is None else dumps(value)
        elif isinstance(value, str) and value and kind in (HoleKind.CONTENT, HoleKind.REASONING):
            content = kind is HoleKind.CONTENT
            self.segments.append((Content if content else Reasoning)(value, (start, end)))
            if self.events is not None:
                self.events.append((ContentDelta if content else ReasoningDelta)(value))

    def inside(self) -> tuple[list[str], int] | None:
        """Where the text of the open call's arguments goes, and the call's index, once it has a name."""
        call = self.call
        return None if call is None or call.index < 0 else (call.written, call.index)

    def arguments_begin(self) -> None:
        """The arguments' JSON text begins."""

    def arguments_part(self, text: str) -> None:
        """More of the arguments' JSON text."""
        self._write(text)

    def arguments_end(self, text: str, start: int, end: int, encoded: bool) -> None:
        """The arguments' JSON text is complete and valid."""
        call = self.call
        if call is None:
            return
        value = scan_once(text.lstrip(" \t\r\n"), 0)[0]
        call.verbatim = True
        if value is None:
            value = {}
            self.note(RepairKind.MISSING_ARGUMENTS, start, "null")
            call.verbatim = False
        elif encoded is not self.encoded:
            self.note(RepairKind.DOUBLE_ENCODED, start, "a JSON string" if encoded else "an object")
        call.value, call.args = value, True
        if not isinstance(value, dict):
            self.fail(call, f"expected arguments as an object, got {dumps(value)[:40]} - at {start}")

    def open_segment(self, field: Field | None, end: int) -> list[Segment]:
        """The segment in progress, as far as it has been read: text, or a call that is not over."""
        if self.call is not None:
            call = self.call
            written = "".join(call.written)
            span = (call.start, end)
            return [Call(call.name, completed(written) if written else {}, call.id, written, "", span, Status.TRUNCATED)]
        text = "".join(self.text_parts)
        if field is None or not text or field.role not in (Role.CONTENT, Role.REASONING):
            return []
        return [(Content if field.role is Role.CONTENT else Reasoning)(text, (end - len(text), end))]

    # Calls

    def fail(self, call: OpenCall, why: str) -> None:
        """The call cannot be read; the first reason counts."""
        call.error = call.error or why

    def start_call(self, call: OpenCall) -> None:
        """The name is known: report it, and whatever arguments came before it."""
        if call.index >= 0 or call.hidden:
            return
        if self._known_only and call.name not in self.schemas or self._good_only and not call.over:
            call.hidden = True
            return
        call.index = self.count
        self.count += 1
        if self.events is not None:
            self.events.append(CallStart(call.index, call.id, call.name))
            if call.written:
                self.events.append(ArgumentsDelta(call.index, "".join(call.written)))

    def _write_key(self, call: OpenCall) -> None:
        if call.key is not None:
            self._write(("{" if not call.entries else ", ") + dumps(call.key) + ": ")

    def _write(self, text: str) -> None:
        """Pass on argument text, or keep it until the call has a name."""
        call = self.call
        if call is None or not text:
            return
        call.written.append(text)
        events = self.events
        if events is None or call.index < 0:
            return
        last = events[-1] if events else None
        if type(last) is ArgumentsDelta and last.index == call.index:
            events[-1] = ArgumentsDelta(call.index, last.text + text)
        else:
            events.append(ArgumentsDelta(call.index, text))

    def repaired(self, call: OpenCall, value: Json, at: int, why: str) -> None:
        """Broken arguments were repaired to `value`; what was passed on must be the beginning of it."""
        text, written = dumps(value), "".join(call.written)
        if isinstance(value, dict) and text.startswith(written):
            self._write(text[len(written) :])
            self.note(RepairKind.JSON, at, why)
            call.value, call.args, call.verbatim = value, True, True
        else:
            self.fail(call, f"{why} - at {at}")

    def end_call(self, end: int) -> None:
        """The open call ends at character `end`."""
        call = self.call
        if call is None:
            return
        self._frames.clear()
        self.last_end = end
        if call.shaped and not call.args and call.error is None and not call.truncated:
            self.note(RepairKind.MISSING_ARGUMENTS, end, "none")
        self.call = None
        if not call.name and not call.truncated:
            self.fail(call, f"expected the name of the tool - at {call.start}")
        if call.error is not None:
            status = Status.MALFORMED
        elif call.truncated:
            status = Status.TRUNCATED
        elif any(r.kind not in LAYOUT for r in call.repairs):
            status = Status.REPAIRED
        else:
            status = Status.OK
        runnable = status is Status.OK or status is Status.REPAIRED
        self.call = call
        if runnable and not call.args:
            self._write("}" if call.entries else "{}")
        self.call = None
        arguments = call.value if call.args else dict(call.entries)
        spelling = None
        if call.verbatim or not runnable or not call.args and len(arguments) < len(call.entries):
            spelling = "".join(call.written)
        if not call.args and len(arguments) < len(call.entries) and runnable:
            call.repairs.append(Repair(RepairKind.DUPLICATE_KEY, call.start, "the last value counts"))
            status = Status.REPAIRED
        error = call.error or ("the input ended inside the call" if status is Status.TRUNCATED else None)
        if self.strict and runnable and call.repairs:
            status, error = Status.MALFORMED, f"strict mode: {call.repairs[0].kind} - at {call.repairs[0].at}"
            spelling = "".join(call.written)
        raw = self.raw(call.start, end)
        readable = status is not Status.MALFORMED and status is not Status.TRUNCATED
        if self._known_only and call.name not in self.schemas or self._good_only and not readable:
            self._as_content(raw, call.start, end)
            return
        call.over, call.hidden = True, False
        self.start_call(call)
        done = Call(
            call.name, arguments, call.id, spelling, raw, (call.start, end), status, tuple(call.repairs), error
        )
        self.segments.append(done)
        self.after_call = True
        if self.events is not None:
            self.events.append(CallEnd(call.index, done))

    def _as_content(self, raw: str, start: int, end: int) -> None:
        """What looked like a call is content, by policy."""
        self.segments.append(Content(raw, (start, end)))
        if self.events is not None:
            self.events.append(ContentDelta(raw))

    def _unwind(self) -> None:
        """Close the values that were open, without writing anything."""
        while self._frames:
            frame = self._frames.pop()
            match frame.role:
                case Role.OBJECT:
                    self._deliver(dict(frame.entries))
                case Role.ARRAY:
                    self._deliver(frame.items)
                case Role.STRING:
                    self._deliver("".join(frame.parts))
                case Role.NUMBER if frame.items:
                    self._deliver(frame.items[0])
                case _:
                    pass

    def attempt(self, start: int, end: int, why: str, truncated: bool = False) -> None:
        """Characters `start:end` were an attempt at a call without one in it."""
        self.call = OpenCall(start)
        if truncated:
            self.truncate(end)
        else:
            self.fail(self.call, f"{why} - at {start}")
            self.end_call(end)

    def repair_units(self, units: list[Unit], start: int, end: int, at: int, why: str) -> None:
        """The calls of a broken JSON value, read after a repair; none when it could not be repaired."""
        ruled = self.ruled
        for i, unit in enumerate(units):
            call = self.call
            if call is None or i:
                if call is not None:
                    self.end_call(end)
                start = self.last_end if i else start
                call = self.call = OpenCall(start)
            if call.index >= 0 and call.name != unit.name or call.index < 0 and not unit.arguments:
                call.name = call.name or unit.name
                self.fail(call, f"{why} - at {at}")
            else:
                call.name, call.id = unit.name, call.id or unit.id
                self.start_call(call)
                call.args = False
                self.repaired(call, unit.arguments, at, why)
            if not ruled:
                self.end_call(end)
        if not units:
            if self.call is None:
                self.attempt(start, end, why)
            else:
                self.fail(self.call, f"{why} - at {at}")
                if not ruled:
                    self.end_call(end)

    def truncate(self, end: int) -> None:
        """The input ended inside the open call."""
        call = self.call
        if call is None:
            return
        call.truncated = True
        self._unwind()
        if not call.args:
            if call.partial is not None and call.key is not None:
                call.entries.append((call.key, call.partial))
            elif call.written and not call.entries:
                call.value, call.args = completed("".join(call.written)), True
        self.end_call(end)


def completed(text: str) -> Json:
    """The best reading of arguments that were cut off, `{}` when there is none."""
    if len(text) > MAX_REPAIR:
        return {}
    import json_repair

    try:
        value: Json = json_repair.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def split_ref(template: str, text: str) -> tuple[str, str]:
    """The name in a composite id, and the id itself: the inverse of `join_ref`."""
    before, _, after = template.partition("{name}")
    name = text[len(before) :] if before and text.startswith(before) else text
    if "{index}" in after:
        sign = after.partition("{index}")[0]
        head, found, index = name.rpartition(sign)
        if found and index.isdecimal():
            name = head
    return name, text


def join_ref(template: str, name: str, index: int) -> str:
    """The composite id of call number `index`."""
    return template.replace("{name}", name).replace("{index}", str(index))

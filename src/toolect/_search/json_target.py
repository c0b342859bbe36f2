"""JSON values: the text of one that is read goes into the message, as calls or as an argument."""

from __future__ import annotations

from collections.abc import Callable

from toolect._building.builder import Builder
from toolect._building.json_sink import ArgumentSink, CallSink
from toolect._graph.node import Node
from toolect._graph.symbols import Field
from toolect._message import RepairKind
from toolect._shapes.elsewhere import calls_elsewhere
from toolect._shapes.json_reader import JsonReader
from toolect._shapes.open_value import Expect
from toolect._shapes.shape_events import CallBegins, Emit, Repaired
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole, HoleKind
from toolect._values.json_lexemes import JsonError


class JsonTarget:
    """The JSON value that is open, from character `start` on: its text comes strict, mended by whoever reads it."""

    __slots__ = ("_attempts", "_broken", "_builder", "_emit", "_kept", "_plain", "_raw", "_reader", "_shape", "_sink",
                 "_start", "mended")  # fmt: skip

    def __init__(self, builder: Builder, field: Field, start: int, raw: Callable[[int, int], str]) -> None:
        draft = builder.draft
        self._builder, self._raw = builder, raw
        self._start = self._kept = start
        self._attempts = draft.attempts
        self._shape = field.shape or Hole(HoleKind.ARGUMENTS)
        self._plain = field.role in (Role.VALUE, Role.JSON)
        self._sink = CallSink(draft)
        self._broken: JsonError | None = None
        self.mended = False
        if self._plain:
            self._emit: Emit = ArgumentSink(draft, builder.leaf if field.role is Role.JSON else None).take
            self._reader = JsonReader(Hole(HoleKind.ARGUMENTS), self._emit, plain=True)
        else:
            self._emit = self._sink.take
            self._reader = JsonReader(self._shape, self._emit, tools=draft.tools)

    def feed(self, text: str, at: int) -> None:
        """More of it."""
        if self._broken is None:
            try:
                self._reader.feed(text, 0, at, False)
            except JsonError as broken:
                self._broken = broken

    def arguments(self, in_string: bool) -> tuple[int, str]:
        """The number of brackets around the open arguments, and the fed text that is not emitted yet.

        -1 where there are none, or their text is not passed on as it stands.
        """
        reader = self._reader
        fine = self._broken is None and not self._plain and reader.passing and not reader.unsure
        return reader.depth if fine and (reader.passes or not in_string) else -1, reader.held

    def skip(self, text: str, brackets: str, expect: Expect) -> None:
        """The arguments go on with a `text` of strict JSON, after which `expect` says what comes within `brackets`."""
        self._reader.skip(text, brackets, expect)
        self._builder.draft.write(text)

    def mend(self, at: int, why: str) -> None:
        """Something in it was mended at character `at`."""
        self._emit(Repaired(RepairKind.JSON, at, why))
        self.mended = True

    def close(self, end: int) -> None:
        """It ends at character `end`."""
        if self._broken is None:
            try:
                self._reader.feed(" ", 0, end, True)
            except JsonError as broken:
                self._broken = broken
        if self._broken is not None or not self._reader.done:
            self.fail(end, str(self._broken or "expected JSON"))
            return
        self._close(end)

    def _close(self, end: int) -> None:
        draft = self._builder.draft
        self._kept = max(self._kept, draft.last_end)
        nothing = draft.attempts == self._attempts and (draft.call is None or not draft.call.name)
        if not self._plain and nothing and (self.mended or not self._elsewhere(end)) and draft.call is None:
            start = max(self._kept, draft.passed_on)  # it may hold content
            raw = self._raw(start, end).strip()
            if raw != "[]" and raw.strip("]} \t\r\n"):
                draft.attempt(start, end, "expected a call in the shape of the dialect")
        self._over(self.mended)

    def _elsewhere(self, end: int) -> bool:
        """Read a call in the value in the shape of another format; False where there is none."""
        draft = self._builder.draft
        if isinstance(self._shape, Hole) or draft.passed_on > self._start:
            return False
        events = calls_elsewhere(self._raw(self._start, end), self._start, draft.tools)
        for event in events:
            self._sink.take(event)
            if type(event) is CallBegins:
                draft.note(RepairKind.SHAPE, event.at, "that of another format")
        return bool(events)

    def fail(self, at: int, why: str) -> None:
        """It cannot be read, up to character `at`."""
        draft = self._builder.draft
        if draft.call is not None:
            draft.call.fail(why)
            if not draft.ruled:
                draft.end_call(at)
        elif not self._plain:
            draft.attempt(max(self._start, draft.passed_on), at, why)
        if not self._plain:
            self._sink.forget()
        self._over(True)

    def _over(self, settle: bool) -> None:
        if settle and not self._plain:
            self._sink.settle()

    def cut(self, end: int, node: Node) -> bool:
        """The input ends in it, at character `end`; `node` is where it began. True when it is over."""
        if self._broken is not None:
            self.fail(end, str(self._broken))
            return True
        reader, draft = self._reader, self._builder.draft
        if reader.done:
            self._close(end)
            return True
        call = draft.call
        reader.pass_quote()
        closers = reader.missing() if call is not None and call.whole and not reader.passing else None
        if closers is not None and not self._plain:
            self.mend(end, f"expected `{closers[:1]}`")
            for closer in closers:
                self.feed(closer, end - 1)  # all that is open ends there
            self._over(True)
            return True
        if draft.call is None and not self._plain:
            if draft.attempts == self._attempts:
                draft.begin_call(self._start)
                draft.truncate(end)
            else:
                draft.note(RepairKind.IMPLIED_CLOSER, end, "the end of the JSON value")
            return True
        if node.done is not None:  # the answer might have been over before the value
            draft.truncate(end)
        return False

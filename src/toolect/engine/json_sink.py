"""What a JsonReader reports to: the calls of a value, or the value as an argument, go into the draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from toolect.engine.draft import Draft
from toolect.engine.json_lexemes import doubled, scan_once
from toolect.ir import Json, RepairKind, dumps
from toolect.spec.model import HoleKind, Role


class Sink(Protocol):
    """What receives the parts of the value. Offsets are characters of the wire text."""

    def unit(self, start: int) -> None:
        """A call begins."""

    def unit_end(self, end: int) -> None:
        """The call is complete."""

    def hole(self, kind: HoleKind, value: Json, start: int, end: int) -> None:
        """A hole that does not hold arguments is filled."""

    @property
    def arguments_part(self) -> Callable[[str], None]:
        """Takes more of the arguments' JSON text."""

    def arguments_end(self, text: str, start: int, odd: str) -> None:
        """The arguments are complete: all of their text, where it began, and what they oddly came as, or nothing."""

    def rest(self, start: int, end: int, named: frozenset[str]) -> None:
        """The arguments are all members of the object at `start:end` but those with a key in `named`."""

    def misfit(self, at: int, expected: str) -> None:
        """The open call does not have the constant that was expected."""

    @property
    def note(self) -> Callable[[RepairKind, int, str], None]:
        """Takes a repair: its kind, its place, its detail."""

    def inside(self) -> tuple[list[str], int] | None:
        """Where argument text is collected, and the index of the call; None while it may not be passed on."""


class CallSink:
    """The sink of a value that holds calls."""

    __slots__ = ("_draft", "arguments_part", "note", "said")

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.said = 0  # texts since the last call
        self.arguments_part = draft.write
        self.note = draft.note

    def unit(self, start: int) -> None:
        """A call begins inside the value."""
        draft = self._draft
        if draft.call is not None and draft.call.unit_end >= 0:
            draft.end_call(draft.call.unit_end)
        call = draft.call or draft.begin_call(start)
        call.shaped = True

    def unit_end(self, end: int) -> None:
        """The call inside the value is complete; inside a call rule, the rule's own end decides."""
        draft = self._draft
        self.said = 0
        if not draft.ruled:
            draft.end_call(end)
        elif draft.call is not None:
            draft.call.unit_end = end

    def hole(self, kind: HoleKind, value: Json, start: int, end: int) -> None:
        """A hole of the shape is filled."""
        draft, call = self._draft, self._draft.call
        match kind:
            case HoleKind.NAME if call is not None:
                if call.header:
                    text = value if isinstance(value, str) else dumps(value)
                    call.says("name", call.header, text, start)
                    call.header = ""
                elif call.name:
                    call.note(RepairKind.DUPLICATE_KEY, start, "the first name counts")
                elif isinstance(value, str) and value:
                    call.name = value
                    draft.start_call(call)
                else:
                    call.fail(f"expected the name as a string, got {dumps(value)[:40]} - at {start}")
            case HoleKind.ID if call is not None and call.id is None:
                call.id = value if isinstance(value, str) or value is None else dumps(value)
            case HoleKind.CONTENT | HoleKind.REASONING if isinstance(value, str) and value:
                role = Role.CONTENT if kind is HoleKind.CONTENT else Role.REASONING
                draft.add(role, value, (start, end))
                draft.say(role, value)
                self.said += 1

    def arguments_end(self, text: str, start: int, odd: str) -> None:
        """The arguments' JSON text is complete and valid."""
        call = self._draft.call
        if call is None:
            return
        value = scan_once(text, 0)[0]
        call.verbatim = value is not None
        if value is None:
            value = {}
            self._draft.write("{}")
            call.note(RepairKind.MISSING_ARGUMENTS, start, "null")
        elif odd:
            call.note(RepairKind.DOUBLE_ENCODED, start, odd)
        if doubled(text, value):
            call.note(RepairKind.DUPLICATE_KEY, start, "the last value counts")
        call.take(value)
        if not isinstance(value, dict):
            call.fail(f"expected arguments as an object, got {dumps(value)[:40]} - at {start}")

    def rest(self, start: int, end: int, named: frozenset[str]) -> None:
        """The members of a call's object that its shape does not name are its arguments."""
        draft, call = self._draft, self._draft.call
        if call is not None:
            text = draft.raw(start, end)
            value = scan_once(text, 0)[0]
            if doubled(text, value):
                call.note(RepairKind.DUPLICATE_KEY, start, "the last value counts")
            arguments = {key: item for key, item in value.items() if key not in named}
            draft.write(dumps(arguments))
            call.take(arguments)

    def misfit(self, at: int, expected: str) -> None:
        """The call has a constant that is not the shape's."""
        if self._draft.call is not None:
            self._draft.call.fail(f"expected {expected} - at {at}")

    def inside(self) -> tuple[list[str], int] | None:
        """Where the text of the open call's arguments goes, and the call's index, once it has a name."""
        call = self._draft.call
        return None if call is None or call.index < 0 else (call.written, call.index)


class ArgumentSink:
    """The sink of a value that is one argument, or a part of one, which `take` gets when it is complete."""

    def __init__(self, draft: Draft, take: Callable[[Json], None] | None = None) -> None:
        self._draft, self._take = draft, take

    def arguments_end(self, text: str, start: int, odd: str) -> None:  # noqa: ARG002  # a Sink
        """The value is complete."""
        call = self._draft.call
        if call is not None:
            value = scan_once(text, 0)[0]
            if doubled(text, value):
                call.note(RepairKind.DUPLICATE_KEY, start, "the last value counts")
            if self._take is not None:
                self._take(value)
            else:
                self._draft.argument(call, value)

    def _nothing(self, *_: object) -> None:
        pass

    unit = unit_end = hole = rest = misfit = arguments_part = note = inside = _nothing


class Recorder:
    """The sink of a value that may turn out to be just text: it remembers."""

    def __init__(self) -> None:
        self._heard: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self._heard.append((name, args))

    def inside(self) -> None:
        """Nothing is passed on while it may be just text."""

    def replay(self, sink: Sink) -> None:
        """Tell `sink` everything."""
        for name, args in self._heard:
            getattr(sink, name)(*args)

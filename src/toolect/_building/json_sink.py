"""Sink of a JSON value into the draft: its calls and texts, or the value as an argument."""

from __future__ import annotations

from collections.abc import Callable

from toolect._building.draft import Draft
from toolect._building.open_call import MAX_REPAIRS, OpenCall
from toolect._message import Json, RepairKind, dumps
from toolect._shapes.elsewhere import arguments_elsewhere, calls_elsewhere
from toolect._shapes.shape_events import (
    Arguments,
    ArgumentText,
    CallBegins,
    CallEnds,
    Filled,
    Misfit,
    MisplacedArguments,
    Repaired,
    Rest,
    ShapeEvent,
)
from toolect._spec.model import Role
from toolect._spec.shape_model import TEXTS, HoleKind
from toolect._values.doubtful import left_out
from toolect._values.json_lexemes import decode


class CallSink:
    """Takes in what a value that holds calls is found to hold."""

    __slots__ = ("_before", "_draft", "_mended", "_unit")

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._before = list[Repaired]()  # what was mended where no call was open
        self._mended = False  # something is noted of that
        self._unit = 0  # where the object of the call begins

    def take(self, event: ShapeEvent) -> None:
        """The next that is found."""
        draft, call = self._draft, self._draft.call
        match event:
            case ArgumentText(text):
                draft.write(text)
            case CallBegins(at):
                self._unit = at
                if call is not None and call.unit_end >= 0:
                    draft.end_call(call.unit_end)
                (draft.call or draft.begin_call(at)).shaped = True
                self.settle()
            case Filled():
                self._fill(event)
            case Arguments():
                self._arguments(event)
            case Rest(start, end, named) if call is not None:
                try:
                    value, _, doubled = decode(draft.raw(start, end), 0)
                except (ValueError, StopIteration):  # it was mended, and its text is no JSON
                    value = None
                if not isinstance(value, dict):
                    call.fail(f"expected arguments in JSON - at {start}")
                    return
                if doubled:
                    call.note(RepairKind.DUPLICATE_KEY, start, "the last value counts")
                arguments = {key: item for key, item in value.items() if key not in named}
                draft.write(dumps(arguments))
                call.take(arguments)
            case MisplacedArguments(start, end, at) if call is not None:
                found = arguments_elsewhere(draft.raw(start, end), call.name, draft.tools)
                if found is None:
                    call.fail(f"expected the arguments under a key of the dialect - at {at}")
                    return
                call.note(RepairKind.SHAPE, at, found[0] or call.name)
                draft.write(dumps(found[1]))
                call.take(found[1])
            case CallEnds(at, strange, beside):
                if call is not None:
                    call.strange = strange
                    if beside:
                        self._leave_beside(call, beside, at)
                    if not call.name and not call.header and call.sound:
                        self._name_elsewhere(call, at)
                if not draft.ruled:
                    draft.end_call(at)
                elif call is not None:  # the rule's own end decides
                    call.unit_end = at
            case Misfit(at, expected) if call is not None:
                call.fail(f"expected {expected} - at {at}")
            case Repaired(RepairKind.JSON) if call is None:
                self._before += [event] if len(self._before) < MAX_REPAIRS else []
            case Repaired(kind, at, detail):
                self._mended = self._mended or kind is RepairKind.JSON
                draft.note(kind, at, detail)

    def settle(self) -> None:
        """Note what was mended where no call was open: of the call that has begun, or else of none if no other was."""
        before, self._before = self._before, []
        if before and (self._draft.call is not None or not self._mended):
            for repaired in before:
                self._draft.note(repaired.kind, repaired.at, repaired.detail)
            self._mended = True

    def forget(self) -> None:
        """Drop the repairs made before a call."""
        self._before.clear()

    def _fill(self, hole: Filled) -> None:
        draft, call, value = self._draft, self._draft.call, hole.value
        match hole.kind:
            case HoleKind.NAME if call is not None:
                if call.header:
                    text = value if isinstance(value, str) else dumps(value)
                    call.says("name", call.header, text, hole.start)
                    call.header = ""
                elif call.name and call.is_mended:
                    call.contrary = True
                    call.fail(f"expected one name in a broken call - at {hole.start}")
                elif call.name:
                    call.note(RepairKind.DUPLICATE_KEY, hole.start, "the first name counts")
                elif isinstance(value, str) and value:
                    call.name = value
                    draft.start_call(call)
                    self._expect_object(call, hole.start)
                else:
                    call.fail(f"expected the name as a string, got {dumps(value)[:40]} - at {hole.start}")
            case HoleKind.ID if call is not None and call.id is None:
                call.id = value if isinstance(value, str) or value is None else dumps(value)
            case kind if kind in TEXTS and isinstance(value, str) and value:
                if call is not None and call.unit_end < 0 and call.start <= hole.start:
                    return  # what a broken call says besides is a part of it
                role = Role.CONTENT if kind is HoleKind.CONTENT else Role.REASONING
                draft.add(role, value, (hole.start, hole.end))
                draft.say(role, value)

    def _leave_beside(self, call: OpenCall, beside: tuple[str, ...], end: int) -> None:
        """Arguments that came beside the others cannot be passed on any more: without them it is another call."""
        if left := left_out(self._draft.tools.of(call.name), call.value, beside):
            call.fail(f"expected `{left}` in the arguments, and not beside them - at {end}")

    def _name_elsewhere(self, call: OpenCall, end: int) -> None:
        """The object that ends at `end` is a call without a name: it may have one in the shape of some other format."""
        draft, start, whole = self._draft, self._unit, call.whole
        for event in calls_elsewhere(draft.raw(start, end), start, draft.tools):
            if isinstance(event, Filled) or not whole:
                self.take(event)
            if type(event) is CallBegins:
                draft.note(RepairKind.SHAPE, event.at, "that of another format")

    def _arguments(self, found: Arguments) -> None:
        call, value = self._draft.call, found.value
        if call is None:
            return
        if not found.text:  # a text where JSON should be
            if not call.name or self._draft.places(call.name, value):
                self._draft.write(dumps(value))
                call.take(value)
            else:
                call.fail(f"expected arguments in JSON - at {found.start}")
            return
        call.verbatim = value is not None
        if value is None:
            value = {}
            self._draft.write("{}")
            call.note(RepairKind.MISSING_ARGUMENTS, found.start, "null")
        elif found.odd:
            call.note(RepairKind.DOUBLE_ENCODED, found.start, found.odd)
        if found.doubled:
            call.note(RepairKind.DUPLICATE_KEY, found.start, "the last value counts")
        call.take(value)
        if call.name:
            self._expect_object(call, found.start)

    def _expect_object(self, call: OpenCall, at: int) -> None:
        """Arguments that came, at character `at` or before it, are an object, or the only one of the tool."""
        if call.whole and not isinstance(call.value, dict) and not self._draft.places(call.name, call.value):
            call.fail(f"expected arguments as an object, got {dumps(call.value)[:40]} - at {at}")


class ArgumentSink:
    """Takes in a value that is one argument, or a part of one, which `give` gets when it is complete."""

    __slots__ = ("_draft", "_give")

    def __init__(self, draft: Draft, give: Callable[[Json], None] | None = None) -> None:
        self._draft, self._give = draft, give

    def take(self, event: ShapeEvent) -> None:
        """The next that is found: the value counts when it is complete."""
        call = self._draft.call
        if type(event) is Repaired:
            self._draft.note(event.kind, event.at, event.detail)
        if type(event) is not Arguments or call is None:
            return
        if event.doubled:
            call.note(RepairKind.DUPLICATE_KEY, event.start, "the last value counts")
        if self._give is not None:
            self._give(event.value)
        else:
            self._draft.argument(call, event.value)

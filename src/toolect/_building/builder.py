"""Turns what the machine reads into segments, and into events while it arrives."""

from __future__ import annotations

from toolect._building.draft import Draft
from toolect._building.inner_calls import NEVER
from toolect._building.nested import Values
from toolect._building.open_call import OpenCall
from toolect._building.open_text import OpenText
from toolect._graph.symbols import ECHOES, Field, Op, OpCode, is_echo
from toolect._message import Content, Json, Reasoning, RepairKind, Segment
from toolect._spec.model import Role, Spec
from toolect._spec.policies import Policies
from toolect._values.escapes import unescape
from toolect._values.ref import named_by, split_ref
from toolect._values.toolset import ToolSchemas


class Builder:
    """Fills the draft: tasks at their lexemes, and `text`, that of the slot that is open."""

    __slots__ = (
        "draft", "segments", "repairs", "note", "text", "values", "_schemas", "_spec",
    )  # fmt: skip

    def __init__(self, schemas: ToolSchemas, spec: Spec, policies: Policies, streaming: bool, strict: bool) -> None:
        self.draft = draft = Draft(schemas, spec, policies, streaming, strict)
        self.segments, self.repairs, self.note = draft.segments, draft.repairs, draft.note
        self._schemas = schemas
        self._spec = spec
        self.values = Values(draft, schemas, policies)
        self.text = OpenText(draft, self.values, schemas, policies.coercion == "spec")

    def obey(self, spec: Spec, policies: Policies) -> None:
        """Change the dialect or the policies for the rest of the answer."""
        self._spec = spec
        self.draft.obey(spec, policies)
        self.values.obey(policies)
        self.text.coerces = policies.coercion == "spec"

    @property
    def call(self) -> OpenCall | None:
        """The call that is open."""
        return self.draft.call

    @property
    def count(self) -> int:
        """Number of calls reported."""
        return self.draft.count

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here: with the name of the open call, the key of the open argument."""
        call = self.draft.call
        if call is None or not is_echo(core):
            return core
        return core.replace(ECHOES[Role.NAME], call.name).replace(ECHOES[Role.KEY], call.key or "")

    # Tasks

    def run(self, task: Op | Field, start: int, end: int, text: str) -> None:
        """Run one task for the lexeme `text` at `start:end`."""
        if type(task) is Field:
            if task.role is Role.STRING:
                self.values.decode_with(task.codec, start)
            escapes = None if task.codec is None else task.codec.escapes
            self._fill(task.role, text if escapes is None else unescape(text, escapes), start)
            return
        assert isinstance(task, Op)
        draft = self.draft
        match task.code:
            case OpCode.BEGIN_CALL:
                if draft.call is not None:  # one that could not be read to its end
                    draft.end_call(start)
                    self.values.clear()
                call = draft.begin_call(start)
                draft.ruled = True
                if name := draft.last_name if task.role is Role.AGAIN else task.name:
                    call.name = name
                    draft.start_call(call)
                if task.role is Role.AGAIN and draft.torn[0] != NEVER:
                    call.fail(f"expected its name after a call that broke off - at {start}")
            case OpCode.END_CALL:
                draft.ruled = False
                draft.end_call(end)
                self.values.clear()
            case OpCode.BEGIN_ARGUMENT if draft.call is not None:
                draft.call.nameless = draft.call.key is None
            case OpCode.BEGIN_VALUE:
                assert task.role is not None
                if draft.call is not None and draft.call.nameless and draft.call.key is None:
                    self._place(draft.call, start)
                self.values.begin(task.role)
            case OpCode.BEGIN_AGAIN:
                self.values.begin_again()
            case OpCode.END_VALUE:
                self.values.end(start)
            case OpCode.END_ARGUMENT if draft.call is not None:
                draft.call.key, draft.call.repeated, draft.call.nameless = None, False, False

    def _place(self, call: OpenCall, at: int) -> None:
        """An argument without a name begins at character `at`: the tool's schema says which one it is."""
        names = self._schemas.of(call.name).names
        place = call.placed
        if len(call.keys) > place:
            call.fail(f"expected a name before the value, as others have one - at {at}")
        call.placed += 1
        if place < len(names):
            call.note(RepairKind.POSITIONAL, at, names[place])
        else:
            call.fail(f"no schema has a name for argument {place + 1} - at {at}")
        self.draft.open_argument(call, names[place] if place < len(names) else str(place), at)

    def _fill(self, role: Role | None, text: str, at: int) -> None:
        """A terminal's text, which begins at character `at`, fills the field `role`."""
        call = self.draft.call
        match role:
            case Role.NAME if call is not None:
                if not call.says("name", call.name, text, at):
                    call.name = call.header = text
                    self.draft.start_call(call)
            case Role.REF if call is not None:
                ref, said = self._spec.ref, split_ref(self._spec.ref, text)[0]
                name = named_by(ref, text, self._schemas, self._spec.trailing)
                if call.id is None and "{index}" in ref:
                    call.id = text
                if not call.says("name", call.name, name, at):
                    call.name = call.header = name
                    if name not in ("", said):
                        call.note(RepairKind.TOOL_NAME, at, said)
                    self.draft.start_call(call)
            case Role.ID if call is not None:
                if not call.says("id", call.id or "", text, at):
                    call.id = text
            case Role.KEY if call is not None:
                if call.placed and text in self._schemas.of(call.name).names[: call.placed]:
                    call.fail(f"the argument {text!r} came twice, once without its name - at {at}")
                self.draft.open_argument(call, text, at)
            case Role.NUMBER:
                self.values.number(text, at)
            case Role.PAIR_KEY | Role.STRING:
                self.values.text(text)

    def leaf(self, value: Json) -> None:
        """A value that came as JSON is complete."""
        self.values.json(value)

    def give_up_call(self, end: int) -> None:
        """The open call could not be read; it ends at character `end`."""
        self.draft.ruled = False
        self.draft.end_call(end)
        self.values.clear()

    def truncate(self, end: int) -> None:
        """The open call is over at character `end`, in the middle: with the input, or before what is none of it."""
        self.draft.ruled = False
        self.values.unwind()
        self.draft.truncate(end)

    def break_off(self, end: int) -> None:
        """The open call ends inside its arguments, where another begins."""
        self.draft.ruled = False
        self.values.unwind()
        self.draft.end_call(end)

    # In the middle of an answer

    def open_segment(self, field: Field | None, end: int) -> list[Segment]:
        """The segment in progress, as far as it has been read: a call that is not over, or the text of slot `field`."""
        if self.draft.call is not None:
            return [] if self.draft.says_no else [self.draft.call.snapshot(end)]
        text = "".join(self.text.parts)
        if field is None or not text or field.role not in (Role.CONTENT, Role.REASONING):
            return []
        return [(Content if field.role is Role.CONTENT else Reasoning)(text, (end - len(text), end))]

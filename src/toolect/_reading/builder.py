"""Turns what the machine reads into segments, and into events while it arrives."""

from __future__ import annotations

from toolect._graph.symbols import ECHOES, Field, Op, OpCode, is_echo
from toolect._reading.draft import Draft
from toolect._reading.nested import Values
from toolect._reading.open_call import OpenCall
from toolect._shapes.broken_text import mended
from toolect._spec.codec_model import Codec, Spelling
from toolect._spec.model import Role, Spec
from toolect._spec.policies import Policies
from toolect._values.cdata import CLOSER, Sections
from toolect._values.codec import decode, decode_arguments, is_text, respelled
from toolect._values.escapes import Unescaped, unescape
from toolect._values.ref import split_ref
from toolect._values.schema import Schema
from toolect._values.text_values import is_broken, read_json
from toolect._values.toolset import ToolSchemas
from toolect.message import Content, Json, Reasoning, RepairKind, Segment, dumps


class Builder:
    """Fills the draft: tasks at their lexemes, and the text of the slot that is open."""

    __slots__ = (
        "draft", "segments", "repairs", "note", "text_parts", "writes",
        "_schemas", "_ref", "_coerce", "quotes", "sections", "unescaped", "values",
    )  # fmt: skip

    def __init__(self, schemas: ToolSchemas, spec: Spec, policies: Policies, streaming: bool, strict: bool) -> None:
        self.draft = draft = Draft(schemas, spec.no_call, policies, streaming, strict, spec.code != "")
        self.segments, self.repairs, self.note = draft.segments, draft.repairs, draft.note
        self.text_parts: list[str] = []  # of the open text slot
        self.writes = False  # the open text is passed on as it arrives
        self.unescaped: Unescaped | None = None  # what resolves the escapes of the open text slot
        self.sections: Sections | None = None  # what takes it out of its sections, as long as it may be in some
        self.quotes = False  # that text may be in quotes of its own: its first sign tells
        self._schemas = schemas
        self._ref = spec.ref
        self._coerce = policies.coercion == "spec"
        self.values = Values(draft, schemas, policies)

    @property
    def call(self) -> OpenCall | None:
        """The call that is open."""
        return self.draft.call

    @property
    def count(self) -> int:
        """How many calls were reported."""
        return self.draft.count

    @property
    def after_call(self) -> bool:
        """True when a call was the last thing read."""
        return self.draft.after_call

    @property
    def tools(self) -> ToolSchemas:
        """The tools that are declared, by name."""
        return self._schemas

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
                name, identity = split_ref(self._ref, text)
                if not call.says("name", call.name, name, at):
                    call.name = call.header = name
                    call.id = identity if "{index}" in self._ref else None
                    self.draft.start_call(call)
            case Role.ID if call is not None:
                if not call.says("id", call.id or "", text, at):
                    call.id = text
            case Role.KEY if call is not None:
                self.draft.open_argument(call, text, at)
            case Role.NUMBER:
                self.values.number(text, at)
            case Role.PAIR_KEY:
                self.values.text(text)

    def leaf(self, value: Json) -> None:
        """A value that came as JSON is complete."""
        self.values.json(value)

    def note_space(self, at: int, expected: str) -> None:
        """Whitespace that the dialect writes was missing."""
        self.note(RepairKind.WHITESPACE, at, f"expected {expected!r}")

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

    # Text slots

    def text_begin(self, field: Field, at: int, element: bool = False) -> None:
        """A TEXT or ESCAPED slot begins, perhaps that of an `element`."""
        draft = self.draft
        draft.after_call = self.quotes = False
        self.text_parts = []
        escapes = None if field.codec is None else field.codec.escapes
        self.unescaped = None if escapes is None else Unescaped(escapes)
        self.sections = Sections() if element else None
        if field.role is Role.STRING:
            self.values.decode_with(field.codec, at)
            return
        self.writes = draft.events is not None
        if field.role is Role.VALUE or field.role is Role.ARGUMENTS:
            call = draft.call
            assert call is not None and field.codec is not None
            if field.role is Role.ARGUMENTS and field.codec.key is None:
                self.writes = False
                return
            if field.role is Role.ARGUMENTS:
                call.key = self._only_key(call, field.codec.key)
            self.writes = (is_text(field.codec, self._schema(call)) or not self._coerce) and not call.repeated
            self.quotes = self.writes and field.role is Role.ARGUMENTS and call.key != field.codec.key
            if self.quotes:
                self.writes = False
            elif self.writes:
                self._begin_text(call)

    def _begin_text(self, call: OpenCall) -> None:
        """The text of an argument is passed on as it arrives."""
        self.writes, self.quotes = True, False
        call.partial = ""
        self.draft.write_key(call)
        self.draft.write('"')

    def text_part(self, field: Field, text: str) -> None:
        """More text of the open slot."""
        if self.sections is not None:
            text = self.sections.more(text)
            if not self.sections.plain:
                return
            self.sections = None
        self._resolved(field, text if self.unescaped is None else self.unescaped.more(text))

    def _resolved(self, field: Field, text: str) -> None:
        """More text of the open slot, without its escapes."""
        role = field.role
        if role is Role.CONTENT or role is Role.REASONING:
            if text:  # it may be the beginning of an escape
                self.draft.say(role, text)
        elif role is Role.STRING:
            self.values.text(text)
            return
        else:
            if self.quotes and text and not self.text_parts and text[0] != '"' and self.draft.call is not None:
                self._begin_text(self.draft.call)
            if self.writes:
                self.draft.write(dumps(text)[1:-1])
        self.text_parts.append(text)

    def text_end(self, field: Field, start: int, end: int) -> None:
        """The open slot ends; its text is characters `start:end`."""
        if self._flush(field):
            self.note(RepairKind.IMPLIED_CLOSER, end, CLOSER)
        role = field.role
        if role is Role.STRING:
            return
        text = self.text_parts[0] if len(self.text_parts) == 1 else "".join(self.text_parts)
        self.text_parts = []
        if role is Role.CONTENT or role is Role.REASONING:
            if text:
                self.draft.add(role, text, (start, end))
        elif role is Role.VALUE or role is Role.ARGUMENTS:
            self._argument(field, text, start)

    def _flush(self, field: Field) -> bool:
        """What was held back is all there is: sections, or the beginning of an escape, which is none.

        True when the closer of a section is missing.
        """
        lacks, rest = False, ""
        if self.sections is not None:
            rest, lacks = self.sections.rest()
            self.sections = None
        elif self.unescaped is not None:
            rest = self.unescaped.rest()
        if rest:
            self._resolved(field, rest)
        return lacks

    def _argument(self, field: Field, text: str, at: int) -> None:
        """The text of an argument is complete: as it is, or decoded."""
        call = self.draft.call
        assert call is not None and field.codec is not None
        if self.writes:
            self.draft.write('"')
            call.partial = None
            call.give(call.key or "", text)
            return
        codec = field.codec
        if field.role is Role.ARGUMENTS and codec.key is None:
            self._mapping(codec, call, text, at)
            return
        if self.quotes:
            self.quotes = False
            said = read_json(text)
            if isinstance(said, str):
                self.note(RepairKind.COERCION, at, text[:40])
            self.draft.argument(call, said if isinstance(said, str) else text)
            return
        schema = self._schema(call)
        try:
            value = decode(codec, text, schema)
            if respelled(codec, text, value):
                self.note(RepairKind.COERCION, at, text[:40])
        except ValueError as error:
            call.fail(f"{error} - at {at}")
            value = text
        if schema is not None and isinstance(value, str) and is_broken(value, schema.types):
            value = self._mended(call, text, at)
        if codec.spelling is Spelling.ELEMENTS and isinstance(value, list) and schema is not None and schema.lists:
            self.draft.extend(call, value)
        else:
            self.draft.argument(call, value)

    def _mended(self, call: OpenCall, text: str, at: int) -> Json:
        """Broken JSON, where a text is no value that is declared."""
        try:
            value = mended(text)
        except ValueError as error:
            call.fail(f"{error} - at {at}")
            return text
        self.note(RepairKind.JSON, at, "broken JSON in an argument")
        return value

    def _mapping(self, codec: Codec, call: OpenCall, text: str, at: int) -> None:
        """The text that holds all arguments is complete."""
        try:
            value = decode_arguments(codec, text, self._schemas.get(call.name))
        except ValueError as error:
            call.fail(f"{error} - at {at}")
            return
        self.draft.write(dumps(value))
        call.take(value)

    def _only_key(self, call: OpenCall, key: str | None) -> str | None:
        """The name of the argument that a plain text is: `key`, or that of the only parameter of the tool."""
        schema = self._schemas.of(call.name)
        return key if schema.sole is None or schema.member(key or "") is not None else schema.sole

    def _schema(self, call: OpenCall) -> Schema | None:
        return self._schemas.of(call.name).member(call.key or "")

    def cut(self, field: Field) -> None:
        """The input ended inside the open text slot."""
        self._flush(field)
        call = self.draft.call
        if call is None or field.role is not Role.VALUE and field.role is not Role.ARGUMENTS:
            return
        text = "".join(self.text_parts)
        if field.codec is None or field.codec.spelling is not Spelling.YAML or call.key is not None:
            call.partial = text
            return
        try:  # the lines that are whole
            value = decode_arguments(field.codec, text.rpartition("\n")[0], self._schemas.get(call.name))
        except ValueError:
            return
        if value:
            self.draft.write(dumps(value)[:-1])

    # In the middle of an answer

    def open_segment(self, field: Field | None, end: int) -> list[Segment]:
        """The segment in progress, as far as it has been read: a call that is not over, or the text of slot `field`."""
        if self.draft.call is not None:
            return [] if self.draft.says_no else [self.draft.call.snapshot(end)]
        text = "".join(self.text_parts)
        if field is None or not text or field.role not in (Role.CONTENT, Role.REASONING):
            return []
        return [(Content if field.role is Role.CONTENT else Reasoning)(text, (end - len(text), end))]

"""The values of a value language: built as their parts come, and written as JSON at the same time."""

from __future__ import annotations

from collections.abc import Mapping

from toolect.engine import subschema
from toolect.engine.codec import decode, is_text, respelled
from toolect.engine.draft import Draft
from toolect.engine.frame import Frame
from toolect.engine.literals import number
from toolect.engine.schema import Schema, declared_types
from toolect.ir import Json, RepairKind, dumps
from toolect.spec.model import Codec, Policies, Role


class Values:
    """The open values, the innermost last; the outermost goes to the open call.

    Where neighbours with one key are a list, nothing is written of a value before the next key of the outermost object.
    """

    __slots__ = ("_coerce", "_draft", "_frames", "_lists", "_schemas")

    def __init__(self, draft: Draft, schemas: Mapping[str, Schema], policies: Policies) -> None:
        self._draft = draft
        self._frames: list[Frame] = []
        self._schemas = schemas
        self._coerce = policies.coercion == "spec"
        self._lists = policies.repeated_keys == "list"

    def begin(self, role: Role) -> None:
        """A value, or a key, begins."""
        if role is Role.PAIR_KEY:
            self._settle_member(self._frames[-1])
        elif not self._in_key():
            self._write_before()
        self._frames.append(Frame(role, self._schema() if self._schemas else None))

    def begin_again(self) -> None:
        """A key begins that must be the one before it."""
        self._frames.append(Frame(Role.PAIR_KEY, again=True))

    def decode_with(self, codec: Codec | None, at: int) -> None:
        """The text of the innermost value begins, at character `at`."""
        if self._frames and codec is not None:
            frame = self._frames[-1]
            frame.at = at
            frame.codec = codec if self._coerce and not is_text(codec, frame.schema) else None

    def text(self, text: str) -> None:
        """More of the innermost string or bare key."""
        if self._frames and text:
            frame = self._frames[-1]
            frame.parts.append(text)
            if frame.role is not Role.PAIR_KEY and frame.codec is None and not self._in_key():
                self._write(dumps(text)[:-1] if not frame.said else dumps(text)[1:-1])
                frame.said = True

    def number(self, text: str) -> None:
        """The innermost number."""
        if self._frames:
            try:
                self._frames[-1].items.append(number(text))
            except ValueError as error:
                self._frames[-1].items.append(None)
                self._fail(str(error))

    def json(self, value: Json) -> None:
        """The innermost value, which came as JSON."""
        if self._frames:
            self._frames[-1].items.append(value)

    def end(self, at: int) -> None:
        """The innermost value, or key, ends; its last lexeme is at character `at`."""
        if not self._frames:
            return
        frame = self._frames.pop()
        if frame.role is Role.PAIR_KEY:
            self._name_next(frame, at)
            return
        if frame.codec is not None:
            frame.items.append(self._decoded(frame, frame.codec))
        if frame.role is Role.OBJECT:
            self._settle_object(frame)
        if self._lists and not self._frames:
            self._write_rest(frame)
        elif not self._in_key():
            self._write(frame.closing)
        self._deliver(frame.value)

    def unwind(self) -> None:
        """The input ended: close what is open, without writing anything."""
        while self._frames:
            frame = self._frames.pop()
            if frame.role is not Role.PAIR_KEY and frame.begun:
                self._deliver(frame.value)

    def clear(self) -> None:
        """Forget what is open."""
        self._frames.clear()

    # Text as values

    def _schema(self) -> Schema | None:
        """The schema of the value that begins."""
        call = self._draft.call
        root = self._schemas.get(call.name) if call is not None else None
        if root is None or call is None:
            return None
        if not self._frames:
            return root if call.key is None else subschema.member(root, root, call.key)
        owner = self._frames[-1]
        if owner.role is Role.OBJECT:
            return subschema.member(root, owner.schema, owner.key)
        return subschema.items(root, owner.schema) if owner.role is Role.ARRAY else None

    def _decoded(self, frame: Frame, codec: Codec) -> Json:
        """What the frame's text stands for. A scalar that is empty may be a container, where only that is declared."""
        text = frame.text
        if frame.role is Role.SCALAR and not text and frame.schema is not None:
            types = set(declared_types(frame.schema)) - {"null"}
            if types == {"object"} or types == {"array"}:
                return {} if types == {"object"} else []
        try:
            value = decode(codec, text, frame.schema)
        except ValueError as error:
            self._fail(f"{error} - at {frame.at}")
            return text
        if respelled(codec, text, value):
            self._draft.note(RepairKind.COERCION, frame.at, text[:40])
        return value

    # Keys and members

    def _in_key(self) -> bool:
        """True for a key and for the value that it is, which are written when what follows is known."""
        return any(frame.role is Role.PAIR_KEY for frame in self._frames[-2:])

    def _name_next(self, key: Frame, at: int) -> None:
        """The key waits for its value, or is the one before it again."""
        if not self._frames:
            return
        owner = self._frames[-1]
        if key.again:
            if key.text != owner.key:
                self._fail(f"expected {owner.key!r} again, got {key.text[:40]!r} - at {at}")
            return
        owner.key, owner.member = key.text, True
        owner.alone = key.items[0] if key.items else owner.key
        if self._lists and len(self._frames) == 1 and owner.entries and owner.entries[-1][0] != owner.key:
            self._write_last(owner)

    def _settle_member(self, owner: Frame) -> None:
        """A key without a value is a member of a set: an item."""
        if owner.member:
            owner.member = False
            self._write((", " if owner.items else "[") + dumps(owner.alone))
            owner.items.append(owner.alone)

    def _settle_object(self, frame: Frame) -> None:
        """Look at the whole of it: pairs or items, and each key once."""
        self._settle_member(frame)
        call = self._draft.call
        if frame.items:
            if frame.entries:
                self._fail("expected either pairs or items between braces, got both")
        elif call is not None and len(dict(frame.entries)) < len(frame.entries):
            call.note(RepairKind.DUPLICATE_KEY, call.start, "the last value counts")
            call.verbatim = True

    # Where values go

    def _write(self, text: str) -> None:
        """More of the arguments' JSON text, unless it has to wait."""
        if not self._lists:
            self._draft.write(text)

    def _write_last(self, owner: Frame) -> None:
        """The last entry of the outermost object, which has waited."""
        key, value = owner.entries[-1]
        self._draft.write((", " if owner.said else "{") + dumps(key) + ": " + dumps(value))
        owner.said = True

    def _write_rest(self, frame: Frame) -> None:
        """What has waited of the outermost value."""
        draft, call = self._draft, self._draft.call
        if call is None:
            return
        if frame.role is Role.OBJECT and frame.entries and call.key is None:
            self._write_last(frame)
            draft.write("}")
        else:
            draft.write_key(call)
            draft.write(dumps(frame.value))

    def _write_before(self) -> None:
        """What stands before a value: its key, or a comma between items."""
        if not self._frames:
            if self._draft.call is not None and not self._lists:
                self._draft.write_key(self._draft.call)
            return
        owner = self._frames[-1]
        if owner.role is Role.ARRAY:
            self._write(", " if owner.items else "[")
        elif owner.role is Role.OBJECT and owner.member:
            self._write((", " if owner.entries else "{") + dumps(owner.key) + ": ")

    def _deliver(self, value: Json) -> None:
        call = self._draft.call
        if self._frames:
            owner = self._frames[-1]
            match owner.role:
                case Role.OBJECT:
                    if owner.give(value, self._lists) and call is not None:
                        call.note(RepairKind.DUPLICATE_KEY, call.start, "neighbours are a list")
                case Role.PAIR_KEY:
                    owner.parts.append(value if isinstance(value, str) else dumps(value))
                    owner.items.append(value)
                case _:
                    owner.items.append(value)
        elif call is not None and call.key is not None:
            call.give(call.key, value)
        elif call is not None and isinstance(value, dict):
            call.take(value)
        else:
            self._fail("expected an object as the arguments")

    def _fail(self, why: str) -> None:
        if self._draft.call is not None:
            self._draft.call.fail(why)

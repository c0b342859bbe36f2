"""The values of a value language, built as their parts come."""

from __future__ import annotations

from toolect._building.draft import Draft
from toolect._building.frame import Frame
from toolect._building.value_text import LateText, ValueText
from toolect._graph.spelling import MAX_BLANK
from toolect._message import Json, RepairKind, dumps
from toolect._spec.codec_model import Codec
from toolect._spec.model import Role
from toolect._spec.policies import Policies
from toolect._values.codec import decode, is_text, respelled
from toolect._values.schema import Schema
from toolect._values.toolset import ToolSchemas
from toolect._values.vocabulary import bare_number, number


class Values:
    """The open values, the innermost last; the outermost goes to the open call."""

    __slots__ = ("_coerce", "_draft", "_frames", "_lists", "_schemas", "_text", "_tuples")

    def __init__(self, draft: Draft, schemas: ToolSchemas, policies: Policies) -> None:
        self._draft = draft
        self._frames: list[Frame] = []
        self._tuples = 0  # that are open
        self._schemas = schemas
        self.obey(policies)

    def obey(self, policies: Policies) -> None:
        """Set the policies for the rest of the answer."""
        self._coerce = policies.coercion == "spec"
        self._lists = policies.repeated_keys == "list"
        self._text = LateText(self._draft) if self._lists else ValueText(self._draft)

    def begin(self, role: Role) -> None:
        """A value, or a key, begins."""
        if role is Role.PAIR_KEY:
            self._settle_member(self._frames[-1])
        elif not self._waits():
            self._text.begin(self._frames[-1] if self._frames else None)
        self._frames.append(Frame(role, self._schema() if self._schemas else None))
        self._tuples += role is Role.TUPLE

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
            if frame.role is not Role.PAIR_KEY and frame.codec is None and not self._waits():
                self._text.string(frame, text)

    def number(self, text: str, at: int) -> None:
        """The innermost number, which stands at character `at`."""
        if self._frames:
            try:
                value: Json = number(text)
            except ValueError as error:
                value = bare_number(text)
                if value is None:
                    self._fail(str(error))
                else:
                    self._draft.note(RepairKind.COERCION, at, text[:40])
            self._frames[-1].items.append(value)

    def json(self, value: Json) -> None:
        """The innermost value, which came as JSON."""
        if self._frames:
            self._frames[-1].items.append(value)

    def replace(self, value: Json) -> None:
        """The innermost value is `value`, whatever it began as."""
        if self._frames:
            self._frames[-1].role = Role.JSON
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
        elif frame.role is Role.TUPLE:
            self._tuples -= 1
            frame.lone = len(frame.items) == 1 and not self._follows_comma(at)
        if not self._frames:
            self._text.finish(frame)
        elif not self._waits():
            self._text.end(frame)
        self._deliver(frame.value)

    def _follows_comma(self, at: int) -> bool:
        """Does a comma stand before character `at` of the open call, blanks aside?"""
        call = self._draft.call
        return call is not None and self._draft.raw(max(call.start, at - MAX_BLANK), at).rstrip().endswith(",")

    def unwind(self) -> None:
        """The input ended: close what is open, without writing anything."""
        self._tuples = 0
        while self._frames:
            frame = self._frames.pop()
            if frame.role is not Role.PAIR_KEY and frame.begun:
                self._deliver(frame.value)

    def clear(self) -> None:
        """Forget what is open."""
        self._frames.clear()
        self._tuples = 0

    # Text as values

    def _schema(self) -> Schema | None:
        """The schema of the value that begins."""
        call = self._draft.call
        root = self._schemas.get(call.name) if call is not None else None
        if root is None or call is None:
            return None
        if not self._frames:
            return root if call.key is None else root.member(call.key)
        owner = self._frames[-1]
        if owner.schema is None:
            return None
        if owner.role is Role.OBJECT:
            return owner.schema.member(owner.key)
        if owner.role is Role.TUPLE and "array" not in owner.schema.types:
            return owner.schema  # it may be the value itself
        return owner.schema.item(len(owner.items)) if owner.role in (Role.ARRAY, Role.TUPLE) else None

    def _decoded(self, frame: Frame, codec: Codec) -> Json:
        """The value of the frame's text. An empty scalar may be a container, where only that is declared."""
        text = frame.text
        if frame.role is Role.SCALAR and not text and frame.schema is not None:
            types = set(frame.schema.types) - {"null"}
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

    def _waits(self) -> bool:
        """True for a key, the value that it is, and all in a tuple: it is written when what follows is known."""
        frames = self._frames
        size = len(frames)
        if self._tuples:
            return True
        return size > 0 and (frames[-1].role is Role.PAIR_KEY or size > 1 and frames[-2].role is Role.PAIR_KEY)

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
        if len(self._frames) == 1:
            self._text.key(owner)

    def _settle_member(self, owner: Frame) -> None:
        """A key without a value is a member of a set: an item."""
        if owner.member:
            owner.member = False
            if not self._tuples:
                self._text.item(owner)
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

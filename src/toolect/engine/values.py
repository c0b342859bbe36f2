"""The values of a value language: built as their parts come, and written as JSON at the same time."""

from __future__ import annotations

from toolect.engine.codec import number
from toolect.engine.draft import Draft
from toolect.ir import Json, RepairKind, dumps
from toolect.spec.model import Role

_WORDS: dict[Role, Json] = {Role.TRUE: True, Role.FALSE: False, Role.NULL: None}


class Frame:
    """A value that is open. A key is one too, until its value begins."""

    __slots__ = ("alone", "entries", "items", "key", "member", "parts", "role")

    def __init__(self, role: Role) -> None:
        self.role = role
        self.entries: list[tuple[str, Json]] = []
        self.items: list[Json] = []
        self.parts: list[str] = []
        self.key = ""
        self.alone: Json = None  # what the key is as a member of a set
        self.member = False  # `key` waits for its value, or is itself a member of a set

    @property
    def value(self) -> Json:
        """What it has come to."""
        match self.role:
            case Role.OBJECT:
                return self.items or dict(self.entries)
            case Role.ARRAY:
                return self.items
            case Role.STRING:
                return "".join(self.parts)
            case Role.NUMBER:
                return self.items[0]
            case _:
                return _WORDS[self.role]

    @property
    def closing(self) -> str:
        """The JSON text that is still to be written when it ends."""
        match self.role:
            case Role.OBJECT | Role.ARRAY if self.items:
                return "]"
            case Role.OBJECT:
                return "}" if self.entries else "{}"
            case Role.ARRAY:
                return "[]"
            case Role.STRING:
                return '"'
            case _:
                return dumps(self.value)


class Values:
    """The open values, the innermost last; the outermost goes to the open call."""

    __slots__ = ("_draft", "_frames")

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._frames: list[Frame] = []

    def begin(self, role: Role) -> None:
        """A value, or a key, begins."""
        if role is Role.PAIR_KEY:
            self._settle_member(self._frames[-1])
        elif not self._in_key():
            self._write_before()
            if role is Role.STRING:
                self._draft.write('"')
        self._frames.append(Frame(role))

    def text(self, text: str) -> None:
        """More of the innermost string or bare key."""
        if self._frames:
            frame = self._frames[-1]
            frame.parts.append(text)
            if frame.role is Role.STRING and not self._in_key():
                self._draft.write(dumps(text)[1:-1])

    def number(self, text: str) -> None:
        """The innermost number."""
        if self._frames:
            try:
                self._frames[-1].items.append(number(text))
            except ValueError as error:
                self._frames[-1].items.append(None)
                self._fail(str(error))

    def end(self) -> None:
        """The innermost value, or key, ends."""
        if not self._frames:
            return
        frame = self._frames.pop()
        if frame.role is Role.PAIR_KEY:
            self._name_next(frame)
            return
        if frame.role is Role.OBJECT:
            self._settle_object(frame)
        if not self._in_key():
            self._draft.write(frame.closing)
        self._deliver(frame.value)

    def unwind(self) -> None:
        """The input ended: close what is open, without writing anything."""
        while self._frames:
            frame = self._frames.pop()
            if frame.role is not Role.PAIR_KEY and (frame.role is not Role.NUMBER or frame.items):
                self._deliver(frame.value)

    def clear(self) -> None:
        """Forget what is open."""
        self._frames.clear()

    # Keys and members

    def _in_key(self) -> bool:
        """True for a key and for the value that it is, which are written when what follows is known."""
        return any(frame.role is Role.PAIR_KEY for frame in self._frames[-2:])

    def _name_next(self, key: Frame) -> None:
        """The key waits for its value."""
        if self._frames:
            owner = self._frames[-1]
            owner.key, owner.member = "".join(key.parts), True
            owner.alone = key.items[0] if key.items else owner.key

    def _settle_member(self, owner: Frame) -> None:
        """A key without a value is a member of a set: an item."""
        if owner.member:
            owner.member = False
            self._draft.write((", " if owner.items else "[") + dumps(owner.alone))
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

    def _write_before(self) -> None:
        """What stands before a value: its key, or a comma between items."""
        if not self._frames:
            if self._draft.call is not None:
                self._draft.write_key(self._draft.call)
            return
        owner = self._frames[-1]
        if owner.role is Role.ARRAY:
            self._draft.write(", " if owner.items else "[")
        elif owner.role is Role.OBJECT and owner.member:
            self._draft.write((", " if owner.entries else "{") + dumps(owner.key) + ": ")

    def _deliver(self, value: Json) -> None:
        call = self._draft.call
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
        elif call is not None and call.key is not None:
            call.give(call.key, value)
        elif call is not None:
            call.take(value)

    def _fail(self, why: str) -> None:
        if self._draft.call is not None:
            self._draft.call.fail(why)

"""What a mender does to a JSON value that is being read: drop, add, undo, open again, abandon.

Only what has not been passed on can be another thing than it seemed.
"""

from __future__ import annotations

from toolect._shapes.json_reader import JsonReader
from toolect._shapes.open_value import Expect
from toolect._shapes.shape_events import Arguments, Misfit
from toolect._shapes.shape_frame import IN_OBJECT
from toolect._spec.shape_model import Hole, HoleKind
from toolect._values.json_lexemes import drop


class Mendable(JsonReader):
    """A value whose last parts may be other ones than they seem."""

    __slots__ = ()

    def _inside(self) -> JsonReader:
        return Mendable(Hole(HoleKind.ARGUMENTS), self._pass_through)

    @property
    def nesting(self) -> list[bool]:
        """The brackets that are open, outermost first: True for an object."""
        return [frame.is_object for frame in self._stack]

    @property
    def word(self) -> str:
        """The word or number that broke."""
        return "".join(self._parts)

    def again(self) -> None:
        """The word or number that broke comes anew, as something else."""
        self.expect = Expect.VALUE

    def replace(self, word: str) -> None:
        """The word or number that broke is this one."""
        self._parts[:] = [word]

    @property
    def is_between(self) -> bool:
        """True after a comma or a colon."""
        return self.expect in (Expect.KEY, Expect.VALUE)

    @property
    def is_begun(self) -> bool:
        """True after a bracket that opens."""
        return self.expect in (Expect.KEY_OR_END, Expect.VALUE_OR_END)

    @property
    def in_key(self) -> bool:
        """True while a key is open, or was the last thing before what is here."""
        if self.expect is Expect.STRING:
            return self._in_key
        valued = self.expect in (Expect.VALUE, Expect.SCALAR) and bool(self._stack) and self._stack[-1].is_object
        return valued or self.expect is Expect.COLON

    def drop_comma(self) -> bool:
        """The comma that came last is none; False when none came last."""
        if self.expect is not Expect.KEY and (
            self.expect is not Expect.VALUE or not self._stack or self._stack[-1].is_object
        ):
            return False
        if self._arg_depth >= 0:
            self._held.reverse()
            self._held.remove(",")
            self._held.reverse()
        self.expect = Expect.COMMA_OR_END
        return True

    def add_comma(self) -> None:
        """A comma is missing after the last value, before the blanks that have come."""
        if self._arg_depth >= 0:
            held = self._held
            at = len(held)
            while at and held[at - 1].isspace():
                at -= 1
            held.insert(at, ",")
        self.expect = Expect.KEY if self._stack[-1].is_object else Expect.VALUE

    @property
    def start(self) -> int:
        """The character at which the string begins that is open, or came last."""
        return self._start

    def undo_key(self) -> None:
        """The key that came last comes anew."""
        if self._arg_depth >= 0:
            del self._held[self._key_at :]
        else:
            self._stack[-1].keys.pop()
        self.expect = Expect.KEY

    @property
    def can_reopen(self) -> bool:
        """True when the last quote of a string has not been passed on."""
        return self._ended >= 0

    def reopen(self) -> int:
        """The string that came last is not over: the character after its last quote, or -1 when that is passed on."""
        ended = self._ended
        if ended >= 0:
            del self._held[self._quote_at :]
            self._safe("")
            self._ended = -1
            self.expect, self._in_key, self._take = Expect.STRING, False, self._pass
        return ended

    def end_before_comma(self) -> int:
        """The string that is open, or came last, ended before the comma that it ends with: how many characters before
        what was read last that comma stands; -1 where that was passed on.
        """
        inside = self.expect is Expect.STRING
        if inside and (self._in_key or self._take is not self._pass) or not inside and self._ended < 0:
            return -1
        quoted = self._held if inside else self._held[: self._quote_at]
        said = "".join(quoted)
        size = len(said.rstrip(" "))
        if not size or said[size - 1] != "," or said[: size - 1].endswith('"'):
            return -1
        self._held[:] = [said[: size - 1], '"']
        self._ended = self._item_at = -1
        self.expect = Expect.COMMA_OR_END
        return len(said) - size + 1

    def end_list(self) -> bool:
        """The text that came last is the next key of the object that the list is in; False when it cannot be."""
        held = self._held
        at = self._item_at
        if at < 0 or self._ended < 0 or self.nesting[-2:] != [True, False]:
            return False
        key = held[at:]
        del held[at:]
        self._stack.pop()
        self._safe("]")
        self._held += key
        self.expect, self._ended = Expect.COLON, -1
        return True

    def pass_quote(self) -> None:
        """Nothing more comes: the last text is no key, and its last quote is that."""
        held = self._held
        if self._ended >= 0:
            passed = self._quote_at + 1
        else:
            passed = len(held) if self.expect is Expect.STRING and not self._in_key else 0
        if passed:
            self._out += held[:passed]
            del held[:passed]
            self._ended = self._item_at = -1
            self._pass_on()

    @property
    def unit_start(self) -> int:
        """The character where the open call begins, or the last object that may be one; -1 for none."""
        unit = self._shape.unit
        return -1 if unit is None else unit.start

    @property
    def item_keys(self) -> frozenset[str] | None:
        """The keys that such an object has where it is an item of a list; none for the name of a tool."""
        unit = self._shape.unit
        at = -1 if unit is None else self._stack.index(unit)
        return None if unit is None or at <= 0 or self._stack[at - 1].is_object else unit.members.keys

    def begin_again(self) -> None:
        """That call comes anew, from its beginning."""
        self._shape.begin_again()
        self.expect, self._take, self._in_key = Expect.VALUE, drop, False
        self._arg_depth, self._encoded, self._ended, self._item_at = -1, None, -1, -1
        for part in (self._parts, self._held, self._out, self._texts):
            part.clear()

    @property
    def encloses(self) -> bool:
        """True inside arguments that are a string."""
        return self._encoded is not None

    @property
    def inner(self) -> tuple[Mendable, int]:
        """Reads what is in the string that the arguments are, and how many characters of that it has taken."""
        assert self._encoded is not None
        reader = self._encoded.reader
        assert isinstance(reader, Mendable)
        return reader, self._encoded.taken

    def end_encoded(self) -> None:
        """That string is over, and what is in it complete."""
        self._value_end()

    def abandon(self, text: str) -> None:
        """What is in that string, which says `text`, is no JSON: the rest of it counts for nothing."""
        if self._texts or self._out or text.lstrip()[:1] in ("{", "["):
            self._shape.emit(Misfit(self._start, "arguments in JSON"))
        else:
            self._shape.emit(Arguments(text, "", self._start))
        self._encoded, self._arg_depth, self._take = None, -1, drop
        for part in (self._held, self._out, self._texts):
            part.clear()

    def uncover(self) -> bool:
        """The string that the arguments are is an object, of which the brace has come; False when more of it has."""
        if "".join(self._texts + self._out).strip() != "{":
            return False
        self._encoded = None
        self._stack.append(IN_OBJECT)
        self.expect = Expect.KEY_OR_END
        return True

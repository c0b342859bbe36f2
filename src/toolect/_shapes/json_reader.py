"""Reads one JSON value as it arrives, strictly: a ShapeReader is told of its parts, argument text is passed on.

What is there as a whole is taken at once: arguments, a key with its colon, a string, a member that the shape has no
place for. What is not is read character by character: strings and numbers in runs, and what is passed on as argument
text is always the beginning of valid JSON. Only the values that a shape has a place for are tried as a whole, once
each, so work per character is constant whatever the chunking.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from enum import Enum

from toolect._shapes.encoded import Encoded
from toolect._shapes.loose import LooseEnd
from toolect._shapes.shape_events import Arguments, ArgumentText, Emit, Misfit, ShapeEvent
from toolect._shapes.shape_reader import IN_LIST, IN_OBJECT, OpenCall, ShapeReader
from toolect._spec.model import Hole, HoleKind, Shape
from toolect._values.json_lexemes import (
    MAX_DEPTH,
    Broken,
    Take,
    check_scalar,
    complete,
    decode,
    drop,
    into,
    match_after,
    match_key,
    match_run,
    match_scalar,
    match_space,
    match_string,
    read_string,
    unquote,
)
from toolect.message import Json


class Expect(Enum):
    """What the next character may be part of."""

    VALUE = 1
    VALUE_OR_END = 2
    KEY = 3
    KEY_OR_END = 4
    COLON = 5
    COMMA_OR_END = 6
    STRING = 7
    SCALAR = 8
    DONE = 9


class JsonReader:
    """One value being read. `root` is its shape; a `plain` value is an argument, where a string is just a string."""

    __slots__ = (
        "expect",
        "_shape", "_plain", "_stack",
        "_start", "_parts", "_in_key", "_take", "_keep", "_pass", "_hold",
        "_arg_depth", "_arg_start", "_encoded", "_ended", "_held", "_key_at", "_out", "_quote_at", "_texts",
    )  # fmt: skip

    def __init__(self, root: Shape, emit: Emit, plain: bool = False, tools: Collection[str] = ()) -> None:
        self.expect = Expect.VALUE
        self._shape = ShapeReader(root, emit, tools)
        self._stack = self._shape.stack
        self._plain = plain
        self._start = 0  # where the string or scalar began
        self._parts: list[str] = []  # its text, where that is wanted
        self._in_key = False  # the string is a key
        self._take: Take = drop  # where its text goes
        self._arg_depth = -1  # the stack's height where the arguments began, or -1 outside of them
        self._arg_start = 0
        self._encoded: Encoded[JsonReader] | None = None
        self._held: list[str] = []  # argument text that is not safe to pass on yet
        self._key_at = 0  # where in it the last key begins
        self._quote_at = 0  # where in it the last quote of the last string is
        self._ended = -1  # the character after that quote, or -1 when that is passed on
        self._out: list[str] = []  # argument text to pass on
        self._texts: list[str] = []  # argument text passed on
        self._keep, self._pass, self._hold = into(self._parts), into(self._out), into(self._held)

    def feed(self, buf: str, pos: int, base: int, final: bool) -> int:
        """Read on at `buf[pos]`, which is character `base + pos` of the wire text; where reading stopped.

        Raises Broken at the first character that cannot be JSON.
        """
        n = len(buf)
        try:
            while True:
                expect = self.expect
                if expect is Expect.STRING:
                    pos, closed = read_string(buf, pos, base, self._take, self._encoded is not None)
                    if not closed:
                        return pos
                    self._string_end(base + pos)
                    continue
                if expect is Expect.SCALAR:
                    end = match_scalar(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
                    if end > pos:
                        self._parts.append(buf[pos:end])
                    if end == n and (not final or self._stack):
                        return end  # nobody knows the whole of it
                    pos = end
                    self._scalar_end(base + pos)
                    continue
                if expect is Expect.DONE:
                    return pos
                if self._arg_depth < 0 and (end := self._stride(expect, buf, pos, base)) >= 0:
                    pos = end
                    continue
                end = match_space(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
                if end > pos:
                    if self._arg_depth >= 0:
                        self._held.append(buf[pos:end])
                    pos = end
                if pos == n:
                    return pos
                pos = self._token(buf, pos, base, final)
        finally:
            if self._out:
                self._pass_on()

    @property
    def passing(self) -> bool:
        """True inside the arguments, where their text is passed on as it stands."""
        return self._arg_depth >= 0 and self._encoded is None

    def passes(self, chunk: str) -> bool:
        """True when all of `chunk` lies inside a string that is open where `passing`, and is no key."""
        return self.expect is Expect.STRING and not self._in_key and self.passing and match_run(chunk) is not None

    def passed(self, chunk: str) -> None:
        """Such a `chunk` was passed on."""
        self._texts.append(chunk)

    def listen(self, emit: Emit) -> None:
        """Report to `emit` from now on."""
        self._shape.emit = emit

    @property
    def called(self) -> bool:
        """True when what has been read can only be a call."""
        return self._shape.called

    @property
    def open_call(self) -> OpenCall | None:
        """What is known of the open call."""
        return self._shape.open_call

    @property
    def odd(self) -> bool:
        """True inside the arguments, when the shape has them the other way: as a string with JSON in it, or not."""
        return self._arg_depth >= 0 and self._shape.odd(self._encoded is not None) != ""

    @property
    def held(self) -> str:
        """Argument text that has come and is not safe to pass on: a comma, a number that may go on."""
        return "".join(self._held) + ("".join(self._parts) if self.expect is Expect.SCALAR else "")

    def loose(self) -> LooseEnd:
        """Looks for the end of the value, which is broken here."""
        opened = ["{" if frame.is_object else "[" for frame in self._stack]
        between = self.expect in (Expect.COMMA_OR_END, Expect.KEY)
        return LooseEnd(opened, self.expect is Expect.STRING, between)

    @property
    def done(self) -> bool:
        """True when the value is complete."""
        return self.expect is Expect.DONE

    # Structure

    def _token(self, buf: str, pos: int, base: int, final: bool) -> int:
        """Read the structural character at `pos`, or the first one of a string or scalar, or all of it."""
        expect, char, at = self.expect, buf[pos], base + pos
        if expect is Expect.VALUE or expect is Expect.VALUE_OR_END:
            if char == "]" and expect is Expect.VALUE_OR_END:
                self._close("]", at)
                return pos + 1
            if char not in '"{[-' and not char.isalnum():
                raise Broken(at, f"expected a JSON value, got {char!r}")
            if self._arg_depth < 0 and (end := self._begin_value(buf, pos, base, final)) >= 0:
                return end
            if char == '"':
                self._begin_string(at, False)
            elif char == "{" or char == "[":
                self._open(char == "{", at)
            else:
                self.expect = Expect.SCALAR
                self._start = at
                self._parts.clear()
                return pos
        elif expect is Expect.KEY or expect is Expect.KEY_OR_END:
            if char == '"':
                self._begin_string(at, True)
            elif char == "}" and expect is Expect.KEY_OR_END:
                self._close("}", at)
            else:
                raise Broken(at, f"expected a key in double quotes, got {char!r}")
        elif expect is Expect.COLON:
            if char != ":":
                raise Broken(at, f"expected `:`, got {char!r}")
            if self._arg_depth >= 0:
                self._safe(":")
            self.expect = Expect.VALUE
        else:
            is_object = self._stack[-1].is_object
            closer = "}" if is_object else "]"
            if char == ",":
                if self._arg_depth >= 0:
                    self._held.append(",")
                self.expect = Expect.KEY if is_object else Expect.VALUE
            elif char == closer:
                self._close(closer, at)
            else:
                raise Broken(at, f"expected `,` or `{closer}`, got {char!r}")
        return pos + 1

    def _stride(self, expect: Expect, buf: str, pos: int, base: int) -> int:
        """A key with its colon, or what stands after a value: where it ends, or -1 when it is not there as a whole."""
        if expect is Expect.COMMA_OR_END:
            match = match_after(buf, pos)
            if match is None:
                return -1
            sign, is_object = match[1], self._stack[-1].is_object
            if sign == ",":
                self.expect = Expect.KEY if is_object else Expect.VALUE
                return match.end()
            if (sign == "}") is not is_object:
                return -1
            end = match.end(1)
            self._shape.close(base + end)
            self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
            return end
        if expect is Expect.KEY or expect is Expect.KEY_OR_END:
            match = match_key(buf, pos)
            if match is None:
                return -1
            self._shape.key(match[1], base + match.start(1) - 1)
            self.expect = Expect.VALUE
            return match.end()
        return -1

    def _begin_value(self, buf: str, pos: int, base: int, final: bool) -> int:
        """A value outside of arguments starts at `pos`. Where it ends, if it is taken as a whole, or -1."""
        shape, at = self._shape, base + pos
        if shape.value(at):
            self._arg_depth = len(self._stack)
            self._arg_start = at
            self._texts.clear()
            return self._take_arguments(buf, pos, final)
        place = shape.place
        if shape.unwanted and self._stack[-1].is_object:
            shape.stray(at, buf[pos] == "{")
        if buf[pos] in "{[":
            found = complete(buf, pos, False) if shape.unwanted else None
        elif place.scalar and (match := match_string(buf, pos)) is not None:
            end = match.end()
            shape.scalar(match[1], at, base + end)
            self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
            return end
        else:
            found = complete(buf, pos, final and not self._stack)
            if found is not None and place.scalar:
                shape.scalar(found[0], at, base + found[1])
            elif found is not None and type(found[0]) is str:
                self._unwanted(found[0], at)
        if found is None:
            return -1
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        return found[1]

    def _take_arguments(self, buf: str, pos: int, final: bool) -> int:
        """Take the arguments that start at `pos` as a whole; where they end, or -1 when they are not."""
        found = complete(buf, pos, final and not self._stack)
        if found is None:
            return -1
        value, end, doubled = found
        text, encoded = buf[pos:end], False
        if type(value) is str and not self._plain:
            text, encoded = value, True
            inner = complete(text, 0, True)
            if inner is None or type(inner[0]) is str or text[inner[1] :].strip(" \t\n\r"):
                return -1
            value, text, doubled = inner[0], text[: inner[1]], inner[2]
            self._shape.encoded()
        if value == [] and not self._plain:
            value, text = None, "null"
        self._arguments(text)
        self._arguments_end(value, encoded, doubled)
        return end

    def _open(self, is_object: bool, at: int) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise Broken(at, f"nested deeper than {MAX_DEPTH}", limit=True)
        if self._arg_depth >= 0:
            if not is_object and self._arg_depth == len(self._stack) and not self._plain:
                self._held.append("[")  # an empty list stands for no arguments
            else:
                self._safe("{" if is_object else "[")
            self._stack.append(IN_OBJECT if is_object else IN_LIST)
        else:
            self._shape.open(is_object, at)
        self.expect = Expect.KEY_OR_END if is_object else Expect.VALUE_OR_END

    def _close(self, closer: str, at: int) -> None:
        if self._arg_depth >= 0:
            self._stack.pop()
            if not self._texts and not self._out and not self._plain and "".join(self._held).strip() == "[":
                self._held[:] = ["null"]
                closer = ""
            self._safe(closer)
        else:
            self._shape.close(at + 1)
        self._value_end()

    def _value_end(self) -> None:
        """A value ended."""
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        if self._arg_depth == len(self._stack):
            if self._held:
                self._safe("")
            if self._out:
                self._pass_on()
            if not self._texts:
                self._arguments("null")  # which the string that they are stands for, and does not pass on
            encoded, self._encoded = self._encoded is not None, None
            value, _, doubled = decode("".join(self._texts), 0)
            self._arguments_end(value, encoded, doubled)

    # What a mender does where the value is broken

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
            self._ended = -1
            self.expect, self._in_key, self._take = Expect.STRING, False, self._pass
        return ended

    @property
    def encloses(self) -> bool:
        """True inside arguments that are a string."""
        return self._encoded is not None

    @property
    def inner(self) -> tuple[JsonReader, int]:
        """Reads what is in the string that the arguments are, and how many characters of that it has taken."""
        assert self._encoded is not None
        return self._encoded.reader, self._encoded.taken

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
        self._held.clear()

    def uncover(self) -> bool:
        """The string that the arguments are is an object, of which the brace has come; False when more of it has."""
        if "".join(self._texts + self._out).strip() != "{":
            return False
        self._encoded = None
        self._stack.append(IN_OBJECT)
        self.expect = Expect.KEY_OR_END
        return True

    # Strings and scalars

    def _begin_string(self, at: int, is_key: bool) -> None:
        self.expect = Expect.STRING
        self._start = at
        self._in_key = is_key
        self._parts.clear()
        if self._arg_depth < 0:
            self._take = self._keep if is_key or self._shape.place.scalar or self._shape.unwanted else drop
        elif not is_key and self._arg_depth == len(self._stack) and not self._plain:
            self._encoded = Encoded(at, JsonReader(Hole(HoleKind.ARGUMENTS), self._pass_through))
            self._take = self._encoded.feed
            self._shape.encoded()
        elif is_key:
            self._key_at = len(self._held)
            self._held.append('"')
            self._take = self._hold
        else:
            self._safe('"')
            self._take = self._pass

    def _string_end(self, end: int) -> None:
        passing = self._arg_depth >= 0 and self._encoded is None
        if passing:
            if not self._in_key:
                self._quote_at, self._ended = len(self._held), end
            self._held.append('"')  # it may be one of the string's own
        if self._in_key:
            if not passing:
                self._shape.key(unquote("".join(self._parts)), self._start)
            self.expect = Expect.COLON
            return
        if self._encoded is not None:
            self._encoded.end(end - 1)
        elif not passing and self._shape.place.scalar:
            self._shape.scalar(unquote("".join(self._parts)), self._start, end)
        elif not passing and self._parts:
            self._unwanted(self._parts[0], self._start)
        self._value_end()

    def _unwanted(self, text: str, at: int) -> None:
        """A string begins with `text` that the shape may have no place for: an object may be in it."""
        if text[0:1] == "{" and self._shape.unwanted and self._stack[-1].is_object:
            self._shape.stray(at, True)

    def _scalar_end(self, end: int) -> None:
        word = "".join(self._parts)
        check_scalar(word, self._start, end)
        if self._arg_depth >= 0:
            self._safe(word)
        elif self._shape.place.scalar:
            self._shape.scalar(json.loads(word), self._start, end)
        self._value_end()

    # Argument text

    def _safe(self, text: str) -> None:
        """Whatever follows, `text` and what was held before it begin valid JSON."""
        if self._held:
            self._out.extend(self._held)
            self._held.clear()
            self._ended = -1
        self._out.append(text)

    def _pass_on(self) -> None:
        text = "".join(self._out)
        self._out.clear()
        self._arguments(text)

    def _pass_through(self, event: ShapeEvent) -> None:
        """The value inside the string of the arguments goes on: its text is theirs."""
        if type(event) is ArgumentText:
            self._out.append(event.text)

    def _arguments(self, text: str) -> None:
        """More of the arguments' text, which can be passed on."""
        shape, begins = self._shape, not self._texts
        self._texts.append(text)
        if begins:
            shape.begun(text)
            if text == "null":  # it stands for no arguments
                return
        shape.emit(ArgumentText(text))

    def _arguments_end(self, value: Json, encoded: bool, doubled: bool) -> None:
        """The arguments, which came as a string where `encoded`, are complete."""
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        self._arg_depth = -1
        odd = self._shape.odd(encoded)
        self._shape.judge()
        text = "".join(self._texts)
        self._shape.emit(Arguments(value, text, self._arg_start, odd, doubled))

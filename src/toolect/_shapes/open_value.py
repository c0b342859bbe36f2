"""A JSON value that is being read, as far as it has come: what is open, what may come next, what is passed on.

A ShapeReader is called for each part, and gets the text of arguments, which is always the beginning of valid JSON.
"""

from __future__ import annotations

import json
from enum import Enum

from toolect._message import Json
from toolect._shapes.encoded import EncodedString
from toolect._shapes.shape_events import Arguments, ArgumentText, Emit, ShapeEvent
from toolect._shapes.shape_frame import IN_LIST, IN_OBJECT
from toolect._shapes.shape_reader import ShapeReader
from toolect._spec.shape_model import Shape
from toolect._values.json_lexemes import (
    MAX_DEPTH,
    JsonError,
    Take,
    check_scalar,
    decode,
    drop,
    into,
    unquote,
)
from toolect._values.toolset import NO_TOOLS, ToolSchemas

MAX_TAIL = 2
"""Characters of a comma at the end of a string, with the blank after it. Beyond it: it is the string's own."""


class Expect(Enum):
    """Role of the next character."""

    VALUE = 1
    VALUE_OR_END = 2
    KEY = 3
    KEY_OR_END = 4
    COLON = 5
    COMMA_OR_END = 6
    STRING = 7
    SCALAR = 8
    DONE = 9


def settled(waiting: list[str], text: str) -> str:
    """The part of a string value that can be passed on, after what was `waiting` and more `text` of it.

    A comma at its end waits: it may stand after the string, and its quote be missing.
    """
    if waiting:
        text = "".join(waiting) + text
        waiting.clear()
    at = text.rfind(",", -MAX_TAIL)
    if at >= 0 and text[at + 1 :] in ("", " "):
        waiting.append(text[at:])
        return text[:at]
    return text


class OpenValue:
    """One value being read. `root` is its shape; a `plain` value is an argument, where a string is just a string. Keys
    that are spelled otherwise are no keys of an `exact` one.
    """

    __slots__ = (
        "expect",
        "_shape", "_plain", "_stack",
        "_start", "_parts", "_in_key", "_take", "_keep", "_pass", "_hold",
        "_arg_depth", "_arg_start", "_encoded", "_ended", "_held", "_item_at", "_key_at", "_out", "_quote_at", "_texts",
    )  # fmt: skip

    def __init__(
        self, root: Shape, emit: Emit, plain: bool = False, tools: ToolSchemas = NO_TOOLS, exact: bool = False
    ) -> None:
        self.expect = Expect.VALUE
        self._shape = ShapeReader(root, emit, tools, exact)
        self._stack = self._shape.stack
        self._plain = plain
        self._start = 0  # where the string or scalar began
        self._parts: list[str] = []  # its text, where that is wanted
        self._in_key = False  # the string is a key
        self._take: Take = drop  # where its text goes
        self._arg_depth = -1  # the stack's height where the arguments began, or -1 outside of them
        self._arg_start = 0
        self._encoded: EncodedString | None = None
        self._held: list[str] = []  # argument text that is not safe to pass on yet
        self._key_at = 0  # where in it the last key begins
        self._item_at = -1  # where in it the comma before an item is that may be a key
        self._quote_at = 0  # where in it the last quote of the last string is
        self._ended = -1  # the character after that quote, or -1 when that is passed on
        self._out: list[str] = []  # argument text to pass on
        self._texts: list[str] = []  # argument text passed on
        self._keep, self._pass, self._hold = into(self._parts), self._pass_text, into(self._held)

    @property
    def passing(self) -> bool:
        """True inside the arguments, where their text is passed on as it stands."""
        return self._arg_depth >= 0 and self._encoded is None

    @property
    def passes(self) -> bool:
        """True when text is passed on as it comes: in a string that is one of the arguments, and no key."""
        return self.expect is Expect.STRING and self._take is self._pass

    @property
    def unsure(self) -> bool:
        """True when the last string, an item of a list, may have been a key, or a number may go on."""
        return self._item_at >= 0 or self.expect is Expect.SCALAR

    @property
    def depth(self) -> int:
        """The height of the stack where the arguments began; -1 outside of them."""
        return self._arg_depth

    def skip(self, text: str, brackets: str, expect: Expect) -> None:
        """The arguments go on with a `text` of strict JSON, after which this is expected within `brackets`."""
        self._texts.append(text)
        self._held.clear()
        self._parts.clear()
        self._ended = self._item_at = -1
        self._stack[self._arg_depth :] = [IN_OBJECT if one == "{" else IN_LIST for one in brackets]
        self.expect, self._in_key, self._take = expect, False, self._pass

    @property
    def called(self) -> bool:
        """True when what has been read can only be a call."""
        return self._shape.called

    @property
    def held(self) -> str:
        """Argument text that has come and is not safe to pass on: a comma, a number that may go on."""
        return self.before + ("".join(self._parts) if self.expect is Expect.SCALAR else "")

    @property
    def before(self) -> str:
        """Of `held`, what comes before a scalar that is open."""
        return "".join(self._held)

    @property
    def done(self) -> bool:
        """True when the value is complete."""
        return self.expect is Expect.DONE

    # Structure

    def _open(self, is_object: bool, at: int) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise JsonError(at, f"nested deeper than {MAX_DEPTH}", limit=True)
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

    # Strings and scalars

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
        elif not passing:
            self._shape.no_call(self._start)
            if self._parts:
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
        else:
            self._shape.no_call(self._start)
        self._value_end()

    # Argument text

    def _pass_text(self, text: str, _at: int) -> None:
        """More of a string that is a value."""
        text = settled(self._held, text)
        if text:
            self._out.append(text)

    def _safe(self, text: str) -> None:
        """Whatever follows, `text` and what was held before it begin valid JSON."""
        if self._held:
            self._out.extend(self._held)
            self._held.clear()
            self._ended = self._item_at = -1
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

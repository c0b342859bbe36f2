"""Reads one JSON value as it arrives, strictly, tells its calls of its parts, and passes on argument text.

Work per character is constant whatever the chunking: strings and numbers are taken in runs, nothing is read twice, and
what has been passed on as argument text is always the beginning of valid JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from enum import Enum

from toolect.engine.json_calls import Calls
from toolect.engine.json_encoded import Encoded, Through
from toolect.engine.json_lexemes import (
    MAX_DEPTH,
    Broken,
    Take,
    check_scalar,
    drop,
    into,
    match_run,
    match_scalar,
    match_space,
    read_string,
    unquote,
)
from toolect.engine.json_shape import IN_LIST, IN_OBJECT
from toolect.engine.json_sink import Sink
from toolect.engine.loose_json import LooseEnd
from toolect.events import ArgumentsDelta, Event
from toolect.spec.model import Hole, HoleKind, Shape


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
        "_calls", "_sink", "_plain", "_stack", "_key",
        "_start", "_parts", "_in_key", "_take", "_keep", "_pass",
        "_arg_depth", "_arg_start", "_encoded", "_held", "_out", "_texts",
    )  # fmt: skip

    def __init__(self, root: Shape, sink: Sink, plain: bool = False, tools: Collection[str] = ()) -> None:
        self.expect = Expect.VALUE
        self._sink = sink
        self._calls = Calls(root, sink, tools)
        self._stack = self._calls.stack
        self._plain = plain
        self._key = ""
        self._start = 0  # where the string or scalar began
        self._parts: list[str] = []  # its text, where that is wanted
        self._in_key = False  # the string is a key
        self._take: Take = drop  # where its text goes
        self._arg_depth = -1  # the stack's height where the arguments began, or -1 outside of them
        self._arg_start = 0
        self._encoded: Encoded | None = None
        self._held: list[str] = []  # argument text that is not safe to pass on yet
        self._out: list[str] = []  # argument text to pass on
        self._texts: list[str] = []  # argument text passed on
        self._keep, self._pass = into(self._parts), into(self._out)

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
                end = match_space(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
                if end > pos:
                    if self._arg_depth >= 0:
                        self._held.append(buf[pos:end])
                    pos = end
                if pos == n:
                    return pos
                pos = self._token(buf[pos], pos, base)
        finally:
            if self._out:
                self._pass_on()

    def quick(self, took: Callable[[str], None]) -> Callable[[str], list[Event] | None] | None:
        """A function that takes in a chunk which lies inside a string of the arguments; None outside of them."""
        if self._arg_depth < 0 or self._encoded is not None:
            return None
        part, texts = self._sink.inside(), self._texts
        if part is None:
            return None
        written, index = part

        def take(chunk: str) -> list[Event] | None:
            if self.expect is not Expect.STRING or match_run(chunk) is None:
                return None
            took(chunk)
            texts.append(chunk)
            written.append(chunk)
            return [ArgumentsDelta(index, chunk)]

        return take

    def listen(self, sink: Sink) -> None:
        """Report to `sink` from now on."""
        self._sink = self._calls.sink = sink

    @property
    def called(self) -> bool:
        """True when what has been read can only be a call."""
        return self._calls.called

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

    def _token(self, char: str, pos: int, base: int) -> int:
        """Read the structural character at `pos`, or the first one of a string or scalar."""
        expect, at = self.expect, base + pos
        if expect is Expect.VALUE or expect is Expect.VALUE_OR_END:
            if char == '"':
                self._begin_value(at)
                self._begin_string(at, False)
            elif char == "{" or char == "[":
                self._open(char == "{", at)
            elif char == "]" and expect is Expect.VALUE_OR_END:
                self._close("]", at)
            elif char.isalnum() or char == "-":
                self._begin_value(at)
                self.expect = Expect.SCALAR
                self._start = at
                self._parts.clear()
                return pos
            else:
                raise Broken(at, f"expected a JSON value, got {char!r}")
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

    def _begin_value(self, at: int) -> None:
        """A value starts at `at`: is it the arguments?"""
        if self._arg_depth < 0 and self._calls.value(at, self._key, self._start):
            self._arg_depth = len(self._stack)
            self._arg_start = at
            self._texts.clear()

    def _open(self, is_object: bool, at: int) -> None:
        self._begin_value(at)
        if len(self._stack) >= MAX_DEPTH:
            raise Broken(at, f"nested deeper than {MAX_DEPTH}", limit=True)
        if self._arg_depth >= 0:
            self._stack.append(IN_OBJECT if is_object else IN_LIST)
            self._safe("{" if is_object else "[")
        else:
            self._calls.open(is_object, at, self._key, self._start)
        self.expect = Expect.KEY_OR_END if is_object else Expect.VALUE_OR_END

    def _close(self, closer: str, at: int) -> None:
        frame = self._stack.pop()
        if self._arg_depth >= 0:
            self._safe(closer)
        self._value_end()
        if frame.begun:
            self._calls.close(frame, at + 1)

    def _value_end(self) -> None:
        """A value ended."""
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        if self._arg_depth == len(self._stack):
            if self._out:
                self._pass_on()
            odd = self._calls.odd(self._encoded is not None)
            self._encoded = None
            self._arg_depth = -1
            self._calls.judge()
            self._sink.arguments_end("".join(self._texts), self._arg_start, odd)

    # Strings and scalars

    def _begin_string(self, at: int, is_key: bool) -> None:
        self.expect = Expect.STRING
        self._start = at
        self._in_key = is_key
        self._parts.clear()
        if self._arg_depth < 0:
            self._take = self._keep if is_key or self._calls.wanted else drop
        elif not is_key and self._arg_depth == len(self._stack) and not self._plain:
            self._encoded = Encoded(at, JsonReader(Hole(HoleKind.ARGUMENTS), Through(self._out)))
            self._take = self._encoded.feed
            self._calls.encoded()
        else:
            self._safe('"')
            self._take = self._pass

    def _string_end(self, end: int) -> None:
        passing = self._arg_depth >= 0 and self._encoded is None
        if passing:
            self._out.append('"')
        if self._in_key:
            if not passing:
                self._key = unquote("".join(self._parts))
                self._stack[-1].keys.append(self._key)
            self.expect = Expect.COLON
            return
        if self._encoded is not None:
            self._encoded.end(end - 1)
        elif not passing and self._calls.wanted:
            self._calls.scalar(self._key, unquote("".join(self._parts)), self._start, end)
        self._value_end()

    def _scalar_end(self, end: int) -> None:
        word = "".join(self._parts)
        check_scalar(word, self._start, end)
        if self._arg_depth >= 0:
            self._safe(word)
        elif self._calls.wanted:
            self._calls.scalar(self._key, json.loads(word), self._start, end)
        self._value_end()

    # Argument text

    def _safe(self, text: str) -> None:
        """Whatever follows, `text` and what was held before it begin valid JSON."""
        if self._held:
            self._out.extend(self._held)
            self._held.clear()
        self._out.append(text)

    def _pass_on(self) -> None:
        text, begins = "".join(self._out), not self._texts
        self._out.clear()
        self._texts.append(text)
        if begins:
            self._calls.begun(text)
            if text == "null":  # it stands for no arguments
                return
        self._sink.arguments_part(text)

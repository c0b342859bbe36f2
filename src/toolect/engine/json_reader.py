"""Reads one JSON value as it arrives, strictly, and hands what its shape asks for to a sink.

Work per character is constant whatever the chunking: strings and numbers are taken in runs, nothing is read twice, and
what has been passed on as argument text is always the beginning of valid JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum

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
from toolect.engine.json_shape import SKIP, Matcher, is_arguments, is_unit, item, member, merged
from toolect.engine.json_sink import Sink
from toolect.events import ArgumentsDelta, Event
from toolect.ir import Json, RepairKind
from toolect.spec.model import Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape


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
        "expect", "named", "argued", "called",
        "_root", "_sink", "_plain", "_stack", "_matcher", "_key",
        "_start", "_parts", "_in_key", "_take", "_keep", "_pass",
        "_arg_depth", "_arg_start", "_encoded", "_held", "_out", "_texts",
    )  # fmt: skip

    def __init__(self, root: Shape, sink: Sink, plain: bool = False) -> None:
        self.expect = Expect.VALUE
        self.named = False  # the open call has its name
        self.argued = False  # and its arguments have begun
        self.called = False  # both were true of some call
        self._root: Matcher = root
        self._sink = sink
        self._plain = plain
        self._stack: list[tuple[bool, Matcher, bool]] = []  # is an object, its matcher, is a unit
        self._matcher: Matcher = root
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
        self._sink = sink

    @property
    def held(self) -> str:
        """Argument text that has come and is not safe to pass on: a comma, a number that may go on."""
        return "".join(self._held) + ("".join(self._parts) if self.expect is Expect.SCALAR else "")

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
            is_object = self._stack[-1][0]
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
        """A value starts at `at`: is it one the shape asks for?"""
        matcher = self._matcher = self._child() if self._stack else self._root
        if self._arg_depth < 0 and is_arguments(matcher):
            if self.argued:
                self._sink.note(RepairKind.DUPLICATE_KEY, at, "the first arguments count")
                self._matcher = SKIP
                return
            self.argued = True
            self.called = self.called or self.named
            self._arg_depth = len(self._stack)
            self._arg_start = at
            self._texts.clear()

    def _child(self) -> Matcher:
        """What the shape says about the value at the current key or place."""
        is_object, matcher, _ = self._stack[-1]
        if not is_object:
            return item(matcher)
        if isinstance(matcher, Keyed):
            self.named = True
            self._sink.hole(HoleKind.NAME, self._key, self._start, self._start)
        return member(matcher, self._key)

    def _open(self, is_object: bool, at: int) -> None:
        self._begin_value(at)
        if len(self._stack) >= MAX_DEPTH:
            raise Broken(at, f"nested deeper than {MAX_DEPTH}", limit=True)
        matcher: Matcher = SKIP
        unit = swapped = False
        if self._arg_depth < 0:
            matcher, swapped = self._bracketed(is_object)
            unit = is_object and is_unit(matcher) and not any(unit for _, _, unit in self._stack)
        if unit:
            self.named = self.argued = False
            self._sink.unit(at)
        if swapped:
            self._sink.note(RepairKind.LIST, at, "one call for a list" if is_object else "a list for one call")
        self._stack.append((is_object, matcher, unit))
        self.expect = Expect.KEY_OR_END if is_object else Expect.VALUE_OR_END
        if self._arg_depth >= 0:
            self._safe("{" if is_object else "[")

    def _bracketed(self, is_object: bool) -> tuple[Matcher, bool]:
        """What describes the inside of the object or list that begins; True when, at the root, one is for the other."""
        matcher = self._matcher
        if isinstance(matcher, OneOf):
            matcher = merged(matcher, is_object)
        if not self._stack:
            if is_object and isinstance(matcher, Many):
                return matcher.item, True
            if not is_object and isinstance(matcher, Obj | Keyed):
                return Many(matcher), True
        return matcher, False

    def _close(self, closer: str, at: int) -> None:
        _, _, unit = self._stack.pop()
        if self._arg_depth >= 0:
            self._safe(closer)
        self._value_end()
        if unit:
            self._sink.unit_end(at + 1)

    def _value_end(self) -> None:
        """A value ended."""
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        if self._arg_depth == len(self._stack):
            if self._out:
                self._pass_on()
            encoded, self._encoded = self._encoded is not None, None
            self._arg_depth = -1
            self._sink.arguments_end("".join(self._texts), self._arg_start, encoded)

    # Strings and scalars

    def _begin_string(self, at: int, is_key: bool) -> None:
        self.expect = Expect.STRING
        self._start = at
        self._in_key = is_key
        self._parts.clear()
        if self._arg_depth < 0:
            self._take = self._keep if is_key or isinstance(self._matcher, Hole) else drop
        elif not is_key and self._arg_depth == len(self._stack) and not self._plain:
            self._encoded = Encoded(at, JsonReader(Hole(HoleKind.ARGUMENTS), Through(self._out)))
            self._take = self._encoded.feed
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
            self.expect = Expect.COLON
            return
        if self._encoded is not None:
            self._encoded.end(end - 1)
        elif not passing and isinstance(self._matcher, Hole):
            self._fill(self._matcher.kind, unquote("".join(self._parts)), end)
        self._value_end()

    def _scalar_end(self, end: int) -> None:
        word = "".join(self._parts)
        check_scalar(word, self._start, end)
        if self._arg_depth >= 0:
            self._safe(word)
        elif isinstance(self._matcher, Hole):
            self._fill(self._matcher.kind, json.loads(word), end)
        self._value_end()

    def _fill(self, kind: HoleKind, value: Json, end: int) -> None:
        if kind is HoleKind.NAME and isinstance(value, str):
            self.named = True
            self.called = self.called or self.argued
        self._sink.hole(kind, value, self._start, end)

    # Argument text

    def _safe(self, text: str) -> None:
        """Whatever follows, `text` and what was held before it begin valid JSON."""
        if self._held:
            self._out.extend(self._held)
            self._held.clear()
        self._out.append(text)

    def _pass_on(self) -> None:
        text = "".join(self._out)
        self._out.clear()
        self._texts.append(text)
        self._sink.arguments_part(text)

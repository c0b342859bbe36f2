"""Reads one JSON value as it arrives, strictly, and hands what its shape asks for to a sink.

Work per character is constant whatever the chunking: strings and numbers are taken in runs, nothing is read twice, and
what has been passed on as argument text is always the beginning of valid JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from enum import Enum

from toolect.engine.json_encoded import Encoded, Through
from toolect.engine.json_lexemes import (
    MAX_DEPTH,
    Broken,
    Take,
    check_scalar,
    drop,
    into,
    match_name,
    match_run,
    match_scalar,
    match_space,
    read_string,
    unquote,
)
from toolect.engine.json_shape import (
    IN_LIST,
    IN_OBJECT,
    SKIP,
    Frame,
    Options,
    is_arguments,
    is_unit,
    items,
    objects,
    options,
    takes_list,
    takes_object,
    takes_scalar,
)
from toolect.engine.json_sink import Sink
from toolect.engine.loose_json import LooseEnd
from toolect.events import ArgumentsDelta, Event
from toolect.ir import Json, RepairKind
from toolect.spec.model import Const, Hole, HoleKind, Shape


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
    """One value being read. `root` is its shape; a `plain` value is an argument, where a string is just a string.

    `called` says that what has been read can only be a call: its name is one of `tools` or looks like a tool's, its
    constants are there, and its arguments have begun as an object does.
    """

    __slots__ = (
        "expect", "called",
        "_root", "_sink", "_plain", "_tools", "_stack", "_options", "_key",
        "_start", "_parts", "_in_key", "_take", "_keep", "_pass",
        "_unit", "_name", "_leads", "_argued", "_good",
        "_arg_depth", "_arg_start", "_encoded", "_held", "_out", "_texts",
    )  # fmt: skip

    def __init__(self, root: Shape, sink: Sink, plain: bool = False, tools: Collection[str] = ()) -> None:
        self.expect = Expect.VALUE
        self.called = False
        self._root = options(root)
        self._sink = sink
        self._plain = plain
        self._tools = tools
        self._stack: list[Frame] = []
        self._options: Options = self._root  # what the value may be
        self._key = ""
        self._start = 0  # where the string or scalar began
        self._parts: list[str] = []  # its text, where that is wanted
        self._in_key = False  # the string is a key
        self._take: Take = drop  # where its text goes
        self._unit: Frame | None = None  # the open call
        self._name = ""  # its name
        self._leads = False  # which is its first key
        self._argued = False  # its arguments have begun
        self._good = False  # as arguments do
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
        """A value starts at `at`: is it one the shape asks for?"""
        if self._arg_depth >= 0:
            return
        if self._stack:
            frame = self._stack[-1]
            self._options, is_name = frame.at(self._key) if frame.is_object else (frame.options, False)
            if is_name:
                self._fill(HoleKind.NAME, self._key, self._start)
        if not any(map(is_arguments, self._options)):
            return
        if self._stack:
            self._begin_unit()
        if self._argued:
            self._sink.note(RepairKind.DUPLICATE_KEY, at, "the first arguments count")
            self._options = SKIP
            return
        self._argued = True
        self._arg_depth = len(self._stack)
        self._arg_start = at
        self._texts.clear()

    def _begin_unit(self) -> None:
        """What is read belongs to a call: that begins now, unless it has begun."""
        owner = self._stack[-1].owner
        if owner is None or owner.begun:
            return
        owner.begun = True
        self._unit = owner
        self._name, self._leads, self._argued, self._good = "", False, False, False
        self._sink.unit(owner.start)
        if owner.identity is not None:
            self._sink.hole(HoleKind.ID, owner.identity, owner.start, owner.start)

    def _open(self, is_object: bool, at: int) -> None:
        self._begin_value(at)
        if len(self._stack) >= MAX_DEPTH:
            raise Broken(at, f"nested deeper than {MAX_DEPTH}", limit=True)
        if self._arg_depth >= 0:
            self._stack.append(IN_OBJECT if is_object else IN_LIST)
            self._safe("{" if is_object else "[")
        else:
            self._push(is_object, at)
        self.expect = Expect.KEY_OR_END if is_object else Expect.VALUE_OR_END

    def _push(self, is_object: bool, at: int) -> None:
        """Open an object or list outside of arguments."""
        kinds, swapped = self._kinds(is_object)
        frame = Frame(is_object, kinds, at)
        if is_object and self._unit is not None:
            frame.owner = self._unit if self._stack[-1].owner is self._unit else None
        elif is_object:
            above = self._stack[-1].owner if self._stack else None
            frame.owner = above or (frame if any(map(is_unit, kinds)) else None)
        self._stack.append(frame)
        if frame.owner is frame and all(map(is_unit, kinds)):
            self._begin_unit()
        if swapped:
            self._sink.note(RepairKind.LIST, at, "one call for a list" if is_object else "a list for one call")

    def _kinds(self, is_object: bool) -> tuple[Options, bool]:
        """What the object that begins, or an item of the list, may be; True when, at the root, one is for the other."""
        takes = takes_object if is_object else takes_list
        above = self._stack[-1] if self._stack else None
        if above is None:
            found = objects(self._options) if is_object else items(self._options)
            if found:
                return found, False
            found = objects(items(self._options) if is_object else self._options)
            return found, bool(found)
        found = self._options
        if above.is_object:
            found, wrong = above.narrow(self._key, takes)
            if wrong:
                self._misfit(above, wrong)
        return objects(found) if is_object else items(found), False

    def _close(self, closer: str, at: int) -> None:
        frame = self._stack.pop()
        if self._arg_depth >= 0:
            self._safe(closer)
        self._value_end()
        if frame.begun and frame is self._unit:
            self._end_unit(frame, at + 1)

    def _end_unit(self, frame: Frame, end: int) -> None:
        """The call is over: what it has instead of arguments counts as such."""
        if self._name and not self._argued and frame.complete():
            named = frame.named() if self._leads else None
            self.called = self.called or named is not None or self._name in self._tools
            if named is not None:
                self._sink.rest(frame.start, end, named)
        self._unit = None
        self._argued = False
        self._sink.unit_end(end)

    def _misfit(self, frame: Frame, wrong: str) -> None:
        """A constant is another one than the shape has."""
        if frame.owner is not None and frame.owner is self._unit:
            self._sink.misfit(self._start, wrong)

    def _value_end(self) -> None:
        """A value ended."""
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        if self._arg_depth == len(self._stack):
            if self._out:
                self._pass_on()
            odd = self._odd()
            self._encoded = None
            self._arg_depth = -1
            self._judge()
            self._sink.arguments_end("".join(self._texts), self._arg_start, odd)

    def _odd(self) -> str:
        """What the arguments came as, when the shape has them the other way: a string with JSON in it, or not."""
        encoded = self._encoded is not None
        if any(isinstance(s, Hole) and (s.kind is HoleKind.ARGUMENTS_TEXT) is encoded for s in self._options):
            return ""
        return "a JSON string" if encoded else "an object"

    # Strings and scalars

    def _begin_string(self, at: int, is_key: bool) -> None:
        self.expect = Expect.STRING
        self._start = at
        self._in_key = is_key
        self._parts.clear()
        if self._arg_depth < 0:
            self._take = self._keep if is_key or self._wanted() else drop
        elif not is_key and self._arg_depth == len(self._stack) and not self._plain:
            self._encoded = Encoded(at, JsonReader(Hole(HoleKind.ARGUMENTS), Through(self._out)))
            self._take = self._encoded.feed
            self._good = Hole(HoleKind.ARGUMENTS_TEXT) in self._options
            self._judge()
        else:
            self._safe('"')
            self._take = self._pass

    def _wanted(self) -> bool:
        """True when the shape has something for the scalar that begins."""
        return any(isinstance(shape, Hole | Const) for shape in self._options)

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
        elif not passing and self._wanted():
            self._scalar(unquote("".join(self._parts)), end)
        self._value_end()

    def _scalar_end(self, end: int) -> None:
        word = "".join(self._parts)
        check_scalar(word, self._start, end)
        if self._arg_depth >= 0:
            self._safe(word)
        elif self._wanted():
            self._scalar(json.loads(word), end)
        self._value_end()

    def _scalar(self, value: Json, end: int) -> None:
        """A string, number or word outside of arguments is complete."""
        frame = self._stack[-1] if self._stack else None
        if frame is None or not frame.is_object:
            return
        found, wrong = frame.narrow(self._key, takes_scalar(value))
        if wrong:
            self._misfit(frame, wrong)
        hole = next((shape for shape in found if isinstance(shape, Hole)), None)
        if hole is not None:
            self._fill(hole.kind, value, end)
        self._judge()

    def _fill(self, kind: HoleKind, value: Json, end: int) -> None:
        owner = self._stack[-1].owner
        if kind is HoleKind.ID and owner is not None and not owner.begun:
            owner.identity = owner.identity or value  # of what may be no call
            return
        if kind is HoleKind.NAME:
            self._begin_unit()
        if kind is HoleKind.NAME and not self._name and isinstance(value, str) and self._names_tool(value):
            frame = self._stack[-1]
            self._name, self._leads = value, frame is frame.owner and len(frame.keys) == 1
        self._sink.hole(kind, value, self._start, end)

    def _names_tool(self, value: str) -> bool:
        """True for what may be the name of a tool: no text with blanks, unless there is such a tool."""
        return value in self._tools or match_name(value) is not None

    def _judge(self) -> None:
        """Is it a call by now?"""
        if self._name and self._good and self._unit is not None and self._unit.complete():
            self.called = True

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
        if text == "null" and not self._texts:  # it stands for no arguments
            self._good = True
            self._texts.append(text)
            return
        if not self._good and not self._texts:
            self._good = text.lstrip().startswith("{")
            self._judge()
        self._texts.append(text)
        self._sink.arguments_part(text)

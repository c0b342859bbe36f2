"""Reads one JSON value as it arrives, strictly, and hands what its shape asks for to a sink.

Work per character is constant whatever the chunking: strings and numbers are taken in runs, nothing is read twice, and
what has been passed on as argument text is always the beginning of valid JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn, Protocol, TypeAlias

from toolect.events import ArgumentsDelta, Event
from toolect.ir import Json, RepairKind
from toolect.spec.model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

MAX_DEPTH = 200
"""Open brackets a JSON value may have."""
MAX_DIGITS = 4300
"""Characters of a number: Python's own bound on integers."""


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
    BROKEN = 10


class Sink(Protocol):
    """What receives the parts of the value. Offsets are characters of the wire text."""

    def unit(self, start: int) -> None: ...
    def unit_end(self, end: int) -> None: ...
    def hole(self, kind: HoleKind, value: Json, start: int, end: int) -> None: ...
    def arguments_begin(self) -> None: ...
    def arguments_part(self, text: str) -> None: ...
    def arguments_end(self, text: str, start: int, end: int, encoded: bool) -> None: ...
    def note(self, kind: RepairKind, at: int, detail: str) -> None: ...
    def inside(self) -> tuple[list[str], int] | None: ...


class Skip:
    """Stands where a value has no place in the shape."""


SKIP = Skip()
Matcher: TypeAlias = Shape | Skip

_WHOLE_RUN = re.compile(r'[^"\\\x00-\x1f]+\Z').match
_RUN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_SCALAR = re.compile(r"[-+.\w]*", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SPACE = re.compile(r"[ \t\n\r]*")
_WORDS = frozenset(("true", "false", "null"))


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"expected a JSON value, got {word}")


scan_once = json.JSONDecoder(parse_constant=_refuse).scan_once  # type: ignore[attr-defined]  # made by __init__
"""`scan_once(text, index) -> (value, end)`: the JSON value at `index`, decoded in C. Raises ValueError, StopIteration."""


class Broken(Exception):
    """The text is not JSON from `at` on (an offset of the wire text)."""

    def __init__(self, at: int, why: str, resume: int | None = None) -> None:
        super().__init__(why)
        self.at, self.why = at, why
        self.resume = at if resume is None else resume
        """From where on the text has not been taken in."""


class JsonReader:
    """One value being read. `root` is the shape; `only` marks a value that is nothing but arguments."""

    __slots__ = (
        "_arg_depth", "_arg_start", "_encoded", "_held", "_inner", "_inner_rest", "_key", "_matcher", "_out", "_parts", "_plain", "_root",
        "_sink", "_stack", "_start", "_string_is_key", "_texts", "_wants_string", "expect", "began", "named", "argued",
    )  # fmt: skip

    def __init__(self, root: Shape, sink: Sink, plain: bool = False) -> None:
        self._root: Matcher = root
        self._sink = sink
        self._plain = plain
        self.expect = Expect.VALUE
        self._stack: list[tuple[bool, Matcher, bool]] = []  # is an object, its matcher, is a unit
        self._matcher: Matcher = root
        self._parts: list[str] = []
        self._start = 0
        self._key = ""
        self._string_is_key = False
        self._wants_string = False
        self._arg_depth = -1  # the stack's height where the arguments began, or -1 outside of them
        self._arg_start = 0
        self._encoded = False
        self._inner: JsonReader | None = None
        self._inner_rest = ""
        self._held: list[str] = []  # argument text that is not safe to pass on yet
        self._out: list[str] = []  # argument text to pass on
        self._texts: list[str] = []  # argument text passed on
        self.began = False
        self.named = False
        self.argued = False

    def feed(self, buf: str, pos: int, base: int, final: bool) -> int:
        """Read on at `buf[pos]`, which is character `base + pos` of the wire text; where reading stopped.

        Raises Broken at the first character that cannot be JSON. `expect` is DONE when the value is complete.
        """
        n = len(buf)
        try:
            while True:
                expect = self.expect
                if expect is Expect.STRING:
                    pos = self._string(buf, pos, n, base)
                    if self.expect is Expect.STRING:
                        return pos
                    continue
                if expect is Expect.SCALAR:
                    end = _SCALAR.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
                    if end > pos:
                        self._parts.append(buf[pos:end])
                    if end == n and not final:
                        return end
                    if end == n and self._stack:
                        return end  # cut off inside: nobody can know the whole of it
                    pos = end
                    self._scalar_end(base + pos)
                    continue
                if expect is Expect.DONE:
                    return pos
                end = _SPACE.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
                if end > pos:
                    if self._arg_depth >= 0:
                        self._held.append(buf[pos:end])
                    pos = end
                if pos == n:
                    return pos
                pos = self._token(buf[pos], pos, base)
        finally:
            if self._out:
                text = "".join(self._out)
                self._out.clear()
                self._texts.append(text)
                self._sink.arguments_part(text)

    def quick(self, took: Callable[[str], None]) -> Callable[[str], list[Event] | None] | None:
        """A function that takes in a chunk which lies inside a string of the arguments; None outside of them."""
        if self._arg_depth < 0 or self._inner is not None:
            return None
        part, texts = self._sink.inside(), self._texts
        if part is None:
            return None
        written, index = part

        def take(chunk: str) -> list[Event] | None:
            if self.expect is not Expect.STRING or _WHOLE_RUN(chunk) is None:
                return None
            took(chunk)
            texts.append(chunk)
            written.append(chunk)
            return [ArgumentsDelta(index, chunk)]

        return take

    def listen(self, sink: Sink) -> None:
        """Report to `sink` from now on."""
        self._sink = sink

    def _token(self, char: str, pos: int, base: int) -> int:
        """Read the structural character at `pos`, or the first one of a string or scalar."""
        expect, at = self.expect, base + pos
        if expect is Expect.VALUE or expect is Expect.VALUE_OR_END:
            if char == '"':
                self._begin_value(at, False)
                self._begin_string(at, False)
            elif char == "{" or char == "[":
                self._open(char == "{", at)
            elif char == "]" and expect is Expect.VALUE_OR_END:
                self._close(False, at)
            elif char.isalnum() or char == "-":
                self._begin_value(at, False)
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
                self._close(True, at)
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
            if char == ",":
                if self._arg_depth >= 0:
                    self._held.append(",")
                self.expect = Expect.KEY if is_object else Expect.VALUE
            elif char == ("}" if is_object else "]"):
                self._close(is_object, at)
            else:
                raise Broken(at, f"expected `,` or `{'}' if is_object else ']'}`, got {char!r}")
        return pos + 1

    # Values

    def _begin_value(self, at: int, bracket: bool) -> None:
        """A value starts at `at`: is it one the shape asks for?"""
        self.began = True
        matcher = self._matcher = self._child() if self._stack else self._root
        if self._arg_depth >= 0:
            return
        if isinstance(matcher, Hole) and matcher.kind in (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT):
            self.argued = True
            self._arg_depth = len(self._stack)
            self._arg_start = at
            self._texts.clear()
            self._sink.arguments_begin()

    def _child(self) -> Matcher:
        """What the shape says about the value at the current key or place."""
        is_object, matcher, _ = self._stack[-1]
        if isinstance(matcher, Obj) and is_object:
            for field in matcher.fields:
                if self._key in field.keys:
                    return field.shape
        elif isinstance(matcher, Keyed) and is_object:
            self.named = True
            self._sink.hole(HoleKind.NAME, self._key, self._start, self._start)
            return matcher.shape
        elif isinstance(matcher, Many) and not is_object:
            return matcher.item
        return SKIP

    def _open(self, is_object: bool, at: int) -> None:
        outside = self._arg_depth < 0
        self._begin_value(at, True)
        if len(self._stack) >= MAX_DEPTH:
            raise Broken(at, f"nested deeper than {MAX_DEPTH}")
        matcher = self._matcher
        if outside and self._arg_depth < 0:
            if isinstance(matcher, OneOf):
                matcher = merged(matcher)
            if not self._stack:
                if is_object and isinstance(matcher, Many):
                    matcher = matcher.item
                    self._sink.note(RepairKind.LIST, at, "one call where a list was expected")
                elif not is_object and isinstance(matcher, Obj | Keyed):
                    matcher = Many(matcher)
                    self._sink.note(RepairKind.LIST, at, "a list of calls where one was expected")
        unit = outside and is_object and self._arg_depth < 0 and is_unit(matcher) and not self._in_unit()
        if unit:
            self.named = self.argued = False
            self._sink.unit(at)
        self._stack.append((is_object, matcher if self._arg_depth < 0 else SKIP, unit))
        self.expect = Expect.KEY_OR_END if is_object else Expect.VALUE_OR_END
        if self._arg_depth >= 0:
            self._safe("{" if is_object else "[")

    def _in_unit(self) -> bool:
        return any(unit for _, _, unit in self._stack)

    def _close(self, is_object: bool, at: int) -> None:
        _, _, unit = self._stack.pop()
        if self._arg_depth >= 0:
            self._safe("}" if is_object else "]")
        self._value_end(at + 1)
        if unit:
            self._sink.unit_end(at + 1)

    def _value_end(self, end: int) -> None:
        """A value ended at `end`."""
        self.expect = Expect.COMMA_OR_END if self._stack else Expect.DONE
        if self._arg_depth == len(self._stack):
            if self._out:
                text = "".join(self._out)
                self._out.clear()
                self._texts.append(text)
                self._sink.arguments_part(text)
            self._arg_depth = -1
            self._sink.arguments_end("".join(self._texts), self._arg_start, end, self._encoded)
            self._encoded = False
            self._inner = None

    def _safe(self, text: str) -> None:
        if self._held:
            self._out.extend(self._held)
            self._held.clear()
        self._out.append(text)

    # Strings and scalars

    def _begin_string(self, at: int, is_key: bool) -> None:
        self._start = at
        self._string_is_key = is_key
        self.expect = Expect.STRING
        self._parts.clear()
        if not is_key and self._arg_depth == len(self._stack) and not self._plain:
            self._encoded = True
            self._inner_rest = ""
            self._inner = JsonReader(Hole(HoleKind.ARGUMENTS), _Through(self._out))
            self._wants_string = True
        elif self._arg_depth >= 0:
            self._safe('"')
            self._wants_string = is_key and self._arg_depth < 0
        else:
            self._wants_string = is_key or isinstance(self._matcher, Hole | Const)

    def _string(self, buf: str, pos: int, n: int, base: int) -> int:
        """Read on inside a string; `expect` changes when it ends."""
        passing = self._arg_depth >= 0 and self._inner is None
        while pos < n:
            end = _RUN.match(buf, pos).end()  # type: ignore[union-attr]  # matches the empty string
            if end > pos:
                self._piece(buf[pos:end], passing, base + pos)
                pos = end
                if pos == n:
                    return pos
            char = buf[pos]
            if char == '"':
                self._string_end(base + pos + 1, passing)
                return pos + 1
            if char != "\\":
                raise Broken(base + pos, f"expected no control character in a string, got {char!r}")
            escape = _ESCAPE.match(buf, pos)
            if escape is None:
                if n - pos < 6 and _could_escape(buf[pos:]):
                    return pos
                raise Broken(base + pos, f"expected a JSON escape, got {buf[pos : pos + 2]!r}")
            if self._inner is not None and escape[0][1] == "u" and 0xD800 <= int(escape[0][2:], 16) < 0xDC00:
                # Half of a pair: the other half must come along.
                if n - pos < 12 and (n - pos == 6 or buf[pos + 6] == "\\" and _could_escape(buf[pos + 6 :])):
                    return pos
                second = _ESCAPE.match(buf, pos + 6)
                if second is not None and second[0][1] == "u":
                    self._piece(escape[0] + second[0], passing, base + pos)
                    pos = second.end()
                    continue
            self._piece(escape[0], passing, base + pos)
            pos = escape.end()
        return pos

    def _piece(self, text: str, passing: bool, at: int) -> None:
        if passing:
            self._out.append(text)
        elif self._inner is not None:
            decoded: str = json.loads(f'"{text}"') if "\\" in text else text
            self._feed_inner(decoded, at, False)
        elif self._wants_string:
            self._parts.append(text)

    def _feed_inner(self, text: str, at: int, final: bool) -> None:
        inner = self._inner
        assert inner is not None
        text = self._inner_rest + text
        try:
            stopped = inner.feed(text, 0, 0, final)
        except Broken as broken:
            why = f"in the encoded arguments: {broken.why}"
            raise Broken(self._start, why, at) from None
        self._inner_rest = text[stopped:]
        if self._inner_rest.strip() and (final or inner.expect is Expect.DONE):
            raise Broken(self._start, "expected the end of the encoded arguments", at)

    def _string_end(self, end: int, passing: bool) -> None:
        if passing:
            self._out.append('"')
        if self._string_is_key:
            if not passing:
                self._key = scan_once(f'"{"".join(self._parts)}"', 0)[0]
            self.expect = Expect.COLON
            return
        if self._inner is not None:
            self._feed_inner("", end - 1, True)
            if self._inner.expect is not Expect.DONE:
                raise Broken(self._start, "expected the encoded arguments to be complete", end - 1)
        elif not passing and isinstance(self._matcher, Hole):
            self._fill(scan_once(f'"{"".join(self._parts)}"', 0)[0], end)
        self._value_end(end)

    def _scalar_end(self, end: int) -> None:
        word = "".join(self._parts)
        if len(word) > MAX_DIGITS:
            raise Broken(self._start, f"expected a number of at most {MAX_DIGITS} characters, got {len(word)}", end)
        if word not in _WORDS and _NUMBER.fullmatch(word) is None:
            raise Broken(self._start, f"expected a JSON value, got {word[:40]!r}", end)
        if self._arg_depth >= 0:
            self._safe(word)
        elif isinstance(self._matcher, Hole):
            self._fill(json.loads(word), end)
        self._value_end(end)

    def _fill(self, value: Json, end: int) -> None:
        assert isinstance(self._matcher, Hole)
        if self._matcher.kind is HoleKind.NAME and isinstance(value, str):
            self.named = True
        self._sink.hole(self._matcher.kind, value, self._start, end)


class _Through:
    """The sink of encoded arguments: passes their text on."""

    def __init__(self, out: list[str]) -> None:
        self._out = out

    def arguments_part(self, text: str) -> None:
        self._out.append(text)

    def _nothing(self, *_: Any) -> None:
        pass

    unit = unit_end = hole = arguments_begin = arguments_end = note = inside = _nothing


def _could_escape(text: str) -> bool:
    """True when `text`, which begins with a backslash, may become an escape with more characters."""
    return re.fullmatch(r"\\(?:u[0-9a-fA-F]{0,3})?", text) is not None


def is_unit(shape: Matcher) -> bool:
    """True for the shape of one call: an object that holds the name and the arguments, however deep."""
    if isinstance(shape, Keyed):
        return True
    return isinstance(shape, Obj) and HoleKind.NAME in holes(shape)


def holes(shape: Matcher) -> frozenset[HoleKind]:
    """The holes of one call's shape; a list inside it holds calls of its own."""
    match shape:
        case Hole(kind):
            return frozenset((kind,))
        case Obj(fields):
            return frozenset().union(*(holes(f.shape) for f in fields))
        case Keyed(inner):
            return holes(inner) | {HoleKind.NAME}
        case OneOf(shapes):
            return frozenset().union(*map(holes, shapes))
        case _:
            return frozenset()


def merged(shape: OneOf) -> Matcher:
    """One matcher for alternative shapes: all their fields, none of them required."""
    lists = [s for s in shape.shapes if isinstance(s, Many)]
    if lists:
        return lists[0]
    fields = tuple(f for s in shape.shapes if isinstance(s, Obj) for f in s.fields)
    return Obj(fields) if fields else shape.shapes[0]

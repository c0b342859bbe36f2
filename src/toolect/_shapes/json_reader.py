"""Reads one JSON value as it arrives, strictly: a ShapeReader is called for its parts, argument text is passed on.

What is there as a whole is taken at once: arguments, a key with its colon, a string, a member that the shape has no
place for. What is not is read character by character: strings and numbers in runs, and what is passed on as argument
text is always the beginning of valid JSON. Only the values that a shape has a place for are tried as a whole, once
each, so work per character is constant whatever the chunking.
"""

from __future__ import annotations

from toolect._shapes.encoded import EncodedString
from toolect._shapes.open_value import Expect, OpenValue
from toolect._spec.shape_model import Hole, HoleKind
from toolect._values.json_lexemes import (
    JsonError,
    complete,
    drop,
    match_after,
    match_key,
    match_scalar,
    match_space,
    match_string,
    read_string,
)

MAX_KEY = 64
"""Characters of a text in a list that may be a key after a missing bracket. Beyond it: it is an item."""


class JsonReader(OpenValue):
    """One value being read. `root` is its shape; a `plain` value is an argument, where a string is just a string."""

    __slots__ = ()

    def feed(self, buf: str, pos: int, base: int, final: bool) -> int:
        """Read on at `buf[pos]`, which is character `base + pos` of the wire text; where reading stopped.

        Raises JsonError at the first character that cannot be JSON.
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

    def missing(self) -> str | None:
        """The brackets that close what is open; None in the middle of a string, or after a comma or a colon."""
        if self.expect in (Expect.KEY, Expect.VALUE, Expect.STRING, Expect.COLON):
            return None
        return "".join("}" if frame.is_object else "]" for frame in reversed(self._stack))

    # Structure

    def _token(self, buf: str, pos: int, base: int, final: bool) -> int:
        """Read the structural character at `pos`, or the first one of a string or scalar, or all of it."""
        expect, char, at = self.expect, buf[pos], base + pos
        if expect is Expect.VALUE or expect is Expect.VALUE_OR_END:
            if char == "]" and expect is Expect.VALUE_OR_END:
                self._close("]", at)
                return pos + 1
            if char not in '"{[-' and not char.isalnum():
                raise JsonError(at, f"expected a JSON value, got {char!r}")
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
                raise JsonError(at, f"expected a key in double quotes, got {char!r}")
        elif expect is Expect.COLON:
            if char != ":":
                raise JsonError(at, f"expected `:`, got {char!r}")
            if self._arg_depth >= 0:
                self._safe(":")
            self.expect = Expect.VALUE
        else:
            is_object = self._stack[-1].is_object
            closer = "}" if is_object else "]"
            if char == ",":
                if self._arg_depth >= 0:
                    if self._item_at >= 0:
                        self._pass_item()
                    self._held.append(",")
                self.expect = Expect.KEY if is_object else Expect.VALUE
            elif char == closer:
                self._close(closer, at)
            else:
                raise JsonError(at, f"expected `,` or `{closer}`, got {char!r}")
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
            elif found is not None:
                shape.no_call(at)
                if type(found[0]) is str:
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

    def _begin_string(self, at: int, is_key: bool) -> None:
        self.expect = Expect.STRING
        self._start = at
        self._in_key = is_key
        self._parts.clear()
        if self._arg_depth < 0:
            self._take = self._keep if is_key or self._shape.place.scalar or self._shape.unwanted else drop
        elif not is_key and self._arg_depth == len(self._stack) and not self._plain:
            self._encoded = EncodedString(at, self._inside())
            self._take = self._encoded.feed
            self._shape.encoded()
        elif is_key:
            self._key_at = len(self._held)
            self._held.append('"')
            self._take = self._hold
        elif "," in self._held and not self._stack[-1].is_object and len(self._stack) > 1 and self._stack[-2].is_object:
            last = next(i for i, part in enumerate(reversed(self._held)) if part == ",")
            self._item_at, self._ended = len(self._held) - 1 - last, -1
            self._held.append('"')  # of a key, if the list lacks its bracket
            self._take = self._maybe_key
        else:
            self._safe('"')
            self._take = self._pass

    def _pass_item(self) -> None:
        """Pass on a possible key as an item; its last quote may still be one of its own."""
        self._out += self._held[: self._quote_at]
        del self._held[: self._quote_at]
        self._quote_at, self._item_at = 0, -1

    def _maybe_key(self, text: str, at: int) -> None:
        """An item of a list goes on that may be a key, as long as it is short."""
        self._held.append(text)
        if sum(map(len, self._held)) > MAX_KEY:
            said = "".join(self._held)
            self._held.clear()
            self._ended = self._item_at = -1
            self._take = self._pass
            self._pass(said, at)

    def _inside(self) -> JsonReader:
        """Reads the value inside the string that the arguments are."""
        return JsonReader(Hole(HoleKind.ARGUMENTS), self._pass_through)

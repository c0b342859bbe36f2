"""Arguments inside a JSON string: the text that the string stands for is read as JSON in its turn."""

from __future__ import annotations

from typing import Protocol

from toolect._values.json_lexemes import JsonError, raw_length, unquote


class StringReader(Protocol):
    """Reader of the value in a string."""

    def feed(self, buf: str, pos: int, base: int, final: bool, /) -> int:
        """Read on at `buf[pos]`; where reading stopped. Raises JsonError."""

    @property
    def done(self) -> bool:
        """True when the value is complete."""


class EncodedString:
    """The string that begins at character `start`; `reader` reads what is in it."""

    __slots__ = ("reader", "_blank", "_over", "_rest", "_start", "taken")

    def __init__(self, start: int, reader: StringReader) -> None:
        self._start = start
        self.reader = reader
        self.taken = 0  # characters of what is in the string that are read
        self._rest = ""  # of the string's own text, what is not read yet
        self._over = -1  # the character where the value ended
        self._blank = True  # nothing is in it

    def feed(self, text: str, at: int, final: bool = False) -> None:
        """More of the string, escapes and all; it begins at character `at`. Raises JsonError."""
        if self._over >= 0:
            self._expect_blank(unquote(text))
            return
        text, at = self._rest + text, at - len(self._rest)
        inside = unquote(text) if "\\" in text else text
        base, self._blank = self.taken, self._blank and not inside.strip()
        try:
            stopped = self.reader.feed(inside, 0, base, final)
        except JsonError as broken:
            self.taken = broken.resume
            resume = at + raw_length(text, broken.resume - base)
            raise JsonError(self._start, f"in the encoded arguments: {broken.why}", resume) from None
        self.taken = base + stopped
        read = len(text) if stopped == len(inside) else raw_length(text, stopped)
        self._rest = text[read:]
        if self.reader.done or final:
            self._over = at + read
            self._expect_blank(inside[stopped:])

    def _expect_blank(self, rest: str) -> None:
        """Nothing but blanks may follow the value."""
        if rest.strip():
            raise JsonError(self._start, "expected the end of the encoded arguments", self._over)

    def end(self, at: int) -> None:
        """The string ends at character `at`; an empty one is `null`. Raises JsonError when the value in it does not."""
        self.feed("", at, final=True)
        if self._blank:
            self.reader.feed("null", 0, self.taken, True)
        if not self.reader.done:
            raise JsonError(self._start, "expected the encoded arguments to be complete", at)

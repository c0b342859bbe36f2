"""A stretch of content between the things that dialects read, and what of its end is not decided yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from toolect._reading.quotation import MAX_LINE, Shown
from toolect.message import Content, Segment

FENCE = "```"


class Listener(Protocol):
    """Who is told about content."""

    @property
    def blank(self) -> bool:
        """True when nothing has been found so far."""

    def say(self, text: str) -> bool:
        """More content was found; False when it is not wanted."""

    def add(self, segment: Segment) -> None:
        """A segment is complete."""


class Stretch:
    """Content from character `start` on: what was passed on, and what is held back.

    Held back are blanks, the line that begins a code block, and end tokens: they are content only when more text
    follows, and markup when a call, or nothing, does.
    """

    __slots__ = (
        "_block",
        "_from",
        "_held",
        "_held_size",
        "_lined",
        "_parts",
        "_recent",
        "_shown",
        "_size",
        "_ticks",
        "_token",
        "fence",
        "solid",
        "start",
    )

    def __init__(self, start: int) -> None:
        self.start = start
        self.solid = False
        """More than blanks has come."""
        self.fence: int | None = None
        """The character where a held code block begins."""
        self._parts: list[str] = []
        self._size = 0
        self._held: list[str] = []
        self._held_size = 0
        self._lined = False  # a line ends in it
        self._from = 0  # held characters before the code block
        self._token: int | None = None  # held characters before the first end token
        self._recent = ""  # the last `MAX_LINE` characters, with what is held back
        self._shown = Shown()
        self._block = False  # a code block is open
        self._ticks = ""  # the beginning of a fence, perhaps, that ends what was passed on

    @property
    def fresh(self) -> bool:
        """True where a line of it begins, or the whole."""
        return self._held[-1].endswith("\n") if self._held else not self.solid

    @property
    def in_line(self) -> bool:
        """True when nothing but blanks has come since its beginning or the last line's end."""
        return not self.solid or self._lined

    @property
    def line(self) -> str:
        """The last line of it, or the last `MAX_LINE` characters of that."""
        return self._recent.rpartition("\n")[2]

    def shows(self) -> bool:
        """True when the marker that follows is quoted."""
        at = self.start + self._size + self._held_size
        return self._shown.holds(self._recent, at, at)

    @property
    def in_quotes(self) -> bool:
        """True when the last marker that was shown stands in quotation marks, and in no code span."""
        return self._shown.closing != "`"

    @property
    def shown(self) -> bool:
        """True inside of a code block."""
        return self._block or self.fence is not None

    @property
    def waiting(self) -> str:
        """What is held back."""
        return "".join(self._held)

    def add(self, to: Listener, text: str) -> bool:
        """More text; True when it is all blank."""
        body = text.rstrip()
        if body:
            self.solid = True
            said = self.waiting + body
            self._say(to, said)
            signs = self._ticks + said
            self._block = (signs.count(FENCE) + self._block) % 2 == 1
            self._ticks = "`" * ((len(signs) - len(signs.rstrip("`"))) % len(FENCE))
            self._recent = (self._recent + body)[-MAX_LINE:]
            self._held, self._held_size, self.fence, self._token, self._lined = [], 0, None, None, False
        if len(body) < len(text):
            self._hold(text[len(body) :])
        return not body

    def hold_fence(self, text: str) -> None:
        """The line that begins a code block, with the blanks after it."""
        self._from = self._held_size
        self.fence = self.start + self._size + self._held_size
        self._hold(text)

    def hold_end(self, token: str) -> None:
        """An end token."""
        if self._token is None:
            self._token = self._held_size
        self._hold(token)

    def _hold(self, text: str) -> None:
        self._held.append(text)
        self._recent = (self._recent + text)[-MAX_LINE:]
        self._held_size += len(text)
        self._lined = self._lined or "\n" in text

    def _say(self, to: Listener, text: str) -> None:
        if text and to.say(text):
            self._parts.append(text)
            self._size += len(text)
        elif text:
            self.start += len(text)

    def end(self, to: Listener) -> None:
        """Nothing, or markup, follows: what is held is content but for end tokens, unless it is all that there is."""
        held = self.waiting[: self._token]
        if held and (self.solid or self._token is None and to.blank):
            self._say(to, held)
        self._close(to)

    def end_before(self, to: Listener, gap: Callable[[str], int]) -> None:
        """A call or a section follows; `gap` tells how many of the blanks before it are its dialect's."""
        held = self.waiting
        if self._token is not None:
            held = held[: self._token]
        elif self.fence is not None:
            held = held[: self._from].rstrip()
        else:
            held = held[: len(held) - gap(held)]
        if self.solid:
            self._say(to, held)
        self._close(to)

    def _close(self, to: Listener) -> None:
        for segment in self.so_far():
            to.add(segment)
        self._parts, self._held = [], []

    def so_far(self) -> Sequence[Segment]:
        """The content that was passed on."""
        text = "".join(self._parts)
        return (Content(text, (self.start, self.start + len(text))),) if text else ()

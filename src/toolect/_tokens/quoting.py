"""A stream of text in which some markers are only quoted: those are read as text, whatever they spell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from toolect._events import Event
from toolect._message import Message
from toolect._search.answer_search import Stream
from toolect._tokens.tokenizer_protocol import finder
from toolect._tokens.veil import Veil

MAX_MARKER = 200
"""Characters of a marker of one id that text is held back for. Beyond it: text that spells more of it may be taken for
the marker."""
Tree: TypeAlias = "dict[str, Tree]"
"""Texts by their signs: each leads to what may follow it."""


class Quoting:
    """Gives a stream markers as they are, and hides those that ordinary text spells.

    Outside of calls, what could open a call without its marker is hidden as well after such a one: who quotes
    `<tool_call>` quotes what follows it. That ends with the next true marker.
    """

    __slots__ = ("_held", "_hides", "_loose", "_stream", "_strict", "_veil", "_veiled", "_wary")

    def __init__(self, stream: Stream, words: frozenset[str], openers: Iterable[str]) -> None:
        """`words` are the markers that ordinary text does not make; `openers` is all that a call can begin with."""
        self._hides = bool(words)
        both = words | frozenset(openers)
        self._strict, self._loose = _Words(words), _Words(both)
        self._veil = Veil(both)
        self._stream = stream
        self._veiled = self._wary = False
        self._held = ""

    def marker(self, text: str) -> list[Event]:
        """Return the events of a true marker."""
        self._wary = False
        events = self._stream.feed(text)
        return self.unveiled(events) if self._veiled else events

    def text(self, text: str) -> list[Event]:
        """Return the events of ordinary text; an end of it that a marker may begin with is held back."""
        if not self._hides or not self._held and not self._wary and self._strict.signs.isdisjoint(text):
            events = self._stream.feed(text)
            return self.unveiled(events) if self._veiled else events
        return self._search(self._held + text)

    def rest(self) -> list[Event]:
        """Return the events of the text held back, which cannot go on."""
        held, self._held = self._held, ""
        return self.unveiled(self._stream.feed(held)) if held else []

    def close(self) -> list[Event]:
        """Return the events of the end."""
        return [*self.rest(), *self.unveiled(self._stream.close())]

    def unveiled(self, events: list[Event]) -> list[Event]:
        """Events with their texts as they were."""
        return [self._veil.event(event) for event in events] if self._veiled else events

    @property
    def message(self) -> Message:
        """The message so far."""
        message = self._stream.message
        return self._veil.message(message) if self._veiled else message

    @property
    def pending(self) -> str:
        """Text that waits for more."""
        return self._veil.off(self._stream.pending) + self._held

    def reset(self) -> None:
        """Forget everything."""
        self._stream.reset()
        self._held, self._veiled, self._wary = "", False, False

    def _search(self, text: str) -> list[Event]:
        events: list[Event] = []
        at = 0
        while True:
            words = self._loose if self._wary else self._strict
            found = words.found.search(text, at)
            if found is None:
                break
            events += self._stream.feed(text[at : found.start()])
            self._wary = self._wary or not self._stream.in_call
            self._veiled = True
            events += self._stream.feed(self._veil.over(found[0]))
            at = found.end()
        cut = words.begun.search(text, max(len(text) - MAX_MARKER, at))
        end = len(text) if cut is None else cut.start()
        self._held = text[end:]
        if at < end:
            events += self._stream.feed(text[at:end])
        return self.unveiled(events)


class _Words:
    """Texts to look for: their first signs, what finds them, and what finds the beginning of one at the end."""

    def __init__(self, words: frozenset[str]) -> None:
        self.signs = frozenset(word[0] for word in words)
        self.found = finder(words)
        self.begun = _beginnings(words)


def _beginnings(words: Iterable[str]) -> re.Pattern[str]:
    """Finds the longest end of a text that one of `words` begins with, but not a whole one."""
    tree: Tree = {}
    for word in words:
        here: Tree = tree
        for sign in word[: min(len(word) - 1, MAX_MARKER)]:
            here = here.setdefault(sign, {})
    return re.compile(_nested(tree) + r"\Z" if tree else r"(?!)")


def _nested(tree: Tree) -> str:
    """An expression for one way into a tree of signs, as far as the text goes."""
    ways = (re.escape(sign) + (f"{_nested(inner)}?" if inner else "") for sign, inner in tree.items())
    return f"(?:{'|'.join(ways)})"

"""Pass-through: chunks that can only be more of what is open, emitted at once and kept until something else comes.

Then the search reads them in one go, and emits none of it again. Nothing is emitted here that the search would not have
emitted by then: where that is not sure, the chunk is left to it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, NamedTuple

from toolect._building.draft import Draft
from toolect._events import Event
from toolect._graph.spelling import LETTERS
from toolect._search.hypothesis import Hypothesis
from toolect._search.json_ends import MAX_EVIDENCE, NEAR, held
from toolect._search.json_state import JsonState, Next
from toolect._search.json_target import JsonTarget
from toolect._search.performer import Performer
from toolect._search.window import Window
from toolect._shapes.open_value import Expect
from toolect._values.json_lexemes import match_space

_MOST: Final = 2048
"""Characters that are kept. Beyond it: the search reads them."""
_MAX_OPEN: Final = 16
"""Brackets that are open in arguments. Beyond it: the search reads them."""
_STRING: Final = re.compile(r'(?:[^"\\\x00-\x1f\]}]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+').match
_TORN: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z").match
_BRACKET: Final = re.compile(r"[\]}]").search
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f,\]}]*[^"\\\x00-\x1f,\]}\s]\Z').match
"""More of a string, of which nothing waits."""
_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]{0,64}+)"[ \t\n\r]*+:[ \t\n\r]*+[^ \t\n\r]').match
_KEY_BEGUN: Final = re.compile(r'"[^"\\\x00-\x1f]{0,64}+(?:"[ \t\n\r]*+(?::[ \t\n\r]*+)?)?\Z').match
_SCALAR: Final = re.compile(r"(?:true|false|null|-?(?:0|[1-9]\d{0,99}+)(?:\.\d+)?)(?=[ \t\n\r,\]}])").match
_SCALAR_BEGUN: Final = re.compile(r"[-+.\w]*+\Z").match


_EXPECTS: Final = {
    Next.VALUE: Expect.VALUE,
    Next.VALUE_OR_END: Expect.VALUE_OR_END,
    Next.KEY_OR_END: Expect.KEY_OR_END,
    Next.AFTER_VALUE: Expect.COMMA_OR_END,
    Next.IN_STRING: Expect.STRING,
}


class PassThrough(ABC):
    """Pass-through of chunks: it keeps them until they are read."""

    __slots__ = ("_chunks",)

    def __init__(self) -> None:
        self._chunks: list[str] = []

    @property
    def kept(self) -> str:
        """The chunks that have been taken."""
        return "".join(self._chunks)

    @abstractmethod
    def feed(self, chunk: str) -> list[Event] | None:
        """Emit a chunk: its events; None for one that has to be read."""

    @abstractmethod
    def settle(self) -> None:
        """Bring the hypothesis to where its text was gone over, which has been added to the window."""


class Stops(NamedTuple):
    """Ends of pass-through: a chunk with one of the `signs` has to be read, the beginning of a marker waits."""

    signs: re.Pattern[str]
    begins: re.Pattern[str]


class TextPassThrough(PassThrough):
    """Free text, whose events `emit` makes. A chunk in which a sign or the name of a tool is found has to be read."""

    __slots__ = ("_begins", "_begun", "_emit", "_emitted", "_names", "_one", "_performer", "_signs", "_size",
                 "_waiting", "_window")  # fmt: skip

    def __init__(
        self,
        emit: Callable[[str], list[Event]],
        stops: Stops,
        named: bool,
        waiting: str,
        one: Hypothesis,
        performer: Performer,
        window: Window,
    ) -> None:
        """The hypothesis `one` is in a text that was emitted but for what is `waiting` at its end.

        Names of tools may be in it where it is `named`.
        """
        super().__init__()
        self._emit, self._waiting, self._one, self._performer = emit, waiting, one, performer
        self._emitted = one.emitted
        self._signs, self._begins = stops.signs.search, stops.begins.search
        self._names = window.names.search if named else None
        self._begun = window.begun_names.search if named else None
        self._window = window
        self._size = 0

    def settle(self) -> None:
        """Bring the hypothesis, and the message, to where the text was emitted."""
        self._one.emitted = self._emitted
        self._performer.more_text(self._emitted)

    def feed(self, chunk: str) -> list[Event] | None:
        """Emit a chunk: its events; None for one that has to be read."""
        text = self._waiting + chunk
        if self._signs(text) is not None or self._names is not None and self._names(text) is not None:
            return None
        end = len(text)
        if (begun := self._begins(text)) is not None:
            end = begun.start()
            if len(text[end:].replace(" ", "")) >= LETTERS:
                return None
        if self._begun is not None and (word := self._begun(text, 0, end)) is not None:
            end = self._window.name_begun(text[:end], word.start())
        self._size += len(chunk)
        if self._size > _MOST:
            return None
        self._chunks.append(chunk)
        said = text[:end].rstrip()
        self._waiting = text[len(said) :]
        self._emitted += len(said)
        return self._emit(said) if said else []


class ArgumentPassThrough(PassThrough):
    """Arguments in strict JSON: an incremental lexer of the object that they are, from within it on."""

    __slots__ = ("_after", "_at", "_buf", "_draft", "_emitted", "_expects", "_keys", "_last_key", "_node", "_one",
                 "_outer", "_quote", "_scalar", "_size", "_stack", "_start", "_string", "_target")  # fmt: skip

    def __init__(
        self, draft: Draft, target: JsonTarget, one: Hypothesis, window: Window, depth: int, start: int
    ) -> None:
        """The hypothesis `one` is in the arguments, `depth` brackets deep; what comes before `start` was emitted."""
        super().__init__()
        state: JsonState = one.state
        begun = state.expects in (Next.IN_KEY, Next.COLON)  # a key, which is gone over when all of it is there
        self._draft, self._target, self._node, self._one = draft, target, one.node, one
        self._buf, self._start, self._emitted = window.buf[start - window.base :], start, 0
        self._expects: Next = Next.KEY if begun else state.expects
        self._at = 0 if self._expects is Next.IN_STRING else (state.string - 1 if begun else one.emitted) - start
        self._after = self._expects
        """The token that comes where the emitted text ends."""
        self._outer, self._stack = state.stack[:depth], state.stack[depth:]
        self._string, self._quote, self._scalar, self._last_key, self._keys = state.string - start, -1, 0, state.key, 0
        self._size = len(self._buf) + _MOST

    def settle(self) -> None:
        """Bring the hypothesis, and what reads its JSON, to where the text was gone over."""
        state: JsonState = self._one.state
        end, start, keys = self._start + self._emitted, self._start, state.evidence + self._keys
        if end < state.emitted or not self._emitted:
            return
        self._target.skip(self._buf[: self._emitted], self._stack, _EXPECTS[self._after])
        state.stack, state.expects = self._outer + self._stack, self._expects
        state.key, state.evidence = self._last_key, min(keys, MAX_EVIDENCE)
        state.emitted, state.string = end, start + self._string
        if self._scalar > self._emitted:
            self._target.feed(self._buf[self._emitted : self._scalar], end)
            state.emitted = start + self._scalar
        quote = self._quote if self._quote >= self._emitted else -1
        state.last_quote, state.after_string = (None, end) if quote < 0 else (start + quote, start + quote + 1)
        self._one.pos = self._one.emitted = start + self._at

    def feed(self, chunk: str) -> list[Event] | None:
        """Emit a chunk: its events; None for one that has to be read."""
        buf = self._buf = self._buf + chunk
        size, emitted = len(buf), self._emitted
        if self._expects is Next.IN_STRING and emitted + len(chunk) == size and _PLAIN(chunk) is not None:
            self._at = self._emitted = size
        elif not self._more(buf, size):
            return None
        if size > self._size:
            return None
        self._chunks.append(chunk)
        return self._draft.emit_arguments(buf[emitted : self._emitted]) if self._emitted > emitted else []

    def _more(self, buf: str, size: int) -> bool:
        """Move on over what has come; False where that has to be read."""
        while True:
            if self._expects is Next.IN_STRING:
                at = _STRING(buf, self._at).end()  # type: ignore[union-attr]  # matches the empty string
                if _BRACKET(buf, self._emitted, at) is not None:  # the value may be over in the string
                    return False
                self._emitted = max(self._emitted, held(buf, self._node, max(self._emitted, at - NEAR), at))
                self._at = at
                if at == size:
                    return True
                if buf[at] != '"':
                    return _TORN(buf, at) is not None
                self._at, self._expects, self._quote = at + 1, Next.AFTER_VALUE, at
            at = match_space(buf, self._at).end()  # type: ignore[union-attr]  # as above
            if at == size:
                return True
            end = self._token(buf, at, size)
            if end <= at:
                return end == at
            self._at = end

    def _token(self, buf: str, at: int, size: int) -> int:
        """The end index of the token at index `at`; `at` where more has to come, -1 for one that has to be read."""
        char, expects, stack = buf[at], self._expects, self._stack
        if expects is Next.AFTER_VALUE:
            if char == ",":
                self._expects = Next.KEY if stack[-1] == "{" else Next.VALUE_AFTER_COMMA
                return at + 1
            return self._close(at) if char == "}" and stack[-1] == "{" else -1
        if expects is Next.KEY or expects is Next.KEY_OR_END:
            if char == '"':
                return self._key(buf, at)
            return self._close(at) if char == "}" and expects is Next.KEY_OR_END else -1
        if char == '"' and expects is not Next.VALUE_AFTER_COMMA:  # there it may be a key
            if size - at < len('"""'):
                return at
            if buf[at + 1] == "{" or buf.startswith('"""', at):
                return -1
            self._emitted = self._string = at + 1
            self._expects = self._after = Next.IN_STRING
            return at + 1
        if char in "{[":
            if len(stack) >= _MAX_OPEN:
                return -1
            self._stack, self._emitted = stack + char, at + 1
            self._expects = self._after = Next.KEY_OR_END if char == "{" else Next.VALUE_OR_END
            return at + 1
        match = _SCALAR(buf, at)
        if match is None:
            return at if _SCALAR_BEGUN(buf, at) is not None else -1
        self._expects, self._scalar = Next.AFTER_VALUE, match.end()
        return match.end()

    def _key(self, buf: str, at: int) -> int:
        match = _KEY(buf, at)
        if match is None:
            return at if _KEY_BEGUN(buf, at) is not None else -1
        key, tools = match[1], self._draft.tools
        if any(opener in key for opener in self._node.graph.long_openers):
            return -1
        if len(self._stack) > 1 and any(key in schema.names for schema in tools.values()):
            return -1
        end = match.end() - 1
        self._emitted, self._last_key, self._keys = buf.rindex(":", at, end) + 1, key, self._keys + 1
        self._expects = self._after = Next.VALUE
        return end

    def _close(self, at: int) -> int:
        """A bracket closes an object in another: what closes a list, or is the last one, has to be read."""
        if not self._stack[:-1].endswith("{"):
            return -1
        self._stack, self._emitted = self._stack[:-1], at + 1
        self._expects = self._after = Next.AFTER_VALUE
        return at + 1

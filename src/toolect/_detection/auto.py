"""The dialect that is none: every part of a text is read by the dialect that fits it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from toolect._detection import island_index
from toolect._detection.auto_search import AutoSearch, MixedMessage
from toolect._detection.index import index
from toolect._detection.mixed import Mixed
from toolect._reading.inner_calls import Waiting
from toolect._reading.put_off import MAX_CAREFUL, Late
from toolect._reading.stream import not_text
from toolect._search.answer_search import SearchStream
from toolect._reading.whole_answer import prompt_tail
from toolect._values.toolset import tool_schemas
from toolect.compiled import BY_SEARCH, Mode, Tools, check_mode, check_policies
from toolect.events import ContentDelta, Event, ReasoningDelta
from toolect.message import Said
from toolect.registry import AUTO


class Auto:
    """Reads texts of any dialect, and of several in one. Safe to share between threads."""

    name = AUTO

    def __repr__(self) -> str:
        return f"<Dialect {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Auto, ()

    def parse(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
    ) -> MixedMessage:
        """The message that `text` says, with the dialect of each call beside it. Arguments as for a dialect's."""
        if not isinstance(text, str):
            raise not_text(text)
        if BY_SEARCH:
            return _search(tools, mode, prefix, policies, False).read(text)  # type: ignore[return-value]
        reader = _reader(tools, mode, prefix, policies, streaming=False)
        reader.read(text)
        return reader.message()

    def stream(
        self, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
    ) -> AutoStream:
        """A fresh stream: `feed` it chunks of the answer, then `close` it. Arguments as for `parse`."""
        if BY_SEARCH:
            given = list(tools) if tools is not None else None
            check_mode(mode)
            check_policies(policies)
            return SearchStream(lambda: _search(given, mode, prefix, policies, True))  # type: ignore[return-value]
        return AutoStream(tools, mode, prefix, policies)

    def render(self, message: Said, tools: Tools | None = None) -> NoReturn:  # noqa: ARG002  # as a dialect's
        """Raises ValueError: a text is written in one dialect."""
        raise ValueError("expected the name of a dialect to render in, got 'auto', which can only read")


class AutoStream:
    """One answer, chunk by chunk. Belongs to one consumer; `reset` makes it ready for the next answer.

    What comes after `MAX_CAREFUL` chunks that were more than text is gathered first, as in the stream of a dialect.
    """

    __slots__ = ("_careful", "_closed", "_inner", "_late", "_options", "_reader", "_size")

    def __init__(self, tools: Tools | None, mode: Mode, prefix: str, policies: Mapping[str, str]) -> None:
        self._options = (list(tools) if tools is not None else None, mode, prefix, policies)
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next chunk begins a new answer."""
        self._reader = _reader(*self._options, streaming=True)
        self._closed = False
        self._careful = self._size = 0  # so many chunks were more than text; so many characters were read
        self._late = Late()
        self._inner = Waiting()

    def feed(self, chunk: str) -> list[Event]:
        """What `chunk` makes happen. Raises ValueError after `close`."""
        if not isinstance(chunk, str):
            raise not_text(chunk)
        if self._closed:
            raise ValueError("expected no text after close; reset() begins a new answer")
        if self._careful >= MAX_CAREFUL:
            if self._late.waits(chunk, self._size):
                return []
            chunk = self._late.take() + chunk
        events = self._read(chunk)
        plain = len(events) == 1 and isinstance(events[0], ContentDelta | ReasoningDelta) and events[0].text == chunk
        self._careful += not plain
        return events

    def _read(self, chunk: str) -> list[Event]:
        """What `chunk` makes happen, which may have been gathered."""
        events: list[Event] = []
        self._reader.found.events = events
        self._reader.feed(chunk)
        self._size += len(chunk)
        return self._inner.told(events, self._reader.torn)

    def close(self) -> list[Event]:
        """What the end of the answer makes happen: a second call has nothing to add."""
        if self._closed:
            return []
        self._closed = True
        told = self._read(self._late.take())
        events = self._reader.found.events = []
        self._reader.close()
        return [*told, *self._inner.told(events, self._reader.torn), *self._inner.over(self.message.calls)]

    @property
    def message(self) -> MixedMessage:
        """What has been read so far; the final message after `close`."""
        return self._reader.message()

    @property
    def pending(self) -> str:
        """Text that arrived and waits for more before it can be told apart."""
        return self._reader.pending + self._late.text()


def _reader(tools: Tools | None, mode: Mode, prefix: str, policies: Mapping[str, str], streaming: bool) -> Mixed:
    check_mode(mode)
    check_policies(policies)
    known = index()
    reader = Mixed(known, tool_schemas(tools), policies, streaming, mode == "strict")
    if prefix:
        tail, opening = prompt_tail(known.prefill, prefix)
        if tail:
            reader.begin(known.prefill[tail], opening)
    return reader


def _search(tools: Tools | None, mode: Mode, prefix: str, policies: Mapping[str, str], streaming: bool) -> AutoSearch:
    check_mode(mode)
    check_policies(policies)
    return AutoSearch(island_index.index(), tool_schemas(tools), policies, mode == "strict", prefix, streaming)

"""The dialect that is none: every part of a text is read by the dialect that fits it."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from typing import TYPE_CHECKING, Unpack, cast, overload

from toolect._compiled import Mode, Tools, check_mode, check_policies, checking
from toolect._detection.auto_search import AutoSearch
from toolect._detection.fast_auto import read_any
from toolect._detection.index import index
from toolect._detection.mixed import MixedMessage
from toolect._events import AsyncEventStream, EventStream, events_of
from toolect._explanation import Explanation
from toolect._message import not_text
from toolect._search.answer_search import Stream, with_checked
from toolect._spec.policies import ReadingPolicies
from toolect._values.toolset import ToolSchemas, tool_schemas
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._detection.ranking import Detection


class Auto:
    """Reads texts of any dialect, and of several in one. Safe to share between threads."""

    name = AUTO

    def __repr__(self) -> str:
        return "<toolect.auto>"

    def __reduce__(self) -> str:
        return "auto"

    def parse(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", *,
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> MixedMessage:  # fmt: skip
        """The message that `text` says, with the dialect of each call. Arguments and errors as for a dialect's."""
        if not isinstance(text, str):
            raise not_text(text)
        schemas = tool_schemas(tools)
        plain = mode == "lenient" and not prefix and not policies
        message = read_any(index(), text, schemas) if plain else None
        if message is None:
            reader = _search(schemas, mode, prefix, policies, streaming=False)
            reader.read(text)
            message = reader.message
        return with_checked(message, checking(schemas, validate))

    def explain(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        **policies: Unpack[ReadingPolicies],
    ) -> Explanation:  # fmt: skip
        """Why `text` is read as it is. Arguments as for a dialect's."""
        return _search(tool_schemas(tools), mode, prefix, policies, streaming=False).explain(self.name, text)

    @overload
    def stream(
        self, chunks: None = None, *, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> AutoStream: ...  # fmt: skip
    @overload
    def stream(
        self, chunks: Iterable[str], *, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> EventStream[MixedMessage]: ...  # fmt: skip
    @overload
    def stream(
        self, chunks: AsyncIterable[str], *, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> AsyncEventStream[MixedMessage]: ...  # fmt: skip
    def stream(
        self, chunks: Iterable[str] | AsyncIterable[str] | None = None, *, tools: Tools | None = None,
        mode: Mode = "lenient", prefix: str = "", validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> AutoStream | EventStream[MixedMessage] | AsyncEventStream[MixedMessage]:  # fmt: skip
        """The events of an answer that arrives in `chunks`, or a fresh stream. Arguments as for a dialect's."""
        schemas = tool_schemas(tools)
        stream = AutoStream(
            lambda: _search(schemas, mode, prefix, policies, streaming=True), checking(schemas, validate)
        )
        return stream if chunks is None else events_of(stream, chunks)

    def detect(self, text: str, tools: Tools | None = None, limit: int = 5, prefix: str = "") -> tuple[Detection, ...]:
        """The dialects that `text` may be in. See `toolect.detect`."""
        from toolect._detection.ranking import detect  # reading does without it

        return detect(text, tools, limit, prefix)


auto = Auto()
"""The one that `toolect.auto` is."""


class AutoStream(Stream):
    """One answer, chunk by chunk. Belongs to one consumer; `reset` makes it ready for the next answer."""

    __slots__ = ()

    @property
    def message(self) -> MixedMessage:
        """The message read so far; the final message after `close`."""
        message = self._reader.message
        assert isinstance(message, MixedMessage)
        return with_checked(message, self._check)


def _search(schemas: ToolSchemas, mode: Mode, prefix: str, policies: ReadingPolicies, streaming: bool) -> AutoSearch:
    check_mode(mode)
    check_policies(policies)
    return AutoSearch(index(), schemas, cast("Mapping[str, str]", policies), mode == "strict", prefix or "", streaming)

"""The dialect that is none: every part of a text is read by the dialect that fits it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolect._compiled import Mode, Tools, check_mode, check_policies
from toolect._detection.auto_search import AutoSearch
from toolect._detection.index import index
from toolect._detection.mixed import MixedMessage
from toolect._explanation import Explanation
from toolect._message import not_text
from toolect._search.answer_search import Stream
from toolect._values.toolset import tool_schemas
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
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
    ) -> MixedMessage:
        """The message that `text` says, with the dialect of each call beside it. Arguments as for a dialect's."""
        if not isinstance(text, str):
            raise not_text(text)
        reader = _search(tools, mode, prefix, policies, streaming=False)
        reader.read(text)
        return reader.message

    def explain(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
    ) -> Explanation:
        """Why `text` is read as it is. Arguments as for a dialect's."""
        return _search(tools, mode, prefix, policies, streaming=False).explain(self.name, text)

    def stream(
        self, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
    ) -> AutoStream:
        """A fresh stream: `feed` it chunks of the answer, then `close` it. Arguments as for `parse`."""
        given = list(tools) if tools is not None else None
        return AutoStream(lambda: _search(given, mode, prefix, policies, streaming=True))

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
        """What has been read so far; the final message after `close`."""
        message = self._reader.message
        assert isinstance(message, MixedMessage)
        return message


def _search(tools: Tools | None, mode: Mode, prefix: str, policies: Mapping[str, str], streaming: bool) -> AutoSearch:
    check_mode(mode)
    check_policies(policies)
    return AutoSearch(index(), tool_schemas(tools), policies, mode == "strict", prefix, streaming)

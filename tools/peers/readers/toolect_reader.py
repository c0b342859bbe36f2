"""toolect, behind the same methods as its peers; by public names alone, so that earlier commits are read with, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import toolect


class Reader:
    """One dialect, or `auto`, with the tools of one request."""

    def __init__(self, name: str, tools: list[Any], markers: Sequence[str]) -> None:
        self._dialect = toolect.auto if name == "auto" and "auto" in toolect.__all__ else toolect.dialect(name)
        self._tools = tools

    def whole(self) -> Callable[[str], Any]:
        """A reading of a complete text."""
        parse, tools = self._dialect.parse, self._tools
        return lambda text: parse(text, tools=tools)

    def streamed(self) -> Callable[[Sequence[str]], Any]:
        """A reading of chunks."""
        stream = self._dialect.stream(tools=self._tools)

        def run(chunks: Sequence[str]) -> Any:
            feed = stream.feed
            for chunk in chunks:
                feed(chunk)
            stream.close()
            return stream.message

        return run

    def result(self, got: Any) -> tuple[list[tuple[str, Any]], str]:
        """The calls that may run, and the content."""
        return [(call.name, call.arguments) for call in got.runnable], got.content

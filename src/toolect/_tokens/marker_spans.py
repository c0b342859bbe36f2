"""Where the markers of an answer are that reading goes over."""

from __future__ import annotations

from toolect._graph.symbols import Key
from toolect._reading.watcher import Watcher
from toolect.message import Span


class MarkerSpans(Watcher):
    """Writes down where the markers are, in order."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def shifted(self, key: Key, start: int, end: int) -> None:
        """Terminals are none."""
        if isinstance(key, str):
            self.spans.append((start, end))

"""Chunks of an answer that have come and are put together when they are read."""

from __future__ import annotations

MAX_CAREFUL = 1 << 13
"""Chunks of one answer that decide something, and are read as they come. Beyond it: what comes is gathered first."""
GATHERED = 512
"""Of so many characters that have been read, one more is gathered."""


class Late:
    """What has come, and has not been put together."""

    __slots__ = ("_chunks", "size")

    def __init__(self) -> None:
        self._chunks: list[str] = []
        self.size = 0
        """Characters of it."""

    def add(self, chunk: str) -> None:
        """`chunk` has come."""
        if chunk:
            self._chunks.append(chunk)
            self.size += len(chunk)

    def waits(self, chunk: str, read: int) -> bool:
        """True where `chunk` is kept for later, since little has come beside the `read` characters; else nothing is."""
        if self.size + len(chunk) > read // GATHERED:
            return False
        self.add(chunk)
        return True

    def text(self) -> str:
        """All of it."""
        return "".join(self._chunks)

    def take(self) -> str:
        """All of it, which is kept no more."""
        text = "".join(self._chunks)
        self._chunks, self.size = [], 0
        return text

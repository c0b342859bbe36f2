"""The tape: all of an answer that has come, by its pieces."""

from __future__ import annotations

from bisect import bisect_right


class Tape:
    """All of the text. `size` is how many characters there are."""

    __slots__ = ("_pieces", "_starts", "size")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self.size = 0

    def add(self, piece: str) -> None:
        """More of it."""
        self._starts.append(self.size)
        self._pieces.append(piece)
        self.size += len(piece)

    def raw(self, start: int, end: int) -> str:
        """Characters `start:end`."""
        start = max(start, 0)
        if end <= start or not self._pieces:
            return ""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1)
        begins = self._starts[first]
        return "".join(self._pieces[first:last])[start - begins : end - begins]

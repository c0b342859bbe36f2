"""What a stream has read and may still be asked for: the raw text of a call in progress."""

from __future__ import annotations

from collections import deque

_FEW = 1024
"""Characters at its beginning in which a part of it is looked for piece by piece."""


class Tape:
    """The last stretch of the wire text, in pieces. Adding is cheap; reading joins what is asked for."""

    __slots__ = ("_base", "_pieces", "append")

    def __init__(self, base: int) -> None:
        self._pieces: deque[str] = deque()
        self._base = base  # the offset of the first piece
        self.append = self._pieces.append
        """Takes a piece that follows what is there."""

    def add(self, piece: str, at: int, needed: int) -> None:
        """`piece` is at character `at`; nothing before character `needed` will be asked for."""
        pieces = self._pieces
        if not pieces:
            self._base = at
        pieces.append(piece)
        if not len(pieces) & 63:  # now and then is often enough
            while pieces and self._base + len(pieces[0]) <= needed:
                self._base += len(pieces.popleft())

    def cut(self, end: int) -> str:
        """Take what is there from character `end` on away."""
        text = "".join(self._pieces)
        self._pieces.clear()
        self.append(text[: end - self._base])
        return text[end - self._base :]

    def read(self, start: int, end: int, last: int) -> str:
        """Characters `start:end` of those up to character `last`, which are all there are."""
        if end - self._base > _FEW:
            return self._since(start, last)[: end - start]
        found, at = "", self._base
        for piece in self._pieces:
            if at >= end:
                break
            found += piece[max(start - at, 0) : end - at]
            at += len(piece)
        return found

    def _since(self, start: int, last: int) -> str:
        size = last - start
        if start - self._base <= size:
            return "".join(self._pieces)[start - self._base :]
        found: list[str] = []
        for piece in reversed(self._pieces):
            if size <= 0:
                break
            found.append(piece[-size:] if len(piece) > size else piece)
            size -= len(piece)
        return "".join(reversed(found))

"""The text of an answer without a dialect: chunks are put together when they are looked at."""

from __future__ import annotations

from toolect._reading.put_off import Late
from toolect._reading.text_source import Source


class Arrived(Source):
    """As a source; what came last is not in `buf` before `gather`."""

    __slots__ = ("_late", "whole")

    def __init__(self) -> None:
        super().__init__()
        self._late = Late()
        self.whole = False
        """Nothing comes after the first chunk."""

    def add(self, chunk: str) -> None:
        """`chunk` has come."""
        self._late.add(chunk)

    @property
    def end(self) -> int:
        """The character after all that has come."""
        return self.base + len(self.buf) + self._late.size

    @property
    def rest(self) -> str:
        """All that has not been read."""
        return self.buf[self.pos :] + self._late.text()

    def gather(self) -> None:
        """Put all that has come into `buf`."""
        if self._late.size:
            self.buf += self._late.take()

    def drop(self) -> None:
        """What has been read is not needed any more."""
        self.buf, self.base, self.pos = self.buf[self.pos :], self.base + self.pos, 0

    def take(self, until: int) -> str:
        """What stands before index `until`, and has been read now."""
        start, self.pos = self.pos, until
        return self.buf[start:until]

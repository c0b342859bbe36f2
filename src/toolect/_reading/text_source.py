"""The wire text: what has arrived of it, how far it has been read, and what may still be asked for."""

from __future__ import annotations

from collections.abc import Callable

from toolect._reading.tape import Tape


class Source:
    """The text of one answer. `buf[pos:]` has not been read yet; `buf[0]` is character `base` of the wire text."""

    __slots__ = ("_tape", "base", "buf", "due", "final", "pos")

    def __init__(self) -> None:
        self.buf, self.pos, self.base = "", 0, 0
        self.due = False  # a chunk was taken in the short way, and what is left of it in `buf` has to be read
        self.final = False  # nothing more will arrive
        self._tape: Tape | None = None  # what of it is not in `buf` any more

    def raw(self, start: int, end: int) -> str:
        """Characters `start:end` of the wire text; nothing where `end` comes first."""
        base = self.base
        if start >= base:
            return self.buf[start - base : end - base] if end > start else ""
        assert self._tape is not None
        return self._tape.read(start, min(end, base), base) + self.buf[: max(end - base, 0)]

    def keeping(self) -> Callable[[str], None]:
        """What keeps text that is read without being put into `buf`, which is empty: it may be asked for.

        Whoever reads so moves `base`, too. It serves until `forget` is called.
        """
        if self._tape is None:
            self._tape = Tape(self.base)
        return self._tape.append

    @property
    def keeps(self) -> bool:
        """True while text is kept that is not in `buf` any more: what follows it must be, too."""
        return self._tape is not None

    def forget(self, needed: int | None) -> None:
        """Drop what has been read, but for what begins with character `needed`; None when none of it is."""
        pos, buf = self.pos, self.buf
        if not pos:
            return
        if needed is None:
            self._tape = None
        else:
            if self._tape is None:
                self._tape = Tape(self.base)
            self._tape.add(buf if pos == len(buf) else buf[:pos], self.base, needed)
        self.buf = "" if pos == len(buf) else buf[pos:]
        self.base += pos
        self.pos = 0

    def back_to(self, at: int) -> None:
        """Read on at character `at`, which may have been dropped, but was needed."""
        if at < self.base:
            assert self._tape is not None
            self.buf = self._tape.cut(at) + self.buf
            self.base = at
        self.pos = at - self.base

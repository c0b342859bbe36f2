"""Arguments inside a JSON string: the text that the string stands for is read as JSON in its turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolect.engine.json_lexemes import Broken, unquote

if TYPE_CHECKING:
    from toolect.engine.json_reader import JsonReader


class Encoded:
    """The string that begins at character `start`; `reader` reads what is in it."""

    __slots__ = ("_reader", "_rest", "_start")

    def __init__(self, start: int, reader: JsonReader) -> None:
        self._start = start
        self._reader = reader
        self._rest = ""

    def feed(self, text: str, at: int, final: bool = False) -> None:
        """More of the string, escapes and all; it begins at character `at`. Raises Broken."""
        inside = self._rest + (unquote(text) if "\\" in text else text)
        try:
            stopped = self._reader.feed(inside, 0, 0, final)
        except Broken as broken:
            raise Broken(self._start, f"in the encoded arguments: {broken.why}", at) from None
        self._rest = inside[stopped:]
        if self._rest.strip() and (final or self._reader.done):
            raise Broken(self._start, "expected the end of the encoded arguments", at)

    def end(self, at: int) -> None:
        """The string ends at character `at`. Raises Broken when the value in it does not."""
        self.feed("", at, final=True)
        if not self._reader.done:
            raise Broken(self._start, "expected the encoded arguments to be complete", at)


class Through:
    """The sink of what is read in the string: its text goes to `out`."""

    def __init__(self, out: list[str]) -> None:
        self.arguments_part = out.append

    def _nothing(self, *_: object) -> None:
        pass

    unit = unit_end = hole = rest = misfit = arguments_end = note = inside = _nothing

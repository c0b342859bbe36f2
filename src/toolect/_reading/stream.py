"""An answer read while it arrives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect.events import Event
from toolect.message import Message, kind_of

if TYPE_CHECKING:
    from toolect._reading.machine import Machine


def not_text(given: object) -> TypeError:
    """The error for what is given as a model's text and is none."""
    hint = ": decode it first" if isinstance(given, bytes | bytearray) else ""
    return TypeError(f"expected a model's text as str, got {kind_of(given)}{hint}")


class Stream:
    """One answer, chunk by chunk. Belongs to one consumer; `reset` makes it ready for the next answer."""

    __slots__ = ("_closed", "_machine", "_make")

    def __init__(self, make: Callable[[], Machine]) -> None:
        self._make = make
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next chunk begins a new answer."""
        self._machine = self._make()
        self._closed = False

    def feed(self, chunk: str) -> list[Event]:
        """What `chunk` makes happen. Raises ValueError after `close`."""
        machine = self._machine
        quick = machine.quick
        if quick is not None and chunk and type(chunk) is str:
            events = quick(chunk)
            if events is not None:
                if machine.course.due:
                    machine.feed("")
                return events
        if not isinstance(chunk, str):
            raise not_text(chunk)
        if self._closed:
            raise ValueError("expected no text after close; reset() begins a new answer")
        events = machine.course.builder.draft.events = []
        machine.feed(chunk)
        return events

    def close(self) -> list[Event]:
        """What the end of the answer makes happen: a second call has nothing to add."""
        machine = self._machine
        events = machine.course.builder.draft.events = []
        if not self._closed:
            self._closed = True
            machine.quick = None
            machine.run(True)
        return events

    @property
    def message(self) -> Message:
        """What has been read so far; the final message after `close`."""
        return self._machine.message()

    @property
    def in_call(self) -> bool:
        """True while a call is open."""
        return self._machine.course.builder.call is not None

    @property
    def pending(self) -> str:
        """Text that arrived and waits for more before it can be told apart."""
        return self._machine.pending()

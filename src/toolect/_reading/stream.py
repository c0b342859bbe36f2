"""An answer read while it arrives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect._reading.inner_calls import NEVER, Waiting
from toolect._reading.put_off import MAX_CAREFUL, Late
from toolect.events import Event
from toolect.message import Message, not_text

if TYPE_CHECKING:
    from toolect._reading.machine import Machine


class Stream:
    """One answer, chunk by chunk. Belongs to one consumer; `reset` makes it ready for the next answer."""

    __slots__ = ("_careful", "_closed", "_inner", "_late", "_machine", "_make")

    def __init__(self, make: Callable[[], Machine]) -> None:
        self._make = make
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next chunk begins a new answer."""
        self._machine = self._make()
        self._closed = False
        self._careful = 0
        self._late = Late()
        self._inner = Waiting()

    def feed(self, chunk: str) -> list[Event]:
        """What `chunk` makes happen. Raises ValueError after `close`."""
        machine = self._machine
        quick = machine.quick
        if quick is not None and chunk and type(chunk) is str:
            events = quick(chunk)
            if events is not None:
                if machine.course.due:
                    machine.feed("")
                return self._told(events) if machine.course.builder.draft.torn[1] != NEVER else events
        if not isinstance(chunk, str):
            raise not_text(chunk)
        if self._closed:
            raise ValueError("expected no text after close; reset() begins a new answer")
        events = machine.course.builder.draft.events = []
        if self._careful < MAX_CAREFUL:
            self._careful += 1
            machine.feed(chunk)
            return self._told(events)
        machine.feed(self._late.take() + chunk)
        machine.quick = self._gather
        return self._told(events)

    def _told(self, events: list[Event]) -> list[Event]:
        """Those of `events` that do not wait for the end of the answer."""
        return self._inner.released(events, self._machine.course.builder.draft.torn[1])

    def _gather(self, chunk: str) -> list[Event] | None:
        """Keep `chunk` for later; None where enough has come to be read."""
        return [] if self._late.waits(chunk, self._machine.course.base) else None

    def close(self) -> list[Event]:
        """What the end of the answer makes happen: a second call has nothing to add."""
        machine = self._machine
        events = machine.course.builder.draft.events = []
        if not self._closed:
            self._closed = True
            machine.quick = None
            if self._late.size:
                machine.feed(self._late.take())
            machine.run(True)
            events = [*self._told(events), *self._inner.over(self.message.calls)]
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
        return self._machine.pending() + self._late.text()

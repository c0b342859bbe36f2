"""What has been found in a text whose dialect nobody named: segments, repairs, events, and who read each call."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._detection.guest import Guest
from toolect._reading.inner_calls import NEVER, without_inner
from toolect._reading.open_call import note
from toolect.events import MAX_DELTA, ContentDelta, Event
from toolect.message import Message, Repair, RepairKind, Segment


from toolect._detection.auto_search import MixedMessage


class _Old(Message, frozen=True, eq=False):
    """A message, and beside it which dialect read each of its calls. Two are equal when their segments are."""

    dialects: tuple[str, ...] = ()
    """The dialect of each call, in the order of `calls`."""


class Findings:
    """What is complete, and the events that have not been fetched. Content after a call may be unwanted."""

    __slots__ = ("_closers", "_drops", "_streaming", "events", "last", "readers", "repairs", "segments", "torn")

    def __init__(self, streaming: bool, drops: bool) -> None:
        self._streaming, self._drops = streaming, drops
        self.events: list[Event] = []
        self.segments: list[Segment] = []
        self.repairs: list[Repair] = []
        self.readers: list[str] = []
        """The dialect of each call."""
        self.last = ""
        """The dialect that read the last call."""
        self.torn = NEVER, NEVER
        """Where the first call broke off in the middle, and the number of the one after it."""
        self._closers: set[str] = set()

    @property
    def blank(self) -> bool:
        """True when nothing has been found so far."""
        return not self.segments

    def say(self, text: str) -> bool:
        """More content was found; False when it is not wanted."""
        if self._drops and self.readers:
            return False
        if self._streaming and text:
            last = self.events[-1] if self.events else None
            if type(last) is ContentDelta and len(last.text) < MAX_DELTA:
                self.events[-1] = ContentDelta(last.text + text)
            else:
                self.events.append(ContentDelta(text))
        return True

    def add(self, segment: Segment) -> None:
        """A segment is complete."""
        self.segments.append(segment)

    def repair(self, kind: RepairKind, at: int, detail: str) -> None:
        """Something outside of what dialects read was relaxed."""
        note(self.repairs, kind, at, detail)

    def keep(self, guest: Guest) -> None:
        """A guest is done: what it has read."""
        segments, repairs = guest.result()
        self.torn = min(self.torn, guest.torn)
        self._closers.update(guest.graph.closers)
        for one in repairs:
            self.repair(one.kind, one.at, one.detail)
        self.keep_segments(guest.name, segments, len(guest.calls))

    def keep_segments(self, name: str, segments: Sequence[Segment], calls: int) -> None:
        """The dialect `name` has read `segments`, which have so many calls."""
        self.segments += segments
        self.readers += [name] * calls
        if calls:
            self.last = name

    def message(self, guest: Guest | None, rest: Sequence[Segment], final: bool) -> MixedMessage:
        """What has been found; what a guest is reading, or else the `rest`, comes last. `final`: that is all."""
        segments, readers = list(self.segments), list(self.readers)
        if guest is not None:
            inner = guest.message()
            segments += inner.segments
            readers += [guest.name] * len(inner.calls)
        else:
            segments += rest
        torn = self.torn if guest is None else min(self.torn, guest.torn)
        found = without_inner(segments, self.repairs, torn[0], None if self._drops else self._closers, final)
        return MixedMessage(tuple(found), tuple(self.repairs), tuple(readers))

"""Several dialects at one place of a text: heard one after another, the likeliest first, until one fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from toolect._detection.bare import BareJson
from toolect._detection.evidence import PATIENCE, Evidence, step_after
from toolect._detection.foregone import Foregone, Glance
from toolect._detection.guest import Guest
from toolect._reading.answer import WAIT, Answer, Waiting

Taken: TypeAlias = Guest | Foregone


class Trial:
    """The dialects that may go on at character `at`.

    Each is judged by what it has read when it knows what it makes of the text, so the verdict depends on the text
    alone. The first whose reading leaves nothing to be desired is taken; when there is none, the best.
    """

    __slots__ = (
        "_bare", "_current", "_doubtful", "_early", "_evidence", "_glance", "_heard", "_marker", "_names", "_new_guest",
        "at", "thinks",
    )  # fmt: skip

    def __init__(
        self, at: int, evidence: Evidence, new_guest: Callable[[str, int], Guest], glance: Glance | None = None,
        bare: BareJson | None = None, doubtful: frozenset[str] = frozenset(), marker: int = 0,
        thinks: bool = False,
    ) -> None:  # fmt: skip
        """The `doubtful` dialects have a call here only if `bare` may be one."""
        self.at, self._evidence, self._new_guest, self._glance = at, evidence, new_guest, glance
        self._bare, self._doubtful = bare, doubtful
        self._names = None if bare is not None else evidence.ranked()
        """Those that are still to be heard, when that is known."""
        self.thinks = thinks
        """What begins here is no call: reasoning, or content."""
        self._marker = marker
        """How long the opener is of the only dialect, which is taken as soon as something of it begins; else 0."""
        self._current: Guest | None = None
        self._heard: list[Guest] = []

    @property
    def misguessed(self) -> bool:
        """Broken JSON was taken for a call."""
        return self._bare is not None and self._bare.broken and bool(self._heard)

    @property
    def fed(self) -> int:
        """How far any of them has read."""
        return max((guest.fed for guest in self._heard), default=self.at)

    @property
    def spent(self) -> int:
        """Where JSON ended that is no call to any of them."""
        ends = [guest.spent for guest in self._heard]
        return max(ends, default=self.at if self._bare is None else self._bare.end)

    def go_on(self, text: str, start: int, final: bool) -> Taken | Waiting | None:
        """Hear the dialects on `text[start:]`, which begins at `at`: the one that is taken, or None when none is."""
        if self._names is None:
            if (names := self._look(text, start, final)) is WAIT:
                return WAIT
            self._names = names
        while self._names or self._current is not None:
            if self._current is None:
                name = self._names.pop()
                if self._glance is not None and (found := self._glance.perfect(name)) is not None:
                    return found
                self._current = self._new_guest(name, self.at)
            guest = self._current
            while not self._knows(guest) and (self._marker or guest.fed - self.at < PATIENCE):
                if not self._feed(guest, text, start, final):
                    return WAIT
            self._current = None
            self._heard.append(guest)
            if self._marker:
                return guest if self._evidence.takes(guest) else None
            if self._evidence.perfect(guest.name, guest.calls, guest.flat, guest.repaired()):
                return guest
        heard = self._heard
        while not any(guest.decided and not guest.refused for guest in heard):
            if not (waiting := [guest for guest in heard if not guest.decided]):
                break
            for guest in waiting:
                if not self._feed(guest, text, start, final):
                    return WAIT
        return max(filter(self._evidence.takes, heard), key=self._evidence.fitness, default=None)

    def _look(self, text: str, start: int, final: bool) -> list[str] | Waiting:
        """Those that are to be heard where bare JSON begins."""
        bare, evidence = self._bare, self._evidence
        assert bare is not None
        answer = bare.look(text, start + bare.at - self.at, final)
        if answer is WAIT:
            return WAIT
        if answer is Answer.YES:
            return evidence.ranked(bare.owners)
        return evidence.ranked(among=evidence.dialects - self._doubtful)

    def _knows(self, guest: Guest) -> bool:
        return guest.taken or guest.over if self._marker else guest.decided

    def _feed(self, guest: Guest, text: str, start: int, final: bool) -> bool:
        """Let `guest` read one more piece; False when more text is needed."""
        read, size = guest.fed - self.at, len(text) - start
        until = read + (step_after(read) if not self._marker else 1 if read else self._marker)
        over = final and until >= size
        if until > size and not over:
            return False
        guest.feed(text[start + read : start + until], over)
        return True

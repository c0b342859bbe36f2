"""Several dialects at one place of a text: heard one after another, the likeliest first, until one fits."""

from __future__ import annotations

from typing import TypeAlias

from toolect._detection.arrived import Arrived
from toolect._detection.bare import BareJson, shapes_of
from toolect._detection.evidence import PATIENCE, Evidence, step_after
from toolect._detection.foregone import Foregone, foregone
from toolect._detection.guest import Guest
from toolect._detection.guests import Guests
from toolect._detection.index import Index
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.stride import opens
from toolect._spec.model import Role
from toolect.message import Reasoning

Taken: TypeAlias = Guest | Foregone
DOUBT = 8
"""What a dialect that is not beyond doubt counts for, beside one that is."""


class Trial:
    """The dialects that may go on where `text` has been read up to.

    Each is judged by what it has read when it knows what it makes of the text, so the verdict depends on the text
    alone. The first whose reading leaves nothing to be desired is taken; when there is none, the best.
    """

    __slots__ = (
        "_alone", "_bare", "_current", "_doubtful", "_evidence", "_guests", "_heard", "_index", "_later", "_marker",
        "_names", "_needed", "_text", "at", "thinks", "toll",
    )  # fmt: skip

    def __init__(
        self, text: Arrived, index: Index, evidence: Evidence, guests: Guests, alone: bool, guesses: bool
    ) -> None:
        """`alone`: there is no other text than this, and nobody else reads it. `guesses`: broken JSON may be a call."""
        self._text, self._index, self._evidence, self._guests, self._alone = text, index, evidence, guests, alone
        self.at = text.base + text.pos
        self.thinks = evidence.thinks
        """What begins here is no call: reasoning, or content."""
        self._marker = evidence.longest - text.pos if self.thinks or evidence.sure else 0
        """How long the opener is of the only dialect, which is taken as soon as something of it begins; else 0."""
        self._bare: BareJson | None = None
        self._names: list[str] | None = None  # those that are still to be heard, when that is known
        self._doubtful: frozenset[str] = frozenset()  # those that have a call here only if `_bare` may be one
        if not self._marker:
            json_at, self._doubtful = evidence.bare(text.buf)
        if self._doubtful:
            shapes = shapes_of(index)
            self._doubtful &= shapes.names
            self._bare = BareJson(shapes, text.base + json_at, guests.schemas, guesses)
        else:
            self._names = evidence.ranked()
        self._later: list[str] = []  # those that are not perfect, which need not be heard when another one is
        self._needed = 0  # the character that must be there for anything to be decided
        self.toll = DOUBT if self._marker else 1
        """What it counts for: one where a dialect is beyond doubt, else `DOUBT` for each that was heard."""
        self._current: Guest | None = None
        self._heard: list[Guest] = []

    @property
    def openers(self) -> frozenset[str]:
        """The openers that stand here."""
        return self._evidence.openers

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

    def go_on(self) -> Taken | Waiting | None:
        """Hear the dialects: the one that is taken, or None when none is."""
        text, evidence = self._text, self._evidence
        if text.end < self._needed and not text.final:
            return WAIT
        text.gather()
        if self._names is None:
            names = self._look()
            if names is WAIT:
                return WAIT
            self._names = names
        while (guest := self._current) is not None or self._names or self._later:
            if guest is None:
                if not self._names:
                    self._alone, self._names, self._later = False, self._later[::-1], []
                name = self._names.pop()
                if self._alone and (found := self._glance(name)) is not None:
                    return found
                if self._alone and not self._marker and not opens(self._guests.graph(name), text.buf, text.pos):
                    self._later.append(name)
                    continue
                guest = self._current = self._guests.on_trial(name, self.at)
            while not self._knows(guest) and (self._marker or guest.fed - self.at < PATIENCE):
                if not self._feed(guest):
                    return WAIT
            self._current = None
            self._heard.append(guest)
            if self._marker:
                return guest if evidence.takes(guest) else None
            if not guest.flawed and evidence.perfect(guest.name, guest.calls, guest.flat, guest.repaired()):
                return guest
        heard = self._heard
        self.toll = DOUBT * len(heard)
        while not any(guest.decided and not guest.refused for guest in heard):
            if not (waiting := [guest for guest in heard if not guest.decided]):
                break
            for guest in waiting:
                if not self._feed(guest):
                    return WAIT
        return max(filter(evidence.takes, heard), key=evidence.fitness, default=None)

    def _glance(self, name: str) -> Foregone | None:
        """The dialect, when it leaves nothing to be desired in large steps."""
        text, index = self._text, self._index
        found = foregone(name, text, text.pos, self._evidence, self._guests)
        if found is None or not self.thinks:
            return found
        node = found.node
        if not found.to.left and not found.to.finished and node.text and node.text_field().role is Role.REASONING:
            return None  # it has not come to its end
        for segment in found.to.segments:
            if type(segment) is Reasoning and segment.span is not None:
                start, end = segment.span
                if index.calls(text.buf, start - text.base, end - text.base):
                    return None  # any dialect may call there
        return found

    def _look(self) -> list[str] | Waiting:
        """Those that are to be heard where JSON begins that may be no call."""
        text, bare, evidence = self._text, self._bare, self._evidence
        assert bare is not None
        answer = bare.look(text.buf, bare.at - text.base, text.final)
        if answer is WAIT:
            self._needed = text.end + (text.end - self.at) // 16
            return WAIT
        if answer is Answer.YES:
            return evidence.ranked(bare.owners)
        return evidence.ranked(among=evidence.dialects - self._doubtful)

    def _knows(self, guest: Guest) -> bool:
        return guest.taken or guest.over if self._marker else guest.decided

    def _feed(self, guest: Guest) -> bool:
        """Let `guest` read one more piece; False when more text is needed."""
        text, read = self._text, guest.fed - self.at
        start = self.at - text.base
        until = start + read + (step_after(read) if not self._marker else 1 if read else self._marker)
        over = text.final and until > len(text.buf)
        if until > len(text.buf) and not over:
            self._needed = text.base + until
            return False
        guest.feed(text.buf[start + read : until], over)
        return True

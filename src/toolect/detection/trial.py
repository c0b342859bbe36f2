"""Several dialects at one place of a text: what each makes of it, and which fits best."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from toolect.detection.guest import HARD, Guest
from toolect.detection.index import Hit

FIRST_STEP = 16
"""Characters of the first pieces that dialects are tried on; later ones are half as long as all before them."""
LAST_STEP = 1 << 16
PATIENCE = 1024
"""Characters after which a dialect that does not know yet no longer keeps the others waiting."""
BRACKETS = "{["
_NAME = re.compile(r"[^\W\d][\w.:/-]*\Z")


class Setting(NamedTuple):
    """What counts besides the text itself."""

    tools: Collection[str]
    """The names of the declared tools."""
    order: Mapping[str, int]
    """The dialects, those met most often first."""
    last: str
    """The dialect that read the last call."""
    shown: bool
    """The place is inside of a code block."""


class Trial:
    """The dialects that are tried at character `at`."""

    def __init__(self, at: int, guests: list[Guest], hits: list[Hit], setting: Setting, marker: int = 0) -> None:
        self.at, self.guests, self.hits, self.setting = at, guests, hits, setting
        self.fed = at  # how far they have read
        self.slow = marker > 0
        """One character at a time after the opener of `marker` characters."""
        self.step = marker or FIRST_STEP
        strong = all(hit.opener.strong for hit in hits)
        alone = len({hit.dialect for hit in hits}) == 1
        self.sure = alone and strong and not setting.shown and not self._wordy(guests[0])
        """There is one dialect, and the opener alone says that it is meant."""

    def feed(self, piece: str, over: bool) -> None:
        """Let all of them read `piece`; `over` when it is the last."""
        for guest in self.guests:
            guest.feed(piece)
            if over:
                guest.run(True)
        self.fed += len(piece)
        self.step = 1 if self.slow else min(max(FIRST_STEP, (self.fed - self.at) // 2), LAST_STEP)

    @property
    def settled(self) -> bool:
        """True when all that matter know what they make of the text."""
        if self.sure:
            return self.guests[0].taken
        if all(g.settled for g in self.guests):
            return True
        return self.fed - self.at >= PATIENCE and any(g.settled and not g.refused for g in self.guests)

    @property
    def left_out(self) -> list[str]:
        """The dialects that have not been tried."""
        tried = {guest.name for guest in self.guests}
        return [name for name in dict.fromkeys(hit.dialect for hit in self.hits) if name not in tried]

    def best(self) -> Guest | None:
        """The dialect that fits best, or None when nothing is meant."""
        fitting = [g for g in self.guests if g.taken and not g.refused and self._meant(g)]
        return max(fitting, key=self._fitness, default=None)

    def as_before(self) -> bool:
        """True when the only dialect tried, that of the last call, reads this one too, as it is written there."""
        guest, tools = self.guests[0], self.setting.tools
        if not guest.settled or guest.refused or not guest.calls or guest.repaired() or not self._meant(guest):
            return False
        return all(good and (name in tools or not tools) for name, good in guest.calls)

    # Evidence

    def _meant(self, guest: Guest) -> bool:
        """False for what its form alone does not show to be a call, when nothing else does.

        Any word may be a name. A short marker may be chance, and a code block may show an example: then a call that can
        be read must follow. When tools were declared, a call of another one must be beyond doubt.
        """
        calls, tools = guest.calls, self.setting.tools
        strong = any(hit.opener.strong for hit in self._hits(guest))
        if not calls:
            return True
        if self._wordy(guest) and not any(good for _, good in calls):
            return False
        if tools and not any(name in tools for name, _ in calls):
            return strong and not self.setting.shown and not any(r.kind in HARD for r in guest.repaired())
        if guest.flat and any(hit.opener.json and hit.opener.core in BRACKETS for hit in self._hits(guest)):
            return any(name in tools for name, _ in calls)
        return strong or all(good and self._named(name) for name, good in calls)

    def _fitness(self, guest: Guest) -> tuple[int, bool, int, int, int, int, bool, int]:
        """How well the dialect of a guest fits the text: the greatest is the best."""
        calls, repairs, setting = guest.calls, guest.repaired(), self.setting
        declared = sum(name in setting.tools for name, _ in calls)
        named = sum(self._named(name) for name, _ in calls)
        odd = sum(name != "" for name, _ in calls) - named
        broken = sum(not good for _, good in calls) + 2 * odd
        hard = sum(repair.kind in HARD for repair in repairs)
        free = any(hit.opener.free for hit in self._hits(guest))
        return (
            min(declared, 1), not free, -broken, min(named, 1), -hard, hard - len(repairs),
            guest.name == setting.last, -setting.order[guest.name],
        )  # fmt: skip

    def _hits(self, guest: Guest) -> list[Hit]:
        return [hit for hit in self.hits if hit.dialect == guest.name]

    def _wordy(self, guest: Guest) -> bool:
        """True when the opener of a guest is followed by a name: any word might be one."""
        openers = [hit.opener for hit in self._hits(guest)]
        return any(o.patterns or not o.needle for o in openers) and not any(o.json and o.needle for o in openers)

    def _named(self, name: str) -> bool:
        """True for what may be a tool's name."""
        return name in self.setting.tools or _NAME.match(name) is not None

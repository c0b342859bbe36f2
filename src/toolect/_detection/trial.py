"""Several dialects at one place of a text: what each makes of it, and which fits best."""

from __future__ import annotations

from toolect._detection.evidence import FIRST_STEP, PATIENCE, Evidence, step_after
from toolect._detection.guest import Guest


class Trial:
    """The dialects that are tried at character `at`."""

    def __init__(self, at: int, guests: list[Guest], evidence: Evidence, marker: int = 0) -> None:
        self.at, self.guests, self.evidence = at, guests, evidence
        self.fed = at  # how far they have read
        self.slow = marker > 0
        """One character at a time after the opener of `marker` characters."""
        self.step = marker or FIRST_STEP
        self.sure = evidence.sure
        """There is one dialect, and the opener alone says that it is meant."""

    def feed(self, piece: str, over: bool) -> None:
        """Let all of them read `piece`; `over` when it is the last."""
        for guest in self.guests:
            guest.feed(piece, over)
        self.fed += len(piece)
        self.step = 1 if self.slow else step_after(self.fed - self.at)

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
        return [name for name in self.evidence.dialects if name not in tried]

    def best(self) -> Guest | None:
        """The dialect that fits best, or None when nothing is meant."""
        return max(filter(self.evidence.takes, self.guests), key=self.evidence.fitness, default=None)

    def as_before(self) -> bool:
        """True when the only dialect tried, that of the last call, reads this one too, as it is written there."""
        guest, tools = self.guests[0], self.evidence.setting.tools
        if not guest.settled or not guest.calls or guest.repaired() or not self.evidence.takes(guest):
            return False
        return all(good and (name in tools or not tools) for name, good in guest.calls)

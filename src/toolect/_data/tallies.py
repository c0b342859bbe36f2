"""Tallies of the outcomes of many rows: mergeable in any grouping, and bounded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from toolect._chats.conversation_diff import Change
from toolect._corpora.tally import SeenExample, Tally, excerpt
from toolect._data.converting import Outcome
from toolect._data.row_targets import ids_of
from toolect._message import Json
from toolect._rows.account import KEPT, group

RemarkTally: TypeAlias = Tally[tuple[str, str]]
"""Counts of rows by fate and remark."""


def _tally(limit: int = 100, keep: int = 3) -> Tally[tuple[str, str]]:
    return Tally(limit, keep)


@dataclass
class Tallies:
    """Counts over rows."""

    read: int = 0
    """Lines or rows of the input; one of a log may be several."""
    reasons: RemarkTally = field(default_factory=_tally)
    """Fate and reason of rows that are not written."""
    changes: RemarkTally = field(default_factory=_tally)
    notes: RemarkTally = field(default_factory=_tally)
    tools: RemarkTally = field(default_factory=lambda: _tally(1000, 0))
    """Tool and fate of the rows that call it."""
    features: RemarkTally = field(default_factory=lambda: _tally(40, 0))
    turns: Counter[str] = field(default_factory=Counter)
    """Number of rows by their number of turns, in powers of two."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Number of rows of each kind."""
    ids: int = 0
    """Ids of the new rows, where these are ids."""
    once: int = 0
    """Ids of the longest new row of each row: a conversation that is written once has no more."""
    lines: int = 0

    def add(self, outcome: Outcome, path: str, number: int) -> None:
        """Count the outcome of one row."""
        account = outcome.account
        fate = account.fate.value
        if account.reason is not None:
            _show(self.reasons, fate, account.reason, path, number)
        changes = account.changes if account.fate in KEPT else ()
        for kind, said in ((self.changes, changes), (self.notes, account.notes)):
            if said:
                for change in {group(change): change for change in reversed(said)}.values():
                    _show(kind, fate, change, path, number)
        if outcome.seen is not None:
            for tool in outcome.seen.tools:
                self.tools.add((tool[:80], fate))
            for feature in outcome.seen.features:
                self.features.add((feature, fate))
            self.turns[_span(outcome.seen.turns)] += 1
            self.kinds[outcome.seen.kind] += 1
        if sizes := [*filter(None, map(ids_of, outcome.rows))]:
            self.ids += sum(sizes)
            self.once += max(sizes)

    def merge(self, other: Tallies, offset: int) -> None:
        """Add those of a later part of the same file, whose lines begin after line `offset`."""
        self.read += other.read
        self.ids += other.ids
        self.once += other.once
        for name in _KEYED:
            getattr(self, name).merge(getattr(other, name), offset)
        self.turns.update(other.turns)
        self.kinds.update(other.kinds)

    def state(self) -> dict[str, Json]:
        """All of it as JSON."""
        found: dict[str, Json] = {
            "read": self.read, "turns": dict(self.turns), "kinds": dict(self.kinds), "ids": self.ids, "once": self.once,
        }  # fmt: skip
        for name in _KEYED:
            tally: RemarkTally = getattr(self, name)
            kept = {key: [[e.path, e.number, e.text, e.detail] for e in found] for key, found in tally.examples.items()}
            found[name] = [tally.rest, [[*key, count, kept.get(key, [])] for key, count in tally.counts.items()]]
        return found

    @classmethod
    def restored(cls, state: dict[str, Json]) -> Tallies:
        """The tallies of a `state`."""
        found = cls(state["read"], turns=Counter(state["turns"]), ids=state["ids"], once=state["once"])
        found.kinds.update(state["kinds"])
        for name in _KEYED:
            tally: RemarkTally = getattr(found, name)
            tally.rest, counts = state[name]
            for one, two, count, examples in counts:
                tally.counts[one, two] = count
                if examples:
                    tally.examples[one, two] = [SeenExample(*example) for example in examples]
        return found


_KEYED = ("reasons", "changes", "notes", "tools", "features")


def _show(tally: RemarkTally, fate: str, change: Change, path: str, number: int) -> None:
    what = group(change)
    key = fate, what
    if tally.add(key):
        place = f"turn {change.turn}" if change.turn >= 0 else ""
        shown = change.detail or (change.what if what != change.what else "")
        tally.show(key, SeenExample(path, number, place, excerpt(shown)))


def _span(turns: int) -> str:
    low = 1 << max(turns.bit_length() - 1, 0)
    return str(low) if low == 1 else f"{low}–{2 * low - 1}"

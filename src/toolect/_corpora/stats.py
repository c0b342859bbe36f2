"""Counts of a corpus: plain, bounded, and mergeable in any grouping."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from toolect._corpora.records import Trouble
from toolect._corpora.tally import SeenExample, Tally
from toolect._message import Json, Status

MAX_SOURCES = 200
OTHERS = "(other sources)"
"""Source under which the messages of more sources than that are counted."""
SAMPLES, FAILED_SAMPLES = 2, 8
"""Messages that are kept of each dialect and outcome, and of each outcome that is a failure."""


@dataclass
class Counts:
    """Counts for a dialect and a source."""

    messages: int = 0
    characters: int = 0
    calls: int = 0
    best: int = 0
    """Messages with calls that none of the other given dialects reads better."""
    statuses: Counter[str] = field(default_factory=lambda: Counter({status.value: 0 for status in Status}))
    repairs: Counter[str] = field(default_factory=Counter)

    def merge(self, other: Counts) -> None:
        """Add another's."""
        self.messages += other.messages
        self.characters += other.characters
        self.calls += other.calls
        self.best += other.best
        self.statuses.update(other.statuses)
        self.repairs.update(other.repairs)


@dataclass
class Specimen:
    """Sample message of an outcome, with its tools."""

    example: SeenExample
    tools: tuple[Json, ...]


MISSED = "missed"
"""The outcome of a message in which no call was read, and markers were left."""
FAILED = (Status.TRUNCATED, Status.MALFORMED, MISSED)
"""The outcomes that another dialect may do better."""


def most_samples(outcome: str) -> int:
    """Limit of the messages kept of an outcome."""
    return FAILED_SAMPLES if outcome in FAILED else SAMPLES


@dataclass
class Details:
    """Details of a dialect beside its counts."""

    leaks: Tally[tuple[str, str]] = field(default_factory=lambda: Tally(40, 2))
    """Marker and the part of the message it was left in."""
    unparsed: Tally[tuple[str, str]] = field(default_factory=lambda: Tally(60, 3))
    """Status and cause of attempts that failed."""
    arguments: Tally[tuple[str, str, str]] = field(default_factory=lambda: Tally(1000))
    """Tool, argument and JSON type."""
    tools: Tally[str] = field(default_factory=lambda: Tally(200))
    taken: Counter[str] = field(default_factory=Counter)
    """The parts of the grammar that were taken, each with the number of messages that took it."""
    samples: dict[str, list[Specimen]] = field(default_factory=dict)
    """The first messages of each outcome."""

    def merge(self, other: Details, offset: int) -> None:
        """Add another's, of a later part of the file that begins after line `offset`."""
        for name in ("leaks", "unparsed", "arguments", "tools"):
            getattr(self, name).merge(getattr(other, name), offset)
        self.taken.update(other.taken)
        for outcome, samples in other.samples.items():
            mine = self.samples.setdefault(outcome, [])
            for sample in samples[: most_samples(outcome) - len(mine)]:
                mine.append(Specimen(sample.example.moved(offset), sample.tools))


@dataclass
class Stats:
    """Counts of a corpus, or of a part of it."""

    lines: int = 0
    messages: int = 0
    failed: int = 0
    """Attempts that failed in the dialect that reads the message best."""
    structured: int = 0
    """Messages whose calls are given as such; not read, and not among `messages`."""
    structured_calls: int = 0
    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)
    """By source and dialect."""
    sources: set[str] = field(default_factory=set)
    details: dict[str, Details] = field(default_factory=dict)
    """By dialect."""
    troubles: Tally[Trouble] = field(default_factory=lambda: Tally(20, 5))

    def count(self, source: str, dialect: str) -> Counts:
        """The counts of a dialect in a source."""
        found = self.counts.get((source, dialect))
        if found is None:
            if source not in self.sources:
                if len(self.sources) >= MAX_SOURCES:
                    source = OTHERS
                self.sources.add(source)
            found = self.counts.setdefault((source, dialect), Counts())
        return found

    def detail(self, dialect: str) -> Details:
        """The details of a dialect."""
        found = self.details.get(dialect)
        if found is None:
            found = self.details[dialect] = Details()
        return found

    def merge(self, other: Stats, offset: int) -> None:
        """Add the counts of a later part of a file, which begins after line `offset`."""
        self.lines += other.lines
        self.messages += other.messages
        self.failed += other.failed
        self.structured += other.structured
        self.structured_calls += other.structured_calls
        for (source, dialect), counts in other.counts.items():
            self.count(source, dialect).merge(counts)
        for dialect, details in other.details.items():
            self.detail(dialect).merge(details, offset)
        self.troubles.merge(other.troubles, offset)

    def dialect(self, name: str) -> Counts:
        """The counts of a dialect over all sources."""
        total = Counts()
        for (_, dialect), counts in self.counts.items():
            if dialect == name:
                total.merge(counts)
        return total

    @property
    def problems(self) -> int:
        """Attempts that failed, and values that could not be used."""
        return self.failed + self.troubles.total

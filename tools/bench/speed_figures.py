"""The figures of a run of the benchmark, the goals they are held to, and the run that was kept last."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

import msgspec

from tools import reports

FILE = reports.REPORTS / "speed.json"
WAYS = ("whole", "whole, tools", "by 4", "by 4, tools", "by 64", "by 64, tools")
"""How a text is read: at once or in chunks of so many characters, with or without the tools declared."""
AUTO = "auto"
"""The form of a text that is read without the name of its dialect."""
LOADS = 1.5
"""µs that `json.loads` of 140 characters takes on the machine for which limits in µs are given."""


class Notation(StrEnum):
    """How the arguments are written, which is how much a reader has to do."""

    JSON = "JSON"
    RAW = "raw"
    ESCAPED = "escaped"
    """In a notation other than JSON in which a long text is not as it is."""


class Reading(msgspec.Struct):
    """The figures of one text: its length in characters, and for each way the time and the floor's, in µs."""

    characters: int
    us: dict[str, float] = {}
    floor: dict[str, float] = {}
    bytes: dict[str, float] = {}
    """Held at most while it is read, for a character, for a few ways."""


class Dialect(msgspec.Struct):
    """The figures of a dialect: `workload` or `workload form` → reading; `apart`: whose stream differs."""

    notation: Notation
    alone: bool
    readings: dict[str, Reading] = {}
    apart: list[str] = []
    cases: int = 0
    carried: int = 0
    """Of so many canonical cases with calls, those that are read in large steps alone."""


class Run(msgspec.Struct):
    """All figures of one run; `loads` is what `json.loads` of 140 characters took then, in µs."""

    date: str
    python: str
    version: str
    loads: float
    dialects: dict[str, Dialect] = {}
    start: dict[str, float] = {}
    """What a cold process pays, in ms."""


class Kept(msgspec.Struct):
    """The runs that are kept: the last of each build."""

    runs: dict[str, Run] = {}


def kept() -> Kept:
    """The runs that are kept."""
    return msgspec.json.decode(FILE.read_bytes(), type=Kept) if FILE.exists() else Kept()


def keep(build: str, run: Run) -> None:
    """Keep this run in place of the last one of its build."""
    runs = {**kept().runs, build: run}
    reports.keep(FILE.name, encoded(Kept(dict(sorted(runs.items())))))


def encoded(figures: Run | Kept) -> bytes:
    """Figures as JSON, with two digits behind the point: more is the machine's."""
    plain = json.loads(msgspec.json.encode(figures), parse_float=lambda number: round(float(number), 2))
    return (json.dumps(plain, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def since(run: Run, last: Run | None, name: str, text: str, way: str) -> float | None:
    """Times what it took in the last run, machines apart; none where that has no such figure."""
    reading = None if last is None or name not in last.dialects else last.dialects[name].readings.get(text)
    if last is None or reading is None or way not in reading.us:
        return None
    return run.dialects[name].readings[text].us[way] / run.loads / (reading.us[way] / last.loads)


# Goals


class Goal(NamedTuple):
    """A limit, and whether a figure keeps it."""

    name: str
    value: float
    limit: float

    @property
    def kept(self) -> bool:
        """True when the figure is within the limit."""
        return self.value <= self.limit


SHORT = {Notation.JSON: 3.0, Notation.RAW: 5.0, Notation.ESCAPED: 5.0}
LONG = {Notation.JSON: 1.3, Notation.RAW: 2.0, Notation.ESCAPED: 4.0}
CHUNK, GROWTH, FLAWED, UNNAMED, UNNAMED_PROSE = 2.5, 11.0, 2.5, 5.0, 20.0
START = {"import toolect, over msgspec": 40.0, "first parse": 5.0, "command, one message": 200.0}


def goals(figures: Dialect, loads: float) -> Iterator[Goal]:
    """Every goal of one dialect's figures: times the floor, µs a chunk, times another text of the dialect."""
    found = figures.readings
    for text, limits in (("short", SHORT), ("code20", LONG)):
        if text in found:
            reading = found[text]
            ratio = reading.us["whole, tools"] / reading.floor["whole, tools"]
            yield Goal(f"{text} × floor", ratio, limits[figures.notation])
    for text in ("short", "code20", "prose20"):
        if text in found:
            yield Goal(f"{text} µs a chunk", chunk(found[text], "by 4, tools"), CHUNK * loads / LOADS)
    for way in ("whole, tools", "by 4, tools"):
        if "code20" in found and "code200" in found:
            yield Goal(f"growth {way}", found["code200"].us[way] / found["code20"].us[way], GROWTH)
    for text, reading in found.items():
        workload, _, form = text.partition(" ")
        if form:
            limit = FLAWED if form != AUTO else UNNAMED_PROSE if workload == "prose20" else UNNAMED
            plain = found[workload].us["whole, tools"]
            yield Goal(f"{text} × {workload}", reading.us["whole, tools"] / plain, limit)


def started(start: Mapping[str, float]) -> Iterator[Goal]:
    """The goals of a cold process, in ms."""
    for name, limit in START.items():
        if name in start:
            yield Goal(f"{name} (ms)", start[name], limit)


def chunk(reading: Reading, way: str) -> float:
    """The µs that a chunk takes in a way of reading in chunks."""
    return reading.us[way] / -(-reading.characters // chunk_size(way))


def chunk_size(way: str) -> int:
    """How many characters a chunk of this way has; 0 where the text is read at once."""
    words = way.partition(",")[0].split()
    return int(words[1]) if len(words) > 1 else 0

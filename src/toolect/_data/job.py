"""A data set of any size: its files unit by unit, on all cores, in order, and gone on with after an interruption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from toolect import registry
from toolect._chats.conversation_diff import Change
from toolect._corpora.any_json import encoded
from toolect._corpora.records import Bad
from toolect._corpora.sources import Unit, events_of, files, schema_of, size, units
from toolect._corpora.value_kinds import Cursor, values
from toolect._data.checkpoint import CheckpointStore
from toolect._data.chunk_results import ChunkResult, Piece, RejectedRow, part_of_piece
from toolect._data.converting import Settings, convert
from toolect._data.shards import SHARD, JsonShards, ParquetShards, Shards
from toolect._data.tallies import Tallies
from toolect._message import Json
from toolect._processes import cores, in_order
from toolect._rows.account import Account, Fate
from toolect._rows.dialect_detection import FIRST, find_out
from toolect._rows.row_fields import row_kinds
from toolect._rows.row_source import Source

UNIT = 2 << 20
"""Bytes of a unit by default."""
Runner: TypeAlias = Callable[[Iterator[Piece], int, int], Iterable[tuple[Piece, ChunkResult]]]
"""Function from units, the number of processes and the longest line to each unit with its result, in order."""


class Job(msgspec.Struct, frozen=True):
    """Files to read, the folder to write to, and the settings for each row."""

    paths: tuple[str, ...]
    folder: str
    settings: Settings
    parquet: bool = False
    max_bytes: int = 64 << 20
    """The longest line."""
    unit: int = UNIT
    """Bytes of input that one process takes at a time."""
    shard: int = SHARD
    """Bytes of new rows, as JSON, after which another file begins."""


class JobProgress(msgspec.Struct):
    """Progress of a job."""

    read: int = 0
    """Lines or rows of the input."""
    written: int = 0
    """New rows."""
    fates: dict[str, int] = msgspec.field(default_factory=lambda: {fate.value: 0 for fate in Fate})
    """Rows by fate; the answers of a log are a row each."""
    sources: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Files by the kind of their rows."""
    tallies: Tallies = msgspec.field(default_factory=Tallies)


def run(
    job: Job,
    jobs: int = 0,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
    runner: Runner | None = None,
) -> JobProgress:
    """Do a job, or what is left of it, by `jobs` processes (0: one for each core): any number writes the same.

    `advance` is called with the bytes done and the bytes there are.
    Raises SourceError, CheckpointError, WorkerDiedError, MissingExtraError.
    """
    found = files(job.paths)
    whole = sum(map(size, found))
    places = CheckpointStore(Path(job.folder), encoded([job, [[path, size(path)] for path in found]]))
    writer = _Writer(job, places)
    jobs = jobs or cores()
    if runner is None:
        runner, jobs = by_processes, 1 if whole <= job.unit and "-" not in found else jobs
    bytes_done = 0
    advance(0, whole)
    work = _pieces(found, job, writer)
    skipped = writer.place.units
    for unit, _ in islice(work, skipped):
        bytes_done += unit.size
    try:
        for (unit, _), part in runner(work, jobs, job.max_bytes):
            writer.add(unit, part)
            bytes_done += unit.size
            advance(bytes_done, max(whole, bytes_done))
    finally:
        writer.close()
    places.done()
    return writer.done()


def _pieces(paths: Iterable[str], job: Job, writer: _Writer) -> Iterator[Piece]:
    """The units with their settings: the kind of a file is detected from its first rows."""
    for path in paths:
        settings = job.settings
        work = units(path, job.max_bytes, job.unit, lines=True)
        for number, unit in enumerate(work):
            if number == 0:
                first = _first(unit, job)
                if row_kinds(settings.source.files).of_lines(first):
                    unit, first = events_of(chain([unit], work), job.max_bytes), [first]
                settings = replace(settings, source=find_out(first, settings.source))
                writer.begin(path, settings.source, first, settings)
            yield unit, settings


def _first(unit: Unit, job: Job) -> list[Json]:
    """The first rows of a unit."""
    found = (
        one
        for one in values(unit, Cursor(), "", "", job.max_bytes, True, job.settings.target.table)
        if not isinstance(one, Bad)
    )
    return [*islice(found, FIRST)]


def by_processes(work: Iterator[Piece], jobs: int, limit: int) -> Iterator[tuple[Piece, ChunkResult]]:
    """Convert units here, or by so many processes."""
    return in_order(work, jobs, partial(part_of_piece, limit), registry.restore, registry.state())


class _Writer:
    """Writes the results of units, in order, and notes the progress."""

    def __init__(self, job: Job, places: CheckpointStore) -> None:
        self.job, self.places = job, places
        folder = places.folder
        self.place = place = places.load()
        self._left = JsonShards(folder, job.shard, "left-out")
        self._left.resume(place.left)
        self._rows: Shards | None = None if job.parquet else JsonShards(folder, job.shard)
        if self._rows is not None:
            self._rows.resume(place.rows)
        self._tallies = Tallies.restored(place.tallies) if place.units else Tallies()
        self._fates = Counter(place.fates)
        self._keys = places.keys(place.keys)
        self._files: list[str] = []
        self._sources: dict[Source, list[str]] = {}

    def begin(self, path: str, source: Source, first: list[Json], settings: Settings) -> None:
        """Begin a file; its first rows, converted, decide the columns of a table."""
        self._sources.setdefault(source, []).append(path)
        self._files.append(path)
        if self._rows is None:
            from toolect._data.table_columns import TableColumns  # needs the extra `data`

            rows = [row for one in first for outcome in convert(one, settings) for row in outcome.rows]
            self._rows = ParquetShards(
                self.places.folder, TableColumns(rows, settings.target, schema_of(path)), self.job.shard
            )
            self._rows.resume(self.place.rows)

    def add(self, unit: Unit, part: ChunkResult) -> None:
        """Write the result of a unit."""
        place = self.place
        if unit.path != place.path:
            place.path, place.lines = unit.path, 0
        self._tallies.merge(part.tallies, place.lines)
        left = part.left
        if self.job.settings.distinct:
            part, left = self._distinct(part, left)
        if part.kept:
            assert self._rows is not None
            for one in part.kept:
                self._rows.write(one.lines)
                place.written += one.rows
        if left:
            path = encoded(unit.path)
            lines = (b'{"file":%b,"line":%d,"account":%b}\n' % (path, place.lines + n, said) for n, _, said in left)
            self._left.write(b"".join(lines))
        self._fates.update(one.fate for one in part.kept)
        self._fates.update(one.fate for one in left)
        place.lines += part.lines
        place.units += 1
        self.settle()

    def _distinct(self, part: ChunkResult, left: list[RejectedRow]) -> tuple[ChunkResult, list[RejectedRow]]:
        """The rows that are no duplicate of one before them, and all rows left out."""
        kept, left = [], [*left]
        here = self._files.index(self.place.path)
        for one in part.kept:
            assert one.outcome is not None
            key, number = one.outcome.key, self.place.lines + one.number
            outcome, before = one.outcome, self._keys.get(key)
            if before is None:
                self._keys[key] = place = here, number
                self.places.note(key, place)
                kept.append(one)
            else:
                like = f"{self._files[before[0]]}:{before[1]}"
                account = Account(Fate.DUPLICATE, reason=Change("says what another row says", detail=like))
                left.append(RejectedRow(one.number, Fate.DUPLICATE.value, encoded(account.column())))
                outcome = outcome._replace(account=account)
            self._tallies.add(outcome, self.place.path, number)
        return part._replace(kept=kept), sorted(left, key=lambda one: one.number)

    def settle(self) -> None:
        """Store a checkpoint, where the files can be gone on with."""
        rows = [0, 0] if self._rows is None else self._rows.settled()
        if rows is None:
            return
        place = self.place
        place.rows, place.left, place.keys = rows, self._left.settled(), self.places.noted
        place.fates, place.tallies = dict(self._fates), self._tallies.state()
        self.places.store(place)

    def close(self) -> None:
        """Close all files."""
        for shards in (self._rows, self._left):
            if shards is not None:
                shards.close()
        self.places.close()

    def done(self) -> JobProgress:
        """The progress at the end of the job."""
        fates = {fate.value: self._fates.get(fate.value, 0) for fate in Fate}
        sources = self._sources
        if len(sources) == 1 and (kinds := [name for name, _ in self._tallies.kinds.most_common()]):
            sources = {
                replace(one, seen=", ".join(kinds)): paths for one, paths in sources.items()
            }  # all, not the first
        named = {str(one): paths for one, paths in sources.items()}
        return JobProgress(self._tallies.read, self.place.written, fates, named, self._tallies)

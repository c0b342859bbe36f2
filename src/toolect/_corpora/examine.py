"""Reads a corpus, unit by unit on all cores, and counts what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os.path import dirname

import msgspec

from toolect import registry
from toolect._corpora.reading import Read, Reader, badness
from toolect._corpora.records import Bad, Record, Trouble, records
from toolect._corpora.sources import UNIT, Unit, UnitKind, files, size, units
from toolect._corpora.stats import MISSED, Counts, Details, Specimen, Stats, most_samples
from toolect._corpora.tally import SeenExample, excerpt
from toolect._corpora.value_kinds import Cursor, values
from toolect._message import Call, Json, Status, dumps
from toolect._names import UnknownNameError
from toolect._processes import cores, in_order
from toolect._shown import cause, cut
from toolect._values.schema_keywords import type_of

LONGEST_SAMPLE, LONGEST_TOOLS = 4_000, 20_000
"""Characters of a message that is kept as a sample, and of the JSON of its tools."""
LONGEST_NAME, LONGEST_SOURCE = 80, 240
"""Characters of a name that are kept."""


class Options(msgspec.Struct, frozen=True):
    """Options for reading a corpus."""

    dialects: tuple[str, ...] = ()
    """Read each text in each of these; without any, in the one that fits."""
    field: str = ""
    """The path of the field that holds the text; "" to look for it."""
    separator: str = ""
    """Separator of the records of a text file; "" when the file is one."""
    max_bytes: int = 64 << 20
    """The longest line, or record of a text file."""


class Examiner:
    """Counts units, one after the other. The counts of one do not depend on those before it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._reader = Reader(options.dialects)
        self._stats = Stats()
        self._path, self._source, self._cursor = "", "", Cursor()

    def count(self, unit: Unit) -> Stats:
        """Return the counts of `unit`."""
        options = self._options
        self._reader.forget()
        self._stats, self._cursor, self._path = Stats(), Cursor(), unit.path
        alone = unit.kind is UnitKind.TEXT and not options.separator  # a file is a text, and its folder the source
        self._source = dirname(unit.path) or unit.path if alone else unit.path
        try:
            for value in values(unit, self._cursor, options.field, options.separator, options.max_bytes):
                if isinstance(value, Bad):
                    self._bad(value)
                    continue
                for record in records(value, options.field):
                    if isinstance(record, Bad):
                        self._bad(record)
                    else:
                        self._count(record)
        except OSError as error:
            self._bad(Bad(Trouble.UNREADABLE, error.strerror or str(error)))
        self._stats.lines = self._cursor.number
        return self._stats

    def _example(self, text: str, detail: str = "") -> SeenExample:
        return SeenExample(self._path, self._cursor.number, text, detail)

    def _bad(self, bad: Bad) -> None:
        if self._stats.troubles.add(bad.trouble):
            self._stats.troubles.show(bad.trouble, self._example(bad.why))

    def _count(self, record: Record) -> None:
        stats, text = self._stats, record.text
        if text is None:
            stats.structured += 1
            stats.structured_calls += record.structured
            return
        stats.messages += 1
        source = cut(record.source or self._source, LONGEST_SOURCE)
        reads = self._reader.read(text, record.tools, self._dialect_named(record.dialect))
        given = self._reader.dialects
        least = badness(reads[0]) if len(given) > 1 else None
        for i, read in enumerate(reads):
            counts, details = stats.count(source, read.dialect), stats.detail(read.dialect)
            self._add(counts, details, read, text, record.tools)
            if least is not None and read.calls and badness(read) == least:
                counts.best += 1
            if i == 0 or given:
                self._leaks(details, read)
            if i == 0 or not given:
                stats.failed += sum(not call.runnable for call in read.calls)

    def _dialect_named(self, name: str) -> str:
        """The dialect that a record names, if there is one."""
        if not name or self._reader.dialects:
            return ""
        try:
            return registry.resolve(name)
        except UnknownNameError as error:
            self._bad(Bad(Trouble.UNKNOWN_DIALECT, str(error)))
            return ""

    def _add(self, counts: Counts, details: Details, read: Read, text: str, tools: tuple[Json, ...]) -> None:
        counts.messages += 1
        counts.characters += len(text)
        details.taken.update(read.taken)
        calls = read.calls
        for repair in read.message.repairs:
            counts.repairs[repair.kind] += 1
        if not calls:
            if read.left:
                self._sample(details, MISSED, text, tools)
            return
        counts.calls += len(calls)
        statuses, called, add = counts.statuses, details.tools.add, details.arguments.add
        worst = 0
        for call in calls:
            status, arguments, tool = call.status, call.arguments, cut(call.name, LONGEST_NAME)
            statuses[status] += 1
            if status is not Status.OK:
                worst = max(worst, _ORDER.index(status))
            for repair in call.repairs:
                counts.repairs[repair.kind] += 1
            if not call.runnable:
                self._unparsed(details, call)
                continue
            called(tool)
            if type(arguments) is dict:
                for name, value in arguments.items():
                    add((tool, cut(name, LONGEST_NAME), type_of(value)))
        self._sample(details, _ORDER[worst], text, tools)

    def _sample(self, details: Details, outcome: str, text: str, tools: tuple[Json, ...]) -> None:
        kept = details.samples.setdefault(outcome, [])
        if len(kept) < most_samples(outcome) and len(text) <= LONGEST_SAMPLE and len(dumps(tools)) <= LONGEST_TOOLS:
            kept.append(Specimen(self._example(text), tools))

    def _unparsed(self, details: Details, call: Call) -> None:
        error = call.error or ""
        key = call.status, cause(error)
        if details.unparsed.add(key):
            details.unparsed.show(key, self._example(excerpt(call.raw), "" if error == key[1] else error))

    def _leaks(self, details: Details, read: Read) -> None:
        for leak in read.left:
            key = leak.marker, leak.where.value
            if details.leaks.add(key):
                end = leak.at + len(leak.marker)
                details.leaks.show(key, self._example(excerpt(leak.text, leak.at, end)))


_ORDER = (Status.OK, Status.REPAIRED, Status.TRUNCATED, Status.MALFORMED)
"""Outcomes from the best to the worst."""


# All of a corpus


ALONE = 8 * UNIT
"""Bytes of a corpus that one process reads alone."""


def coverage(
    paths: Iterable[str],
    options: Options | None = None,
    jobs: int = 0,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> Stats:
    """Return the counts of the corpus at `paths`, read by `jobs` processes (0: one for each core).

    The result is the same for any number of them. `advance` is called with the bytes done and the bytes there are.
    Raises SourceError for a path that is no corpus.
    """
    found = files(paths)
    total = sum(map(size, found))
    jobs = jobs or cores()
    stats, lines, done, before = Stats(), 0, 0, ""
    advance(0, total)
    options = options or Options()
    work = (unit for path in found for unit in units(path, options.max_bytes))
    jobs = 1 if total <= ALONE and "-" not in found else jobs
    for unit, part in in_order(work, jobs, Examiner(options).count, registry.restore, registry.state()):
        lines = lines if unit.path == before else 0
        before = unit.path
        stats.merge(part, lines)
        lines += part.lines
        done += unit.size
        advance(done, max(total, done))
    return stats

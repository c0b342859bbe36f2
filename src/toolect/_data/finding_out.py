"""What a data set is, found out from its first rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from toolect._chats.chat_registry import chat, looks_like
from toolect._corpora.records import Record, records
from toolect._data.account import RowRejectedError
from toolect._data.kinds import Kind, kind_of
from toolect._data.opening import opened
from toolect._data.row_readers import readings
from toolect._data.row_source import Source
from toolect._detection.guess import parse
from toolect._message import Json
from toolect._turns import Assistant
from toolect.conversation import Conversation
from toolect.registry import AUTO

FIRST = 64
"""Rows that tell what a data set is. Beyond it: they are what those are."""
TRIED = 3
"""Transcripts that tell which chat writes them as they are. Beyond it: they are in the same one."""
LONGEST = 20_000
"""Characters of one text that are looked at for calls. Beyond it: they do not tell what the data set is."""


def find_out(rows: Iterable[Json], given: Source) -> Source:
    """How the rows are read: what is given, and what the first of them are where nothing is."""
    first = [row for row, _ in zip(rows, range(FIRST), strict=False)]
    kinds = Counter(kind for row in first if (kind := kind_of(row, given.field)) is not None)
    source = given
    if source.kind is None and len(kinds) == 1:
        source = replace(source, kind=next(iter(kinds)))
    if source.kind in (Kind.ANSWER, Kind.TRANSCRIPT) and not source.chat and not source.dialect:
        source = _by_chat(first, source)
    if not source.dialect and source.kind is not Kind.TRANSCRIPT:
        source = replace(source, dialect=_dialect(first, source))
    return source


def _by_chat(rows: Sequence[Json], source: Source) -> Source:
    """Texts that hold the turns of a chat are transcripts of it."""
    plain = replace(source, kind=Kind.ANSWER)
    texts = [text for text in _texts(rows, plain) if looks_like(text)]
    if not texts or len(texts) * 2 < len(rows):
        return plain
    first = texts[:TRIED]
    likely = dict.fromkeys(name for text in first for name in looks_like(text))
    chosen = min(likely, key=lambda name: [*map(sum, zip(*(_misses(name, text) for text in first), strict=True))])
    return replace(source, kind=Kind.TRANSCRIPT, chat=chosen)


def _misses(name: str, text: str) -> tuple[int, int]:
    """How many lines of a transcript a chat would write otherwise, and how little it reads: several have its markers.

    A chat that knows no calls or tools writes them as they are, too: as what somebody says.
    """
    one = chat(name)
    found = one.parse(text)
    turns = [Assistant(turn.message) if isinstance(turn, Assistant) else turn for turn in found.turns]
    known = len(found.tools) + sum(len(turn.message.calls) for turn in turns if isinstance(turn, Assistant))
    try:
        again = one.render(Conversation(turns, found.tools), False, unsafe="keep")
    except (ValueError, RecursionError):
        return len(text), -known
    return len({*text.split("\n")} ^ {*again.split("\n")}), -known


def _dialect(rows: Sequence[Json], source: Source) -> str:
    """The dialect of the calls in answers: one, `auto` for several, "" where there are none."""
    found: Counter[str] = Counter()
    for text in _texts(rows, source):
        for name in parse(text).dialects:
            found[name] += 1
    if source.kind is Kind.ANSWER:
        return next(iter(found)) if len(found) == 1 else AUTO
    return "" if not found else next(iter(found)) if len(found) == 1 else AUTO


def _texts(rows: Sequence[Json], source: Source) -> Iterator[str]:
    """The texts of answers that have no calls beside them."""
    for row in rows:
        try:
            found = readings(row, source)
        except RowRejectedError:  # results make no sense before the calls in the texts are read
            yield from _held(row, source.field)
            continue
        for reading in found:
            for turn in reading.conversation.turns:
                if isinstance(turn, Assistant) and not turn.message.calls and turn.message.content:
                    yield turn.message.content[:LONGEST]


def _held(row: Json, field: str) -> Iterator[str]:
    """The texts of answers in a row that is no conversation as it stands."""
    columns = {key: opened(value) for key, value in row.items() if key != "tools"} if isinstance(row, dict) else row
    for record in records(columns, field):
        if isinstance(record, Record) and record.text:
            yield record.text[:LONGEST]

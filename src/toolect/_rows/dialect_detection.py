"""The dialect of calls in texts, and the chat of transcripts, found out from rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from toolect._detection.guess import parse
from toolect._detection.leaks import has_marker_of
from toolect._message import Json, MessageError
from toolect._rows.account import RowRejectedError
from toolect._rows.row_fields import row_kinds
from toolect._rows.row_parts import as_row, parts_of
from toolect._rows.row_readers import readings
from toolect._rows.row_source import TRANSCRIPT, Source
from toolect._rows.transcript_rows import ANSWER, chat_of
from toolect._turns import Assistant
from toolect.registry import AUTO

FIRST = 64
"""Rows from which a data set is detected. Beyond it: they are taken to be alike."""
LONGEST = 20_000
"""Characters of one text that are searched for calls. Beyond it: they are ignored by detection."""


def find_out(rows: Iterable[Json], given: Source) -> Source:
    """Return how rows are read: as `given`, and as detected from the first rows where nothing is given."""
    first = [row for row, _ in zip(rows, range(FIRST), strict=False)]
    likely, names, others = given.chat, Counter[str](), list[Json]()
    for row in first:
        name, chat = _kind(row, replace(given, chat=likely))
        names[name] += 1
        if chat and not given.kind:
            likely = chat
        elif name:
            others.append(row)
    source = replace(given, seen=", ".join(name for name, _ in names.most_common() if name), chat=likely)
    if source.dialect is not None or source.kind == TRANSCRIPT:
        return source
    kinds = row_kinds(given.files)
    if all(name in (TRANSCRIPT, "") or kinds[name].fields.dialect for name in names):
        return source
    return replace(source, dialect=_dialect(others, source, {*names} == {ANSWER}), guessed=True)


def _kind(row: Json, source: Source) -> tuple[str, str]:
    """The kind of a row, and the chat of a transcript; "" for none."""
    if source.kind:
        return source.kind, ""
    try:
        parts = parts_of(as_row(row, source), source)[0]
        chat = chat_of(parts, source.chat)
    except (RowRejectedError, MessageError):
        return "", ""
    return (TRANSCRIPT, chat) if chat else (parts.name, "")


def _dialect(rows: Sequence[Json], source: Source, answers: bool) -> str:
    """The dialect of the calls in answers: one, `auto` for several, "" where there are none."""
    found: Counter[str] = Counter()
    for text, bare in _texts(rows, replace(source, dialect="")):
        found.update(name for name in parse(text).dialects if bare or has_marker_of(name, text))
    return next(iter(found)) if len(found) == 1 else AUTO if found or answers else ""


def _texts(rows: Sequence[Json], source: Source) -> Iterator[tuple[str, bool]]:
    """The texts of answers that have no calls beside them, and whether a call may stand there without markers."""
    for row in rows:
        try:
            found = readings(row, source)
        except RowRejectedError:  # results make no sense before the calls in the texts are read
            yield from ((text, True) for text in _held(row, source))
            continue
        for reading in found:
            for turn in reading.conversation.turns:
                if isinstance(turn, Assistant) and not turn.message.calls and turn.message.content:
                    yield turn.message.content[:LONGEST], bool(reading.conversation.tools)


def _held(row: Json, source: Source) -> Iterator[str]:
    """The texts of answers in a row that is no conversation as it stands."""
    try:
        found = parts_of(as_row(row, source), source)
    except RowRejectedError:
        return
    for parts in found:
        for turn in parts.one("turns") or ():
            who = turn.get("from", turn.get("role")) if isinstance(turn, Mapping) else None
            if isinstance(who, str) and parts.kind.shape.roles.get(who) == "assistant":
                text = next((turn[name] for name in ("value", "content", "text") if turn.get(name)), None)
                if isinstance(text, str):
                    yield text[:LONGEST]

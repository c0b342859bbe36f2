"""The dialect of calls in texts, and the chat of transcripts, found out from rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from toolect._chats.chat_registry import chat, looks_like
from toolect._detection.guess import parse
from toolect._message import Json
from toolect._rows.account import RowRejectedError
from toolect._rows.row_fields import row_kinds
from toolect._rows.row_parts import as_row, kind_of, parts_of
from toolect._rows.row_readers import readings
from toolect._rows.row_source import TRANSCRIPT, Source
from toolect._turns import Assistant
from toolect.conversation import Conversation
from toolect.registry import AUTO

FIRST = 64
"""Rows that tell what a data set is. Beyond it: they are what those are."""
TRIED = 3
"""Transcripts that tell which chat writes them as they are. Beyond it: they are in the same one."""
ANSWER = "answer"
"""The kind of rows that are the text of an answer, which may be a transcript as well."""
LONGEST = 20_000
"""Characters of one text that are looked at for calls. Beyond it: they do not tell what the data set is."""


def find_out(rows: Iterable[Json], given: Source) -> Source:
    """How the rows are read: what is given, and what the first of them are where nothing is."""
    first = [row for row, _ in zip(rows, range(FIRST), strict=False)]
    names = [name for row in first if (name := given.kind or kind_of(row, given)) is not None]
    source = replace(given, seen=", ".join(name for name, _ in Counter(names).most_common()))
    if not source.chat and source.dialect is None and {*names} == {ANSWER}:
        source = _by_chat(first, source)
    if source.dialect is not None or source.kind == TRANSCRIPT:
        return source
    kinds = row_kinds(given.files)
    if names and all(kinds[name].fields.dialect for name in names):
        return source
    return replace(source, dialect=_dialect(first, source, {*names} == {ANSWER}), guessed=True)


def _by_chat(rows: Sequence[Json], source: Source) -> Source:
    """Texts that hold the turns of a chat are transcripts of it."""
    texts = [text for text in _texts(rows, replace(source, dialect="")) if looks_like(text)]
    if not texts or len(texts) * 2 < len(rows):
        return source
    first = texts[:TRIED]
    likely = dict.fromkeys(name for text in first for name in looks_like(text))
    chosen = min(likely, key=lambda name: [*map(sum, zip(*(_misses(name, text) for text in first), strict=True))])
    return replace(source, kind=TRANSCRIPT, seen=TRANSCRIPT, chat=chosen)


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


def _dialect(rows: Sequence[Json], source: Source, answers: bool) -> str:
    """The dialect of the calls in answers: one, `auto` for several, "" where there are none."""
    found: Counter[str] = Counter()
    for text in _texts(rows, replace(source, dialect="")):
        found.update(parse(text).dialects)
    return next(iter(found)) if len(found) == 1 else AUTO if found or answers else ""


def _texts(rows: Sequence[Json], source: Source) -> Iterator[str]:
    """The texts of answers that have no calls beside them."""
    for row in rows:
        try:
            found = readings(row, source)
        except RowRejectedError:  # results make no sense before the calls in the texts are read
            yield from _held(row, source)
            continue
        for reading in found:
            for turn in reading.conversation.turns:
                if isinstance(turn, Assistant) and not turn.message.calls and turn.message.content:
                    yield turn.message.content[:LONGEST]


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

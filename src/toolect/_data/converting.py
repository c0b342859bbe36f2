"""Conversion of one row into rows, each with its account: for the rows of a job, or of a program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from toolect._chats.conversation_diff import Change, owners
from toolect._corpora.any_json import is_unicode
from toolect._data.keeping import REFUSED, Keep, Loss, check, check_length, refused, unread_call
from toolect._data.row_targets import Target, length, write
from toolect._message import Call, Content, Json, MessageError, Reasoning
from toolect._rendered import RenderError
from toolect._rows.account import LONGEST, Account, Fate, RowRejectedError, because
from toolect._rows.open_row import RowReading
from toolect._rows.row_readers import readings
from toolect._rows.row_source import Source
from toolect._shown import visible
from toolect._turns import Assistant, Results, System, User
from toolect.conversation import Conversation

ACCOUNT = "account"
"""The column with the account of a row."""
INSTEAD = "original_"
"""Prefix of a column that is renamed to make room for a new one."""
SAME = "both sides of a pair say the same, as they are read"
NOT_UNICODE = "a text has a lone surrogate, which no table can hold"


class Settings(msgspec.Struct, frozen=True):
    """Settings of a conversion, the same for every row."""

    target: Target
    source: Source = Source()
    keep: Keep = Keep()
    refused: frozenset[Loss] = REFUSED
    """The losses for which a row is refused; all of them where only exact rows are wanted."""
    distinct: bool = False
    """Leave out rows that say the same as one before them."""


class Outcome(NamedTuple):
    """Outcome of one row, or of one of the answers in it: the new rows with their other columns."""

    account: Account
    rows: list[dict[str, Json]]
    key: bytes = b""
    """Key of the row's meaning: rows that say the same have the same one."""
    seen: Seen | None = None


class Seen(NamedTuple):
    """Statistics of a row: its turns, its calls by tool, its features, and its kind."""

    turns: int
    tools: Mapping[str, int]
    features: frozenset[str]
    kind: str = ""


def convert(row: Json, settings: Settings) -> list[Outcome]:
    """Convert a row: one outcome, or one for each answer of a log. Never raises on any row."""
    try:
        found = readings(row, settings.source)
    except RowRejectedError as error:
        return [Outcome(Account(error.fate, reason=error.reason), [])]
    return [_one(row, reading, settings) for reading in found]


def _one(row: Json, reading: RowReading, settings: Settings) -> Outcome:
    changes, notes, seen = reading.changes, reading.notes, None
    try:
        conversation = reading.conversation
        seen = _seen(reading)
        check(conversation, settings.keep)
        if (other := reading.rejected) is not None:
            check(other, Keep(settings.keep.statuses))
            if meaning(conversation, False) == meaning(other, False):
                raise RowRejectedError(Change(SAME))
        rows, lost, said = write(reading, settings.target)
        changes, notes = (*changes, *lost), (*notes, *said)
        if (reason := refused(changes, settings.refused, conversation)) is not None:
            raise RowRejectedError(reason)
        if settings.keep.max_ids:
            for one in rows:
                check_length(length(one, conversation, settings.target), settings.keep)
        both = (*conversation.turns, *(other.turns if other is not None else ()))
        key = meaning(replace(conversation, turns=both)) if settings.distinct else b""
        rows = [_beside(_others(row, reading), one) for one in rows]
        if settings.target.table:
            for one in rows:
                _check_unicode(one)
    except RowRejectedError as error:
        return Outcome(Account(error.fate, changes, notes, error.reason), [], seen=seen)
    except RenderError as error:
        unread = unread_call(conversation)
        why = f"{settings.target} cannot carry it: {error}"[:LONGEST]
        reason = unread._replace(what=f"{settings.target} cannot carry {unread.what}") if unread else Change(why)
        return Outcome(Account(Fate.REFUSED, changes, notes, reason), [], seen=seen)
    except (MessageError, RecursionError, ValueError, OverflowError) as error:
        return Outcome(Account(Fate.REFUSED, changes, notes, because(error)), [], seen=seen)
    account = Account(Fate.CHANGED if changes else Fate.CONVERTED, changes, notes)
    column = account.column()
    return Outcome(account, [row | {ACCOUNT: column} for row in rows], key, seen)


def _check_unicode(row: Mapping[str, Json]) -> None:
    """Raises RowRejectedError for a row that no table can hold, since its texts are UTF-8."""
    if not is_unicode(row):
        name = next(name for name, value in row.items() if not is_unicode({name: value}))
        raise RowRejectedError(Change(NOT_UNICODE, detail=f"in the column `{visible(name)}`"))


def _others(row: Json, reading: RowReading) -> Mapping[str, Json]:
    """The columns that the conversation was not read from."""
    return {key: value for key, value in row.items() if key not in reading.columns} if isinstance(row, Mapping) else {}


def _beside(others: Mapping[str, Json], new: dict[str, Json]) -> dict[str, Json]:
    """The new columns, and the others of the row; one that has the name of a new one gets another."""
    if not others:
        return new
    taken = {*new, ACCOUNT}
    return new | {(f"{INSTEAD}{key}" if key in taken else key): value for key, value in others.items()}


def _seen(reading: RowReading) -> Seen:
    tools: dict[str, int] = {}
    features = set()
    for turn in reading.conversation.turns:
        if type(turn) is not Assistant:
            continue
        calls, content = 0, False
        for segment in turn.message.segments:
            if isinstance(segment, Call):
                tools[segment.name] = tools.get(segment.name, 0) + 1
                calls += 1
            elif isinstance(segment, Content):
                content = content or bool(segment.text)
            elif segment.text:
                features.add("reasoning")
        if calls > 1:
            features.add("parallel calls")
        if calls and content:
            features.add("content beside calls")
    if tools:
        features.add("calls")
    if reading.conversation.tools:
        features.add("tools")
    return Seen(len(reading.conversation.turns), tools, frozenset(features), reading.kind)


# What a conversation says, as a short key: two that say the same have one, however they were spelled


SIZE = 16
"""Bytes of a key. Two rows that differ have one by chance only beyond 2^60 rows."""


def meaning(conversation: Conversation, tools: bool = True) -> bytes:
    """The key: texts without blanks at their ends, calls with their arguments in any order, results by their calls.

    Ids do not count, nor does how the arguments were spelled; without `tools` neither do these.
    """
    parts: list[Json] = [list(_said(conversation))]
    if tools:
        parts.append(sorted(_text(dict(tool)) for tool in conversation.tools))
    return hashlib.blake2b(_text(parts).encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def _said(conversation: Conversation) -> Iterator[Json]:
    whose = iter(owners(conversation.turns))
    for turn in conversation.turns:
        match turn:
            case System(text) if text.strip():
                yield ["system", text.strip()]
            case User(text, media):
                yield ["user", text.strip(), *(one.part for one in media)]
            case Assistant(message):
                for kind, word in ((Reasoning, "thought"), (Content, "content")):
                    text = "".join(one.text for one in message.segments if isinstance(one, kind)).strip()
                    if text:
                        yield [word, text]
                yield from (_call(call) for call in message.calls)
                yield "end"
            case Results(results):
                pairs = zip(next(whose), results, strict=True)
                pictured = [one.part for result in results for one in result.media]
                yield ["results", sorted([call, one.output.strip(), one.is_error] for call, one in pairs), *pictured]


def _call(call: Call) -> Json:
    return ["call", call.name, call.arguments if call.runnable else call.arguments_text]

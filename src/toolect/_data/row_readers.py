"""Rows as conversations: one reader for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from toolect._chats.chat_registry import chat
from toolect._chats.comparing import Change
from toolect._chats.left_unread import left_unread, skips
from toolect._chats.told_tools import TEXT
from toolect._data.account import RowRejectedError, because
from toolect._data.asked import INSTRUCTION, asked, with_system
from toolect._data.how_answered import check_answered
from toolect._data.kinds import LISTS, TEXTS, Kind, kind_of
from toolect._data.left_out import of_blocks, of_items, of_spoken, told
from toolect._data.log_rows import items_with, log
from toolect._data.open_row import OpenRow, Reading, what_is
from toolect._data.plain_row import PlainRow
from toolect._data.row_mending import tools_in
from toolect._data.row_source import Source
from toolect._data.trajectory_rows import trajectory
from toolect._detection.guess import reader as reader_of
from toolect._exchange.anthropic_messages import read_anthropic
from toolect._exchange.response_items import read_items
from toolect._exchange.sharegpt import read_row
from toolect._exchange.told_in_texts import definitions_in
from toolect._message import Json, MessageError
from toolect._turns import System, Turn, User

TRANSCRIPT_REPAIRED = "the transcript was repaired"
TOOLS_UNREAD = "the transcript told of tools in words that hold no definitions: they are left out"


def readings(row: Json, source: Source) -> list[Reading]:
    """The conversations that a row tells; only logs have several. Raises RowRejectedError."""
    if isinstance(row, PlainRow):
        return [row.reading]
    kind = source.kind or kind_of(row, source.field)
    if isinstance(row, str) and kind in (Kind.ANSWER, Kind.TRANSCRIPT):
        row = {TEXTS[0]: row}
    if isinstance(row, list):
        row = {LISTS[1 if kind is Kind.SHAREGPT else 0]: row}
    if not isinstance(row, Mapping):
        raise RowRejectedError(Change("no object", detail=f"expected an object as a row, got {what_is(row)}"))
    if kind is None:
        for name in (source.field,) if source.field else (*LISTS, *TEXTS):
            if name in row and (name in LISTS or not isinstance(row[name], Mapping | list)):
                expected = "a list of turns" if name in LISTS else "a text"
                raise RowRejectedError(because(MessageError(expected, what_is(row[name]), name)))
        there = ", ".join(f"`{key}`" for key in [*row][:8]) or "no columns"
        raise RowRejectedError(Change("no conversation", detail=f"expected a kind of row that is known, got {there}"))
    try:
        one = OpenRow(row, source)
        found = [one.conversation(turns) for turns in _READERS[kind](one)]
    except (ValueError, RecursionError, OverflowError) as error:  # no conversation, or nested or numbers without end
        raise RowRejectedError(because(error)) from None
    if not any(reading.conversation.turns for reading in found):
        raise RowRejectedError(Change("no turns", detail=f"expected turns in a row of {kind}, got none"))
    return found


Reader: TypeAlias = Callable[[OpenRow], Iterator[Sequence[Turn]]]


def _messages(one: OpenRow) -> Iterator[Sequence[Turn]]:
    yield _declared(one, one.turns(one.take(*LISTS), one.first(*LISTS) or LISTS[0]))


def _declared(one: OpenRow, turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns; what their system text tells of the tools is declared instead, where no tools are."""
    first = turns[0] if turns and not one.source.dialect and not one.tools.tools else None
    if isinstance(first, System):
        one.declare([*definitions_in(first.text)])
    return one.retold(turns) if one.source.dialect or isinstance(first, System) else turns


def _anthropic(one: OpenRow) -> Iterator[Sequence[Turn]]:
    messages = one.take(*LISTS)
    turns = read_anthropic(messages, one.take("system"))
    one.beside = told(map(of_blocks, messages))
    yield turns


def _responses(one: OpenRow) -> Iterator[Sequence[Turn]]:
    items = one.take("input")
    output = one.take("output")
    if not output:
        check_answered(one.row, "output")
    said = items_with(items, output)
    one.beside = of_items(said)
    yield read_items(said, one.take("instructions"))


def _sharegpt(one: OpenRow) -> Iterator[Sequence[Turn]]:
    name = "conversations" if one.row.get("conversation") is None else "conversation"
    row = {name: one.take(name), "system": one.take("system"), "tools": list(one.tools.tools) or None}
    reader = reader_of(one.source.dialect) if one.source.dialect else None
    turns, tools, _ = read_row(row, reader, False)
    one.beside = told(map(of_spoken, row[name]))
    one.tools = tools_in(list(tools))
    yield one.retold(turns)


def _query(one: OpenRow) -> Iterator[Sequence[Turn]]:
    query, answers = one.take("query"), one.take("answers")
    if not isinstance(query, str):
        raise MessageError("text", what_is(query), "query")
    if not isinstance(answers, list):
        raise MessageError("a list of calls or its JSON text", what_is(answers), "answers")
    calls = {"role": "assistant", "tool_calls": answers}
    yield (User(query), *one.turns([calls], "answers"))


def _prompted(one: OpenRow) -> Iterator[Sequence[Turn]]:
    prompt, completion = one.take("prompt"), one.take("completion")
    before = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    said = [{"role": "assistant", "content": completion}] if isinstance(completion, str) else completion
    said = [said] if isinstance(said, Mapping) else said
    for name, messages in (("prompt", before), ("completion", said)):
        if not isinstance(messages, list):
            raise MessageError("a text or a list of messages", what_is(messages), name)
    yield _declared(one, one.turns([*with_system(one, before), *said], "messages"))


def _transcript(one: OpenRow) -> Iterator[Sequence[Turn]]:
    text = _text(one)
    found = chat(one.source.chat).parse(text)
    if not found.turns and text.strip():
        raise MessageError(f"a transcript of `{one.source.chat}`", "a text without a turn of it", "text")
    for repair in found.repairs:
        if not skips(repair):
            one.notes.append(Change(TRANSCRIPT_REPAIRED, detail=f"{repair.kind} at character {repair.at}"))
    one.changes += left_unread((), found.repairs)
    if found.tools and not one.tools.tools:
        _declare_told(one, found.tools)
    yield found.turns


def _declare_told(one: OpenRow, tools: Sequence[Mapping[str, Json]]) -> None:
    """Declare the tools that a transcript tells of, as far as they can be read out of its words."""
    known: list[Json] = []
    for tool in tools:
        if tool.get("type") != TEXT:
            known.append(dict(tool))
        elif definitions := definitions_in(str(tool["text"])):
            known += definitions
        else:
            one.changes.append(Change(TOOLS_UNREAD, detail=str(tool["text"])[:60]))
    one.declare(known)


def _answer(one: OpenRow) -> Iterator[Sequence[Turn]]:
    text = _text(one)
    yield _declared(one, one.turns([*asked(one), {"role": "assistant", "content": text}], "messages"))


def _text(one: OpenRow) -> str:
    """The text of a transcript or an answer; beside an instruction `text` may be both in a template."""
    names = (*TEXTS[1:], TEXTS[0]) if one.row.get(INSTRUCTION) is not None else TEXTS
    for name in (one.source.field,) if one.source.field else names:
        if isinstance(one.row.get(name), str):
            one.taken.add(name)
            return str(one.row[name])
    raise MessageError("a text", "none", one.source.field or TEXTS[0])


_READERS: dict[Kind, Reader] = {
    Kind.MESSAGES: _messages, Kind.ANTHROPIC: _anthropic, Kind.RESPONSES: _responses, Kind.SHAREGPT: _sharegpt,
    Kind.QUERY: _query, Kind.PROMPTED: _prompted, Kind.TRAJECTORY: trajectory, Kind.LOG: log,
    Kind.TRANSCRIPT: _transcript, Kind.ANSWER: _answer,
}  # fmt: skip

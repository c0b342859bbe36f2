"""Transcripts: the text of a whole conversation as a chat writes it, and which chat that is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from toolect._chats.chat_registry import chat, chats, looks_like
from toolect._chats.control_tokens import tokens_of
from toolect._chats.conversation_diff import Change, left_unread, skips
from toolect._chats.prompt_tools import TEXT
from toolect._detection.dropped import CONTROL
from toolect._detection.guess import parse
from toolect._detection.leaks import begins_reasoning, left_in
from toolect._exchange.embedded_tools import definitions_in
from toolect._message import Json, MessageError
from toolect._rows.open_row import OpenRow, RowReading
from toolect._rows.patterns import RowHole
from toolect._rows.row_fields import Speaker, row_kinds
from toolect._rows.row_parts import RowParts
from toolect._rows.row_source import Source
from toolect._turns import Assistant, Results, System, User
from toolect.conversation import Conversation

TRANSCRIPT_REPAIRED = "the transcript was repaired"
TOOLS_UNREAD = "the transcript described tools in words that hold no definitions: they are left out"
ANSWER = "answer"
"""The kind of rows that are the text of an answer, which may be a transcript as well."""
LONGEST = 20_000
"""Characters of a transcript that tell which chat writes it. Beyond it: the rest is in the same one."""
MAX_END = 40
"""Characters at the end of a prompt in which the name that begins an answer is looked for."""


class Fit(NamedTuple):
    """Penalties of a chat for a transcript; the smallest is the best."""

    tokens: int
    """Control tokens that are left in texts, or in text that is skipped."""
    markers: int
    """Markers of calls and reasoning that are left in answers, and turns that cannot follow those before them."""
    lines: int
    """Lines that its own rendering has otherwise."""
    unknown: int
    """Negative number of the calls and tools read: a chat that reads none renders them as text, too."""
    length: int
    """Characters of texts: markup of one chat is text to another."""


def chat_of(parts: RowParts, likely: str = "") -> str:
    """The chat in which a row that is one text is a transcript, `likely` if that leaves nothing; "" for another row.

    Raises MessageError for a transcript of which each chat leaves something.
    """
    if parts.kind.name != ANSWER or not parts.holes.keys() <= {"text", "tools"}:
        return ""
    text = parts.one("text")[:LONGEST]
    if likely and (fit := _fit(likely, text, compared=False)) is not None and fit[:2] == (0, 0):
        return likely
    found = [(fit, name) for name in looks_like(text) if (fit := _fit(name, text)) is not None]
    if not found and (speakers := _speakers(text, parts)):
        raise MessageError("an answer", f"turns of {speakers}", parts.names["text"], "name their chat with --kind")
    if not found:
        return ""
    best, name = min(found, key=lambda one: one[0])
    if best.tokens:
        raise MessageError(
            "a transcript of a chat that is known",
            f"a text of which `{name}` reads most, and leaves markers",
            parts.names["text"],
            "name its chat with --kind",
        )
    return name


def _speakers(text: str, parts: RowParts) -> str:
    """The names that turns may begin with in a text without a question, if a user's and an assistant's are there."""
    if parts.names["text"] != "text":
        return ""
    roles = {name: parts.kind.shape.roles.get(name.lower()) for name in map("".join, _NAMED.findall(text))}
    return ", ".join(roles) if {Speaker.USER, Speaker.ASSISTANT} <= {*roles.values()} else ""


_NAMED = re.compile(r"(?:^|[\s#>])([A-Z]\w{1,12}):(?=\s|\Z)|[<\[]\|?(\w{1,12})\|?[>\]]", re.MULTILINE)
"""Finds the names, before colons and in tags and tokens, that turns may begin with."""


def is_prompt(question: str, roles: Mapping[str, Speaker]) -> bool:
    """True for a text that a model goes on with: it has control tokens, or ends with a name that begins answers."""
    if ("<" in question or "[/" in question) and _control_tokens((*chats(),)).search(question):
        return True
    found = [*_NAMED.finditer(question, max(len(question) - MAX_END, 0))]
    if not found or found[-1][1] is None or question[found[-1].end() :].strip():
        return False
    return roles.get(found[-1][1].lower()) is Speaker.ASSISTANT


_NEVER: Mapping[type, Any] = {type(None): Results, System: Results, User: Results | System}
"""Turns that no conversation has right behind a turn of a type; behind any other it is a text of the system."""


def read_prompt(question: str) -> Conversation | None:
    """The conversation of a chat's prompt, up to its answer; None where no chat writes it to the letter."""
    if begins_reasoning(question.rstrip().rpartition("\n")[2]):
        return None
    fits = ((name, _fit(name, question, begun=True)) for name in looks_like(question))
    name = next((name for name, fit in fits if fit is not None and fit[:3] == (0, 0, 0)), "")
    return _without_begun(chat(name).parse(question)) if name else None


def _without_begun(read: Conversation) -> Conversation:
    """A transcript without an empty answer at its end."""
    last = read.turns[-1] if read.turns else None
    is_begun = isinstance(last, Assistant) and not last.message.segments
    return Conversation(read.turns[:-1], read.tools) if is_begun else read


def _fit(name: str, text: str, compared: bool = True, begun: bool = False) -> Fit | None:
    """Score a chat for a transcript; None where it reads no turns, or nothing but an answer.

    Unless it is `compared` with other chats, its own rendering of the transcript does not count; with `begun` the
    transcript ends with the beginning of an answer.
    """
    one = chat(name)
    found = _without_begun(one.parse(text)) if begun else one.parse(text)
    if all(isinstance(turn, Assistant) for turn in found.turns):
        return None
    turns = [Assistant(turn.message) if isinstance(turn, Assistant) else turn for turn in found.turns]
    answers = [turn.message for turn in turns if isinstance(turn, Assistant)]
    given = [turn.text for turn in turns if isinstance(turn, System | User)]
    given += [one.output for turn in turns if isinstance(turn, Results) for one in turn.results]
    unread = [change.detail for change in left_unread(found.turns, found.repairs)]
    left = _control_tokens((*chats(),)).findall
    tokens = sum(len(left(text)) for text in (*given, *unread, *(message.content for message in answers)))
    markers = sum(len(left_in(message.content)) for message in answers)
    markers += sum(isinstance(turn, _NEVER.get(type(before), System)) for before, turn in pairwise((None, *turns)))
    if not compared:  # a call without markers is left, too
        calls = sum(len(parse(message.content).calls) for message in answers if not message.calls)
        return Fit(tokens, markers + calls + len(unread), 0, 0, 0)
    length = sum(map(len, given)) + sum(len(message.content) for message in answers)
    known = len(found.tools) + sum(len(message.calls) for message in answers)
    try:
        again = one.render(Conversation(turns, found.tools), begun, unsafe="keep")
    except (ValueError, RecursionError):
        return Fit(tokens, markers, len(text), -known, length)
    return Fit(tokens, markers, len({*text.split("\n")} ^ {*again.split("\n")}), -known, length)


@lru_cache(4)
def _control_tokens(names: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the control tokens of chats, and texts like control tokens of others; a tag of one word is none."""
    specs = [chat(name).spec for name in names]
    ends = {end for spec in specs for end in spec.end if _BRACKETED.fullmatch(end)}  # a blank line ends answers, too
    known = {token for spec in specs for token in tokens_of(spec) if _BRACKETED.fullmatch(token)}
    known = known.union(*(filter(_BRACKETED.fullmatch, spec.special) for spec in specs))
    distinct = {token for token in known if not _TAG.fullmatch(token)} | ends
    return re.compile("|".join([CONTROL.pattern, *map(re.escape, sorted(distinct, key=len, reverse=True))]))


_TAG, _BRACKETED = re.compile(r"</?[a-z]+>"), re.compile(r"[<\[].*[]\[<>]", re.DOTALL)


def read_transcript(row: Mapping[str, Json], source: Source) -> RowReading:
    """The conversation of a transcript, in the chat of the source."""
    answer = row_kinds(source.files)[ANSWER]
    columns = next(field.names for field in answer.rows[0].fields if field.value == RowHole("text"))
    name = next((one for one in columns if isinstance(row.get(one), str)), "")
    if not name:
        raise MessageError("a text", "none", source.field or "text")
    one = OpenRow(row, source, frozenset((name,)), "", answer.shape)
    text = str(row[name])
    found = chat(source.chat).parse(text)
    if not found.turns and text.strip():
        raise MessageError(f"a transcript of `{source.chat}`", "a text without a turn of it", name)
    for repair in found.repairs:
        if not skips(repair):
            one.notes.append(Change(TRANSCRIPT_REPAIRED, detail=f"{repair.kind} at character {repair.at}"))
    one.changes += left_unread((), found.repairs)
    if (given := row.get("tools")) is not None:
        one.taken |= {"tools"}
        one.declare(given)
    else:
        declare_tools(one, found)
    return one.conversation(found.turns)


def declare_tools(one: OpenRow, found: Conversation) -> None:
    """Declare the tools in the system text of a transcript."""
    known: list[Json] = []
    for tool in found.tools:
        if tool.get("type") != TEXT:
            known.append(dict(tool))
        elif definitions := definitions_in(str(tool["text"])):
            known += definitions
        else:
            one.changes.append(Change(TOOLS_UNREAD, detail=str(tool["text"])[:60]))
    if known:
        one.declare(known)

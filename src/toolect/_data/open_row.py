"""One row while it is read: its columns, its tools, the turns that it tells, and what was seen in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from toolect._chats.comparing import Change
from toolect._chats.left_unread import DROPPED, dropped
from toolect._data.beside_tools import besides
from toolect._data.how_answered import CUT_OFF, unsaid, without_result
from toolect._data.left_out import of_message, told
from toolect._data.opening import opened
from toolect._data.row_mending import Tools, mended_messages, tools_in
from toolect._data.row_source import Source
from toolect._data.whose_results import results_of_others
from toolect._detection.dropped import with_dropped
from toolect._detection.guess import reader as reader_of
from toolect._exchange.openai_messages import read_answer, read_messages
from toolect._exchange.plain_messages import plain_turns
from toolect._exchange.told_in_texts import definitions_in, element_results, tells_of
from toolect._message import Call, Content, Json, Message, MessageError, RepairKind, Segment
from toolect._turns import Assistant, System, ToolResult, Turn
from toolect.conversation import Conversation

UNDECLARED = "calls of a tool that is not declared"
NO_TOOLS = "calls, and no tools are declared"
REPAIRED = "calls were repaired"
ANSWER_REPAIRED = "an answer without calls was repaired"
RETOLD = "the system text told of the tools itself: it is left out, the tools are kept"
REST_STAYS = "the system text told of the tools itself: they are kept as tools, and what else it says stays"
MAY_TELL = "the system text names the tools, and no definitions of them that could be left out: it stays"
RESULT_OF_A_USER = "tool_response"
"""The element of a result in a turn of the user: the templates of Qwen write it so."""
TOOLS = ("tools", "available_tools", "functions")
"""The columns that may hold the tools."""


class Reading(NamedTuple):
    """A conversation that a row tells, the columns that it was told in, and what was seen in them."""

    conversation: Conversation
    columns: frozenset[str]
    notes: tuple[Change, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def cut(self) -> tuple[int, ...]:
        """The answers that were cut off, by the numbers of their turns."""
        return tuple(note.turn for note in self.notes if note.what == CUT_OFF)


class OpenRow:
    """One row while it is read."""

    def __init__(self, row: Mapping[str, Json], source: Source) -> None:
        self.row, self.source = row, source
        self.taken: set[str] = set()
        self.notes: list[Change] = []
        self.changes: list[Change] = []
        self.beside: list[Change] = []
        """What the messages of the turns that are told have besides, and is left out."""
        self.seen: list[Change] = []
        """What was seen in the last answer of the turns that are told: of several answers each has its own."""
        self.tools: Tools = self._tools()

    def _tools(self) -> Tools:
        name = next((name for name in TOOLS if self.row.get(name) is not None), None)
        if name is None:
            return tools_in(None)
        self.taken.add(name)
        return self.declare(self.row[name])

    def declare(self, given: Json) -> Tools:
        """From now on these tools are declared."""
        self.tools = tools_in(given)
        self.notes += self.tools.notes
        return self.tools

    def take(self, *names: str) -> Json:
        """The value of the first of the columns that there is, opened."""
        name = self.first(*names)
        if not name:
            return None
        self.taken.add(name)
        return opened(self.row[name])

    def first(self, *names: str) -> str:
        """The first of the columns that there is; "" for none."""
        names = (self.source.field, *names) if self.source.field else names
        return next((name for name in names if self.row.get(name) is not None), "")

    def turns(self, messages: Json, where: str) -> tuple[Turn, ...]:
        """The turns of messages, with the calls that stand in their texts."""
        if not isinstance(messages, list):
            raise MessageError("a list of messages", what_is(messages), where)
        if self.source.dialect:
            messages = [*self._opened(messages)]
        elif (turns := plain_turns(messages)) is not None:
            return turns
        mended: Any = mended_messages(messages, self.tools, self.notes)
        self.beside = told(map(of_message, mended))
        return read_messages(mended, where, self.answer)

    def _opened(self, messages: Sequence[Json]) -> Iterator[Json]:
        """Messages whose calls stand in texts, and so may their results and tools."""
        said = ""
        for message in messages:
            role = message.get("role") if isinstance(message, Mapping) else None
            text = message.get("content") if isinstance(message, Mapping) else None
            if not isinstance(text, str):
                yield message
                continue
            results: list[ToolResult] = []
            match role:
                case "system" if not self.tools.tools:
                    self.declare([*definitions_in(text)])
                case "assistant":
                    said = text
                case "tool":
                    results = element_results(text)
                case "user" if (results := element_results(text, RESULT_OF_A_USER)) and not self.spoken(said).calls:
                    results = []
            for one in results:
                known = {"tool_call_id": one.call_id, "name": one.name} if one.call_id or one.name else {}
                yield {**message, "role": "tool", "content": one.output, **known}
            if not results:
                yield message

    def retold(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The turns without what a system text tells of the tools; if that is to stay, none is declared."""
        if not any(isinstance(turn, System) and tells_of(turn.text, self.tools.tools) for turn in turns):
            return (*turns,)
        if not self.source.retell:
            self.tools = tools_in(None)
            return (*turns,)
        return tuple(one for turn in turns for one in (self._untold(turn) if isinstance(turn, System) else (turn,)))

    def _untold(self, turn: System) -> Iterator[System]:
        """A system turn without what it tells of the tools; nothing where it says no more than that."""
        rest = besides(turn.text)
        if rest.names != {*self.tools.schemas}:
            if tells_of(turn.text, self.tools.tools):
                self.notes.append(Change(MAY_TELL, detail=turn.text[:60]))
            yield turn
        elif rest.text:
            self.changes.append(Change(REST_STAYS, detail=rest.text[:60]))
            yield replace(turn, text=rest.text)
        else:
            self.changes.append(Change(RETOLD, detail=turn.text[:60]))

    def answer(self, message: Any, where: str) -> Message:
        """What an assistant message says; one without calls may have them in its text."""
        said = read_answer(message, where)
        if not self.source.dialect or any(isinstance(one, Call) for one in said.segments):
            return said
        segments: list[Segment] = []
        repairs = said.repairs
        for segment in said.segments:
            read = self.spoken(segment.text) if isinstance(segment, Content) else Message([segment])
            segments += read.segments
            repairs += read.repairs
        return Message(segments, repairs)

    def spoken(self, text: str) -> Message:
        """What a text says in the dialect of the source."""
        if not self.source.dialect:
            return Message([Content(text)] if text else [])
        message = reader_of(self.source.dialect).parse(text, list(self.tools.tools) or None)
        return Message(message.segments, with_dropped(text, message))

    def conversation(self, turns: Sequence[Turn]) -> Reading:
        """The conversation of the turns, with what is to say about its calls."""
        return read_of(
            turns, self.tools, frozenset(self.taken), [*self.notes, *self.seen], [*self.changes, *self.beside]
        )


def read_of(
    turns: Sequence[Turn], tools: Tools, columns: frozenset[str], notes: list[Change], changes: Sequence[Change] = ()
) -> Reading:
    """What turns tell, with what is to say about them: answers as what they say, not as they were spelled."""
    bare = [*turns]
    left = [*changes]
    calls: dict[int, int] = {}
    schemas = tools.schemas
    for number, turn in enumerate(turns):
        if (empty := unsaid(turn)) is not None:
            notes.append(empty._replace(turn=number))
        if type(turn) is not Assistant:
            continue
        message = turn.message
        if turn.text is not None:
            bare[number] = Assistant(message)
        repairs, unknown = message.repairs, []
        for one in message.segments:
            if type(one) is Call:
                if one.repairs:
                    repairs += one.repairs
                if one.runnable:
                    calls[number] = calls.get(number, 0) + 1
                    if one.name not in schemas:
                        unknown.append(one.name)
        if repairs:
            kinds = {repair.kind for repair in repairs} - {RepairKind.WHITESPACE, RepairKind.COERCION}
            if RepairKind.AFTER_END in kinds and (rest := dropped(turn)):
                kinds.remove(RepairKind.AFTER_END)
                left.append(Change(DROPPED, number, rest))
            if kinds:
                notes.append(Change(REPAIRED if message.calls else ANSWER_REPAIRED, number, ", ".join(sorted(kinds))))
        if unknown:
            notes.append(Change(UNDECLARED, number, ", ".join(unknown)) if tools.schemas else Change(NO_TOOLS))
    notes += results_of_others(turns)
    if calls:
        notes += without_result(turns, calls)
    return Reading(Conversation((*bare,), tools.tools), columns, (*notes,), (*left,))


def what_is(value: Json) -> str:
    """What a value is, for the `got` of an error."""
    return "nothing" if value is None else f"`{type(value).__name__}`"

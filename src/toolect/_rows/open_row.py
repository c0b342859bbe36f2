"""One row while it is read: its columns, its tools, the turns that it tells, and what was seen in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from toolect._chats.conversation_diff import Change
from toolect._chats.unread_text import DROPPED, dropped, unread
from toolect._detection.dropped import quoted_ends, with_dropped
from toolect._detection.guess import reader as reader_of
from toolect._detection.leaks import begins_reasoning, has_marker_of, left_in, markers
from toolect._exchange.embedded_tools import definitions_in, tells_of
from toolect._exchange.plain_messages import plain_turns
from toolect._message import Call, Content, Json, Message, Reasoning, RepairKind
from toolect._rows.calls_and_results import CallTextReader, weights_of
from toolect._rows.finish_reasons import CUT_OFF, END_TOKENS, unsaid, without_end, without_result
from toolect._rows.ignored_fields import check_read, left_out, of_message
from toolect._rows.normalize import Tools, mended_messages, tools_in
from toolect._rows.result_ids import results_of_others
from toolect._rows.row_fields import TurnShape, row_kinds
from toolect._rows.row_source import Source
from toolect._rows.system_text import besides
from toolect._turns import Assistant, System, Turn
from toolect.conversation import Conversation

UNDECLARED = "calls of a tool that is not declared"
NO_TOOLS = "calls, and no tools are declared"
REPAIRED = "calls were repaired"
ANSWER_REPAIRED = "an answer without calls was repaired"
HAS_MARKERS = "markers stand in the text of an answer, and stay there"
DESCRIBED = "the system text described the tools: it is left out, the tools are kept"
REST_STAYS = "the system text described the tools: they are kept as tools, and what else it says stays"
MAY_TELL = "the system text names the tools, and no definitions of them that could be left out: it stays"


_CLOSER = re.compile(r"\s*(?:<[^<>\n]{1,40}>|\[/\w{1,40}\])\s*")
"""Matches what ends the reasoning of an answer."""


class RowReading(NamedTuple):
    """The conversation of a row, the columns that it stands in, and what was seen in them."""

    conversation: Conversation
    columns: frozenset[str]
    notes: tuple[Change, ...] = ()
    changes: tuple[Change, ...] = ()
    weights: Mapping[int, float] = MappingProxyType({})
    """The weights of answers, by the numbers of their turns."""
    rejected: Conversation | None = None
    """The other side of a pair, whose better one is the conversation."""
    wanted: bool = True
    """Whether the last answer is a good one."""

    @property
    def cut(self) -> tuple[int, ...]:
        """The answers that were cut off, by the numbers of their turns."""
        return tuple(note.turn for note in self.notes if note.what == CUT_OFF)


class OpenRow:
    """One row while it is read, with the `dialect` of calls in its texts: "" for none."""

    def __init__(
        self, row: Mapping[str, Json], source: Source, taken: frozenset[str], dialect: str, shape: TurnShape
    ) -> None:
        self.row, self.source, self.dialect, self.shape = row, source, dialect, shape
        self.taken = taken
        self.notes: list[Change] = []
        self.changes: list[Change] = []
        self.beside: list[Change] = []
        """What the messages of the turns that are kept have besides, and is left out."""
        self.seen: list[Change] = []
        """What was seen in the last answer of the turns that are kept: of several answers each has its own."""
        self.weights: dict[int, float] = {}
        """The weights of answers, by their numbers among the answers."""
        self.tools: Tools = tools_in(None)
        self._calls_beside = False
        """Whether calls stand beside the texts of answers."""

    def declare(self, given: Json) -> None:
        """From now on these tools are declared, too."""
        more = tools_in(given)
        self.notes += more.notes
        self.tools = more if not self.tools.tools else self.tools.joined(more)

    def declared(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The turns; what their system texts tell of the tools is declared, where no tools are."""
        if not self.tools.tools:
            for turn in turns:
                self.declare([*definitions_in(turn.text)] if isinstance(turn, System) else [])
        return turns

    def turns(self, messages: list[Json], where: str, system: str = "") -> tuple[Turn, ...]:
        """The turns of messages, with the calls and the results that stand in their texts, after a system text."""
        self.weights = weights_of(messages)
        if not self.dialect and (turns := plain_turns(messages)) is not None:
            return (System(system), *turns) if system else turns
        if not self.tools.tools:
            first = messages[0] if messages and not system else {"role": "system", "content": system}
            if isinstance(first, Mapping) and first.get("role") == "system" and isinstance(first.get("content"), str):
                self.declare([*definitions_in(first["content"])])
        mended = mended_messages(messages, self.tools, self.notes)
        others = [[*of_message(one, self.shape.fields.ignore)] for one in mended]
        for number, (one, names) in enumerate(zip(mended, others, strict=True)):
            check_read(one, names, f"{where}[{number}]")
        self.beside = left_out(others)
        self._calls_beside = any(
            isinstance(one, Mapping) and (one.get("tool_calls") or one.get("function_call")) for one in mended
        )
        reader = CallTextReader(self.spoken if self.dialect else None, self.shape.fields.results, self.shape.result)
        return reader.turns(mended, where, system)

    def without_tool_prompt(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The turns without what a system text tells of the tools; if that is to stay, none is declared."""
        systems = [turn for turn in turns if isinstance(turn, System)]
        if not any(tells_of(turn.text, self.tools.tools) for turn in systems):
            return (*turns,)
        if not self.source.retell:
            self.tools = tools_in(None)
            return (*turns,)
        return tuple(
            one for turn in turns for one in (self._without_tools(turn) if isinstance(turn, System) else (turn,))
        )

    def _without_tools(self, turn: System) -> Iterator[System]:
        """A system turn without what it tells of the tools; nothing where it says no more than that."""
        rest = besides(turn.text, row_kinds(self.source.files).prompts)
        if rest.names != {*self.tools.schemas}:
            if tells_of(turn.text, self.tools.tools):
                self.notes.append(Change(MAY_TELL, detail=turn.text[:60]))
            yield turn
        elif rest.text and not self.source.drop_prompt:
            self.changes.append(Change(REST_STAYS, detail=rest.text[:60]))
            yield replace(turn, text=rest.text)
        else:
            self.changes.append(Change(DESCRIBED, detail=turn.text[:60]))

    def spoken(self, text: str) -> Message:
        """What a text says in the dialect of the source."""
        if not self.dialect:
            return Message([Content(text)] if text else [])
        doubted = self.source.guessed and (not self.tools.tools or self._calls_beside)
        if doubted and not (markers().within(text) or begins_reasoning(text)):
            return Message([Content(text)])
        reader, tools = reader_of(self.dialect), list(self.tools.tools) or None
        message = reader.parse(text, tools)
        if any(repair.kind is RepairKind.AFTER_END for repair in message.repairs):
            veil, hidden = quoted_ends(text)
            message = veil.message(reader.parse(hidden, tools)) if hidden != text else message
        if doubted and message.calls:
            message = self._marked(text, message)
        return Message(message.segments, with_dropped(text, message))

    def _marked(self, text: str, message: Message) -> Message:
        """A message without the calls that have no marker of their dialect: code is an answer here."""
        calls = message.calls
        names = getattr(message, "dialects", (self.dialect,) * len(calls))
        ends = [len(text) if call.span is None else call.span[1] for call in calls]
        marked = [name for name, end in zip(names, ends, strict=True) if has_marker_of(name, text[:end])]
        if len(marked) == len(calls):
            return message
        if marked:
            return reader_of(marked[0]).parse(text)
        thought = next(iter(message.segments))
        if not isinstance(thought, Reasoning) or thought.span is None:
            return Message([Content(text)])
        closer = _CLOSER.match(text, thought.span[1])
        return Message([thought, Content(text[closer.end() if closer else thought.span[1] :])])

    def conversation(self, turns: Sequence[Turn]) -> RowReading:
        """The conversation of the turns, with what is to say about its calls."""
        found = read_of(turns, self.tools, self.taken, [*self.notes, *self.seen], [*self.changes, *self.beside])
        if not self.weights:
            return found
        answers = [number for number, turn in enumerate(found.conversation.turns) if isinstance(turn, Assistant)]
        weights = {answers[at]: weight for at, weight in self.weights.items() if at < len(answers)}
        return found._replace(weights=weights)


def read_of(
    turns: Sequence[Turn], tools: Tools, columns: frozenset[str], notes: list[Change], changes: Sequence[Change] = ()
) -> RowReading:
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
        message = without_end(turn.message)
        if message is not turn.message:
            notes.append(Change(END_TOKENS, number))
        if turn.text is not None or message is not turn.message:
            bare[number] = Assistant(message)
        repairs, unknown = message.repairs, []
        for one in message.segments:
            if type(one) is Content and (found := left_in(one.text)):
                notes.append(Change(HAS_MARKERS, number, ", ".join(dict.fromkeys(found))))
            elif type(one) is Call:
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
                left += unread(DROPPED, rest, number)
            if kinds:
                notes.append(Change(REPAIRED if message.calls else ANSWER_REPAIRED, number, ", ".join(sorted(kinds))))
        if unknown:
            notes.append(Change(UNDECLARED, number, ", ".join(unknown)) if tools.schemas else Change(NO_TOOLS))
    notes += results_of_others(turns)
    if calls:
        notes += without_result(turns, calls)
    return RowReading(Conversation((*bare,), tools.tools), columns, (*notes,), (*left,))

"""One row while it is read: its columns, its tools, the turns that it tells, and what was seen in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolect._chats.comparing import Change
from toolect._data.opening import opened
from toolect._data.row_mending import Tools, mended_messages, tools_in
from toolect._data.row_source import Source
from toolect._detection.guess import dialect
from toolect._exchange.openai_messages import read_answer, read_messages
from toolect.conversation import Conversation
from toolect.message import BadMessage, Call, Content, Json, Message, RepairKind, Segment
from toolect.turns import Assistant, Turn

UNDECLARED = "calls of a tool that is not declared"
NO_TOOLS = "calls, and no tools are declared"
REPAIRED = "calls were repaired"
TOOLS = ("tools", "available_tools", "functions")
"""The columns that may hold the tools."""


class Reading(NamedTuple):
    """A conversation that a row tells, the columns that it was told in, and what was seen in them."""

    conversation: Conversation
    columns: frozenset[str]
    notes: tuple[Change, ...] = ()
    changes: tuple[Change, ...] = ()


class OpenRow:
    """One row while it is read."""

    def __init__(self, row: Mapping[str, Json], source: Source) -> None:
        self.row, self.source = row, source
        self.taken: set[str] = set()
        self.notes: list[Change] = []
        self.changes: list[Change] = []
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
        for name in (self.source.field, *names) if self.source.field else names:
            if self.row.get(name) is not None:
                self.taken.add(name)
                return opened(self.row[name])
        return None

    def turns(self, messages: Json, where: str) -> tuple[Turn, ...]:
        """The turns of messages, with the calls that stand in their texts."""
        if not isinstance(messages, list):
            raise BadMessage("a list of messages", what_is(messages), where)
        return read_messages(mended_messages(messages, self.tools, self.notes), where, self.answer)

    def answer(self, message: Any, where: str) -> Message:
        """What an assistant message says; one without calls may have them in its text."""
        said = read_answer(message, where)
        if not self.source.dialect or any(isinstance(one, Call) for one in said.segments):
            return said
        segments: list[Segment] = []
        for segment in said.segments:
            segments += self.spoken(segment.text).segments if isinstance(segment, Content) else [segment]
        return Message(segments)

    def spoken(self, text: str) -> Message:
        """What a text says in the dialect of the source."""
        if not self.source.dialect:
            return Message([Content(text)] if text else [])
        message = dialect(self.source.dialect).parse(text, list(self.tools.tools) or None)
        return Message(message.segments, message.repairs)

    def conversation(self, turns: Sequence[Turn]) -> Reading:
        """The conversation of the turns, with what is to say about its calls."""
        bare = tuple(self._seen(turn, number) for number, turn in enumerate(turns))
        conversation = Conversation(bare, self.tools.tools)
        return Reading(conversation, frozenset(self.taken), tuple(self.notes), tuple(self.changes))

    def _seen(self, turn: Turn, number: int) -> Turn:
        """An answer as what it says, not as it was spelled."""
        if not isinstance(turn, Assistant):
            return turn
        message = turn.message
        calls = message.calls
        if not calls and not message.repairs:
            return turn if turn.text is None else Assistant(message)
        kinds = {repair.kind for call in calls for repair in call.repairs} | {r.kind for r in turn.message.repairs}
        if meant := sorted(kinds - {RepairKind.WHITESPACE, RepairKind.COERCION}):
            self.notes.append(Change(REPAIRED, number, ", ".join(meant)))
        if calls:
            declared = self.tools.schemas
            unknown = [call.name for call in calls if call.runnable and call.name not in declared]
            if unknown:
                self.notes.append(Change(UNDECLARED, number, ", ".join(unknown)) if declared else Change(NO_TOOLS))
        return turn if turn.text is None else Assistant(turn.message)


def what_is(value: Json) -> str:
    """What a value is, for the `got` of an error."""
    return "nothing" if value is None else f"`{type(value).__name__}`"

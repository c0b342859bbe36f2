"""Forms of conversations that are known to be read back as they were told, so that not every text has to be.

What a chat writes is ready pieces with texts between them, each of which stays in its place. So of two conversations of
one form whose texts are nothing but words there, one is read back as the other is. A form, a list of tools, and calls
with arguments of the same types are each read back once; what is unusual has no form, and is read back each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from toolect._chats.comparing import LEFT_OUT, OF_TOOLS, Change
from toolect._chats.filling import Said
from toolect._chats.ops import Each
from toolect._chats.plain_texts import Edges, Key, is_bare, key_of_call
from toolect._chats.plain_turns import PlainTurns
from toolect._chats.ready_texts import Ready, Told, place_of, ready
from toolect._chats.transcript_reader import Reader
from toolect._chats.writing import Place, Writer
from toolect.conversation import Conversation
from toolect.message import Call
from toolect.transcript import Given
from toolect.turns import Assistant, Results, System

MAX_KNOWN, MAX_TOOLS = 4096, 128
"""Forms and calls of one chat that are known at a time, and lists of tools. Beyond it: all are found out anew."""


class Form(NamedTuple):
    """All that decides what is read back of a conversation, whose tools and calls are known or not."""

    shape: Key
    calls: frozenset[Key]


class KnownForms:
    """The forms, tools and calls of one chat that have been read back."""

    def __init__(self, system: str | None, reader: Reader, markers: Sequence[str], heard: Callable[[str], str]) -> None:
        self._system = system
        """The system text that stands for none."""
        self._heard = heard
        """What is read as a result's output, of the text that is written for it."""
        self._edges = Edges(reader, markers)
        self._changes: dict[tuple[Key, int], tuple[Change, ...]] = {}
        """Of each shape, with its tools where these are told otherwise, or else with 0."""
        self._calls: set[tuple[int, Key]] = set()
        self._tools: dict[int, object] = {}
        """Lists of tools by their identity; they are kept, so that it stays theirs."""
        self._exact = {0}
        """Those that are told as they are."""
        self.pieces: dict[Place, list[Given]] = {}
        """How tools are told."""
        self._ready: dict[Key, Ready | None] = {}
        self._told: dict[Key, str] = {}
        """How tools are told, as one text each."""

    def text(
        self, turns: PlainTurns, wishes: Key, conversation: Conversation, writer: Writer
    ) -> tuple[str, tuple[Change, ...]] | None:
        """The text of a conversation whose form is known, and what is told otherwise; None where it is not."""
        known = self._ready.get((*wishes, bool(conversation.tools), turns.key))
        if known is None or isinstance(conversation.turns[0], System) and turns.texts[0] == self._system:
            return None
        told = self.changes(Form(known.shape, frozenset(turns.calls)), conversation)
        if told is None:
            return None
        writer.tools = conversation.tools
        text = known.text(turns, writer, self._told)
        return None if text is None or not self._edges.keep(writer.held) else (text, told)

    def changes(self, form: Form, conversation: Conversation) -> tuple[Change, ...] | None:
        """What is told otherwise of a conversation; None where only reading it back can tell."""
        tools = id(conversation.tools) if conversation.tools else 0
        if not all((tools, call) in self._calls for call in form.calls):
            return None
        return self._changes.get((form.shape, 0 if tools in self._exact else tools))

    def prepare(self, turns: PlainTurns, wishes: Key, form: Form, conversation: Conversation, writer: Writer) -> None:
        """Keep how conversations of a form are written, and the tools of this one."""
        key = *wishes, bool(conversation.tools), turns.key
        if key not in self._ready:
            assert writer.outline is not None and writer.clean is not None
            self._ready[key] = ready(writer.outline, writer.clean[0], conversation.turns, form.shape, writer)
        for part in known.parts if (known := self._ready[key]) else ():
            if isinstance(part, Told):
                told = writer.all_tools
                if isinstance(part.op, Each):
                    pieces = self.pieces.get((part.op.rule, part.number, part.facts, id(conversation.tools)))
                    told = None if pieces is None else "".join(piece[0] for piece in pieces)
                if told is not None and id(conversation.tools) in self._tools:
                    self._told[place_of(part, conversation.tools)] = told

    def learn(self, form: Form, conversation: Conversation, writer: Writer, changes: Sequence[Change]) -> None:
        """Keep what reading back a conversation told, if it is so for all of its form."""
        if any(change.what not in LEFT_OUT and change.what not in OF_TOOLS for change in changes):
            return
        if max(len(self._changes), len(self._calls)) >= MAX_KNOWN or len(self._tools) >= MAX_TOOLS:
            self._changes, self._calls, self._tools, self._exact = {}, set(), {}, {0}
            self.pieces.clear()
            self._ready, self._told = {}, {}
        tools = id(conversation.tools) if conversation.tools else 0
        of_tools = any(change.what in OF_TOOLS for change in changes)
        if tools not in self._tools:
            self._tools[tools] = conversation.tools
            if not of_tools:
                self._exact.add(tools)
        elif of_tools and tools in self._exact:
            return
        self.pieces |= writer.new_tools
        self._calls.update((tools, call) for call in form.calls)
        self._changes[form.shape, 0 if tools in self._exact else tools] = tuple(changes)

    def form(self, conversation: Conversation, writer: Writer) -> Form | None:
        """The form of a conversation that was written; None for an unusual one."""
        if writer.clean is None:
            return None
        body, shared = writer.clean
        system = writer.system
        first = conversation.turns[0] if body.system_turn >= 0 else None
        if first is not None and not (isinstance(first, System) and first.text == system and self._is_given(system)):
            return None
        if len(body.turns) + body.first != len(conversation.turns) or not self._edges.keep(writer.held):
            return None
        calls: list[Key] = []
        said: list[Key] = []
        asked: Sequence[Call] = ()
        for number, turn in enumerate(body.turns):
            if isinstance(turn, Assistant):
                one = body.data[number]
                if turn.text is not None or not isinstance(one, Said) or not _is_told(one):
                    return None
                asked = one.calls
                if asked:
                    found = [key_of_call(call) for call in asked]
                    ids = {call.id for call in asked if call.id}
                    if None in found or ids and len(ids) < len(asked):
                        return None
                    calls += filter(None, found)
                    names = [call.name for call in asked]
                    said.append((number, bool(ids), *map(names.index, names)))
            elif isinstance(turn, Results):
                if (told := self._results(turn, asked)) is None:
                    return None
                said.append((number, *told))
                asked = ()
            elif isinstance(turn, System) and (number or not self._is_given(turn.text)) or not is_bare(turn.text):
                return None
            else:
                asked = ()
        return Form((shared, body.system_turn, body.shape, *said), frozenset(calls))

    def _is_given(self, system: str) -> bool:
        return system != self._system and is_bare(system)

    def _results(self, turn: Results, asked: Sequence[Call]) -> Key | None:
        """What there is of each result; None where they are not those of the calls before, one by one."""
        if len(turn.results) != len(asked):
            return None
        found = []
        for result, call in zip(turn.results, asked, strict=True):
            if result.is_error or (result.call_id or call.id) != call.id or (result.name or call.name) != call.name:
                return None
            if not is_bare(result.output) or self._heard(result.output) != result.output:
                return None
            found.append((bool(result.output), bool(result.call_id), bool(result.name)))
        return (*found,)


def _is_told(said: Said) -> bool:
    """True for an answer whose texts the chat takes as they are."""
    content, reasoning = said.message.content, said.message.reasoning
    return (
        said.ordered
        and said.content == content
        and said.reasoning == reasoning
        and is_bare(content)
        and is_bare(reasoning)
    )

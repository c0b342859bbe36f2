"""Cache of round trips: what conversations of one shape lose in a chat, found out by reading the first of them back.

What a chat writes is fixed texts with given ones between them, each of which stays in its place. So of two
conversations of one shape, whose texts hold no part of a marker and whose calls are of kinds that came back, one is
read back as the other is. What is unusual has no shape, and is read back each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from toolect._chats.conversation_diff import (
    LEFT_OUT,
    NO_SYSTEM,
    OF_TOOLS,
    OTHER_TURNS,
    Change,
    signatures,
    tool_changes,
)
from toolect._chats.filling import SlotAnswer
from toolect._chats.prompt_tools import read_definition
from toolect._chats.transcript_writer import Writer
from toolect._message import Call, Content
from toolect._spec.chat_model import ChatSlot, ChatSpec
from toolect._turns import Assistant, Results, System
from toolect.conversation import Conversation

Shape: TypeAlias = tuple[Any, ...]
OF_SHAPES = (*LEFT_OUT, NO_SYSTEM, OTHER_TURNS)
"""Changes that all conversations of a shape have, if one does."""
MAX_SHAPES = 4096
"""Shapes that are kept at a time. Beyond it: all are found out anew."""


class RoundTrips:
    """Losses of conversations in one chat, by their shapes."""

    def __init__(self, spec: ChatSpec, output: Callable[[str], str]) -> None:
        """`output` returns a result's output as it is read back."""
        self._spec, self._output = spec, output
        self._changes: dict[Shape, tuple[Change, ...] | None] = {}
        """None for a shape whose conversations do not all lose the same."""

    def changes(self, shape: Shape, conversation: Conversation, writer: Writer) -> tuple[Change, ...] | None:
        """Losses of a conversation that was written; None where it has to be read back."""
        found = self._changes.get(shape)
        if found is None or not conversation.tools:
            return found
        of_tools = self._of_tools(writer)
        return None if of_tools is None else (*of_tools, *found)

    def _of_tools(self, writer: Writer) -> tuple[Change, ...] | None:
        """Losses of tools, found by reading each where it is written; None where that does not show all of them."""
        texts = [text for text, op in writer.held if op.slot in (ChatSlot.TOOL, ChatSlot.TOOLS)]
        losses, key = writer.listed.losses, bool(texts)
        if key not in losses:
            if any(text != text.strip() for text in texts):
                return None
            read = [tool for text in dict.fromkeys(texts) for tool in read_definition(self._spec.tools, text)]
            losses[key] = (*tool_changes(writer.listed.tools, read),)
        return losses[key]

    def learn(self, shape: Shape, changes: Sequence[Change]) -> None:
        """Keep what a conversation of this shape was found to lose, if all of its shape do."""
        found = tuple(change for change in changes if change.what not in OF_TOOLS)
        if len(self._changes) >= MAX_SHAPES:
            self._changes = {}
        is_of_all = all(change.what in OF_SHAPES for change in found) and self._changes.get(shape, found) == found
        self._changes[shape] = found if is_of_all else None

    def shape(self, conversation: Conversation, writer: Writer) -> Shape | None:
        """All that decides what is lost of a conversation that was written; None for an unusual one."""
        if writer.has_markers or writer.has_odd_calls or writer.written is None:
            return None
        body, shared = writer.written
        first = conversation.turns[0] if body.system_turn >= 0 else None
        if first is not None and not (isinstance(first, System) and first.text == writer.system):
            return None
        if first is not None and not self._is_given(writer.system):
            return None
        if len(body.turns) + body.first != len(conversation.turns):
            return None
        more: list[Shape] = []
        asked: Sequence[Call] = ()
        for number, turn in enumerate(body.turns):
            before, asked = asked, ()
            if isinstance(turn, Assistant):
                one = body.data[number]
                if turn.text is not None or not isinstance(one, SlotAnswer) or not _is_as_given(one):
                    return None
                asked = one.calls
                if asked:
                    ids, names = [call.id for call in asked], [call.name for call in asked]
                    if any(ids) and len({*ids}) < len(ids):
                        return None
                    more.append((number, len(asked), any(ids), *map(names.index, names)))
            elif isinstance(turn, Results):
                results = self._results(turn, before)
                if results is None:
                    return None
                more.append((number, *results))
            elif isinstance(turn, System) and (number or not self._is_given(turn.text)) or not _is_bare(turn.text):
                return None
        return shared, body.system_turn, body.shape, *more

    def _is_given(self, system: str) -> bool:
        return system != self._spec.system and _is_bare(system)

    def _results(self, turn: Results, asked: Sequence[Call]) -> Shape | None:
        """The shape of results: whether each has an output, an id, a name; None unless they are those of the calls."""
        if len(turn.results) != len(asked):
            return None
        found = []
        for result, call in zip(turn.results, asked, strict=True):
            if result.is_error or (result.call_id or call.id) != call.id or (result.name or call.name) != call.name:
                return None
            if not _is_bare(result.output) or self._output(result.output) != result.output:
                return None
            found.append((bool(result.output), bool(result.call_id), bool(result.name)))
        return (*found,)


def _is_as_given(said: SlotAnswer) -> bool:
    """True for an answer whose texts the chat takes as they are, and that nothing is said of besides."""
    segments = said.message.segments
    if len(segments) == 1 and type(one := segments[0]) is Content:
        return said.content == one.text and said.ordered and not said.reasoning and _is_bare(one.text)
    content, reasoning = said.message.content, said.message.reasoning
    same = said.content == content and said.reasoning == reasoning
    return same and said.ordered and not signatures(said.message) and _is_bare(content) and _is_bare(reasoning)


def _is_bare(text: str) -> bool:
    """True for a text without blanks at its ends, which nothing is cut off from."""
    return not text or not (text[0].isspace() or text[-1].isspace())

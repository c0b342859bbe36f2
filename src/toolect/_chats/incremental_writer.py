"""Incremental writer: text that a further turn of a conversation does not change is not written again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from toolect._chats.filling import SlotAnswer, check_spelled
from toolect._chats.marker_scan import HeldText
from toolect._chats.outline import Outline, Outliner
from toolect._chats.transcript_writer import Writer
from toolect._chats.turn_facts import Thinking, TurnFacts, following
from toolect._spec.chat_model import Fact
from toolect._transcript import Transcript, known_piece
from toolect._turns import System, Turn

_NOTICED, _EMPTY, _DEVELOPER = int(Fact.NOTICED), int(Fact.EMPTY), int(Fact.DEVELOPER)
_UNASKED = int(Fact.EMPTY | Fact.UNASKED)


class IncrementalWriter:
    """Writes the first turns of one conversation, as often as it is asked to.

    No turn but the first may be the system's: another one may change what stands at the head.
    """

    def __init__(
        self,
        writer: Callable[[], Writer],
        turns: Sequence[Turn],
        tools: Sequence[Mapping[str, Any]],
        thinking: Thinking,
        read_back: Callable[[int, Transcript, Sequence[HeldText], bool, Thinking], Transcript],
    ) -> None:
        """`read_back` takes the number of turns written, their text, the texts held, `generate` and `thinking`."""
        self._writer, self._turns, self._tools, self._thinking = writer, turns, tools, thinking
        self._read_back = read_back
        self._drafts: dict[tuple[bool, Thinking], _TranscriptDraft] = {}

    def __call__(self, size: int, generate: bool, quiet: bool = False, /) -> Transcript:
        """The first `size` turns; see `Beginning`. Raises RenderError."""
        key = generate, False if quiet and self._thinking is None else self._thinking
        if size == 0:
            writer = self._writer()
            text = writer.write((), self._tools, *key)
        else:
            draft = self._drafts.pop(key, None)
            if draft is None or draft.size > size:
                draft = _TranscriptDraft(self._writer(), self._turns, self._tools, *key)
            writer, text = draft.writer, draft.grown(size)
            self._drafts[key] = draft  # one that raised is begun anew
        return self._read_back(size, text, writer.held, *key) if writer.has_markers else text


class _Mark(NamedTuple):
    """Position in the output at which a turn begins."""

    pieces: int
    held: int
    counts: dict[type, int]


class _TranscriptDraft:
    """Transcript written so far."""

    def __init__(
        self,
        writer: Writer,
        turns: Sequence[Turn],
        tools: Sequence[Mapping[str, Any]],
        generate: bool,
        thinking: Thinking,
    ) -> None:
        self.writer = writer
        self.size = 0
        turns, first, shared = writer.begin(turns, tools, generate, thinking)
        self.body = writer.body(turns[first:])
        self._shared = shared | (_NOTICED if any(isinstance(turn, System) for turn in self.body.turns) else 0)
        self._bare = shared
        self._odd = dict(writer.odd)
        self._facts = TurnFacts(self._shared & ~_DEVELOPER)
        self._marks: list[_Mark] = []
        """Positions of the turns that were written, and of the tail."""

    def grown(self, size: int) -> Transcript:
        """The text of the first `size` turns; there were no more before. Raises RenderError."""
        writer, body, facts = self.writer, self.body, self._facts.facts
        count, first = size - body.first, len(facts)
        if count == 0:
            writer.plans.check(None, self._bare | _UNASKED)
        while len(facts) < count:
            turn, one = body.turns[len(facts)], body.data[len(facts)]
            first = min(first, self._facts.add(turn, one if isinstance(one, SlotAnswer) else None))
        head, turns, tail = self._outlines(first, count)
        if not writer.keep:
            for index in (index for outline in turns for index in outline.written if index in self._odd):
                check_spelled(self._odd[index].message)
        begin = self._back(first)
        if head is not None:
            writer.follow(head, body)
        for outline in turns:
            self._mark()
            writer.follow(outline, body)
        self._mark()
        writer.follow(tail, body)
        written = [index for outline in turns for index in outline.written]
        writer.look(body, written, begin.held)
        pieces = writer.pieces
        pieces[begin.pieces :] = map(known_piece, pieces[begin.pieces :])
        self.size = size
        return Transcript(pieces, (), writer.author)

    def _outlines(self, first: int, count: int) -> tuple[Outline | None, list[Outline], Outline]:
        """Outlines of the head, if the first turn is written anew, of the turns `first:count`, and of the tail."""
        plans, body, facts, shared = self.writer.plans, self.body, self._facts.facts, self._shared
        head = None
        if first == 0:
            outliner = Outliner(plans, body)
            outliner.plan(plans.head(shared), -1, shared)
            head = outliner.so_far(shared)
        turns = []
        for index in range(first, count):
            outliner = Outliner(plans, body)
            outliner.turn(index, facts[index])
            turns.append(outliner.so_far(shared))
        after = following(body.turns[count - 1], facts[count - 1]) if count else _EMPTY
        return head, turns, Outliner(plans, body).end(shared | after, shared)

    def _back(self, first: int) -> _Mark:
        """Take back the text from turn `first` on, for 0 with the head; return the position where it was."""
        writer = self.writer
        mark = self._marks[first] if first else _Mark(0, 0, {})
        del writer.pieces[mark.pieces :], writer.held[mark.held :], self._marks[first:]
        writer.counts = {**mark.counts}
        return mark

    def _mark(self) -> None:
        writer = self.writer
        self._marks.append(_Mark(len(writer.pieces), len(writer.held), {**writer.counts}))
